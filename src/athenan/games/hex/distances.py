"""How many stones each player still needs, if bridges count as joined: features for pattern networks.

A side of the board is a row of the player's stones. The *distance* of a cell from a side is the number of empty cells
on the shortest way there, the cell among them, by neighbours and bridges (`games.bridges`).
"""

import numpy as np

from athenan import rules
from athenan.games.bridges import RING, spread
from athenan.rules import Features

FEATURES = Features(planes=9, exchanged=((1, 2), (3, 4), (5, 6), (7, 8)))
"""Stones at distance 0 from a side of their player; empty cells on a shortest way between the first player's sides, and
between the second's. Then, the same on all cells: whether the first player's way needs no more stones, and the
second's; whether the first player's way is shorter, and the second's; and each by more than one stone.
"""
_LANES = 4
"""Floods side by side: for the first player from one side and from the other, then for the second player, who
sees the board with rows and columns exchanged, so that both join the top and the bottom.
"""
_LINES = 19 + 2
"""Rows of the board with both sides."""
_ROOM = (_LINES + 2 * RING) * _LANES
_LEVELS = 20
_LEVELS_ROOM = _LEVELS * _ROOM
_NEVER = 1000
_ONE, _LANE_ROW = np.uint64(1), np.uint64(_LANES)


@rules.helper
def _at(row, lane):
    return (row + RING) * _LANES + lane


@rules.helper
def _read(planes, side, own, empty):
    """Writes the rows as bits, as each lane sees them; the corners of a player's sides belong to that player."""
    area = side * side
    for place in range(_ROOM):
        own[place] = empty[place] = np.uint64(0)
    for row in range(side):
        for lane in range(0, _LANES, 2):
            stones, free = np.uint64(0), np.uint64(0)
            for column in range(side):
                place = row * side + column if lane == 0 else column * side + row
                first, second = np.uint64(planes[place] != 0), np.uint64(planes[area + place] != 0)
                stones |= (first if lane == 0 else second) << np.uint64(column)
                free |= (_ONE - (first | second)) << np.uint64(column)
            for twin in range(lane, lane + 2):
                own[_at(row, twin)], empty[_at(row, twin)] = stones, free


@rules.helper
def _flood(own, empty, side, levels, needed):
    """Writes what each lane reaches at each distance, until all have come to the other side, and the distance there.

    `levels` has, for each distance, everything at that distance or nearer. Returns the last distance.
    """
    reached, next_ = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    joined = rules.scratch(_ROOM, np.uint64)
    first, last = np.uint64(_at(0, 0)), np.uint64(_at(side, 0))
    for place in range(_ROOM):
        reached[place] = np.uint64(0)
    for lane in range(_LANES):
        needed[lane] = _NEVER
        begin = _at(0 if lane % 2 == 0 else side - 1, lane)
        reached[begin] = own[begin]
    for distance in range(_LEVELS):
        spread(reached, own, empty, first, last, _LANE_ROW, joined, next_)
        missing, more = 0, np.uint64(0)
        for lane in range(_LANES):
            end = _at(side - 1 if lane % 2 == 0 else 0, lane)
            if needed[lane] == _NEVER:
                needed[lane] = distance if reached[end] & own[end] else _NEVER
                missing += needed[lane] == _NEVER
        for place in range(RING * _LANES, (RING + side) * _LANES):
            levels[distance * _ROOM + place] = reached[place]
            more |= next_[place]
            reached[place] |= next_[place]
        if not missing or not more:
            return distance
    return _LEVELS - 1


@rules.helper
def _row_marks(levels, own, empty, needed, at):
    """The stones of one row at distance 0 from a side, and its empty cells on a shortest way."""
    joined = (levels[at] | levels[at + 1]) & own[at]
    shortest = np.uint64(0)
    for distance in range(1, needed + 1):
        shortest |= levels[distance * _ROOM + at] & levels[(needed + 1 - distance) * _ROOM + at + 1]
    return joined, shortest & empty[at]


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    side = params[0] + 2
    area = side * side
    own, empty = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    levels, needed = rules.scratch(_LEVELS_ROOM, np.uint64), rules.scratch(_LANES, np.int64)
    _read(planes, side, own, empty)
    last = _flood(own, empty, side, levels, needed)
    for place in range(area):
        features[place] = 0
    for player in range(2):
        ways = needed[2 * player] if needed[2 * player] <= last else 0
        for row in range(side):
            joined, shortest = _row_marks(levels, own, empty, ways, _at(row, 2 * player))
            for column in range(side):
                place = row * side + column if player == 0 else column * side + row
                inside = 0 < row < side - 1 and 0 < column < side - 1
                features[place] |= inside and joined >> np.uint64(column) & _ONE
                features[(1 + player) * area + place] = shortest >> np.uint64(column) & _ONE
        own_way, other_way = needed[2 * player], needed[2 - 2 * player]
        for place in range(area):
            features[(3 + player) * area + place] = own_way == 0
            features[(5 + player) * area + place] = own_way < other_way
            features[(7 + player) * area + place] = own_way + 1 < other_way
