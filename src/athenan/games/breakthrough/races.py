"""Pieces that can be taken for nothing, and pieces that nobody can stop: features for pattern networks.

A piece is *weak* if more of the opponent's pieces can take it than its own side's pieces can take back. It is *free* if
no opponent's piece ahead is near enough to meet it: both move one row a turn, so a piece k rows ahead must be within
about k / 2 columns. That is a guess: two pieces may still stop it together. The player whose free piece reaches its
goal first leads the *race*.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

FEATURES = Features(planes=4, exchanged=((2, 3),))
"""Weak pieces; free pieces; then, the same on all cells: whether the first player, and the second, leads the race."""
_RING = 3
"""Empty rows before and behind, so that rows need no checks."""
_ROOM = 16 + 2 * _RING
_NEVER = 1000
_ONE, _NONE = np.uint64(1), np.uint64(0)


@rules.helper
def _read(planes, width, height, player, rows):
    """Writes a player's pieces as bits, row by row in the direction in which they move."""
    for row in range(_ROOM):
        rows[row] = _NONE
    for row in range(height):
        ahead = row if player == 0 else height - 1 - row
        rows[_RING + ahead] = pack_row(planes, (player * height + row) * width, width)


@rules.helper
def _weak(own, other, row, height):
    """The pieces of a row that more of the opponent's can take than pieces of their own side can take back."""
    attackers, defenders = other[_RING + height - 2 - row], own[_RING + row - 1]
    left, right, behind, beside = attackers << _ONE, attackers >> _ONE, defenders << _ONE, defenders >> _ONE
    lost = (left | right) & ~(behind | beside) | left & right & ~(behind & beside)
    return own[_RING + row] & lost


@rules.helper
def _wider(row):
    """The cells of a row and those beside them."""
    return row | row << _ONE | row >> _ONE


@rules.helper
def _write_met(other, height, met):
    """Writes the cells of each row that a piece of the opponent's ahead is near enough to meet.

    Pieces 1, 2 and 3 rows ahead must be within as many columns. After that two more rows allow one more column, so what
    is met two rows further by pieces an even number of rows ahead, or an odd one from 3, is met a column wider.
    """
    even, odd = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    even[height] = even[height + 1] = odd[height] = odd[height + 1] = _NONE
    for row in range(height - 1, -1, -1):
        ahead = _RING + height - 1 - row
        one, two, three = other[ahead - 1], other[ahead - 2], other[ahead - 3]
        even[row] = _wider(_wider(two) | even[row + 2])
        odd[row] = _wider(_wider(_wider(three)) | odd[row + 2])
        met[row] = _wider(one) | even[row] | odd[row]


@rules.helper
def _mark(own, other, height, player, weak, free):
    """Adds a player's weak and free pieces to the rows of the board; returns the fewest steps of a free piece."""
    met, steps = rules.scratch(_ROOM, np.uint64), _NEVER
    _write_met(other, height, met)
    for row in range(height):
        of_row, place = own[_RING + row] & ~met[row], row if player == 0 else height - 1 - row
        weak[place] |= _weak(own, other, row, height)
        free[place] |= of_row
        if of_row:
            steps = height - 1 - row
    return steps


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width, height = params[0], params[1]
    area = width * height
    first, second = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    weak, free = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    _read(planes, width, height, 0, first)
    _read(planes, width, height, 1, second)
    for row in range(height):
        weak[row] = free[row] = _NONE
    of_first = _mark(first, second, height, 0, weak, free)
    of_second = _mark(second, first, height, 1, weak, free) + (planes[2 * area] != 0)
    for row in range(height):
        unpack_row(weak[row], features, row * width, width)
        unpack_row(free[row], features, area + row * width, width)
    fill(features, 2 * area, area, of_first < min(of_second, _NEVER))
    fill(features, 3 * area, area, of_second <= of_first and of_second < _NEVER)
