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
_LANES = 2
"""Floods side by side, from the top and from the bottom. The low half of a word is the first player's flood. The high
half is the second player's, who sees the board with rows and columns exchanged, and so joins the top and the bottom,
too. Rows are so short that shifts do not mix the halves.
"""
_FLOODS = 2 * _LANES
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
    """Writes the rows as bits, as each player sees them; the corners of a player's sides belong to that player."""
    area = side * side
    for place in range(_ROOM):
        own[place] = empty[place] = np.uint64(0)
    for row in range(side):
        stones, free = np.uint64(0), np.uint64(0)
        for player in range(2):
            for column in range(side):
                place = row * side + column if player == 0 else column * side + row
                first, second = np.uint64(planes[place] != 0), np.uint64(planes[area + place] != 0)
                bit = np.uint64(32 * player + column)
                stones |= (first if player == 0 else second) << bit
                free |= (_ONE - (first | second)) << bit
        for lane in range(_LANES):
            own[_at(row, lane)], empty[_at(row, lane)] = stones, free


@rules.helper
def _of_player(word, player):
    """The half of a word that a player sees."""
    return word >> np.uint64(32 * player) & np.uint64(0xFFFFFFFF)


@rules.helper
def _flood(own, empty, side, levels, needed):
    """Writes what each flood reaches at each distance, until all have come to the other side, and the distance there.

    `levels` has, for each distance, everything at that distance or nearer. Returns the last distance.
    """
    reached, next_ = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    joined = rules.scratch(_ROOM, np.uint64)
    first, last = np.uint64(_at(0, 0)), np.uint64(_at(side, 0))
    for place in range(_ROOM):
        reached[place] = np.uint64(0)
    for lane in range(_LANES):
        begin = _at(0 if lane == 0 else side - 1, lane)
        reached[begin] = own[begin]
        needed[lane] = needed[_LANES + lane] = _NEVER
    for distance in range(_LEVELS):
        spread(reached, own, empty, first, last, _LANE_ROW, joined, next_)
        missing, more = 0, np.uint64(0)
        for lane in range(_LANES):
            end = _at(side - 1 if lane == 0 else 0, lane)
            for player in range(2):
                flood = _LANES * player + lane
                if needed[flood] == _NEVER:
                    needed[flood] = distance if _of_player(reached[end] & own[end], player) else _NEVER
                    missing += needed[flood] == _NEVER
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
    levels, needed = rules.scratch(_LEVELS_ROOM, np.uint64), rules.scratch(_FLOODS, np.int64)
    _read(planes, side, own, empty)
    last = _flood(own, empty, side, levels, needed)
    for place in range(area):
        features[place] = 0
    for player in range(2):
        ways = needed[_LANES * player] if needed[_LANES * player] <= last else 0
        for row in range(side):
            joined, shortest = _row_marks(levels, own, empty, ways, _at(row, 0))
            joined, shortest = _of_player(joined, player), _of_player(shortest, player)
            for column in range(side):
                place = row * side + column if player == 0 else column * side + row
                inside = 0 < row < side - 1 and 0 < column < side - 1
                features[place] |= inside and joined >> np.uint64(column) & _ONE
                features[(1 + player) * area + place] = shortest >> np.uint64(column) & _ONE
        own_way, other_way = needed[_LANES * player], needed[_LANES * (1 - player)]
        for place in range(area):
            features[(3 + player) * area + place] = own_way == 0
            features[(5 + player) * area + place] = own_way < other_way
            features[(7 + player) * area + place] = own_way + 1 < other_way
