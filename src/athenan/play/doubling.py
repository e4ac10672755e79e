"""Decisions about the doubling cube: when players double and take, and the cube of one match.

Players with the methods of `CubePlayer`, such as GNU Backgammon, decide for themselves. A player that searches decides
by Janowski's formulas, from the expected points that its search finds before the roll. Others never double and always
take.

The formulas are from R. Janowski, "Take-Points in Money Games" (1993), as given in the manual of GNU Backgammon under
"Cubeful equities". The cubeful equity lies `EFFICIENCY` of the way from the equity with a dead cube, E, to the equity
with a live cube, which is linear between the points where doubles are taken and dropped.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeGuard

from athenan.play.cube import MOST, Cube, CubeRecord, CubeRules, Offer, may_double, require_cube, roller
from athenan.play.limit import Limit
from athenan.play.player import Player, PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, State
from athenan.rules.state import sign
from athenan.rules.terminal import gain, score
from athenan.search.trees.forest_search import ForestSearch

EFFICIENCY = 2 / 3
"""Janowski's x, the efficiency of the cube: what players reach in practice."""


def cubeful(equity: float, owned: bool, available: bool) -> float:
    """A player's equity with a cube of 1, from the player's equity without a cube (Janowski).

    `owned`: whether the player may double next; `available`: whether the opponent may. Both are true in the middle. The
    share of gammons in the equity is unknown. Up to 1 it is read as the equity of single games, won with probability
    (E + 1) / 2; above 1 the match counts as won or lost, worth |E|.
    """
    chance = min(1.0, max(0.0, (equity + 1) / 2))
    won, lost = max(1.0, equity), max(1.0, -equity)
    take, cash = (lost - 0.5) / (won + lost + 0.5), (lost + 1) / (won + lost + 0.5)
    corners = [(0.0, -lost), *[(take, -1.0)] * available, *[(cash, 1.0)] * owned, (1.0, won)]
    live = equity
    for (low, at_low), (high, at_high) in pairwise(corners):
        if low <= chance <= high:
            live = at_low + (at_high - at_low) * (chance - low) / (high - low)
    return EFFICIENCY * live + (1 - EFFICIENCY) * equity


def takes(equity: float, last: bool = False) -> bool:
    """Whether to take a double, given the doubled player's equity without a cube; `last`: the double is to `MOST`."""
    return 2 * cubeful(equity, owned=not last, available=False) >= -1


def doubles(equity: float, cube: Cube, jacoby: bool = False) -> bool:
    """Whether a player who may double should, judging by the player's equity without a cube.

    The player does not double if it is better to play on for a gammon, which under the Jacoby rule needs a double.
    """
    middle = cube.owner is None
    if jacoby and middle:
        holding = cubeful(min(1.0, max(-1.0, equity)), True, True)
    else:
        holding = cubeful(equity, owned=True, available=middle)
    last = 2 * cube.value == MOST
    doubled = 2 * cubeful(equity, owned=False, available=not last) if takes(-equity, last) else 1.0
    return doubled >= holding


class CubePlayer(Protocol):
    """The methods of a player who decides about the cube."""

    def use_cube(self, rules: CubeRules | None) -> None:
        """Tells the player before a match whether there is a cube."""

    def doubles(self, state: State, cube: Cube, limit: Limit) -> bool:
        """Whether to double before the roll in a state where the player may. May raise Forfeit, like `takes`."""

    def takes(self, state: State, cube: Cube, limit: Limit) -> bool:
        """Whether to take the double of the opponent, who is about to roll; `cube` is the cube before the double."""

    def see_cube(self, cube: Cube) -> None:
        """Tells the player about a double that was taken."""


class Searching:
    """Decides for a player that searches, by the expected points before the roll."""

    def __init__(self, player: SearchPlayer) -> None:
        """Raises PlayerError if the search's values are neither points nor wins."""
        terminal = player.searcher.terminal if isinstance(player.searcher, ForestSearch) else None
        if terminal and terminal.address not in (gain.address, score.address):
            raise PlayerError(
                f"{player.name} cannot decide about the cube: its values are neither points nor wins; "
                "with the heuristic score or classic they are"
            )
        self._player, self._rules = player, CubeRules()

    def use_cube(self, rules: CubeRules | None) -> None:
        self._rules = rules or CubeRules()

    def doubles(self, state: State, cube: Cube, limit: Limit) -> bool:
        return doubles(self._equity(state, limit, by_roller=True), cube, self._rules.jacoby)

    def takes(self, state: State, cube: Cube, limit: Limit) -> bool:
        return takes(self._equity(state, limit, by_roller=False), 2 * cube.value == MOST)

    def _equity(self, state: State, limit: Limit, by_roller: bool) -> float:
        """The expected points of the player who is about to roll, or of the other."""
        side = roller(self._player.searcher.game, state)
        return sign(side if by_roller else 1 - side) * self._player.expectation(state, limit)

    def see_cube(self, cube: Cube) -> None:
        pass


class Holding:
    """Never doubles and always takes: for players that know nothing about the cube."""

    def use_cube(self, rules: CubeRules | None) -> None:
        pass

    def doubles(self, state: State, cube: Cube, limit: Limit) -> bool:
        return False

    def takes(self, state: State, cube: Cube, limit: Limit) -> bool:
        return True

    def see_cube(self, cube: Cube) -> None:
        pass


def _decides(player: Any) -> TypeGuard[CubePlayer]:
    return all(hasattr(player, name) for name in ("use_cube", "doubles", "takes", "see_cube"))


def decider(player: Player) -> CubePlayer:
    """What decides about the cube for a player. Raises PlayerError as `Searching` does."""
    if _decides(player):
        return player
    return Searching(player) if isinstance(player, SearchPlayer) else Holding()


class Doubling:
    """The cube of one match."""

    def __init__(self, game: Game, players: Sequence[Player], rules: CubeRules) -> None:
        """Raises GameError if the game has no cube, and PlayerError if a player cannot decide."""
        require_cube(game)
        self._game, self._deciders = game, [decider(player) for player in players]
        self.record = CubeRecord(rules.jacoby)
        self.asked = 0
        """The side that was asked last."""
        for one in self._deciders:
            one.use_cube(rules)

    def undo(self, plies: int) -> None:
        """Takes back the doubles after this many plies."""
        kept = tuple(offer for offer in self.record.offers if offer.ply < plies)
        self.record = CubeRecord(self.record.jacoby, kept)
        self._show()

    def _show(self) -> None:
        for one in self._deciders:
            one.see_cube(self.record.cube)

    def goes_on(self, state: State, plies: int, limits: Sequence[Limit]) -> bool:
        """Asks a player before a roll, after this many plies, whether to double. False: the double is dropped.

        Raises Forfeit if a program fails; its side is then `asked`.
        """
        side, cube = roller(self._game, state), self.record.cube
        if not may_double(self._game, state, cube, side):
            return True
        self.asked = side
        if not self._deciders[side].doubles(state, cube, limits[side]):
            return True
        self.asked = 1 - side
        taken = self._deciders[1 - side].takes(state, cube, limits[1 - side])
        self.record = CubeRecord(self.record.jacoby, (*self.record.offers, Offer(plies, side, taken)))
        self._show()
        return taken


def with_cube(game: Game, players: Sequence[Player], rules: CubeRules | None) -> Doubling | None:
    """The cube of a match; None if it is played without. Tells the players which. Raises the errors of `Doubling`."""
    if rules is not None:
        return Doubling(game, players, rules)
    for player in players:
        if _decides(player):
            player.use_cube(None)
    return None
