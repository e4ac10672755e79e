"""A player of athenan as a bot of OpenSpiel, which must be installed: `pip install 'athenan[openspiel]'`.

>>> import pyspiel
>>> from athenan import Budget, make
>>> from athenan.arena.roster import make_player
>>> theirs = pyspiel.load_game("tic_tac_toe")
>>> bots = [
...     OpenSpielBot(make_player(name, make("openspiel:tic_tac_toe")), make("openspiel:tic_tac_toe"), number)
...     for number, name in enumerate(["mcts:2000", "mcts:2000"])
... ]
>>> pyspiel.evaluate_bots(theirs.new_initial_state(), bots, 0)
[0.0, 0.0]
"""

from typing import Any

import pyspiel

from athenan.play.limit import DEFAULT_LIMIT, Limit
from athenan.play.player import Player, PlayerError
from athenan.rules.game import Game, State

_THEIRS = "openspiel:"


class OpenSpielBot(pyspiel.Bot):
    """Plays one side of matches that OpenSpiel runs, with `pyspiel.evaluate_bots` or otherwise.

    `player` plays `game`, which is the game of the match, `openspiel:NAME(...)`, or a deterministic game of athenan
    whose actions have the same numbers, such as `connect_four` or `hex:11,swap=false`. The legal actions are compared
    at each action. The first match has the seed `seed`, each further one the next.
    """

    def __init__(self, player: Player, game: Game, player_id: int, limit: Limit = DEFAULT_LIMIT, seed: int = 0) -> None:
        super().__init__()
        if game.stochastic and not game.name.startswith(_THEIRS):
            raise PlayerError(f"the outcomes of {game.name} have other numbers in OpenSpiel: use a game {_THEIRS}NAME")
        self._player, self._game, self._player_id, self._limit, self._seed = player, game, player_id, limit, seed
        self._begin()

    def _begin(self) -> None:
        self._player.new_match(self._game, self._seed)
        self._state: State = self._game.initial()
        self._events: list[tuple[int, int]] = []

    def player_id(self) -> int:
        """The side that the bot plays: 0 or 1."""
        return self._player_id

    def restart(self) -> None:
        """Starts a match."""
        self._seed += 1
        self._begin()

    def restart_at(self, state: Any) -> None:
        """Starts a match at a state."""
        self.restart()
        self._follow(state)

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Ignores an action of another player: `step` reads it from the history."""

    def step(self, state: Any) -> int:
        """The action to play in a state. Raises PlayerError if the state is not of the player's game."""
        self._follow(state)
        if state.legal_actions() != self._game.actions(self._state).tolist():
            raise PlayerError(f"{self._game.name} has other actions here than {state.get_game()}")
        return self._player.select(self._state, self._limit).action

    def _follow(self, state: Any) -> None:
        """Replays the match so far."""
        events = [(event.player, event.action) for event in state.full_history()]
        if events[: len(self._events)] != self._events:
            self._begin()
        outcomes = state.get_game().num_distinct_actions()
        go_on = outcomes + state.get_game().max_chance_outcomes()
        for player, event in events[len(self._events) :]:
            if self._game.stochastic and self._game.actions(self._state).tolist() == [go_on]:
                self._play(go_on)
            self._play(event + outcomes if player == pyspiel.PlayerId.CHANCE else event)
            self._events.append((player, event))

    def _play(self, action: int) -> None:
        """Plays an action. Raises PlayerError if the player's game does not have it."""
        if action not in self._game.actions(self._state):
            raise PlayerError(f"{self._game.name} has no action {action} here, but OpenSpiel's match played it")
        self._state = self._game.play(self._state, action)
        self._player.observe(action, self._state)
