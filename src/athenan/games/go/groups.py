"""Which groups have few liberties, and where stones may be put: for all groups and points of a board at once."""

import numpy as np

from athenan import rules
from athenan.games.go.board import empty_points, flooded, has_liberty, stones_of
from athenan.games.go.superko import forbidden, forbidden_points
from athenan.rules.compiler import inlined
from athenan.rules.geometry.words import (
    any_of,
    beside,
    beside_at_least,
    both,
    count_of,
    either,
    lowest_of,
    single,
    without,
)


@rules.helper
def _beside_own(stride, stones, first, second):
    """The stones of both players that are beside one of some `stones` of the same player."""
    return either(both(beside(both(stones, first), stride), first), both(beside(both(stones, second), stride), second))


@rules.helper
def weak_groups(stride, empty, first, second, most, none):
    """The stones of both players' groups with one liberty and, if `most` is 2, with two.

    Stones side by side have no liberty in common, because neighbours of a point are never neighbours of each other. So
    nearly all groups with more liberties have a stone, or two side by side, that show it. These are found all at once,
    single stones as well. The few others are looked at one by one.
    """
    some, several, many = beside_at_least(empty, stride)
    stones = either(first, second)
    enough, nearly = (many, several) if most == 2 else (several, some)
    strong = both(stones, either(enough, both(nearly, _beside_own(stride, both(stones, some), first, second))))
    while True:
        grown = either(strong, _beside_own(stride, strong, first, second))
        if not any_of(without(grown, strong)):
            break
        strong = grown
    left = without(stones, strong)
    alone = without(left, _beside_own(stride, left, first, second))
    one, two, left = without(alone, several), both(alone, several), without(left, alone)
    while any_of(left):
        start = single(lowest_of(left), none)
        group = flooded(stride, start, both(left, first if any_of(both(start, first)) else second))
        liberties = count_of(both(beside(group, stride), empty))
        one = either(one, group) if liberties == 1 else one
        two = either(two, group) if liberties == 2 else two
        left = without(left, group)
    return one, two


@rules.helper
def legal_points(params, state, none):
    """The points on which the side to move may put a stone.

    A stone without a liberty of its own needs a group beside it: a group of its player with another liberty, or a group
    of the opponent with this liberty only, which it captures.
    """
    player, stride, empty = state[0], params[0] + 1, empty_points(params, state, none)
    first, second = stones_of(state, 0, none), stones_of(state, 1, none)
    weak, _ = weak_groups(stride, empty, first, second, 1, none)
    own, other = (second, first) if player else (first, second)
    alive = beside(either(either(empty, without(own, weak)), both(other, weak)), stride)
    legal = both(empty, alive)
    return without(legal, forbidden_points(params, state, legal, empty, weak, none))


@inlined
def is_legal(params, state, point, empty, none):
    """Whether the side to move may put a stone on this empty point."""
    player, near = np.int64(state[0]), beside(single(point, none), params[0] + 1)
    own, other = stones_of(state, player, none), stones_of(state, 1 - player, none)
    alive = has_liberty(params[0] + 1, near, own, other, without(empty, single(point, none)))
    return alive and not forbidden(params, state, point, none)
