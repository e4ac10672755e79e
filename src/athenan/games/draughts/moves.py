"""Draughts: the board as a set of squares, the moves of a piece, and the search for its longest captures.

A set of squares is a pair of 64-bit words. With `half` dark squares in a row, two rows take 2 * half + 1 bits, the last
of which is not a square. So the four diagonal neighbours of a bit are always half and half + 1 bits away, and bits
beyond the border are not squares. One layout serves 8 x 8, 10 x 10 and 12 x 12.
"""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import ONE, highest, lowest, popcount

HALVES = (4, 5, 6)
"""Dark squares in a row of each board: 8 x 8, 10 x 10, 12 x 12; tables have a row for each, at half - 4."""
PIECES, KINGS, TAKEN, LEFT, HISTORY = (rules.HEADER + 16 * number for number in (0, 2, 3, 4, 5))
"""The bytes of a state with the first player's pieces and, 16 bytes on, the second's; the kings; the pieces that the
capture in question takes and leaves; the moves of kings."""
COUNT, ENDING, FROM, TO = 4, 5, 6, 7
"""Header bytes: the moves kept, the moves left in an ending of few pieces, the capture in question."""
_MARGIN = 8  # bits before the first square: no step leaves the pair of words
_ZERO, _ALL = np.uint64(0), ~np.uint64(0)
NOTHING = (_ZERO, _ZERO)
EVERYTHING = (_ALL, _ALL)
ANYWHERE = -1


def bit_of(half: int, square: int) -> int:
    """The bit of a square; squares are numbered from 0, as in PDN from the top left of the first player."""
    return _MARGIN + square + square // (2 * half)


def square_of(half: int, bit: int) -> int:
    """The square of a bit."""
    return bit - _MARGIN - (bit - _MARGIN) // (2 * half + 1)


def _set_of(half: int, squares: range) -> int:
    """A set of squares as one number of 128 bits."""
    return sum(1 << bit_of(half, square) for square in squares)


