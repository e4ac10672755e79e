"""Several leaves of best-first searches in one batch: states that the search would likely expand one after the other.

A network that PyTorch evaluates takes hardly longer for twenty states than for five. So `advance_leaves` walks each
tree to as many unexpanded states as `Algorithm.leaves` says before their children are evaluated. These leaves wait
(module `waiting_leaves`), and if a walk comes to one that waits, the batch ends. `receive_leaves` stores the values,
and updates the nodes above all leaves from the deepest to the root. The rest of an iteration is as in the module
`walk`. Games of chance are searched without it.
"""

import numpy as np
from numba import types

from athenan.rules.arrays import PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.leaves import LEAVES
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.answers import take_values_of_children
from athenan.search.trees.forest import DONE, FOREST, READY, WAITING
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.waiting_leaves import (
    ENDED,
    LEAF,
    WAITING_LEAVES,
    begin_to_wait,
    end_iteration_beside,
    end_waiting,
    is_last,
    place_of,
    walk_to_leaf,
)
from athenan.search.walking.walk import WORK, expand, update_node


@helper
def _next_leaf(forest, slot, subject, steps, planes, waiting, rows):
    """Makes an iteration up to the evaluation; returns the rows used, or -1 if the batch must be evaluated first."""
    record, reached = forest.slots[slot], walk_to_leaf(forest, slot, subject, steps)
    if reached != LEAF:
        return rows if reached == ENDED else -1
    used = expand(forest, slot, subject, steps, planes, rows)
    if used > rows:
        begin_to_wait(forest, slot, steps, waiting)
    elif used == rows:  # all children are terminal
        node = forest.nodes[slot, record.current]
        update_node(forest, slot, steps, node, np.float64(node.value))
        end_iteration_beside(forest, slot, steps)
    else:
        record.full = 1
    return used


@kernel(types.int64(FOREST, SUBJECT, STEPS, PLANES, WAITING_LEAVES))
def advance_leaves(forest, subject, steps, planes, waiting):
    """Like `walk.advance`, to several leaves of each slot; slots * leaves * max_actions rows of `planes` suffice."""
    rows = 0
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status != READY:
            continue
        record.row, record.work = rows, 0
        while record.work < WORK and waiting.counts[slot] < waiting.nodes.shape[1]:
            if is_last(forest, slot, steps, waiting):
                if not waiting.counts[slot]:
                    record.status = DONE
                break
            used = _next_leaf(forest, slot, subject, steps, planes, waiting, rows)
            if used < 0:
                break
            rows = used
        if waiting.counts[slot]:
            record.status = WAITING
        record.current, record.path = -1, 0
    return rows


@kernel(types.void(FOREST, STEPS, WAITING_LEAVES, LEAVES))
def receive_leaves(forest, steps, waiting, leaves):
    """Stores the answer to the batch that `advance_leaves` wrote, and ends the iterations that waited for it."""
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status != WAITING:
            continue
        row = np.int64(record.row)
        for number in range(waiting.counts[slot]):
            node = forest.nodes[slot, waiting.nodes[slot, place_of(waiting, slot, number)]]
            edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
            row = take_values_of_children(edges, leaves.values, row)
        record.evaluations += row - record.row
        end_waiting(forest, slot, steps, waiting, waiting.counts[slot])
        record.status = READY
