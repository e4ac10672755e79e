"""Refining action values: the unfinished children that are best by them are evaluated themselves."""

from athenan.rules.compiler import helper

_CHOSEN = -1  # as visits of an edge without a child, from the choice of the children to their values


@helper
def chosen(edge):
    """Whether the child of an edge is one of those to evaluate."""
    return edge.visits == _CHOSEN


@helper
def _best_unmarked(edges, side):
    """The position of the best edge without a child that is not marked, of equals the first; -1 if there is none."""
    best = -1
    for number in range(len(edges)):
        if edges[number].child >= 0 or chosen(edges[number]):
            continue
        if best < 0 or side * (edges[number].value - edges[best].value) > 0:
            best = number
    return best


@helper
def mark_best(edges, side, count):
    """Marks the best `count` edges without a child for the side to move, or all if there are no more."""
    unfinished = 0
    for number in range(len(edges)):
        unfinished += edges[number].child < 0
    if unfinished <= count:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].visits = _CHOSEN
        return
    for _ in range(count):
        edges[_best_unmarked(edges, side)].visits = _CHOSEN


@helper
def take_marked(edges, leaves, row):
    """Sets the values of the marked edges from the rows beginning at `row`; returns the row after them."""
    for number in range(len(edges)):
        if chosen(edges[number]):
            edges[number].value = leaves.values[row]
            edges[number].visits = 0
            row += 1
    return row
