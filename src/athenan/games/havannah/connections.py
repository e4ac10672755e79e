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
_LINES = 12
"""The corners, then the sides."""
_LANES = 2 * _LINES
"""A flood from each corner and side by the first player's stones, then by the second player's."""
_LANE_ROW = np.uint64(_LANES)
_ROWS = 2 * 10 + 1
_ROOM = (_ROWS + 2 * RING) * _LANES
_ONE, _NONE = np.uint64(1), np.uint64(0)


@rules.helper
def _at(row, lane):
    return (row + RING) * _LANES + lane


@rules.helper
def _read(planes, width, own, empty):
    """Writes the rows of the planes as bits, the last column first, for every lane."""
    area = width * width
    for place in range(np.uint64(_at(width + RING, 0))):
        own[place] = empty[place] = _NONE
    for row in range(1, width - 1):
        first, second, off = _NONE, _NONE, _NONE
        for place in range(row * width, (row + 1) * width):
            first = first << _ONE | np.uint64(planes[place])
            second = second << _ONE | np.uint64(planes[area + place])
            off = off << _ONE | np.uint64(planes[3 * area + place])
        free = ((_ONE << np.uint64(width)) - _ONE) & ~(first | second | off)
        for lane in range(_LINES):
            own[_at(row, lane)], own[_at(row, _LINES + lane)] = first, second
            empty[_at(row, lane)] = empty[_at(row, _LINES + lane)] = free


@rules.helper
def _joined(words, start):
    """The cells of a row that two corners or three sides reach; `start`: the first lane of a player."""
    corner, corners, side, sides, three = _NONE, _NONE, _NONE, _NONE, _NONE
    for lane in range(start, start + _LINES // 2):
        by_corner, by_side = words[lane], words[lane + _LINES // 2]
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
    _read(planes, width, own, empty)
    for place in range(np.uint64(_at(width + RING, 0))):
        reached[place] = _NONE
    for row in range(width):
        for line in range(_LINES):
            start = np.uint64(params[params[3] + row * _LINES + line])
            reached[_at(row, line)] = reached[_at(row, _LINES + line)] = start
    spread(reached, own, empty, np.uint64(_at(1, 0)), np.uint64(_at(width - 1, 0)), _LANE_ROW, scratch, beside)
    for place in range(2 * area):
        features[place] = 0
    for player in range(2):
        won = _NONE
        for row in range(1, width - 1):
            lane = _at(row, _LINES * player)
            won |= _joined(reached, lane) & own[lane]
            wins = _joined(beside, lane)
            for column in range(1, width - 1):
                place = player * area + row * width + column
                features[place] = wins >> np.uint64(width - 1 - column) & _ONE
        for place in range((2 + player) * area, (3 + player) * area):
            features[place] = won != 0
