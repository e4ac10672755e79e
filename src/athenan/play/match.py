"""Playing one match.

Where chance is to move, the match draws: its n-th draw is by the n-th random number of its dice. So whoever takes back
an action gets the same dice again, and two matches with the same dice are as alike as their players let them be.

>>> from athenan import make
>>> from athenan.play.player import RandomPlayer
>>> record = play_match(make("tictactoe"), (RandomPlayer(), RandomPlayer()), seed=2)
>>> record.players, 5 <= len(record.actions) <= 9
(('random', 'random'), True)
"""

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from athenan.play.cube import CubeRules, Doubling, with_cube
from athenan.play.limit import DEFAULT_LIMIT, Clock, Limit
from athenan.play.player import Move, Player, PlayerError, Resign, Undo
from athenan.play.records import MatchRecord, Ply
from athenan.rules.game import Game, GameError
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE, sign


def play_match(
    game: Game,
    players: Sequence[Player],
    opening: Sequence[int] = (),
    seed: int = 0,
    limit: Limit = DEFAULT_LIMIT,
    dice: int | None = None,
    cube: CubeRules | None = None,
) -> MatchRecord:
    """Plays a match from the state after `opening`; `players[0]` is the first player, and may be the second, too.

    A clock runs for each player, but not while one decides about the `cube`, if there is one. `dice` is the seed of
    what chance draws, by default `seed`. Raises GameError if the opening is not legal, the number of players is wrong
    or the game has no cube, PlayerError if a player selects an illegal action, Quit if one quits.
    """
    doubling = with_cube(game, players, cube)
    return _Match(game, players, opening, seed, limit, seed if dice is None else dice, doubling).played()


class _Match:
    """A match in play."""

    def __init__(
        self, game: Game, players: Sequence[Player], opening: Sequence[int], seed: int, limit: Limit, dice: int,
        doubling: Doubling | None = None,
    ) -> None:  # fmt: skip
        if len(players) != game.players:
            raise GameError(f"{game.name} is played by {game.players}, not by {len(players)}")
        self.game, self.players, self.opening, self.seed = game, players, opening, seed
        self.limits = [limit] * game.players
        self.doubling = doubling
        self.dice = int(streams(dice, 3)[2])  # players have the first two
        self.plies: list[Ply] = []
        self._begin([Ply(action, 0) for action in opening])

    def _begin(self, plies: Sequence[Ply]) -> None:
        """Begins a match with its first plies, and tells the players."""
        self.plies, self.state = [], self.game.initial()
        if self.doubling:
            self.doubling.undo(len(plies))
        for player, own_seed in zip(self._each_once(), streams(self.seed, 2), strict=False):
            player.new_match(self.game, int(own_seed))
        for ply in plies:
            self._add(ply.action, ply.seconds, Move(ply.action, ply.value, ply.proven))

    def _each_once(self) -> list[Player]:
        return [one for number, one in enumerate(self.players) if one is not self.players[number - 1] or not number]

    def _add(self, action: int, seconds: float | None, move: Move) -> None:
        """Plays an action. Raises GameError if it is not legal."""
        following = self.game.play(self.state, action)
        for player in self._each_once():
            player.observe(action, following)
        self.plies.append(Ply(action, self.game.player(self.state), seconds, move.value, move.proven))
        self.state = following

    def played(self) -> MatchRecord:
        """Plays the match to its end."""
        game, resigned = self.game, False
        while (outcome := game.outcome(self.state)) is None:
            side = game.player(self.state)
            if side == CHANCE:
                if self.doubling and not self.doubling.goes_on(self.state, len(self.plies), self.limits):
                    outcome = sign(self.doubling.record.offers[-1].side)
                    break
                self._draw()
                continue
            try:
                self._select(side)
            except Undo:
                self._begin(self._before_last(side))
            except Resign:
                outcome, resigned = -sign(side), True
                break
        cube, score = self.doubling.record if self.doubling else None, None
        if game.max_score is not None and not resigned:
            score = cube.points(game, self.state) if cube else game.score(self.state)
        return MatchRecord(
            game.name, tuple(player.name for player in self.players), tuple(self.plies), outcome, score, resigned, cube
        )

    def _draw(self) -> None:
        """Plays what chance draws; no player's clock runs."""
        drawn = sum(ply.side == CHANCE for ply in self.plies)
        action = self.game.draw(self.state, np.random.default_rng([self.dice, drawn]))
        self._add(action, None, Move(action))

    def _select(self, side: int) -> None:
        player, limit, began = self.players[side], self.limits[side], perf_counter()
        move = player.select(self.state, limit)
        seconds = perf_counter() - began
        if isinstance(limit, Clock):
            self.limits[side] = limit.after(seconds)
        try:
            self._add(int(move.action), seconds, move)
        except GameError as error:
            raise PlayerError(f"player {player.name} made an illegal move: {error}") from None

    def _before_last(self, side: int) -> list[Ply]:
        """The plies before a side's last one after the opening; all if there is none."""
        own = [n for n, ply in enumerate(self.plies) if n >= len(self.opening) and ply.side == side]
        return self.plies[: own[-1]] if own else self.plies
