"""The score of the last empty squares of Othello under perfect play, on boards up to 8 x 8 (`rules.Ending`).

Alpha-beta on the words of the discs. Values are the discs of the side to move less its opponent's. While many squares
are empty, moves after which the opponent has few replies come first (fastest first), and a table keeps the bounds of
positions. Its entries hold the discs themselves, so a bound is never taken for another position's. With few empty
squares, moves into quarters of the board with an odd number of them come first.
"""

import numpy as np
from numba import types

from athenan import rules
from athenan.games.othello.discs import captures, moves_of
from athenan.rules.arrays import NUMBERS, array_of
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.kernels import by_address

FROM_REMAINING = 12
"""Empty squares up to which this is faster than the generic solver, which asks the network for its order."""
_FEW = 6  # empty squares up to which moves are tried as they come
_MOST_MOVES, _MOVE = 40, 2  # moves of a position, and words for each: its rank with its cell, and what it turns
_LISTS = 64 * _MOST_MOVES * _MOVE  # words for the moves of a position with each number of empty squares
_ENTRY = 4  # words of an entry of the table: the discs of the side to move, its opponent's, and the bounds
WORDS = _LISTS + (_ENTRY << 20)
_ROOM = array_of(np.uint64)
_WORD, _NUMBER = types.uint64, types.int64
_NONE, _BYTE = np.uint64(0), np.uint64(0xFF)
_OFFSET = 100  # added to bounds, so that they are stored as positive numbers
_LOWEST = -1000
_CORNERS = np.uint64(0x8100000000000081)
_QUARTERS = tuple(np.uint64(0x0F0F0F0F << shift) for shift in (0, 4, 32, 36))

_FEW_LEFT = types.int64(_NUMBER, _WORD, _WORD, _WORD, _NUMBER, _NUMBER, _NUMBER, NUMBERS)
_MANY_LEFT = types.int64(NUMBERS, _WORD, _WORD, _WORD, _WORD, _NUMBER, _NUMBER, _NUMBER, _ROOM, NUMBERS)
_few_left, _many_left = by_address(_FEW_LEFT), by_address(_MANY_LEFT)


@rules.helper
def _lead(own, other):
    return popcount(own) - popcount(other)


@rules.helper
def _last(own, other, empty):
    """The score with one empty square, or none."""
    if empty == _NONE:
        return _lead(own, other)
    cell = lowest(empty)
    turned = captures(own, other, cell)
    if turned:
        return _lead(own, other) + 2 * popcount(turned) + 1
    turned = captures(other, own, cell)
    if turned:
        return _lead(own, other) - 2 * popcount(turned) - 1
    return _lead(own, other)


@rules.helper
def _odd(empty):
    """The empty squares in quarters that have an odd number of them."""
    odd = _NONE
    for quarter in _QUARTERS:
        if popcount(empty & quarter) & 1:
            odd |= empty & quarter
    return odd


@rules.kernel(_FEW_LEFT)
def few_left(itself, own, other, empty, lower, upper, passed, counts):
    """The score with few empty squares; `itself` is this kernel's address, and `passed` whether the opponent passed."""
    counts[0] += 1
    if empty & (empty - ONE) == _NONE:
        return _last(own, other, empty)
    best, odd = _LOWEST, _odd(empty)
    for cells in (odd, empty & ~odd):
        untried = cells
        while untried:
            cell = lowest(untried)
            untried &= untried - ONE
            turned = captures(own, other, cell)
            if turned:
                put = ONE << np.uint64(cell)
                following = itself, other & ~turned, own | turned | put, empty ^ put
                best = max(best, -_few_left(itself, (*following, -upper, -max(lower, best), 0, counts)))
                if best >= upper:
                    return best
    if best > _LOWEST:
        return best
    if passed:
        return _lead(own, other)
    return -_few_left(itself, (itself, other, own, empty, -upper, -lower, 1, counts))


