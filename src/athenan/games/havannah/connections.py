"""Where a stone would join two corners or three sides, if bridges count as joined: features for pattern networks.

The chains of a player reach corners and sides by neighbours and by bridges (`rules.geometry.bridges`, which are not the
bridges that win Havannah). A stone on an empty cell beside such chains joins all that they reach. Rings are left to the
tuples.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE
from athenan.rules.geometry.bridges import LANES, LINKS, link, spread
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

LARGEST_SIDE = 6
"""Boards with longer sides have no features, because they do harm at sides of 8 (docs/algorithms/patterns_measured.md):
few states are so near to a win, and with the marks a tuple of as many entries has four cells instead of seven.
"""
_SIDES = np.uint64(2)
"""A flood starts from each corner and each side. Four run at a time, three times for each player: two from corners, and
from this lane on two from sides.
"""
_ROOM = ((2 * LARGEST_SIDE + 1) ** 2 // 64 + 3) * 4
"""Room for the words of four floods, and an empty word around those of each: less than `bridges.FLOODS`."""
_STONES, _COUNTS = 2 * _ROOM, 3 * _ROOM
_TWO, _THREE = np.uint64(_ROOM), np.uint64(2 * _ROOM)


@inlined
def _read(planes, area, words, own, empty):
    """Writes the stones of both players, one after the other, and the empty cells, for each flood."""
    for place in range(_ROOM):
        empty[place] = np.uint64(0)
    for word in range(words):
        begin, cells = 64 * word, min(area - 64 * word, 64)
        first, second = pack_row(planes, begin, cells), pack_row(planes, area + begin, cells)
        off = pack_row(planes, 3 * area + begin, cells)
        free = ~(first | second | off) & ~np.uint64(0) >> np.uint64(64 - cells)
        for at in range(4 * (word + 1), 4 * (word + 2)):
            own[at], own[_ROOM + at], empty[at] = first, second, free


@inlined
def _count(reached, end, counts):
    """Notes, for each lane, the cells reached by one, by two and by three floods or more."""
    for at in range(LANES, end):
        counts[_THREE + at] |= counts[_TWO + at] & reached[at]
        counts[_TWO + at] |= counts[at] & reached[at]
        counts[at] |= reached[at]


@inlined
def _joined(counts, at):
    """The cells of a word that two corners or three sides reach."""
    side, other = at + _SIDES, at + _SIDES + ONE
    corners = counts[_TWO + at] | counts[_TWO + at + ONE] | counts[at] & counts[at + ONE]
    sides = counts[_TWO + side] & counts[other] | counts[side] & counts[_TWO + other]
    return corners | sides | counts[_THREE + side] | counts[_THREE + other]


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width = 2 * params[0] + 1
    area, words = width * width, (width * width + 63) >> 6
    end, step = LANES * np.uint64(words + 1), np.uint64(width)
    stones, empty = rules.scratch(_STONES, np.uint64), rules.scratch(_ROOM, np.uint64)
    reached, beside = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    won, wins = rules.scratch(_COUNTS, np.uint64), rules.scratch(_COUNTS, np.uint64)
    links = rules.scratch(LINKS, np.uint64)
    _read(planes, area, words, stones, empty)
    link(empty, end, step, links)
    for player in range(2):
        own = stones[player * _ROOM : (player + 1) * _ROOM]
        for place in range(_COUNTS):
            won[place] = wins[place] = np.uint64(0)
        for floods in range(3):
            for place in range(_ROOM):
                reached[place] = np.uint64(0)
            for start in range(4 * words):
                reached[4 + start] = params[params[3] + floods * 4 * words + start]
            spread(reached, own, empty, links, end, step, beside)
            _count(reached, end, won)
            _count(beside, end, wins)
        joined = np.uint64(0)
        for word in range(words):
            at = LANES * np.uint64(word + 1)
            joined |= _joined(won, at) & own[at]
            unpack_row(_joined(wins, at), features, player * area + 64 * word, min(area - 64 * word, 64))
        fill(features, (2 + player) * area, area, joined != 0)


FEATURES = Features(4, ((0, 1), (2, 3)), features)
"""Empty cells where a stone of the first player would join two corners or three sides, and where one of the second
would. Then, the same on all cells: whether stones of the first player have already joined them, and of the second.
"""
