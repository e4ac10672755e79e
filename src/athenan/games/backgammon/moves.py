"""The checkers that may move: both dice must be used, or the larger if only one can be, or as much of a double.

All places are in the numbering of the player who moves (module `board`). `blocked` are the points that the opponent
holds with two checkers or more, `blots` the points with one.

A roll can be played in several orders. Only one of the orders that end in the same position is legal, so that the plays
of a roll are exactly the positions that it can lead to:

- Checkers move in the order of the places that they leave, the highest first; from the same place the larger die moves
  first. A play that is legal in some order is legal in this one: a move makes another possible only for the same
  checker, or by bringing in the last checker from the bar, or into the home board, or by bearing off the last one on a
  higher point, and such moves come first in this order.
- With the larger die first, the same checker may go on with the smaller one, or another be borne off. What this can do
  as well, without another hit, is not played with the smaller die first.

With a double, no order and no choice of legal moves makes the play shorter than another. A move that has become
possible stays possible until it is played (the moves are an antimatroid), so all plays that cannot be prolonged have
the same length.
"""

from athenan import rules
from athenan.games.backgammon.board import (
    BAR,
    IN_PLAY,
    OUTSIDE,
    POINTS,
    added,
    highest_place,
    load,
    lowest_place,
    occupied,
    removed,
    reversed_places,
    up_to,
)

MOST_OF_A_DOUBLE = 4


@rules.helper
def movable(own, blocked, die):
    """The places from which a die moves a checker; `own` are the places of the player's checkers."""
    if own >> BAR & 1:
        return 1 << BAR if not blocked >> (BAR - die) & 1 else 0
    places = own & (POINTS & ~blocked) << die
    if own and not own & OUTSIDE:
        top = highest_place(own)
        places |= own & 1 << die
        if top < die:
            places |= 1 << top
    return places


@rules.helper
def second(rest, blocked, blots, start, die, other):
    """The places from which `other`, the second of two different dice, may move after `die` has moved from `start`.

    `rest` are the places of the checkers without the one that moved.
    """
    reached = start - die
    places = movable(rest | (1 << reached if reached > 0 else 0), blocked, other)
    if die > other:
        return places & up_to(start)
    if reached <= 0:
        return 0  # both checkers are borne off, and the larger die could bear off the first
    places &= up_to(start - 1)
    between = start - other  # where the checker would be if the larger die moved it first
    if between > 0 and not (blocked | blots) >> between & 1 and not blots >> reached & 1:
        bears_off = reached - other <= 0
        if not bears_off or between == die or not rest & IN_PLAY & ~up_to(between):
            places &= ~(1 << reached)
    return places


@rules.helper
def _first(own, single, blocked, blots, die, other):
    """The places from which `die` may move first so that `other` can move next."""
    candidates, places = movable(own, blocked, die), 0
    while candidates:
        start = lowest_place(candidates)
        here = 1 << start
        candidates ^= here
        if second(own & ~(single & here), blocked, blots, start, die, other):
            places |= here
    return places


@rules.helper
def count_moves(sets, blocked, die, within, most):
    """The number of times, up to `most`, that a die can move checkers from within some places."""
    for count in range(most):
        places = movable(occupied(sets)[0], blocked, die) & within
        if not places:
            return count
        start = lowest_place(places)
        sets = added(removed(sets, start), max(0, start - die))
    return most


@rules.helper
def of_double(sets, blocked, die, within, left):
    """The places from which a double's die may move, with `left` moves to be made, all `within` some places.

    The highest places move first. The higher the place of the first move, the more moves can follow, so the result is
    all places from some place up.
    """
    places = movable(occupied(sets)[0], blocked, die) & within
    while left > 1 and places:
        start = lowest_place(places)
        if count_moves(sets, blocked, die, within & up_to(start), left) == left:
            break
        places ^= 1 << start
    return places


@rules.helper
def against(state, player):
    """The opponent's points and blots, in the player's numbering."""
    taken, blocked = occupied(load(state, 1 - player))
    return reversed_places(blocked) & POINTS, reversed_places(taken & ~blocked) & POINTS


@rules.helper
def of_roll(state, player, high, low):
    """The moves of a roll: the places for the larger die, the places for the smaller die, and the number of moves.

    If the smaller die has no places, the third value is the die to be moved. If neither has, there is no legal move.
    """
    sets = load(state, player)
    own, many = occupied(sets)
    blocked, blots = against(state, player)
    if high == low:
        left = count_moves(sets, blocked, high, IN_PLAY, MOST_OF_A_DOUBLE)
        return of_double(sets, blocked, high, IN_PLAY, left), 0, high, left
    by_high, by_low, single = movable(own, blocked, high), movable(own, blocked, low), own & ~many
    first_high = _first(own, single, blocked, blots, high, low)
    first_low = _first(own, single, blocked, blots, low, high)
    if first_high | first_low:
        return first_high, first_low, high, 2
    if by_high:
        return by_high, 0, high, 1
    return by_low, 0, low, 1 if by_low else 0
