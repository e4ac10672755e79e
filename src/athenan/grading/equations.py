"""Pig solved by its equations: T. Neller and C. Presser, "Optimal Play of the Dice Game Pig" (2004).

Let P(i, j, k) be the chance to win of the player who chooses, with a total of i against j and k points in this turn:

    P(i, j, k) = max(1 - P(j, i + k, 0), (1 - P(j, i, 0) + Σ P(i, j, k + n)) / sides), n = 2 .. sides

and 1 if i + k is the target or more. The equations depend on each other in circles, and are iterated to a fixed point.

>>> round(float(win_chances(100, 6)[0, 0, 0]), 4)
0.5306
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from athenan.grading.positions import DECIMALS, Gains, PositionsError
from athenan.rules import HEADER
from athenan.rules.game import Game

_MOST_SIDES = 6
"""With larger dice some matches last for more than 1,000 actions."""
_PRECISION = 1e-9
"""Sweeps go on until no chance to win changes by more."""


def win_chances(target: int, sides: int) -> NDArray[np.float64]:
    """The chances to win of the player who chooses: own total, the other's, points of this turn.

    The shape is (target, target, target + sides).
    """
    wins = unknown_chances(target, sides)
    change = 1.0
    while change > _PRECISION:
        before = wins[:, :, 0].copy()
        for points in reversed(range(target)):
            wins[: target - points, :, points] = np.maximum(*choices(wins, wins, points))
        change = float(np.abs(wins[:, :, 0] - before).max())
    return wins


def unknown_chances(target: int, sides: int) -> NDArray[np.float64]:
    """Where `win_chances` begins: 1 where holding wins, else a half."""
    own, _, turn = np.indices((target, target, target + sides))
    return np.where(own + turn >= target, 1.0, 0.5)


def choices(
    own: NDArray[np.float64], other: NDArray[np.float64], points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The chances to win by rolling and by holding, by own total, below the target less points, and the other's.

    `own` and `other` are the chances to win of this player and of the other one, where they choose.
    """
    target, sides = len(own), own.shape[2] - len(own)
    short, passed = target - points, 1 - other[:, :, 0].T  # the dice go to the other
    rolled = (passed[:short] + own[:short, :, points + 2 : points + sides + 1].sum(axis=2)) / sides
    return rolled, passed[points:]


def _far(game: Game) -> int:
    """The actions within which perfect players end a match: of a million matches at most three lasted longer."""
    return max(min(600, 7 * game.typical_length), 3 * game.typical_length)


class Equations:
    """A perfect player of Pig, where the limit of a match's length is far."""

    @staticmethod
    def solves(game: Game) -> bool:
        """Whether the equations solve a game: Pig whose limit of a match's length is far, as it has no part in them."""
        if game.advice.perfect != "equations":
            return False
        return int(game.params[1]) <= _MOST_SIDES and game.max_length >= _far(game) + game.typical_length

    def __init__(self, game: Game) -> None:
        """Raises PositionsError for another game, and for Pig with larger dice or matches that are too short."""
        if not self.solves(game):
            raise PositionsError(
                f"equations solve pig with dice of up to {_MOST_SIDES} sides and a far limit of the length, such as "
                f"pig:100, not {game.name}: choose a search, such as ubfm"
            )
        self._game, (self._target, self._sides, _) = game, map(int, game.params)
        self._wins = win_chances(self._target, self._sides)

    def __call__(self, actions: Sequence[int], seconds: float | None = None) -> Gains | None:
        """The expected gains after these actions; None where the limit of the match's length is near."""
        if self._game.max_length - len(actions) < _far(self._game):
            return None
        state = self._game.replay(actions)
        player = self._game.player(state)
        own, other, points = (int(state[HEADER + place]) for place in (player, 1 - player, 2))
        added = np.minimum(np.arange(points + 2, points + self._sides + 1), self._target)
        rolled = (1 - self._wins[other, own, 0] + self._wins[own, other, added].sum()) / self._sides
        held = 1.0 if own + points >= self._target else 1 - self._wins[other, own + points, 0]
        return {action: round(float(2 * chance - 1), DECIMALS) for action, chance in enumerate((rolled, held))}
