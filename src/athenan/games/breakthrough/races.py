"""Pieces that can be taken for nothing, and pieces that nobody can stop: features for pattern networks.

A piece is *weak* if more of the opponent's pieces can take it than its own side's pieces can take back. It is *free* if
no opponent's piece ahead is near enough to meet it: both move one row a turn, so a piece k rows ahead must be within
about k / 2 columns. That is a guess: two pieces may still stop it together. The player whose free piece reaches its
goal first leads the *race*.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features

FEATURES = Features(planes=4, exchanged=((2, 3),))
"""Weak pieces; free pieces; then, the same on all cells: whether the first player, and the second, leads the race."""
_RING = 1
"""Empty rows before and behind, so that rows need no checks."""
_ROOM = 16 + 2 * _RING
_NEVER = 1000
_ONE = np.uint64(1)


@rules.helper
def _read(planes, width, height, player, rows):
    """Writes a player's pieces as bits, row by row in the direction in which they move."""
    for row in range(_ROOM):
        rows[row] = np.uint64(0)
    for row in range(height):
        ahead = row if player == 0 else height - 1 - row
        for column in range(width):
            stands = np.uint64(planes[(player * height + row) * width + column] != 0)
            rows[_RING + ahead] |= stands << np.uint64(column)


@rules.helper
def _weak(own, other, row, height):
    """The pieces of a row that more of the opponent's can take than pieces of their own side can take back."""
    attackers, defenders = other[_RING + height - 2 - row], own[_RING + row - 1]
    left, right, behind, beside = attackers << _ONE, attackers >> _ONE, defenders << _ONE, defenders >> _ONE
    lost = (left | right) & ~(behind | beside) | left & right & ~(behind & beside)
    return own[_RING + row] & lost


@rules.helper
def _free(own, other, row, height):
    """The pieces of a row that no piece ahead is near enough to meet."""
    met = np.uint64(0)
    for distance in range(1, height - row):
        near = other[_RING + height - 1 - row - distance]
        for _ in range(min(distance, (distance + 3) // 2)):
            near |= near << _ONE | near >> _ONE
        met |= near
    return own[_RING + row] & ~met


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width, height = params[0], params[1]
    area = width * height
    first, second = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    steps = rules.scratch(2, np.int64)
    _read(planes, width, height, 0, first)
    _read(planes, width, height, 1, second)
    for place in range(2 * area):
        features[place] = 0
    for player in range(2):
        own, other = (first, second) if player == 0 else (second, first)
        steps[player] = _NEVER
        for row in range(height):
            if own[_RING + row] == 0:
                continue
            weak, free = _weak(own, other, row, height), _free(own, other, row, height)
            if free:
                steps[player] = height - 1 - row
            begin = (row if player == 0 else height - 1 - row) * width
            for column in range(width):
                features[begin + column] |= weak >> np.uint64(column) & _ONE
                features[area + begin + column] |= free >> np.uint64(column) & _ONE
    first_moves = planes[2 * area] != 0
    for place in range(area):
        features[2 * area + place] = steps[0] < steps[1] + first_moves and steps[0] < _NEVER
        features[3 * area + place] = steps[1] + first_moves <= steps[0] and steps[1] < _NEVER