def _words(sets: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    return np.array([[number & (1 << 64) - 1, number >> 64] for number in sets], np.uint64)


BIT = np.array([[bit_of(half, min(square, 2 * half * half - 1)) for square in range(72)] for half in HALVES])
"""[board, square] -> bit."""
_SQUARE = np.array([[max(0, square_of(half, bit)) for bit in range(128)] for half in HALVES])
_CELL = 2 * _SQUARE + 1 - _SQUARE // np.array(HALVES)[:, None] % 2
"""[board, bit] -> the cell of a board with light squares too."""
_BOARD = _words([_set_of(half, range(2 * half * half)) for half in HALVES])
_LAST_ROW = _words(
    [_set_of(half, row) for half in HALVES for row in (range(half), range(2 * half * half - half, 2 * half * half))]
)


@rules.helper
def both(one, other):
    return one[0] & other[0], one[1] & other[1]


@rules.helper
def either(one, other):
    return one[0] | other[0], one[1] | other[1]


@rules.helper
def without(one, other):
    return one[0] & ~other[0], one[1] & ~other[1]


@rules.helper
def differing(one, other):
    return one[0] ^ other[0], one[1] ^ other[1]


@rules.helper
def single(bit):
    word = ONE << np.uint64(bit & 63)
    return (word, _ZERO) if bit < 64 else (_ZERO, word)


@rules.helper
def some(squares):
    return (squares[0] | squares[1]) != _ZERO


@rules.helper
def has(squares, bit):
    return ((squares[0] if bit < 64 else squares[1]) >> np.uint64(bit & 63)) & ONE != _ZERO


@rules.helper
def size(squares):
    return popcount(squares[0]) + popcount(squares[1])


@rules.helper
def first_of(squares):
    """The lowest bit of a set that is not empty."""
    return lowest(squares[0]) if squares[0] else 64 + lowest(squares[1])


@rules.helper
def last_of(squares):
    """The highest bit of a set that is not empty."""
    return 64 + highest(squares[1]) if squares[1] else highest(squares[0])


@rules.helper
def shifted(squares, step):
    """Every square moved by a step."""
    if step > 0:
        by, rest = np.uint64(step), np.uint64(64 - step)
        return squares[0] << by, (squares[1] << by) | (squares[0] >> rest)
    by, rest = np.uint64(-step), np.uint64(64 + step)
    return (squares[0] >> by) | (squares[1] << rest), squares[1] >> by


@rules.helper
def board_without(half, occupied):
    """The empty squares."""
    return _BOARD[half - 4, 0] & ~occupied[0], _BOARD[half - 4, 1] & ~occupied[1]


@rules.helper
def is_last_row(half, player, bit):
    """Whether the player's men are promoted at a bit."""
    row = 2 * (half - 4) + player
    return has((_LAST_ROW[row, 0], _LAST_ROW[row, 1]), bit)


@rules.helper
def directions(half):
    """Steps along the diagonals: up left, up right, down left, down right; the first player's men go up."""
    return -half - 1, -half, half, half + 1


@rules.helper
def men_to_move(half, player, men, empty):
    """The men that can step forward."""
    left, right = (-half - 1, -half) if player == 0 else (half, half + 1)
    return both(men, either(shifted(empty, -left), shifted(empty, -right)))


@rules.helper
def men_to_capture(half, men, empty, targets):
    """The men that can jump."""
    found = NOTHING
    for step in directions(half):
        found = either(found, shifted(both(shifted(empty, -step), targets), -step))
    return both(found, men)


@rules.helper
def king_can_capture(half, bit, empty, targets):
    for step in directions(half):
        victim = bit + step
        while has(empty, victim):
            victim += step
        if has(targets, victim) and has(empty, victim + step):
            return True
    return False


@rules.helper
def to_capture(half, own, kings, empty, targets):
    """The pieces of `own` that can capture."""
    found, rest = men_to_capture(half, without(own, kings), empty, targets), both(own, kings)
    while some(rest):
        bit = first_of(rest)
        rest = without(rest, single(bit))
        if king_can_capture(half, bit, empty, targets):
            found = either(found, single(bit))
    return found


@rules.helper
def can_move(half, player, own, kings, empty, targets):
    """Whether the player has any move."""
    if some(men_to_move(half, player, without(own, kings), empty)):
        return True
    for step in directions(half):
        if some(both(shifted(both(own, kings), step), empty)):
            return True
    return some(to_capture(half, own, kings, empty, targets))


@rules.helper
def quiet_targets(half, player, is_king, bit, empty):
    """The squares where a piece can go without a capture."""
    targets = NOTHING
    for step in directions(half):
        if is_king or (step > 0) == (player == 1):
            to = bit + step
            while has(empty, to):
                targets = either(targets, single(to))
                if not is_king:
                    break
                to += step
    return targets


@rules.helper
def longest(task, bit, taken):
    """The longest continuations of a capture from a square, with these pieces taken.

    `task` holds what stays the same: half, is_king, the empty squares (including the start), the opposing pieces, and
    the longest captures that are wanted: where they end (or ANYWHERE), what they take and what they do not take.
    Returns the number of pieces taken and, for the wanted captures: the squares where they end, the pieces that all of
    them take, the pieces that any of them takes. Taken pieces stay on the board until the end, but are not taken twice.
    """
    half, is_king, empty, targets, end, must, must_not = task
    best, ends, by_all, by_any, more = 0, NOTHING, EVERYTHING, NOTHING, False
    for step in directions(half):
        victim = bit + step
        while is_king and has(empty, victim):
            victim += step
        if not has(targets, victim) or has(taken, victim):
            continue
        landing = victim + step
        while has(empty, landing):
            more = True
            found = longest(task, landing, either(taken, single(victim)))
            if found[0] > best:
                best, ends, by_all, by_any = found
            elif found[0] == best:
                ends, by_all, by_any = either(ends, found[1]), both(by_all, found[2]), either(by_any, found[3])
            if not is_king:
                break
            landing += step
    if more:
        return best, ends, by_all, by_any
    if end in (ANYWHERE, bit) and not some(without(must, taken)) and not some(both(must_not, taken)):
        return size(taken), single(bit), taken, taken
    return size(taken), NOTHING, EVERYTHING, NOTHING


@rules.helper
def longest_from(half, kings, empty, targets, bit, end, must, must_not):
    """`longest` for the piece on a square."""
    task = (half, has(kings, bit), either(empty, single(bit)), targets, end, must, must_not)
    return longest(task, bit, NOTHING)


@rules.helper
def list_actions(half, bit, targets, actions, count):
    """Appends the actions from a square to others, ascending; returns the new count."""
    start = _SQUARE[half - 4, bit] * 2 * half * half
    low, high = targets
    while low:
        actions[count] = start + _SQUARE[half - 4, lowest(low)]
        low &= low - ONE
        count += 1
    while high:
        actions[count] = start + _SQUARE[half - 4, 64 + lowest(high)]
        high &= high - ONE
        count += 1
    return count


@rules.helper
def square_at(half, bit):
    return _SQUARE[half - 4, bit]


@rules.helper
def cell_at(half, bit):
    return _CELL[half - 4, bit]
