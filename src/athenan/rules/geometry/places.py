"""Places of actions on the board, for convolutional heads: a plane, a row and a column for each action.

A head of `planes` planes, each as large as a plane of the encoded states, has a number for every place. An action takes
the number at its own place. One plane holds actions that differ only in their cells: placed stones, steps in one
direction, moves by the same number of rows and columns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Places(NamedTuple):
    """The values of `Game.action_planes` and `Game.action_places`."""

    planes: int
    places: NDArray[np.int32]


def on_cells(height: int, width: int) -> Places:
    """An action for each cell, row by row, on one plane."""
    return Places(1, np.arange(height * width, dtype=np.int32))


def by_step(height: int, width: int, directions: int) -> Places:
    """The actions cell * directions + direction: a plane for each direction, at the cell where the step begins."""
    cells = np.arange(height * width, dtype=np.int32)[:, None]
    numbers = np.arange(directions, dtype=np.int32)[None, :]
    return Places(directions, (numbers * height * width + cells).reshape(-1))


def by_move(height: int, width: int, starts: ArrayLike, ends: ArrayLike) -> Places:
    """Moves from cells to cells: a plane for each difference in rows and columns, at the cell where the move begins.

    An action with the end -1 has no place.
    """
    starts, ends = np.asarray(starts), np.asarray(ends)
    down, right = ends // width - starts // width, ends % width - starts % width
    shifts = np.where(ends >= 0, (down + height) * 2 * width + right + width, -1)
    found = np.unique(shifts[shifts >= 0])
    places = np.where(ends >= 0, np.searchsorted(found, shifts) * height * width + starts, -1)
    return Places(len(found), places.astype(np.int32))


def nowhere(count: int) -> Places:
    """Actions without a place on the board, such as a pass."""
    return Places(0, np.full(count, -1, np.int32))


def together(height: int, width: int, *parts: Places) -> Places:
    """The actions of all parts, one part after another, each on its own planes."""
    first, places = 0, []
    for part in parts:
        places.append(np.where(part.places >= 0, part.places + first * height * width, -1))
        first += part.planes
    return Places(first, np.concatenate(places).astype(np.int32))
