"""Playing one match.

When chance is to move, the match draws: the n-th draw uses the n-th random number of its dice. So the same dice come
again after an action is taken back, and two matches with the same dice differ only through their players.

>>> from athenan import make
>>> from athenan.play.player import RandomPlayer
>>> record = play_match(make("tictactoe"), (RandomPlayer(), RandomPlayer()), seed=2)
>>> record.players, 5 <= len(record.actions) <= 9
(('random', 'random'), True)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

import numpy as np

from athenan.play.cube import CubeRules
from athenan.play.doubling import Doubling, with_cube
from athenan.play.limit import DEFAULT_LIMIT, Clock, Limit, require_limit
from athenan.play.player import Forfeit, Load, Move, Player, PlayerError, Remarking, Resign, Undo, require_players
from athenan.play.records import MatchRecord, Ply
from athenan.rules.game import Game, GameError, require_game
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE, sign
from athenan.settings import Between, Checked


@dataclass(frozen=True)
class Adjudication(Checked):
    """When a two-player match ends before the rules end it; by default never."""

    proofs: bool = False
    """Whether a match ends as soon as a player has proven the result."""
    resign: Annotated[float, Between(0, 1e9)] | None = None
    """A player resigns after `HOPELESS` consecutive actions whose value, from its side, was below minus this."""


HOPELESS = 3
NEVER = Adjudication()
MARGIN = 0.1
"""Seconds that a player may overrun its clock, because a search ends a little after its limit."""


def play_match(
    game: Game,
    players: Sequence[Player],
    opening: Sequence[int] = (),
    seed: int = 0,
    limit: Limit = DEFAULT_LIMIT,
    dice: int | None = None,
    cube: CubeRules | None = None,
    adjudication: Adjudication = NEVER,
) -> MatchRecord:
    """Plays a match from the state after `opening`. `players[0]` is the first player, and may also be the second.

    A clock runs for each player, except while one decides about the `cube`. A player that overruns its clock by more
    than `MARGIN` loses. `dice` is the seed for what chance draws, by default `seed`. Raises GameError if the opening is
    not legal, the number of players is wrong or the game has no cube, PlayerError if a player selects an illegal
    action, Quit if one quits. A program that fails (`Forfeit`) loses.
    """
    require_game(game)
    require_players(players)
    require_limit(limit)
    doubling = with_cube(game, players, cube)
    early = adjudication if game.players == 2 else NEVER
    return _Match(game, players, opening, seed, limit, seed if dice is None else dice, early, doubling).played()


class _Match:
    """A match in play."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        opening: Sequence[int],
        seed: int,
        limit: Limit,
        dice: int,
        adjudication: Adjudication,
        doubling: Doubling | None,
    ) -> None:
        if len(players) != game.players:
            raise GameError(f"{game.name} needs {game.players} players, not {len(players)}")
        self.game, self.players, self.opening, self.seed = game, players, opening, seed
        self.limits, self.adjudication = [limit] * game.players, adjudication
        self.doubling = doubling
        self.dice = int(streams(dice, 3)[2])  # players use the first two
        self.plies: list[Ply] = []
        self._begin([Ply(action, 0) for action in opening])

    def _begin(self, plies: Sequence[Ply]) -> None:
        """Starts a match with its first plies and tells the players."""
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
        game, resigned, forfeit, adjudicated = self.game, False, None, False
        while (outcome := game.outcome(self.state)) is None:
            side = game.player(self.state)
            if side == CHANCE:
                if ended := self._before_roll():
                    outcome, forfeit = ended
                    break
                self._draw()
                continue
            try:
                proven = self._select(side)
                if self.adjudication.proofs and proven is not None and game.outcome(self.state) is None:
                    outcome, adjudicated = proven, True
                    break
            except Undo:
                self._begin(self._before_last(side))
            except Load as loaded:
                self.opening = ()  # so that `Undo` takes back loaded actions as well
                self._begin([Ply(action, 0) for action in loaded.actions])
            except Resign:
                outcome, resigned = -sign(side), True
                break
            except Forfeit as error:
                outcome, forfeit = -sign(side), str(error)
                break
        played_out = not (resigned or forfeit or adjudicated)
        cube, score = self.doubling.record if self.doubling else None, None
        if game.max_score is not None and played_out:
            score = cube.points(game, self.state) if cube else game.score(self.state)
        names = tuple(player.name for player in self.players)
        remarks = [text for one in self._each_once() if isinstance(one, Remarking) for text in one.remarks]
        return MatchRecord(
            game.name, names, tuple(self.plies), outcome, score, resigned, forfeit, adjudicated, cube, tuple(remarks)
        )

    def _before_roll(self) -> tuple[int, str | None] | None:
        """Lets the players decide about the cube. If this ends the match: the gain, and why a program failed."""
        if not self.doubling:
            return None
        try:
            if self.doubling.goes_on(self.state, len(self.plies), self.limits):
                return None
        except Forfeit as error:
            return -sign(self.doubling.asked), str(error)
        return sign(self.doubling.record.offers[-1].side), None

    def _draw(self) -> None:
        """Plays what chance draws; no player's clock runs."""
        drawn = sum(ply.side == CHANCE for ply in self.plies)
        action = self.game.draw(self.state, np.random.default_rng([self.dice, drawn]))
        self._add(action, None, Move(action))

    def _select(self, side: int) -> int | None:
        """Plays the action that a player selects, and returns the gain that the player proved, if any."""
        player, limit, began = self.players[side], self.limits[side], perf_counter()
        move = player.select(self.state, limit)
        seconds = perf_counter() - began
        if isinstance(limit, Clock):
            if seconds > limit.left + limit.overtime + MARGIN:
                raise Forfeit(f"the clock of {player.name} ran out")
            self.limits[side] = limit.after(seconds)
        if self._hopeless(side, move):
            raise Resign
        try:
            self._add(int(move.action), seconds, move)
        except GameError as error:
            raise PlayerError(f"player {player.name} made an illegal move: {error}") from None
        return move.proven

    def _hopeless(self, side: int, move: Move) -> bool:
        """Whether the player of a side resigns instead of playing this action."""
        if self.adjudication.resign is None:
            return False
        values = [ply.value for ply in self.plies if ply.side == side and ply.seconds is not None][1 - HOPELESS :]
        lost = [value is not None and sign(side) * value < -self.adjudication.resign for value in (*values, move.value)]
        return len(lost) == HOPELESS and all(lost)

    def _before_last(self, side: int) -> list[Ply]:
        """The plies before a side's last action after the opening; all plies if there is no such action."""
        own = [n for n, ply in enumerate(self.plies) if n >= len(self.opening) and ply.side == side]
        return self.plies[: own[-1]] if own else self.plies
