"""The board as counters of bits: the number of each player's checkers at each place.

Each player has their own numbering of places: 1 to 24 are the points, which the player moves down; 25 is the bar; 0
holds the checkers borne off. So point p of one player is point 25 - p of the other. A set of places is an int64 with
bit p for place p. Four such sets, of 32 bits each, count a player's checkers: bit p of set k is bit k of the number of
checkers at p. The first player's sets begin at the header's end, the second player's follow.
"""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import highest, lowest, popcount

BOARD = rules.HEADER
PLAYER_BYTES = 16
OFF, BAR = 0, 25
PLACES = 26
POINTS = (1 << 25) - 2  # 1 to 24
IN_PLAY = (1 << 26) - 2  # points and bar
OUTSIDE = IN_PLAY & ~0x7F  # all but the home board, 1 to 6

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@rules.helper
def load(state, player):
    """The four sets that count the checkers of a player."""
    base = BOARD + PLAYER_BYTES * np.int64(player)
    first, second = rules.load64(state, base), rules.load64(state, base + 8)
    return np.int64(first & _LOW), np.int64(first >> _HALF), np.int64(second & _LOW), np.int64(second >> _HALF)


@rules.helper
def store(state, player, sets):
    base = BOARD + PLAYER_BYTES * np.int64(player)
    rules.store64(state, base, np.uint64(sets[0] | sets[1] << 32))
    rules.store64(state, base + 8, np.uint64(sets[2] | sets[3] << 32))


@rules.helper
def added(sets, place):
    """The counters with one checker more at a place."""
    carry = 1 << place
    first, second, third, fourth = sets
    first, carry = first ^ carry, first & carry
    second, carry = second ^ carry, second & carry
    third, carry = third ^ carry, third & carry
    return first, second, third, fourth ^ carry


@rules.helper
def removed(sets, place):
    """The counters with one checker less at a place, which must have one."""
    borrow = 1 << place
    first, second, third, fourth = sets
    first, borrow = first ^ borrow, ~first & borrow
    second, borrow = second ^ borrow, ~second & borrow
    third, borrow = third ^ borrow, ~third & borrow
    return first, second, third, fourth ^ borrow


@rules.helper
def occupied(sets):
    """The places with checkers and the places with two or more, without the place of borne off checkers."""
    more = sets[1] | sets[2] | sets[3]
    return (sets[0] | more) & IN_PLAY, more & IN_PLAY


@rules.helper
def reversed_places(places):
    """A set of places in the other player's numbering: bit p becomes bit 25 - p."""
    bits = places & 0x3FFFFFF
    bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1
    bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2
    bits = (bits >> 4 & 0x0F0F0F0F) | (bits & 0x0F0F0F0F) << 4
    bits = (bits >> 8 & 0x00FF00FF) | (bits & 0x00FF00FF) << 8
    return (bits >> 16 | bits << 16) >> 6 & 0x3FFFFFF


@rules.helper
def checkers(sets, places):
    """The number of checkers at a set of places."""
    total = 0
    for power in range(4):
        total += popcount(np.uint64(sets[power] & places)) << power
    return total


@rules.helper
def lowest_place(places):
    """The lowest place of a set that is not empty."""
    return lowest(np.uint64(places))


@rules.helper
def highest_place(places):
    """The highest place of a set that is not empty."""
    return highest(np.uint64(places))


@rules.helper
def up_to(place):
    """The set of the places from 0 to this one."""
    return (2 << place) - 1


_BACK = IN_PLAY & ~up_to.py_func(18)  # the opponent's home board and the bar


@rules.helper
def worth(state, player):
    """The value of the win of a player who has borne off all checkers."""
    other = load(state, 1 - player)
    if (other[0] | other[1] | other[2] | other[3]) & 1 << OFF:
        return 1
    return 3 if occupied(other)[0] & _BACK else 2
