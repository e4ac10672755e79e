"""The walk of searches that refine action values: they evaluate the children that are best by their action values.

An expansion takes two batches: the state's own, then the best of its unfinished children. Others, drawn at random, may
be evaluated as well. A child that is not evaluated keeps its action value, limited to the worst value of the best
children. All else is as in the module `walk`.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.leaves import LEAVES
from athenan.rules.randomness import random_below
from athenan.rules.state import CHANCE, sign
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.forest import FOREST, READY, WAITING
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.walk import begin_or_end, expanded, take_answer, walk

_BEST, _DRAWN = -1, -2  # as visits of an edge without a child, from the choice of the children to their values


@helper
def _chosen(edge):
    """Whether the child of an edge is one of those to evaluate."""
    return edge.visits < 0


@helper
def _best_unmarked(edges, side):
    """The position of the best unmarked edge without a child, the first among equals; -1 without such an edge."""
    best = -1
    for number in range(len(edges)):
        if edges[number].child >= 0 or _chosen(edges[number]):
            continue
        if best < 0 or side * (edges[number].value - edges[best].value) > 0:
            best = number
    return best


@helper
def _mark_best(edges, side, count):
    """Marks the best `count` edges without a child for the side to move, or all if there are fewer."""
    unfinished = 0
    for number in range(len(edges)):
        unfinished += edges[number].child < 0
    if unfinished <= count:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].visits = _BEST
        return
    for _ in range(count):
        edges[_best_unmarked(edges, side)].visits = _BEST


@helper
def _mark_drawn(edges, count, random):
    """Marks `count` more edges without a child, drawn at random, or all if there are fewer."""
    others = 0
    for number in range(len(edges)):
        others += edges[number].child < 0 and not _chosen(edges[number])
    for number in range(len(edges)):
        if count == 0:
            return
        if edges[number].child < 0 and not _chosen(edges[number]):
            if random_below(random, 0, others) < count:
                edges[number].visits = _DRAWN
                count -= 1
            others -= 1


@helper
def _take_marked(edges, leaves, row, side):
    """Sets the values of the marked edges from the rows beginning at `row`; returns the row after them.

    Answers for actions are less certain than those for states: the best of many would be too good.
    """
    worst = np.float32(side * np.inf)
    for number in range(len(edges)):
        edge = edges[number]
        if _chosen(edge):
            edge.value = leaves.values[row]
            edge.evaluated = 1
            if edge.visits == _BEST and side * (worst - edge.value) > 0:
                worst = edge.value
            edge.visits = 0
            row += 1
    for number in range(len(edges)):
        edge = edges[number]
        if edge.child < 0 and not edge.evaluated and side * (edge.value - worst) > 0:
            edge.value = worst
    return row


@helper
def _wants_refining(forest, slot):
    """Whether the current node has just got its action values, or is a root that was expanded before it was one."""
    record = forest.slots[slot]
    node = forest.nodes[slot, record.current]
    return node.edges > 0 and (record.refining != 0 or (record.path == 0 and node.refined == 0))


@helper
def _refine(forest, slot, subject, steps, planes, rows):
    """Writes the children of the current node that are to be evaluated, for which it then waits.

    Returns the rows used. Without such children the iteration goes on.
    """
    record = forest.slots[slot]
    node, state = forest.nodes[slot, record.current], forest.states[slot, record.current]
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    at_root = record.path == 0
    node.refined = at_root or steps.refining == steps.refining_root
    _mark_best(edges, sign(node.player), steps.refining_root if at_root else steps.refining)
    if steps.refining_random:
        _mark_drawn(edges, steps.refining_random, forest.random[slot : slot + 1])
    following, record.row = forest.states[slot, record.nodes], rows
    for number in range(len(edges)):
        if _chosen(edges[number]):
            calls.play(subject.rules, state, edges[number].action, following)
            calls.encode(subject.rules, following, planes[rows])
            rows += 1
    record.refining = rows > record.row
    if record.refining:
        record.status = WAITING
    else:
        expanded(forest, slot, steps)
    return rows


@kernel(types.int64(FOREST, SUBJECT, STEPS, PLANES))
def advance_refining(forest, subject, steps, planes):
    """Advances every READY slot as `walk.advance` does, and refines values of children."""
    rows = 0
    for slot in range(forest.slots.shape[0]):
        forest.slots[slot].work = 0
        while begin_or_end(forest, slot, steps):
            if _wants_refining(forest, slot):
                rows = _refine(forest, slot, subject, steps, planes, rows)
            else:
                rows = walk(forest, slot, subject, steps, planes, rows)
    return rows


@kernel(types.void(FOREST, STEPS, LEAVES))
def receive_refining(forest, steps, leaves):
    """Stores the answer to the batch that `advance_refining` wrote, and continues the iterations that waited for it."""
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status == WAITING:
            record.status = READY
            node = forest.nodes[slot, record.current]
            if record.refining:
                edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
                record.evaluations += _take_marked(edges, leaves, record.row, sign(node.player)) - record.row
                record.refining = 0
            else:
                take_answer(forest, slot, steps, leaves)
                record.refining = node.player != CHANCE and (steps.refining > 0 or record.path == 0)
            if not record.refining:
                expanded(forest, slot, steps)
