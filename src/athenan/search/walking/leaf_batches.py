"""Several leaves of best-first searches in one batch: states that the search would likely expand one after the other.

A network that PyTorch evaluates takes hardly longer for twenty states than for five. So `advance_leaves` walks each
tree to as many unexpanded states as `Algorithm.leaves` says before their children are evaluated. These leaves wait
(module `waiting_leaves`), and if a walk comes to one that waits, the batch ends. `receive_leaves` stores the values,
and updates the nodes above all leaves from the deepest to the root. The rest of an iteration is as in the module
`walk`. Games of chance are searched without it.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import PLANES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game
from athenan.rules.leaves import LEAVES
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.answers import take_values_of_children
from athenan.search.trees.forest import DONE, FOREST, READY, WAITING
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.waiting_leaves import back_up_at, begin_to_wait, end_iteration_beside, parent_at
from athenan.search.walking.walk import WORK, expand, finished, step_down, update_node


class WaitingLeaves(NamedTuple):
    """The leaves of each tree whose children are being evaluated; the leading dimension is the slot."""

    taken: NDArray[np.int32]  # int32[K]: how many there are
    nodes: NDArray[np.int32]  # int32[K, leaves]
    rows: NDArray[np.int32]  # int32[K, leaves]: the first row of the batch that answers each
    lengths: NDArray[np.int32]  # int32[K, leaves]: of the paths
    paths: NDArray[np.int32]  # int32[K, leaves, longest match + 1]: edges from the root to each

    @staticmethod
    def of(game: Game, slots: int, leaves: int) -> "WaitingLeaves":
        """Room for `leaves` leaves of each tree."""
        shape = slots, leaves
        return WaitingLeaves(
            np.zeros(slots, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32),
            np.zeros((*shape, game.max_length + 1), np.int32),
        )  # fmt: skip


WAITING_LEAVES = types.NamedTuple([array_of(np.int32, dimensions) for dimensions in (1, 2, 2, 2, 3)], WaitingLeaves)


@helper
def _is_waiting(waiting, slot, node):
    for leaf in range(waiting.taken[slot]):
        if waiting.nodes[slot, leaf] == node:
            return True
    return False


@helper
def _descend(forest, slot, subject, steps, waiting):
    """Walks from the root to a state that is not expanded, is resolved, or waits; false if the tree is full.

    The edges are in the slot's path; `current` is the state.
    """
    record = forest.slots[slot]
    record.current = record.root
    while True:
        node = forest.nodes[slot, record.current]
        if node.terminal or node.edges == 0 or (steps.resolution_stop and node.resolution):
            return True
        if _is_waiting(waiting, slot, record.current):
            return True
        if step_down(forest, slot, subject, steps, node) < 0:
            return False


@helper
def _wait(forest, slot, steps, waiting, rows):
    """Lets the current state wait for the values of its children, whose first row is `rows`."""
    record, leaf = forest.slots[slot], waiting.taken[slot]
    for at in range(record.path):
        waiting.paths[slot, leaf, at] = forest.path[slot, at]
    waiting.nodes[slot, leaf], waiting.rows[slot, leaf] = record.current, rows
    waiting.lengths[slot, leaf] = record.path
    waiting.taken[slot] = leaf + 1
    begin_to_wait(forest, slot, steps)


@helper
def _next_leaf(forest, slot, subject, steps, planes, waiting, rows):
    """Makes an iteration up to the evaluation; returns the rows used, or -1 if the batch must be evaluated first."""
    record = forest.slots[slot]
    if not _descend(forest, slot, subject, steps, waiting):
        record.full = 1
    elif not _is_waiting(waiting, slot, record.current):
        node, used = forest.nodes[slot, record.current], rows
        if node.edges == 0 and not node.terminal:
            used = expand(forest, slot, subject, steps, planes, rows)
        if used >= 0:
            if used > rows:
                _wait(forest, slot, steps, waiting, rows)
            else:
                if node.edges:
                    update_node(forest, slot, steps, node, np.float64(node.value))
                end_iteration_beside(forest, slot, steps)
            record.current, record.path = -1, 0
            return used
        record.full = 1
    record.current = -1
    record.path = 0
    return -1


@kernel(types.int64(FOREST, SUBJECT, STEPS, PLANES, WAITING_LEAVES))
def advance_leaves(forest, subject, steps, planes, waiting):
    """Like `walk.advance`, to several leaves of each slot; slots * leaves * max_actions rows of `planes` suffice."""
    rows = 0
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status != READY:
            continue
        record.work = 0
        while record.work < WORK and waiting.taken[slot] < waiting.nodes.shape[1]:
            count = waiting.taken[slot]
            if record.iterations + count >= record.iteration_limit or finished(forest, slot, steps):
                if count == 0:
                    record.status = DONE
                break
            used = _next_leaf(forest, slot, subject, steps, planes, waiting, rows)
            if used < 0:
                break
            rows = used
        if waiting.taken[slot]:
            record.status = WAITING
    return rows


@kernel(types.void(FOREST, STEPS, WAITING_LEAVES, LEAVES))
def receive_leaves(forest, steps, waiting, leaves):
    """Stores the answer to the batch that `advance_leaves` wrote, and ends the iterations that waited for it."""
    for slot in range(forest.slots.shape[0]):
        record, count, longest = forest.slots[slot], waiting.taken[slot], 0
        if record.status != WAITING:
            continue
        for leaf in range(count):
            node, row = forest.nodes[slot, waiting.nodes[slot, leaf]], waiting.rows[slot, leaf]
            edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
            record.evaluations += take_values_of_children(edges, leaves.values, row) - row
            update_node(forest, slot, steps, node, np.float64(node.value))
            node.visits += 1
            longest = max(longest, waiting.lengths[slot, leaf])
            for at in range(waiting.lengths[slot, leaf]):
                forest.edges[slot, waiting.paths[slot, leaf, at]].waiting -= 1
        for at in range(longest - 1, -1, -1):  # equal states have the same depth
            for leaf in range(count):
                if at < waiting.lengths[slot, leaf]:
                    path = waiting.paths[slot, leaf]
                    back_up_at(forest, slot, steps, path, at)
                    parent_at(forest, slot, path, at).visits += 1
        record.iterations += count
        record.status = READY
        waiting.taken[slot] = 0
