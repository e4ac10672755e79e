"""Refines action values: evaluates the unfinished children that are best by their action values.

Others, drawn at random, may be evaluated as well. A child that is not evaluated keeps its action value, limited to the
worst value of the best children.
"""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.randomness import random_below

_BEST, _DRAWN = -1, -2  # as visits of an edge without a child, from the choice of the children to their values


@helper
def chosen(edge):
    """Whether the child of an edge is one of those to evaluate."""
    return edge.visits < 0


@helper
def _best_unmarked(edges, side):
    """The position of the best unmarked edge without a child, the first among equals; -1 without such an edge."""
    best = -1
    for number in range(len(edges)):
        if edges[number].child >= 0 or chosen(edges[number]):
            continue
        if best < 0 or side * (edges[number].value - edges[best].value) > 0:
            best = number
    return best


@helper
def mark_best(edges, side, count):
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
def mark_drawn(edges, count, random):
    """Marks `count` more edges without a child, drawn at random, or all if there are fewer."""
    others = 0
    for number in range(len(edges)):
        others += edges[number].child < 0 and not chosen(edges[number])
    for number in range(len(edges)):
        if count == 0:
            return
        if edges[number].child < 0 and not chosen(edges[number]):
            if random_below(random, 0, others) < count:
                edges[number].visits = _DRAWN
                count -= 1
            others -= 1


@helper
def take_marked(edges, leaves, row, side):
    """Sets the values of the marked edges from the rows beginning at `row`; returns the row after them.

    Answers for actions are less certain than those for states: the best of many would be too good.
    """
    worst = np.float32(side * np.inf)
    for number in range(len(edges)):
        edge = edges[number]
        if chosen(edge):
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
