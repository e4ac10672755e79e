"""How many stones each player still needs, if bridges count as joined: features for pattern networks.

A side of the board is a row of the player's stones. The *distance* of a cell from a side is the number of empty cells
on the shortest way there, the cell among them, by neighbours and bridges (`games.bridges`).
"""

import numpy as np

from athenan import rules
from athenan.games.bridges import RING, spread
from athenan.rules import Features
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

FEATURES = Features(planes=9, exchanged=((1, 2), (3, 4), (5, 6), (7, 8)))
"""Stones at distance 0 from a side of their player; empty cells on a shortest way between the first player's sides, and
between the second's. Then, the same on all cells: whether the first player's way needs no more stones, and the
second's; whether the first player's way is shorter, and the second's; and each by more than one stone.
"""
_MOST_LINES = 19 + 2
"""Rows of the board with both sides."""
_NARROW = 14
"""Rows of up to so many cells take 16 bits, with two to spare, so that shifts do not mix neighbours. Others take 32.

Four floods run side by side: from the top, the first player's and then the second player's, who sees the board with
rows and columns exchanged, and so joins the top and the bottom, too; then the same two from the bottom. The word of a
narrow row has all four. If rows are wide, all words of the floods from the top come first, and then the others.
"""
_VECTOR = 8
"""Loops go over a multiple of so many words, so that vectors need no rest; words behind the board are empty."""
_ROOM = 2 * (_MOST_LINES + RING) + RING + _VECTOR
_LEVELS = 20
_LEVELS_ROOM = _LEVELS * _ROOM
_NEVER = 1000
_ONE, _HALF = np.uint64(1), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@rules.helper
def _second(side):
    """Where the second player's bits begin in a pair, the bits of both players from the same end."""
    return np.uint64(16 if side <= _NARROW else 32)


@rules.helper
def _pair(words, begin, side, row, end):
    """The pair of a row, from the top (end 0) or from the bottom (1), where the words of row 0 are at `begin`."""
    if side <= _NARROW:
        return words[begin + row] >> np.uint64(32 * end) & _LOW
    return words[begin + row + end * (side + RING)]


@rules.helper
def _put_pair(words, side, row, pair):
    """Gives the floods from both ends the same pair."""
    if side <= _NARROW:
        words[RING + row] = pair | pair << _HALF
    else:
        words[RING + row] = words[RING + row + side + RING] = pair


@rules.helper
def _turn(rows, side, columns):
    """Exchanges rows and columns of two boards, one in each half of the words."""
    bits = _ONE | _ONE << _HALF
    for column in range(side):
        columns[column] = np.uint64(0)
    for row in range(side):
        for column in range(side):
            columns[column] |= (rows[row] >> np.uint64(column) & bits) << np.uint64(row)


@rules.helper
def _read(planes, side, own, empty):
    """Writes the rows as bits, as each player sees them; the corners of a player's sides belong to that player."""
    rows, columns = rules.scratch(_MOST_LINES, np.uint64), rules.scratch(_MOST_LINES, np.uint64)
    area, whole = side * side, (_ONE << np.uint64(side)) - _ONE
    for place in range(_ROOM):
        own[place] = empty[place] = np.uint64(0)
    for row in range(side):
        first, second = pack_row(planes, row * side, side), pack_row(planes, area + row * side, side)
        _put_pair(own, side, row, first)
        rows[row] = second | (whole & ~(first | second)) << _HALF
    _turn(rows, side, columns)
    for row in range(side):
        first = _pair(own, RING, side, row, 0)
        _put_pair(own, side, row, first | (columns[row] & _LOW) << _second(side))
        _put_pair(empty, side, row, rows[row] >> _HALF | columns[row] >> _HALF << _second(side))


@rules.helper
def _begin(own, side, reached):
    """Writes where the floods begin: the stones of the top row, and of the bottom row."""
    for place in range(_ROOM):
        reached[place] = np.uint64(0)
    bottom = RING + side - 1
    if side <= _NARROW:
        reached[RING], reached[bottom] = own[RING] & _LOW, own[bottom] & ~_LOW
    else:
        reached[RING], reached[bottom + side + RING] = own[RING], own[bottom + side + RING]


