"""The board of Go as words of bits: groups without liberties, captures and areas.

The point of a row and a column, both from 0, is bit (n + 1) * row + column. No point is bit n of a row, so that
neighbours differ by 1 and by the stride n + 1. A state has the words of the first player's stones after the header,
then the words of the second player's. `params` of Go: the size n, komi in units of the score, the number of the superko
rule, the number of units in a point (1, or 2 with a half-point komi), 2^16 / n and 2^16 / (n + 1) rounded up, the words
of all points, for each step of `compact` the words of the points that it moves, and the edges of boards as in planes
(`rules.geometry.edges`).

`none` is always a board without points. It tells the compiler the number of words.
"""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules.compiler import inlined
from athenan.rules.geometry.words import (
    any_of,
    beside,
    both,
    count_of,
    either,
    load_words,
    lowest_of,
    moved_down,
    single,
    store_words,
    without,
)
from athenan.rules.randomness import streams

KEYS = (streams(0, 2 * 384) & np.uint64(0xFFFF)).astype(np.int64).reshape(2, 384)
"""Keys of 16 bits by player and point."""
UNIT = 3
"""The index in `params` of the units in a point."""
_PER_SIZE, _PER_STRIDE = 4, 5  # the indices of factors that divide numbers below 400, which takes longer by //
_POINTS = 6  # the index in `params` of the words of all points


def words_of(size: int) -> int:
    """Words of a board."""
    return (size * (size + 1) + 63) // 64


def tables(size: int) -> NDArray[np.int64]:
    """The numbers of `params` that follow from the size: two factors, the words of all points and of those to move."""
    count = 64 * words_of(size)
    factors = [65536 // size + 1, 65536 // (size + 1) + 1]
    row, column = np.divmod(np.arange(size * size), size)
    boards = [np.bincount((size + 1) * row + column, minlength=count)]
    for step in range((size - 1).bit_length()):
        place = (size + 1) * row + column - row % (1 << step)  # after the steps before
        boards.append(np.bincount(place[row >> step & 1 == 1], minlength=count))
    return np.append(factors, np.packbits(np.array(boards, bool), axis=1, bitorder="little").view(np.int64))


@rules.helper
def points_of(params, none):
    return load_words(params, 8 * _POINTS, none)


@rules.helper
def compact(params, board):
    """A board with bit n * row + column for each point: row r moves down by r, one power of two after the other."""
    moving, distance = 8 * (_POINTS + len(board)), 1
    while distance < params[0]:
        moved = both(board, load_words(params, moving, board))
        board = either(without(board, moved), moved_down(moved, distance))
        moving, distance = moving + 8 * len(board), 2 * distance
    return board


@rules.helper
def stones_of(state, player, none):
    return load_words(state, rules.HEADER + 8 * len(none) * player, none)


@rules.helper
def store_stones(state, player, stones):
    store_words(state, rules.HEADER + 8 * len(stones) * player, stones)


@rules.helper
def empty_points(params, state, none):
    return without(points_of(params, none), either(stones_of(state, 0, none), stones_of(state, 1, none)))


@rules.helper
def point_of(params, action):
    """The bit of an action's point."""
    return action + (action * params[_PER_SIZE] >> 16)


@rules.helper
def action_of(params, point):
    return point - (point * params[_PER_STRIDE] >> 16)


@rules.helper
def flooded(stride, start, region):
    """The points that are connected with `start` through a region, `start` among them."""
    while True:
        grown = either(start, both(beside(start, stride), region))
        if not any_of(without(grown, start)):
            return grown
        start = grown


@inlined
def breathes(stride, start, stones, free):
    """Whether the groups of stones that `start` belongs to have a liberty among free points, and what was seen of them.

    Without a liberty, that is all of the groups.
    """
    while True:
        around = beside(start, stride)
        if any_of(both(around, free)):
            return True, start
        grown = either(start, both(around, stones))
        if not any_of(without(grown, start)):
            return False, start
        start = grown


@inlined
def has_liberty(stride, near, own, other, free):
    """Whether a stone between the points `near` would have a liberty, so that it is not suicide.

    `free` are the empty points but its own.
    """
    if any_of(both(near, free)):
        return True
    beside_own, left = both(near, own), both(near, other)
    if any_of(beside_own) and breathes(stride, beside_own, own, free)[0]:
        return True
    while any_of(left):
        alive, group = breathes(stride, single(lowest_of(left), left), other, free)
        if not alive:
            return True
        left = without(left, group)
    return False


@inlined
def captures(stride, point, other, free, none):
    """The stones that a stone on a point captures, and the bits of a kept move (module `superko`)."""
    left, captured, bits = both(beside(single(point, none), stride), other), none, 1 + point
    while any_of(left):
        near = lowest_of(left)
        alive, group = breathes(stride, single(near, none), other, free)
        if not alive:
            captured = either(captured, group)
            bits |= 512 << (2 * (near > point) + ((near == point - 1) | (near == point + stride)))
        left = without(left, group)
    return captured, bits


@rules.helper
def change(player, point, captured):
    """The key of the change by a stone and its captures."""
    key = KEYS[player, point]
    while any_of(captured):
        taken = lowest_of(captured)
        captured = without(captured, single(taken, captured))
        key ^= KEYS[1 - player, taken]
    return key


@rules.helper
def area_difference(params, state, none):
    """The first player's area less the second's."""
    empty, stride = empty_points(params, state, none), params[0] + 1
    first, second = flooded(stride, stones_of(state, 0, none), empty), flooded(stride, stones_of(state, 1, none), empty)
    return count_of(without(first, second)) - count_of(without(second, first))
