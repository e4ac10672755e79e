"""Leaves that wait for the values of their children while a best-first search goes on.

`walk_to_leaf` goes from the root to an unexpanded state. It can wait there (`begin_to_wait`) until the values of its
children are known (`end_waiting`). Meanwhile its value is the worst for the side that led to it, so the next walk takes
another way. The worst value must not outlast the leaf. So an edge counts the waiting leaves whose paths lead through
it. An edge without any does not take the worst value from its child, which may have it by way of other edges if states
are equal.

The leaves of a batch wait together (module `leaf_batches`). Where threads expand them, the one that has waited longest
makes room for the next (module `shared_walk`).

This suits algorithms whose iterations end after an expansion, and whose updates need only the edges: UBFM.

Helpers that a kernel calls at one place are inlined. Otherwise LLVM calls them with all numbers of the forest and the
subject, which cost a fifth of the speed in Connect Four.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LISTS, NUMBERS, array_of
from athenan.rules.compiler import helper, inlined
from athenan.rules.game import Game
from athenan.rules.state import sign
from athenan.search.trees import algorithm
from athenan.search.walking.walk import finished, step_down, update_node

LEAF, ENDED, BLOCKED = 0, 1, 2
"""Where a walk leads: to a state to expand; to a resolved state, so that its iteration has ended; to a leaf that waits,
or to a state for which the tree has no room."""
_WORST = np.float32(1e30)
"""Beyond every value."""


class WaitingLeaves(NamedTuple):
    """A ring of the L leaves of each tree that may wait; the leading dimension is the slot."""

    counts: NDArray[np.int64]  # int64[K]: how many wait
    oldest: NDArray[np.int64]  # int64[K]: the place of the one that has waited longest; the next places follow
    nodes: NDArray[np.int32]  # int32[K, L]
    lengths: NDArray[np.int32]  # int32[K, L]: of the paths
    paths: NDArray[np.int32]  # int32[K, L, longest match + 1]: edges from the root to each

    @staticmethod
    def of(game: Game, slots: int, leaves: int) -> "WaitingLeaves":
        """Room for `leaves` leaves of each tree."""
        shape = slots, leaves
        return WaitingLeaves(
            np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(shape, np.int32), np.zeros(shape, np.int32),
            np.zeros((*shape, game.max_length + 1), np.int32),
        )  # fmt: skip


WAITING_LEAVES = types.NamedTuple([NUMBERS, NUMBERS, ACTION_LISTS, ACTION_LISTS, array_of(np.int32, 3)], WaitingLeaves)


@helper
def place_of(waiting, slot, number):
    """The place of a leaf that waits; the oldest has the number 0."""
    return _in_ring(waiting, waiting.oldest[slot] + number)


@helper
def _in_ring(waiting, place):
    """A place that may be beyond the end of the ring."""
    size = waiting.nodes.shape[1]
    return place - size if place >= size else place


@helper
def is_last(forest, slot, steps, waiting):
    """Whether the search ends with the iterations of the leaves that wait."""
    record = forest.slots[slot]
    within = record.iterations + waiting.counts[slot] < record.iteration_limit
    return not within or finished(forest, slot, steps)


@inlined
def walk_to_leaf(forest, slot, subject, steps):
    """Walks from the root; returns LEAF, ENDED or BLOCKED. The edges are in the slot's path; `current` is the state."""
    record = forest.slots[slot]
    record.current, record.path = record.root, 0
    while True:
        node = forest.nodes[slot, record.current]
        if node.terminal or (steps.resolution_stop and node.resolution):
            end_iteration_beside(forest, slot, steps)
            return ENDED
        if node.waiting:
            return BLOCKED
        if node.edges == 0:
            return LEAF
        if step_down(forest, slot, subject, steps, node) < 0:
            record.full = 1
            return BLOCKED


