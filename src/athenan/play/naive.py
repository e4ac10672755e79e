"""A player that knows the rules and looks a few turns ahead, and plays at random where it sees neither win nor loss.

>>> from athenan import Budget, make
>>> game = make("tictactoe")
>>> player = NaivePlayer(game)
>>> player.new_match(game, seed=1)
>>> game.action_name(game.initial(), player.select(game.after("a1 b2 a2"), Budget(seconds=1)).action)  # prevents a3
'a3'
"""

import numpy as np

from athenan.play.limit import Limit
from athenan.play.player import Move, PlayerError, choices, require_own_game
from athenan.rules.game import Game, State
from athenan.search.trees.foresight import Foresight

MOST_TURNS = 3
"""The most turns of each side that it can look ahead."""


class NaivePlayer:
    """Takes the shortest forced win that it sees; else avoids forced losses, or puts them off as long as it can.

    It sees `turns` turns of each side, as far as `foresight.MOST_STATES` reach. It needs no limit. Raises PlayerError
    for a one-player game.
    """

    def __init__(self, game: Game, turns: int = 1) -> None:
        self.name = "naive" if turns == 1 else f"naive:{turns}"
        if game.players == 1:
            raise PlayerError(f"{game.name} has one player: {self.name} needs an opponent")
        self._game, self._foresight = game, Foresight(game, 2 * turns)

    def new_match(self, game: Game, seed: int) -> None:
        require_own_game(self.name, self._game, game)
        self._random = np.random.default_rng(seed)

    def select(self, state: State, limit: Limit) -> Move:
        actions = choices(self._game, state)
        ends = self._foresight.ends(state, actions).astype(float)
        worth = np.divide(1, ends, out=np.zeros_like(ends), where=ends != 0)
        return Move(int(self._random.choice(actions[worth == worth.max()])))

    def observe(self, action: int, following: State) -> None:
        pass

    def close(self) -> None:
        pass
