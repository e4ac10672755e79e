"""The state of Xiangqi as bytes, and the places of its board.

`xiangqi` describes the state. A place is 10 * (row + 1) + column + 1. The rows and columns beyond the edge are a
border, so that walks need no other test. One column between the rows serves both sides.
"""

import numpy as np
from numpy.typing import NDArray

from athenan import rules

GENERAL, ADVISOR, ELEPHANT, HORSE, CHARIOT, CANNON, SOLDIER = range(1, 8)
FIRST, SECOND, BORDER = 8, 16, 32
"""A byte of the board: 0 empty, BORDER, or a kind plus the player's bit, FIRST or SECOND."""
WORDS = rules.HEADER  # two words for each player: the cells of the pieces
BOARD = rules.HEADER + 32
PLACES = 128
HISTORY = BOARD + PLACES
STATUS, GENERALS, QUIET, REMEMBERED = 1, 4, 6, 7  # header bytes
CHECK = 1  # STATUS of a match that goes on; else 0
WAYS = 50
STEPS = [
    *((0, -distance) for distance in range(1, 9)),
    *((0, distance) for distance in range(1, 9)),
    *((-distance, 0) for distance in range(1, 10)),
    *((distance, 0) for distance in range(1, 10)),
    *((row, column) for size in (1, 2) for row in (-size, size) for column in (-size, size)),
    *((row, column) for row in (-2, -1, 1, 2) for column in (-2, -1, 1, 2) if abs(row) != abs(column)),
]
"""The rows and columns of the WAYS of moving."""
OFFSET = np.array([10 * row + column for row, column in STEPS])
PLACE = np.array([10 * (row + 1) + column + 1 for row in range(10) for column in range(9)])
"""The place of each cell 9 * row + column."""
CELL = np.array([9 * (place // 10 - 1) + place % 10 - 1 if place in PLACE else -1 for place in range(PLACES)])


def _places(rows: range, columns: range) -> NDArray[np.bool_]:
    inside = np.zeros(PLACES, np.bool_)
    inside[[10 * (row + 1) + column + 1 for row in rows for column in columns]] = True
    return inside


PALACE = np.array([_places(range(3), range(3, 6)), _places(range(7, 10), range(3, 6))])
HOME = np.array([_places(range(5), range(9)), _places(range(5, 10), range(9))])
"""Whether a place is in the palace, and on the player's side of the river, by player and place."""
