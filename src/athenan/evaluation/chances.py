"""Win chances: a table that says how many points a match with a value of the search ends with on average.

Values have the units of a heuristic, such as the turns left to a win. A chance is the expected share of points of the
first player: a win counts 1, a draw 1/2. What is proven is certain.

>>> chances = Chances((-4.0, 0.0, 4.0), (0.125, 0.5, 0.875), matches=200)
>>> chances.of(2.0), chances.of(100.0), chances.of(2.0, proven=-1)
(0.6875, 0.875, 0.0)

`evaluation.calibration` makes such tables from matches. A network is saved with its own.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

MOST_KNOTS = 64
"""The most rows of a table."""


@dataclass(frozen=True)
class Chances:
    """A table of values and chances, both of the first player; between its rows the chance is interpolated."""

    values: tuple[float, ...]
    """Values of the search, ascending."""
    points: tuple[float, ...]
    """The chance at each of them, from 0 to 1, never falling."""
    matches: int
    """The number of matches that they were learnt from."""
    draws: float = 0.0
    """The share of draws where the chance is 1/2; where it is p, the share is 2 min(p, 1 - p) times that."""

    def of(self, value: float, proven: int | None = None) -> float:
        """The first player's chance at a value of the search, or with the gain that is proven."""
        return float(np.interp(value, self.values, self.points)) if proven is None else (1 + proven) / 2

    def results(self, chance: float, proven: int | None = None) -> tuple[float, float, float]:
        """The shares of matches that the first player wins, draws and loses at a chance, or with a proven gain.

        >>> Chances((0.0,), (0.5,), matches=100, draws=0.5).results(0.75)
        (0.625, 0.25, 0.125)
        """
        drawn = float(proven == 0) if proven is not None else 2 * self.draws * min(chance, 1 - chance)
        return chance - drawn / 2, drawn, 1 - chance - drawn / 2

    def as_json(self) -> dict[str, Any]:
        """The table as plain data; `restored_chances` reads it."""
        return asdict(self)


OF_RESULTS = Chances((-1.0, 0.0, 1.0), (0.0, 0.5, 1.0), matches=0)
"""A mean of results of matches, such as rollouts, as the share of points that they won."""


def restored_chances(data: Any) -> Chances | None:
    """The table that `as_json` wrote; None for None. Raises ValueError if it is damaged."""
    if data is None:
        return None
    if not isinstance(data, Mapping) or set(data) != {"values", "points", "matches", "draws"}:
        raise ValueError("its win chances are damaged")
    values, points, draws = (_numbers(data[name]) for name in ("values", "points", "draws"))
    matches = data["matches"]
    whole = (
        1 <= len(values) == len(points) <= MOST_KNOTS
        and all(one <= following for one, following in pairwise(values))  # once, equal values were written
        and all(one <= following for one, following in pairwise(points))
        and points[0] >= 0 and points[-1] <= 1
        and len(draws) == 1 and 0 <= draws[0] <= 1 and type(matches) is int and matches >= 0
    )  # fmt: skip
    if not whole:
        raise ValueError("its win chances are damaged")
    return Chances(values, points, matches, draws[0])


def _numbers(data: Any) -> tuple[float, ...]:
    """A number, or the numbers of a list; empty if it is anything else."""
    data = [data] if type(data) in (int, float) else data
    if not isinstance(data, list | tuple) or not all(type(one) in (int, float) and isfinite(one) for one in data):
        return ()
    return tuple(map(float, data))
