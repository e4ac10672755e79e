"""The doubling cube in matches of backgammon: money play, where the cube multiplies the worth of each game.

The rules: the cube starts at 1 in the middle. Before a roll, except the first, the player to move may double the
stakes, up to 64, if the cube is in the middle or the player's own. The opponent either drops and loses what the cube
showed, or takes and owns the cube. A gammon counts twice and a backgammon three times the cube. With the Jacoby rule,
which is an option, they do so only if the cube was turned. There are no beavers.

`play.doubling` asks the players of a match about the cube.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, sign

MOST = 64


@dataclass(frozen=True)
class CubeRules:
    """The options of the doubling cube."""

    jacoby: bool = False
    """Whether gammons and backgammons count 1 until the cube is turned."""


@dataclass(frozen=True)
class Cube:
    """The cube at one moment of a match."""

    value: int = 1
    owner: int | None = None
    """The player who may double next; None for both: the cube is in the middle."""

    def may_be_turned(self, side: int) -> bool:
        """Whether a player may double."""
        return self.value < MOST and self.owner in (None, side)

    def turned(self, side: int) -> "Cube":
        """The cube after a player's double was taken."""
        return Cube(2 * self.value, 1 - side)


@dataclass(frozen=True)
class Offer:
    """A double."""

    ply: int
    """The number of plies before the double."""
    side: int
    """Who doubled: 0 the first player, 1 the second."""
    taken: bool
    """Whether the double was taken; a drop ends the match."""


@dataclass(frozen=True)
class CubeRecord:
    """What was done with the cube in a match."""

    jacoby: bool = False
    offers: tuple[Offer, ...] = ()

    @property
    def cube(self) -> Cube:
        """The cube at the end."""
        cube = Cube()
        for offer in self.offers:
            if offer.taken:
                cube = cube.turned(offer.side)
        return cube

    @property
    def dropped(self) -> bool:
        """Whether a drop ended the match."""
        return bool(self.offers) and not self.offers[-1].taken

    def points(self, game: Game, end: State) -> int:
        """The first player's points, given the state in which the match ended or a double was dropped."""
        cube = self.cube
        if self.dropped:
            return sign(self.offers[-1].side) * cube.value
        worth = game.score(end)
        if self.jacoby and cube.value == 1:
            worth = (worth > 0) - (worth < 0)
        return worth * cube.value

    def check_offers(self, game: Game, states: Sequence[State]) -> None:
        """Raises ValueError unless the doubles are possible in the states of a match, from the initial one on."""
        cube = Cube()
        for number, offer in enumerate(self.offers, 1):
            last = offer.ply == len(states) - 1
            if offer.ply >= len(states) or not may_double(game, states[offer.ply], cube, offer.side):
                raise ValueError(f"double {number} is not possible after {offer.ply} plies")
            if any(other.ply >= offer.ply for other in self.offers[: number - 1]):
                raise ValueError(f"double {number} is not after the one before it")
            if not offer.taken and not (last and number == len(self.offers)):
                raise ValueError(f"the match continues after double {number}, which was dropped")
            cube = cube.turned(offer.side)


def require_cube(game: Game) -> None:
    """Raises GameError if the game is not played with a cube."""
    if not game.ruleset.cube:
        raise GameError(f"{game.name} is played without a doubling cube: backgammon has one")


def may_double(game: Game, state: State, cube: Cube, side: int) -> bool:
    """Whether a player of backgammon may double in a state."""
    before_roll = game.player(state) == CHANCE and game.length(state) > 0 and game.outcome(state) is None
    return before_roll and roller(game, state) == side and cube.may_be_turned(side)


def roller(game: Game, state: State) -> int:
    """The player who is about to roll, and moves after any roll."""
    return game.player(game.play(state, int(game.actions(state)[0])))


def summary(records: Sequence[CubeRecord]) -> dict[str, int]:
    """How often the cube was turned in some matches, and how high it went."""
    offers = [offer for record in records for offer in record.offers]
    taken = sum(offer.taken for offer in offers)
    highest = max((record.cube.value for record in records), default=1)
    return {"doubles": len(offers), "takes": taken, "drops": len(offers) - taken, "highest": highest}
