"""The board of Go: groups, liberties, captures and areas.

Each point is a byte: 0 empty, 1 first player's stone, 2 second player's, 3 border. The point of a row and a column is
byte (n + 1) * (row + 1) + column after the header. `params` of Go: the size n, komi in units of the score, the number
of the superko rule, the steps to the neighbours below, left, right and above, and the number of units in a point: 1, or
2 with a half-point komi.
"""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import ONE
from athenan.rules.randomness import streams

KEYS = (streams(0, 2 * 512) & np.uint64(0xFFFFFE00)).reshape(2, 512) | np.arange(512, dtype=np.uint64)
"""Keys of 32 bits by player and point; the lowest 9 bits are the point."""
BYTES = np.uint64(0x0101010101010101)
_STEPS = 3  # params[3] to params[6]
UNIT = 7
"""The index in `params` of the units in a point."""
POINTS = 361
"""Most points of a board."""
BOARD = 440
"""Most bytes of a board, including the header before it."""
_VISITED = 64  # a mark


def board_size(size: int) -> int:
    """Bytes of the points and their border."""
    return ((size + 1) * (size + 2) + 16) & ~7


@rules.helper
def board_end(params):
    """The byte of a state at which the points end."""
    return rules.HEADER + (((params[0] + 1) * (params[0] + 2) + 16) & ~7)


@rules.helper
def neighbour(params, point, direction):
    """The point below, to the left, to the right or above."""
    return point + params[_STEPS + direction]


@rules.helper
def load16(state, place):
    return np.int64(np.uint8(state[place])) | (np.int64(state[place + 1]) << 8)


@rules.helper
def store16(state, place, value):
    state[place], state[place + 1] = value & 0xFF, value >> 8


@rules.helper
def empty_points(state, place):
    """One in the lowest bit of each of eight bytes that is an empty point."""
    word = rules.load64(state, place)
    return ~(word | (word >> ONE)) & BYTES


@rules.helper
def liberties(params, state, start, enough, marks, stack):
    """The number of a group's liberties up to `enough` (2 or 3), one liberty, and the number of stones if not broken
    off.

    Leaves the number of liberties as the mark of the stones, and the stones on the stack.
    """
    stone, count, at, found, last, before = state[start], 1, 0, 0, 0, 0
    stack[0], marks[start] = start, _VISITED
    while at < count and found < enough:
        point = np.int64(stack[at])
        at += 1
        for direction in range(4):
            near = neighbour(params, point, direction)
            if state[near] == 0:
                if near not in (last, before):
                    found, last, before = found + 1, near, last
            elif state[near] == stone and marks[near] != _VISITED:
                if marks[near] == enough:
                    found = enough  # an earlier visit of this group was broken off here
                marks[near], stack[count] = _VISITED, near
                count += 1
    found = min(found, enough)
    for number in range(count):
        marks[stack[number]] = found
    return found, last, count


@rules.helper
def has_liberty(params, state, point, marks, stack):
    """Whether a stone put on an empty point would have a liberty, so that it is not suicide."""
    own = state[0] + 1
    for direction in range(4):
        if state[neighbour(params, point, direction)] == 0:
            return True
    for direction in range(4):
        near = neighbour(params, point, direction)
        if state[near] != 3:
            if not marks[near]:
                liberties(params, state, near, 2, marks, stack)
            if (marks[near] == 1) == (state[near] != own):
                return True
    return False


@rules.helper
def _remove(params, state, start):
    """Takes a group off the board if it has no liberty; returns its number of stones, or 0, and their key."""
    none = np.uint64(0)
    for direction in range(4):
        if state[neighbour(params, start, direction)] == 0:
            return 0, none
    stone, count, at, key = state[start], 1, 0, none
    group, alive = rules.scratch(POINTS, np.int16), False
    group[0], state[start] = start, _VISITED
    while at < count and not alive:
        point = np.int64(group[at])
        at += 1
        for direction in range(4):
            near = neighbour(params, point, direction)
            if state[near] == stone:
                group[count], state[near] = near, _VISITED
                count += 1
            alive |= state[near] == 0
    for number in range(count):
        state[group[number]] = stone if alive else 0
        key ^= KEYS[stone - 1, group[number] - rules.HEADER]
    return (0, none) if alive else (count, key)


@rules.helper
def put(params, state, point, stone):
    """Puts a stone, takes off its captures; returns their number, the bits of a kept move, the key of all changes."""
    state[point] = stone
    captured, bits, key = 0, point - rules.HEADER, KEYS[stone - 1, point - rules.HEADER]
    for direction in range(4):
        near = neighbour(params, point, direction)
        if state[near] == 3 - stone:
            removed, removed_key = _remove(params, state, near)
            if removed:
                captured, bits, key = captured + removed, bits | (512 << direction), key ^ removed_key
    return captured, bits, key


@rules.helper
def ko(params, state, point, stone):
    """The point that simple ko forbids after a stone captured one stone and stands alone with one liberty."""
    empty, liberty = 0, 0
    for direction in range(4):
        near = neighbour(params, point, direction)
        if state[near] == stone:
            return 0
        if state[near] == 0:
            empty, liberty = empty + 1, near - rules.HEADER
    return liberty if empty == 1 else 0


@rules.helper
def fill_region(params, board, start, stone, stack):
    """Fills an empty region with stones, which stay on the stack; returns their number."""
    count, at = 1, 0
    stack[0], board[start] = start, stone
    while at < count:
        point = np.int64(stack[at])
        at += 1
        for direction in range(4):
            near = neighbour(params, point, direction)
            if board[near] == 0:
                board[near], stack[count] = stone, near
                count += 1
    return count


@rules.helper
def area_difference(params, state):
    """The first player's area less the second's."""
    size, stack = params[0], rules.scratch(POINTS, np.int16)
    board, difference = rules.scratch(BOARD, np.int8), 0
    for place in range(0, board_end(params), 8):
        rules.store64(board, place, rules.load64(state, place))
    for row in range(size):
        for column in range(size):
            point = rules.HEADER + (size + 1) * (row + 1) + column
            difference += (state[point] == 1) - (state[point] == 2)
            if board[point] == 0:
                count, touched = fill_region(params, board, point, _VISITED, stack), 0
                for number in range(count):
                    for direction in range(4):
                        near = state[neighbour(params, stack[number], direction)]
                        touched |= near if near != 3 else 0
                difference += count * ((touched == 1) - (touched == 2))
    return difference
