"""Where a stone would join two corners or three sides, if bridges count as joined: features for pattern networks.

The chains of a player reach corners and sides by neighbours and by bridges (`games.bridges`, which are not the bridges
that win Havannah). A stone on an empty cell beside such chains joins all that they reach. Rings are left to the tuples.
"""

import numpy as np

from athenan import rules
from athenan.games.bridges import RING, spread
from athenan.rules import Features
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

FEATURES = Features(planes=4, exchanged=((0, 1), (2, 3)))
"""Empty cells where a stone of the first player would join two corners or three sides, and where one of the second
would. Then, the same on all cells: whether stones of the first player have already joined them, and of the second.
"""
LARGEST_SIDE = 6
"""Boards with longer sides have no features, because they do harm at sides of 8 (docs/algorithms/patterns_measured.md):
few states are so near to a win, and with the marks a tuple of as many entries has four cells instead of seven.
"""
_LANES = 6
"""A flood starts from each corner and each side, for each player. The four of a corner and the side with its number
share a word: the corner's of the first player, and of the second, then the side's. Each has 16 bits, two more than a
row, so that shifts do not mix them.
"""
_LANE_ROW = np.uint64(_LANES)
_ROWS = 2 * LARGEST_SIDE + 1
_ROOM = (_ROWS + 2 * RING) * _LANES
_NONE, _EVERYWHERE = np.uint64(0), np.uint64(0x0001000100010001)
_PLAYER, _SIDES = np.uint64(16), np.uint64(32)
_ROW = np.uint64(0xFFFF)


@rules.helper
def _at(row, width):
    """The first word of a row; the last row of the planes comes first."""
    return np.uint64((RING + width - 1 - row) * _LANES)


@rules.helper
def _read(params, planes, own, empty, reached):
    """Writes the rows of the planes as bits, for every flood, and where the floods start."""
    width = 2 * params[0] + 1
    area, whole = width * width, (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for place in range((width + 2 * RING) * _LANES):
        own[place] = empty[place] = reached[place] = _NONE
    for row in range(width):
        first, second = pack_row(planes, row * width, width), pack_row(planes, area + row * width, width)
        off, starts = pack_row(planes, 3 * area + row * width, width), params[3] + row * _LANES
        stones, free = first | second << _PLAYER, whole & ~(first | second | off)
        for lane in range(np.uint64(_LANES)):
            own[_at(row, width) + lane] = stones | stones << _SIDES
            empty[_at(row, width) + lane] = free * _EVERYWHERE
            reached[_at(row, width) + lane] = np.uint64(params[np.uint64(starts) + lane]) * (_EVERYWHERE >> _SIDES)


@rules.helper
def _joined(words, begin):
    """The cells of a row that two corners or three sides reach: a row for each player, 16 bits apart."""
    one, two, three = _NONE, _NONE, _NONE
    for lane in range(begin, begin + _LANE_ROW):
        three |= two & words[lane]
        two |= one & words[lane]
        one |= words[lane]
    return (two | three >> _SIDES) & (_ROW | _ROW << _PLAYER)


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width = 2 * params[0] + 1
    area = width * width
    own, empty = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    reached, beside = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    scratch = rules.scratch(_ROOM, np.uint64)
    _read(params, planes, own, empty, reached)
    spread(reached, own, empty, _at(width - 2, width), _at(0, width), _LANE_ROW, scratch, beside)
    fill(features, 0, 2 * area, 0)
    won = _NONE
    for row in range(1, width - 1):
        begin = _at(row, width)
        won |= _joined(reached, begin) & own[begin]
        wins = _joined(beside, begin)
        unpack_row(wins & _ROW, features, row * width, width)
        unpack_row(wins >> _PLAYER, features, area + row * width, width)
    fill(features, 2 * area, area, won & _ROW != 0)
    fill(features, 3 * area, area, won >> _PLAYER != 0)
