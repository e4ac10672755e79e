"""How many stones each player still needs, if bridges count as joined: features for pattern networks.

A side of the board is a row of the player's stones. The *distance* of a cell from a side is the number of empty cells
on the shortest way there, the cell among them, by neighbours and bridges (`rules.geometry.bridges`).
"""

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE
from athenan.rules.geometry.bridges import FLOODS, LANES, LINKS, around, link, spread
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

_LEVELS = 20
_LEVELS_ROOM = _LEVELS * FLOODS
_NEVER = 1000
_BEHIND = np.uint64(2)
"""Lanes 0 and 1 are the first player's flood from the top and the second player's from the left. Lanes 2 and 3 are
those from the bottom and from the right. Cells touch alike along rows and columns, so no board is transposed.
"""


def sides_of(size: int) -> list[int]:
    """The cells of the top, the left, the bottom and the right side: the bits of a plane, four lanes for each word."""
    cells = np.arange((size + 2) ** 2).reshape(size + 2, size + 2)
    sides = np.zeros((-(-cells.size // 64), 4, 64), np.uint8)
    for lane, line in enumerate((cells[0], cells[:, 0], cells[-1], cells[:, -1])):
        sides[line // 64, lane, line % 64] = 1
    return [int(word) for word in np.packbits(sides, bitorder="little").view(np.int64)]


@inlined
def _read(params, planes, own, empty, sides):
    """Writes the stones within the frame, the empty cells and the sides, for each flood."""
    area = (params[0] + 2) ** 2
    for place in range(FLOODS):
        own[place] = empty[place] = sides[place] = np.uint64(0)
    for word in range((area + 63) >> 6):
        begin, cells, at, frame = 64 * word, min(area - 64 * word, 64), 4 * (word + 1), np.uint64(0)
        for lane in range(4):
            sides[at + lane] = params[params[2] + 4 * word + lane]
            frame |= sides[at + lane]
        first, second = pack_row(planes, begin, cells), pack_row(planes, area + begin, cells)
        free = ~(first | second) & ~np.uint64(0) >> np.uint64(64 - cells)
        own[at], own[at + 1] = first & ~frame, second & ~frame
        own[at + 2], own[at + 3] = own[at], own[at + 1]
        for lane in range(4):
            empty[at + lane] = free


@inlined
def _arrive(reached, next_, near, end, distance, needed):
    """Notes the distance at which a player's flood arrives at the far side, and ends both floods of the player."""
    for player in range(np.uint64(2)):
        across = np.uint64(0)
        for at in range(LANES + player, end, LANES):
            across |= reached[at] & near[at + _BEHIND]
        if across:
            needed[player] = distance
            for at in range(LANES + player, end, _BEHIND):
                reached[at] = next_[at] = np.uint64(0)


@inlined
def _flood(own, empty, sides, end, step, joined, levels, needed):
    """Writes the stones at distance 0, the cells at each other distance or nearer, and how many stones players need.

    Only the cells `near` a side matter: no shortest way goes on from the far side. The floods would spend many rounds
    along it. In `levels` only the empty cells are complete: stones are joined after a level is written.
    """
    reached, next_ = rules.scratch(FLOODS, np.uint64), rules.scratch(FLOODS, np.uint64)
    near, links = rules.scratch(FLOODS, np.uint64), rules.scratch(LINKS, np.uint64)
    link(empty, end, step, links)
    for at in range(FLOODS):
        reached[at] = np.uint64(0)
    for at in range(LANES, end):
        near[at] = around(sides, links, at, step) & (own[at] | empty[at])
        reached[at] = near[at] & own[at]
    spread(reached, own, empty, links, end, step, next_)
    for at in range(LANES, end):
        joined[at] = reached[at]
        next_[at] |= near[at] & empty[at]
    needed[0] = needed[1] = _NEVER
    _arrive(reached, next_, near, end, 0, needed)
    for distance in range(1, _LEVELS):
        more = np.uint64(0)
        for at in range(LANES, end):
            more |= next_[at]
            reached[at] |= next_[at]
            levels[np.uint64(distance * FLOODS) + at] = reached[at]
        _arrive(reached, next_, near, end, distance, needed)
        if max(needed[0], needed[1]) < _NEVER or not more:
            return
        spread(reached, own, empty, links, end, step, next_)
        _arrive(reached, next_, near, end, distance, needed)


@inlined
def _shortest(levels, at, way):
    """The cells of a word on a shortest way between the sides, which needs `way` stones; stones may be among them."""
    cells = np.uint64(0)
    for distance in range(1, way + 1):
        near, far = distance * FLOODS, (way + 1 - distance) * FLOODS
        cells |= levels[np.uint64(near) + at] & levels[np.uint64(far) + at + _BEHIND]
    return cells


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    side = params[0] + 2
    area, words = side * side, (side * side + 63) >> 6
    own, empty = rules.scratch(FLOODS, np.uint64), rules.scratch(FLOODS, np.uint64)
    sides, joined = rules.scratch(FLOODS, np.uint64), rules.scratch(FLOODS, np.uint64)
    levels, needed = rules.scratch(_LEVELS_ROOM, np.uint64), rules.scratch(2, np.int64)
    _read(params, planes, own, empty, sides)
    _flood(own, empty, sides, LANES * np.uint64(words + 1), np.uint64(side - 1), joined, levels, needed)
    for word in range(words):
        begin, cells, at = 64 * word, min(area - 64 * word, 64), LANES * np.uint64(word + 1)
        stones = joined[at] | joined[at + ONE] | joined[at + _BEHIND] | joined[at + _BEHIND + ONE]
        unpack_row(stones, features, begin, cells)
        for player in range(2):
            way = needed[player] if needed[player] < _NEVER else 0
            shortest = _shortest(levels, at + np.uint64(player), way) & empty[at]
            unpack_row(shortest, features, (1 + player) * area + begin, cells)
    for player in range(2):
        own_way, other_way = needed[player], needed[1 - player]
        fill(features, (3 + player) * area, area, own_way == 0)
        fill(features, (5 + player) * area, area, own_way < other_way)
        fill(features, (7 + player) * area, area, own_way + 1 < other_way)


FEATURES = Features(9, ((1, 2), (3, 4), (5, 6), (7, 8)), features)
"""Stones at distance 0 from a side of their player; empty cells on a shortest way between the first player's sides, and
between the second's. Then, the same on all cells: whether the first player's way needs no more stones, and the
second's; whether the first player's way is shorter, and the second's; and each by more than one stone.
"""