@inlined
def begin_to_wait(forest, slot, steps, waiting):
    """Lets the current node wait; the edges that led to it are in the slot's path."""
    record, path, place = forest.slots[slot], forest.path[slot], place_of(waiting, slot, waiting.counts[slot])
    waiting.nodes[slot, place], waiting.lengths[slot, place] = record.current, record.path
    waiting.counts[slot] += 1
    leaf, kept = forest.nodes[slot, record.current], waiting.paths[slot, place]
    leaf.waiting = 1
    for at in range(record.path):
        edge = forest.edges[slot, path[at]]
        edge.visits += 1
        edge.waiting += 1
        kept[at] = path[at]
    if record.path:
        leaf.value = -sign(_parent_at(forest, slot, path, record.path - 1).player) * _WORST
    for at in range(record.path - 1, -1, -1):
        node = _parent_at(forest, slot, path, at)
        value = node.value
        _back_up_at(forest, slot, steps, path, at, 0)
        if node.value == value:
            break  # nothing changes above


@inlined
def end_waiting(forest, slot, steps, waiting, count):
    """Ends the iterations of the `count` leaves that have waited longest, whose edges have their values.

    Returns whether all values were taken (`back_up_leaves`).
    """
    first = waiting.oldest[slot]
    for number in range(count):
        place = place_of(waiting, slot, number)
        leaf, path = forest.nodes[slot, waiting.nodes[slot, place]], waiting.paths[slot, place]
        update_node(forest, slot, steps, leaf, np.float64(leaf.value))
        leaf.visits += 1
        leaf.waiting = 0
        for at in range(waiting.lengths[slot, place]):
            forest.edges[slot, path[at]].waiting -= 1
    waiting.oldest[slot] = place_of(waiting, slot, count)
    waiting.counts[slot] -= count
    forest.slots[slot].iterations += count
    return back_up_leaves(forest, slot, steps, waiting, first, count, 1)


@helper
def back_up_leaves(forest, slot, steps, waiting, first, count, visits):
    """Updates the edges and nodes above `count` leaves from a place on, the deepest first, and adds to the visits.

    Returns whether all values were taken. They are if no other leaf waits, because equal states have the same depth.
    """
    longest, all_taken = 0, True
    for number in range(count):
        longest = max(longest, waiting.lengths[slot, _in_ring(waiting, first + number)])
    for at in range(longest - 1, -1, -1):
        for number in range(count):
            place = _in_ring(waiting, first + number)
            if at < waiting.lengths[slot, place]:
                all_taken = _back_up_at(forest, slot, steps, waiting.paths[slot, place], at, visits) and all_taken
    return all_taken


@helper
def end_iteration_beside(forest, slot, steps):
    """Ends the iteration at the current node, which does not wait, while other leaves may wait."""
    record, path = forest.slots[slot], forest.path[slot]
    forest.nodes[slot, record.current].visits += 1
    for at in range(record.path - 1, -1, -1):
        forest.edges[slot, path[at]].visits += 1
        _back_up_at(forest, slot, steps, path, at, 1)
    record.iterations += 1


@helper
def _back_up_at(forest, slot, steps, path, at, visits):
    """Updates the edge at this place of a path, and the node that it begins from; whether the edge took its value."""
    edge, node = forest.edges[slot, path[at]], _parent_at(forest, slot, path, at)
    child, value, taken = forest.nodes[slot, edge.child], edge.value, True
    algorithm.back_up(steps.back_up, (edge, child, np.float64(child.value), steps.constants))
    if edge.waiting == 0 and abs(edge.value) >= _WORST:
        edge.value = value
        taken = False
    update_node(forest, slot, steps, node, np.float64(node.value))
    node.visits += visits
    return taken


@helper
def _parent_at(forest, slot, path, at):
    """The node that the edge at this place of a path begins from."""
    return forest.nodes[slot, forest.edges[slot, path[at - 1]].child if at else forest.slots[slot].root]
