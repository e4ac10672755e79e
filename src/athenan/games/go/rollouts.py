"""How a sensible player goes on in a hurry: the kernel `rollout` of Go.

It looks for a point in this order, and takes a random one of those that fit:

1. If the last stone has left groups of the mover with one liberty: that liberty, if the group then has two, and points
   that capture a group beside them.
2. Beside the last stone, also diagonally: a point where stones meet. Either two stones of one player touch it from two
   sides and are not joined by a third, or a stone of the opponent touches it, and a stone of the mover's its corner.
3. A point that captures.
4. Any other point.

Eyes of one's own are left out in 4, and in 2 and 4 points where the stone's group would have one liberty. Without a
point it passes. S. Gelly, Y. Wang, R. Munos and O. Teytaud look in the same order, for more detailed shapes in 2
("Modification of UCT with Patterns in Monte-Carlo Go", 2006).
"""

import numpy as np

from athenan import rules
from athenan.games.go.board import action_of, empty_points, flooded, point_of, points_of, stones_of
from athenan.games.go.groups import is_legal, weak_groups
from athenan.rules.geometry.words import (
    any_of,
    beside,
    both,
    cell_of_rank,
    count_of,
    either,
    lowest_of,
    moved_down,
    moved_up,
    single,
    without,
)
from athenan.rules.randomness import random_below


@rules.helper
def _sides(stones, stride):
    """The stones moved by one point up, down, right and left."""
    return moved_up(stones, stride), moved_down(stones, stride), moved_up(stones, 1), moved_down(stones, 1)


@rules.helper
def _corners(stones, stride):
    """The stones moved diagonally: up and right, up and left, down and right, down and left."""
    return (
        moved_up(stones, stride + 1), moved_up(stones, stride - 1),
        moved_down(stones, stride - 1), moved_down(stones, stride + 1),
    )  # fmt: skip


@rules.helper
def _eyes(points, own, other, stride):
    """The empty points that are a player's eyes: beside the player's stones only.

    The opponent may have a stone at one corner, but not at the edge of the board.
    """
    up_right, up_left, down_right, down_left = _corners(other, stride)
    above, below = either(up_right, up_left), either(down_right, down_left)
    several = either(both(above, below), either(both(up_right, up_left), both(down_right, down_left)))
    up, down, right, left = _sides(points, stride)
    inside = both(both(up, down), both(right, left))
    false = either(several, without(either(above, below), inside))
    return without(points, either(either(own, other), either(beside(without(points, own), stride), false)))


@rules.helper
def _between(stones, stride):
    """The points that two stones touch from two sides without a third stone at the corner between them."""
    up, down, right, left = _sides(stones, stride)
    up_right, up_left, down_right, down_left = _corners(stones, stride)
    above = either(without(both(up, right), up_right), without(both(up, left), up_left))
    below = either(without(both(down, right), down_right), without(both(down, left), down_left))
    return either(above, below)


@rules.helper
def _around(own, other, stride):
    """The points that a stone of the opponent touches, and a stone of one's own at a corner beside it."""
    up, down, right, left = _sides(other, stride)
    up_right, up_left, down_right, down_left = _corners(own, stride)
    vertical = either(both(up, either(up_right, up_left)), both(down, either(down_right, down_left)))
    horizontal = either(both(right, either(up_right, down_right)), both(left, either(up_left, down_left)))
    return either(vertical, horizontal)


@rules.helper
def _meeting(last, own, other, empty, stride, none):
    """The empty points around the last stone where stones meet."""
    stone = single(last, none)
    row = either(stone, either(moved_up(stone, 1), moved_down(stone, 1)))
    near = both(either(row, either(moved_up(row, stride), moved_down(row, stride))), empty)
    return both(near, either(either(_between(own, stride), _between(other, stride)), _around(own, other, stride)))


@rules.helper
def _has_two_liberties(stone, own, empty, stride):
    """Whether a new stone's group has two liberties or more, captures left aside."""
    if count_of(both(beside(stone, stride), empty)) >= 2:
        return True
    group = flooded(stride, stone, either(own, stone))
    return count_of(without(both(beside(group, stride), empty), stone)) >= 2


@rules.helper
def _captures_beside(group, other, empty, stride, none):
    """The points that capture a group of the opponent's beside a group."""
    left, found = both(beside(group, stride), other), none
    while any_of(left):
        beaten = flooded(stride, single(lowest_of(left), none), other)
        left = without(left, beaten)
        liberty = both(beside(beaten, stride), empty)
        if count_of(liberty) == 1:
            found = either(found, liberty)
    return found


@rules.helper
def _rescues(last, own, other, empty, stride, none):
    """The points that help groups beside the last stone that have one liberty."""
    left, found = both(beside(single(last, none), stride), own), none
    while any_of(left):
        group = flooded(stride, single(lowest_of(left), none), own)
        left = without(left, group)
        liberty = both(beside(group, stride), empty)
        if count_of(liberty) == 1:
            if _has_two_liberties(liberty, own, empty, stride):
                found = either(found, liberty)
            found = either(found, _captures_beside(group, other, empty, stride, none))
    return found


@rules.helper
def _drawn(params, state, points, own, empty, safe, random, none):
    """A random legal point among some, if `safe` one where the stone's group has two liberties; -1 without any."""
    count, stride = count_of(points), params[0] + 1
    while count:
        point = cell_of_rank(points, random_below(random, 0, count))
        stone = single(point, none)
        if (not safe or _has_two_liberties(stone, own, empty, stride)) and is_legal(params, state, point, empty, none):
            return point
        points, count = without(points, stone), count - 1
    return np.int64(-1)


@rules.helper
def sensible_action(params, state, last, random, none):
    """The action that the kernel `rollout` draws; `none` is a board without points."""
    player, stride = np.int64(state[0]), params[0] + 1
    own, other = stones_of(state, player, none), stones_of(state, 1 - player, none)
    empty, point = empty_points(params, state, none), np.int64(-1)
    if 0 <= last < params[0] * params[0]:
        stone = point_of(params, last)
        rescues = _rescues(stone, own, other, empty, stride, none)
        point = _drawn(params, state, rescues, own, empty, False, random, none)
        if point < 0:
            meeting = _meeting(stone, own, other, empty, stride, none)
            point = _drawn(params, state, meeting, own, empty, True, random, none)
    if point < 0:
        weak, _ = weak_groups(stride, empty, other, none, 1, none)
        captures = both(beside(weak, stride), empty)
        point = _drawn(params, state, captures, own, empty, False, random, none)
    if point < 0:
        others = without(empty, _eyes(points_of(params, none), own, other, stride))
        point = _drawn(params, state, others, own, empty, True, random, none)
    return action_of(params, point) if point >= 0 else params[0] * params[0]