@rules.helper
def _place(own, other, room):
    """The place of a position's entry in the table."""
    mixed = (own ^ (other * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xD6E8FEB86659FD93)
    entries = np.uint64((len(room) - _LISTS) // _ENTRY)
    return np.int64(_LISTS + _ENTRY * ((mixed ^ (mixed >> np.uint64(32))) & (entries - ONE)))


@rules.helper
def _bounds(own, other, room, place):
    """The bounds of a position, and its best move, from its entry: all that is possible, and 64, if it has none."""
    known = room[place + 2]
    if known == _NONE or room[place] != own or room[place + 1] != other:
        return np.int64(-64), np.int64(64), np.int64(64)
    lower, upper = np.int64(known & _BYTE), np.int64((known >> np.uint64(8)) & _BYTE)
    return lower - _OFFSET, upper - _OFFSET, np.int64(known >> np.uint64(16))


@rules.helper
def _keep(own, other, room, place, lower, upper, best_move):
    room[place], room[place + 1] = own, other
    known = np.uint64(lower + _OFFSET) | np.uint64(upper + _OFFSET) << np.uint64(8)
    room[place + 2] = known | np.uint64(best_move) << np.uint64(16)


@rules.helper
def _list_moves(own, other, empty, inner, moves, best_move, upper, room, first):
    """Lists moves with their ranks from the place `first` on; returns their number, and a bound.

    If the table shows that a move is worth `upper` at least, the number is 0 and the bound is the move's worth.
    """
    count = 0
    while moves:
        cell = lowest(moves)
        moves &= moves - ONE
        turned, put = captures(own, other, cell), ONE << np.uint64(cell)
        next_own, next_other = other & ~turned, own | turned | put
        _, worst, _ = _bounds(next_own, next_other, room, _place(next_own, next_other, room))
        if -worst >= upper:
            return 0, -worst
        replies = moves_of(next_own, next_other, empty ^ put, inner)
        rank = 4 + 2 * (popcount(replies) + popcount(replies & _CORNERS)) - 4 * (put & _CORNERS != _NONE)
        if cell == best_move:
            rank = 0
        room[first + count], room[first + count + 1] = np.uint64(rank << 6 | cell), turned
        count += _MOVE
    return count // _MOVE, np.int64(_LOWEST)


@rules.helper
def _take_least(room, first, number, count):
    """Exchanges the move of a number with the one of the least rank from there on, and returns that one."""
    least, place = first + _MOVE * number, first + _MOVE * number
    for other in range(place + _MOVE, first + _MOVE * count, _MOVE):
        if room[other] < room[least]:
            least = other
    room[place], room[least] = room[least], room[place]
    room[place + 1], room[least + 1] = room[least + 1], room[place + 1]
    return np.int64(room[place] & np.uint64(63)), room[place + 1]


@rules.kernel(_MANY_LEFT)
def many_left(addresses, own, other, empty, inner, lower, upper, passed, room, counts):
    """The score; `addresses` are those of this kernel and of `few_left`."""
    counts[0] += 1
    moves = moves_of(own, other, empty, inner)
    if moves == _NONE:
        if passed:
            return _lead(own, other)
        passing = addresses, other, own, empty, inner
        return -_many_left(addresses[0], (*passing, -upper, -lower, 1, room, counts))
    place = _place(own, other, room)
    least, most, best_move = _bounds(own, other, room, place)
    if least >= upper or least == most:
        return least
    if most <= lower:
        return most
    squares = popcount(empty)
    first = squares * _MOST_MOVES * _MOVE
    count, best = _list_moves(own, other, empty, inner, moves, best_move, upper, room, first)
    for number in range(count):
        cell, turned = _take_least(room, first, number, count)
        put = ONE << np.uint64(cell)
        next_own, next_other, next_empty = other & ~turned, own | turned | put, empty ^ put
        low, high = -upper, -max(lower, best)
        if squares - 1 <= _FEW:
            found = -_few_left(addresses[1], (addresses[1], next_own, next_other, next_empty, low, high, 0, counts))
        else:
            following = addresses, next_own, next_other, next_empty, inner
            found = -_many_left(addresses[0], (*following, low, high, 0, room, counts))
        if found > best:
            best, best_move = found, cell
            if best >= upper:
                break
    least = max(least, best) if best > lower else least
    most = min(most, best) if best < upper else most
    _keep(own, other, room, place, least, most, best_move)
    return best


@rules.kernel(rules.REMAINING)
def remaining(params, state):
    """The empty squares."""
    return popcount(np.uint64(params[1]) & ~(rules.load64(state, rules.HEADER) | rules.load64(state, rules.HEADER + 8)))


@rules.kernel(rules.ENDING)
def score_under_perfect_play(params, state, lower, upper, addresses, room, counts):
    """See `rules.ENDING`."""
    player = state[0]
    own = rules.load64(state, rules.HEADER + 8 * player)
    other = rules.load64(state, rules.HEADER + 8 - 8 * player)
    empty, inner = np.uint64(params[1]) & ~(own | other), np.uint64(params[2])
    low, high = (lower, upper) if player == 0 else (-upper, -lower)
    found = _many_left(addresses[0], (addresses, own, other, empty, inner, low, high, 0, room, counts))
    return found if player == 0 else -found


ENDING = rules.Ending(
    remaining, score_under_perfect_play, FROM_REMAINING, helpers=(many_left, few_left), words=WORDS
)  # fmt: skip
