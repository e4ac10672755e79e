"""Leaves that wait for the values of their children while a best-first search goes on.

While a leaf waits, its value is the worst for the side that led to it, so the next walk from the root takes another
way. The worst value must not outlast the leaf. So an edge counts the waiting leaves whose paths lead through it. An
edge without any does not take the worst value from its child, which may have it by way of other edges if states are
equal.

This suits algorithms whose iterations end after an expansion, and whose updates need only the edges: UBFM.
"""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.state import sign
from athenan.search.trees import algorithm
from athenan.search.walking.walk import update_node

_WORST = np.float32(1e30)
"""Beyond every value."""


@helper
def parent_at(forest, slot, path, at):
    """The node that the edge at this place of a path begins from."""
    return forest.nodes[slot, forest.edges[slot, path[at - 1]].child if at else forest.slots[slot].root]


@helper
def back_up_at(forest, slot, steps, path, at):
    """Updates the edge at this place of a path, and the node that it begins from; whether the edge took its value."""
    edge, node = forest.edges[slot, path[at]], parent_at(forest, slot, path, at)
    child, value, taken = forest.nodes[slot, edge.child], edge.value, True
    algorithm.back_up(steps.back_up, (edge, child, np.float64(child.value), steps.constants))
    if edge.waiting == 0 and abs(edge.value) >= _WORST:
        edge.value = value
        taken = False
    update_node(forest, slot, steps, node, np.float64(node.value))
    return taken


@helper
def begin_to_wait(forest, slot, steps):
    """Lets the current node wait; the edges that led to it are in the slot's path."""
    record, path = forest.slots[slot], forest.path[slot]
    for at in range(record.path):
        edge = forest.edges[slot, path[at]]
        edge.visits += 1
        edge.waiting += 1
    if record.path:
        before = parent_at(forest, slot, path, record.path - 1)
        forest.nodes[slot, record.current].value = -sign(before.player) * _WORST
    for at in range(record.path - 1, -1, -1):
        node = parent_at(forest, slot, path, at)
        value = node.value
        back_up_at(forest, slot, steps, path, at)
        if node.value == value:
            break  # nothing changes above


@helper
def end_iteration_beside(forest, slot, steps):
    """Ends the iteration at the current node, which does not wait, while other leaves may wait."""
    record, path = forest.slots[slot], forest.path[slot]
    forest.nodes[slot, record.current].visits += 1
    for at in range(record.path - 1, -1, -1):
        forest.edges[slot, path[at]].visits += 1
        back_up_at(forest, slot, steps, path, at)
        parent_at(forest, slot, path, at).visits += 1
    record.iterations += 1
