"""Where a stone would join two corners or three sides, if bridges count as joined: features for pattern networks.

The chains of a player reach corners and sides by neighbours and by bridges (`games.bridges`, which are not the bridges
that win Havannah). A stone on an empty cell beside such chains joins all that they reach. Rings are left to the tuples.
"""

import numpy as np

from athenan import rules
from athenan.games.bridges import RING, spread
from athenan.rules import Features

FEATURES = Features(planes=4, exchanged=((0, 1), (2, 3)))
"""Empty cells where a stone of the first player would join two corners or three sides, and where one of the second
would. Then, the same on all cells: whether stones of the first player have already joined them, and of the second.
"""
LARGEST_SIDE = 6
"""Boards with longer sides have no features, because they do harm at sides of 8 (docs/algorithms/patterns_measured.md):
few states are so near to a win, and with the marks a tuple of as many entries has four cells instead of seven.
"""
_LINES = 12
"""The corners, then the sides: a flood starts from each. The low half of a word is the first player's flood, the high
half the second player's; rows are so short that shifts do not mix them.
"""
_LANE_ROW = np.uint64(_LINES)
_ROWS = 2 * LARGEST_SIDE + 1
_ROOM = (_ROWS + 2 * RING) * _LINES
_ONE, _NONE, _HALF = np.uint64(1), np.uint64(0), np.uint64(32)


@rules.helper
def _at(row):
    """The first word of a row."""
    return np.uint64((row + RING) * _LINES)


@rules.helper
def _read(params, planes, own, empty, reached):
    """Writes the rows of the planes as bits, the last column first, for every flood, and where the floods start."""
    width = 2 * params[0] + 1
    area = width * width
    for place in range(_at(width + RING)):
        own[place] = empty[place] = reached[place] = _NONE
    for row in range(width):
        first, second, off = _NONE, _NONE, _NONE
        for place in range(np.uint64(row * width), np.uint64((row + 1) * width)):
            first = first << _ONE | np.uint64(planes[place])
            second = second << _ONE | np.uint64(planes[np.uint64(area) + place])
            off = off << _ONE | np.uint64(planes[np.uint64(3 * area) + place])
        free = ((_ONE << np.uint64(width)) - _ONE) & ~(first | second | off)
        stones, free, starts = first | second << _HALF, free | free << _HALF, params[3] + row * _LINES
        for line in range(np.uint64(_LINES)):
            start = np.uint64(params[np.uint64(starts) + line])
            own[_at(row) + line], empty[_at(row) + line] = stones, free
            reached[_at(row) + line] = start | start << _HALF


@rules.helper
def _joined(words, row):
    """The cells of a row that two corners or three sides reach."""
    corner, corners, side, sides, three = _NONE, _NONE, _NONE, _NONE, _NONE
    for line in range(_at(row), _at(row) + np.uint64(_LINES // 2)):
        by_corner, by_side = words[line], words[line + np.uint64(_LINES // 2)]
        corners |= corner & by_corner
        corner |= by_corner
        three |= sides & by_side
        sides |= side & by_side
        side |= by_side
    return corners | three


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width = 2 * params[0] + 1
    area = width * width
    own, empty = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    reached, beside = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    scratch = rules.scratch(_ROOM, np.uint64)
    _read(params, planes, own, empty, reached)
    spread(reached, own, empty, _at(1), _at(width - 1), _LANE_ROW, scratch, beside)
    for place in range(2 * area):
        features[place] = 0
    won = _NONE
    for row in range(1, width - 1):
        won |= _joined(reached, row) & own[_at(row)]
        wins = _joined(beside, row)
        for column in range(width):
            bit = np.uint64(width - 1 - column)
            features[row * width + column] = wins >> bit & _ONE
            features[area + row * width + column] = wins >> _HALF >> bit & _ONE
    first, second = (won & np.uint64(0xFFFFFFFF)) != 0, won >> _HALF != 0
    for place in range(area):
        features[2 * area + place] = first
        features[3 * area + place] = second
