"""The empty cells and the reach of the queens of Amazons, in the words of a state."""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import ONE, highest, lowest

EMPTY = rules.HEADER  # where the rows of empty cells are; the two rows before them, in the header, are 0
NONE = np.uint64(0)


@rules.helper
def amazons_at(params, player):
    """The byte of a state at which the places of a player's amazons begin."""
    return EMPTY + 2 * ((params[0] + 4) & ~3) + 4 * player


@rules.helper
def is_empty(state, place):
    """Whether the cell 16 * row + column is on the board and empty."""
    return (state[EMPTY + (place >> 3)] >> (place & 7)) & 1 != 0


@rules.helper
def flip(state, place):
    """Changes a cell in its word. Writing a single byte would make the next load of the word wait."""
    word = EMPTY + 8 * (place >> 6)
    rules.store64(state, word, rules.load64(state, word) ^ ONE << np.uint64(place & 63))


@rules.helper
def _upright(state, row, column, slope):
    """The empty cells of a line, bit i for row i: a column (slope 0) or a diagonal (1 right, -1 left).

    The bits of the line are 16 + slope apart in each word of four rows; one product gathers the bits of three words.
    Beyond the board the line has empty cells of other rows, but not next to the board.
    """
    apart, line = np.uint64(16 + slope), NONE
    mask = ONE | ONE << apart | ONE << (apart + apart) | ONE << (np.uint64(3) * apart)
    gather = np.uint64(8) | np.uint64(4) << apart | np.uint64(2) << (apart + apart) | ONE << (np.uint64(3) * apart)
    for start in (0, 4, 8):
        first = column + slope * (start - row)  # the column of the line in the first of these rows
        word = rules.load64(state, EMPTY + 2 * start)
        word = word >> np.uint64(first) if first >= 0 else word << np.uint64(-first)
        line |= (word & mask) << np.uint64(start)
    return line * gather >> (np.uint64(3) * apart) & np.uint64(0xFFF)


@rules.helper
def _ones_around(bits, at):
    """The number of consecutive ones just below and just above bit `at`."""
    zeros = (~bits << ONE | ONE) & ((ONE << np.uint64(at + 1)) - ONE)  # moved up by one, above a zero below the row
    return at - highest(zeros), lowest(~(bits >> np.uint64(at + 1)))


@rules.helper
def reach(state, place, line):
    """The number of cells a queen can go on a line, towards smaller and towards larger coordinates."""
    row, column = place >> 4, place & 15
    if line == 0:
        bits = rules.load64(state, EMPTY + 2 * row) & np.uint64(0xFFFF)
        return _ones_around(bits, column)
    below, above = _ones_around(_upright(state, row, column, (0, 0, 1, -1)[line]), row)
    return (above, below) if line == 3 else (below, above)


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