@rules.helper
def _flood(own, empty, side, levels, needed):
    """Writes what each flood reaches at each distance, until both players are across, and their distances.

    `levels` has, for each distance, everything at that distance or nearer. It is as far from the top to the bottom as
    back. Returns the last distance.
    """
    reached, next_ = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    joined = rules.scratch(_ROOM, np.uint64)
    words = side if side <= _NARROW else 2 * side + RING
    first, last = np.uint64(RING), np.uint64(RING + (words + _VECTOR - 1) // _VECTOR * _VECTOR)
    _begin(own, side, reached)
    needed[0] = needed[1] = _NEVER
    for distance in range(_LEVELS):
        spread(reached, own, empty, first, last, np.uint64(1), joined, next_)
        across = _pair(reached, RING, side, side - 1, 0) & _pair(own, RING, side, side - 1, 0)
        if needed[0] == _NEVER and across << (np.uint64(64) - _second(side)):
            needed[0] = distance
        if needed[1] == _NEVER and across >> _second(side):
            needed[1] = distance
        more = np.uint64(0)
        for place in range(first, last):
            levels[np.uint64(distance * _ROOM) + place] = reached[place]
            more |= next_[place]
            reached[place] |= next_[place]
        if max(needed[0], needed[1]) < _NEVER or not more:
            return distance
    return _LEVELS - 1


@rules.helper
def _row_of(pair, side, player):
    """The row of a player in a pair."""
    return pair >> _second(side) if player else pair & (_ONE << _second(side)) - _ONE


@rules.helper
def _mark(levels, own, empty, side, player, way, marks):
    """Writes, row by row as the player sees them, the empty cells on a shortest way, which needs `way` stones.

    The high half of the words has the player's stones at distance 0 from a side, those of the sides among them.
    """
    for row in range(side):
        marks[row] = np.uint64(0)
    for distance in range(1, way + 1):
        near, far = distance * _ROOM + RING, (way + 1 - distance) * _ROOM + RING
        for row in range(side):
            marks[row] |= _pair(levels, near, side, row, 0) & _pair(levels, far, side, row, 1)
    for row in range(side):
        joined = _pair(levels, RING, side, row, 0) | _pair(levels, RING, side, row, 1)
        joined &= _pair(own, RING, side, row, 0)
        shortest = marks[row] & _pair(empty, RING, side, row, 0)
        marks[row] = _row_of(shortest, side, player) | _row_of(joined, side, player) << _HALF


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    side = params[0] + 2
    area, inside = side * side, (_ONE << np.uint64(side - 1)) - np.uint64(2)
    own, empty = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    levels, needed = rules.scratch(_LEVELS_ROOM, np.uint64), rules.scratch(2, np.int64)
    first, second = rules.scratch(_MOST_LINES, np.uint64), rules.scratch(_MOST_LINES, np.uint64)
    marks = rules.scratch(_MOST_LINES, np.uint64)
    _read(planes, side, own, empty)
    last = _flood(own, empty, side, levels, needed)
    _mark(levels, own, empty, side, 0, needed[0] if needed[0] <= last else 0, first)
    _mark(levels, own, empty, side, 1, needed[1] if needed[1] <= last else 0, marks)
    _turn(marks, side, second)
    for row in range(side):
        joined = (first[row] | second[row]) >> _HALF & inside
        unpack_row(joined if 0 < row < side - 1 else np.uint64(0), features, row * side, side)
        unpack_row(first[row], features, area + row * side, side)
        unpack_row(second[row], features, 2 * area + row * side, side)
    for player in range(2):
        own_way, other_way = needed[player], needed[1 - player]
        fill(features, (3 + player) * area, area, own_way == 0)
        fill(features, (5 + player) * area, area, own_way < other_way)
        fill(features, (7 + player) * area, area, own_way + 1 < other_way)
