"""The empty cells and the reach of the queens of Amazons, in the words of a state."""

import numpy as np

from athenan import rules
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE, highest, lowest

EMPTY = rules.HEADER  # where the boards of empty cells are
NONE = np.uint64(0)


def board_size(size: int) -> int:
    """Bytes of one of the four boards of empty cells: a word of 16 bits for each line and one more, to a word of 64."""
    return 2 * ((size + 4) & ~3)


@rules.helper
def _board(size, line):
    """The byte of a state at which the board of one of the four directions begins."""
    return EMPTY + line * (2 * ((size + 4) & ~3))


@rules.helper
def amazons_at(params, player):
    """The byte of a state at which the places of a player's amazons begin."""
    return _board(params[0], 4) + 4 * player


@inlined
def _number(size, row, column, line):
    """The number of the line of a direction through a cell."""
    if line == 0:
        return row
    if line == 1:
        return column
    if line == 2:
        return column - row + (size + 1) * (column < row)
    return column + row - (size + 1) * (column + row > size)


@inlined
def flip(size, state, place):
    """Changes a cell on all boards, by words. Writing a single byte would make the next load of its word wait."""
    row, column = place >> 4, place & 15
    for line in (0, 1, 2, 3):
        number = _number(size, row, column, line)
        word, bit = _board(size, line) + 8 * (number >> 2), 16 * (number & 3) + (row if line == 1 else column)
        rules.store64(state, word, rules.load64(state, word) ^ ONE << np.uint64(bit))


@inlined
def _ones_around(bits, at):
    """The number of consecutive ones just below and just above bit `at`."""
    zeros = (~bits << ONE | ONE) & ((ONE << np.uint64(at + 1)) - ONE)  # moved up by one, above a zero below the row
    return at - highest(zeros), lowest(~(bits >> np.uint64(at + 1)))


@inlined
def reach(size, state, place, line):
    """The number of cells a queen can go on a line, towards smaller and towards larger coordinates."""
    row, column = place >> 4, place & 15
    at = np.uint64(_board(size, line) + 2 * _number(size, row, column, line))  # unsigned: no test for a negative index
    bits = np.uint64(np.uint8(state[at])) | np.uint64(np.uint8(state[at + ONE])) << np.uint64(8)
    return _ones_around(bits, row if line == 1 else column)


@rules.helper
def queens(params, state, player):
    """A player's amazons as three words of four rows."""
    low = middle = high = NONE
    for at in range(amazons_at(params, player), amazons_at(params, player) + 4):
        place = np.int64(np.uint8(state[at]))
        bit = ONE << np.uint64(place & 63)
        low |= bit if place >> 6 == 0 else NONE
        middle |= bit if place >> 6 == 1 else NONE
        high |= bit if place >> 6 == 2 else NONE
    return low, middle, high


@rules.helper
def empty_cells(params, state):
    high = rules.load64(state, EMPTY + 16) if params[0] > 8 else NONE
    return rules.load64(state, EMPTY), rules.load64(state, EMPTY + 8), high


@rules.helper
def _beside(word):
    """The cells of a word and their neighbours to the left and right; the sixteenth column has no cells."""
    return word | (word << ONE) | (word >> ONE)


@rules.helper
def spread(low, middle, high, empty):
    """The empty cells among some cells and their neighbours."""
    row, rest = np.uint64(16), np.uint64(48)
    low, middle, high = _beside(low), _beside(middle), _beside(high)
    return (
        (low | (low << row) | (low >> row) | (middle << rest)) & empty[0],
        (middle | (middle << row) | (middle >> row) | (low >> rest) | (high << rest)) & empty[1],
        (high | (high << row) | (high >> row) | (middle >> rest)) & empty[2],
    )


@rules.helper
def can_move(params, state, player):
    low, middle, high = queens(params, state, player)
    low, middle, high = spread(low, middle, high, empty_cells(params, state))
    return low | middle | high != NONE
