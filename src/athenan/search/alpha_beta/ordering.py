"""The order in which alpha-beta searches the edges of a node, and how deep it searches those that come late."""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.randomness import random_below
from athenan.search.alpha_beta.stack import AGAIN


@helper
def swap(edges, one, other):
    """Exchanges two edges."""
    a, b = edges[one], edges[other]
    a.action, b.action = b.action, a.action
    a.child, b.child = b.child, a.child
    a.value, b.value = b.value, a.value
    a.prior, b.prior = b.prior, a.prior
    a.visits, b.visits = b.visits, a.visits
    a.completion, b.completion = b.completion, a.completion
    a.resolution, b.resolution = b.resolution, a.resolution


@helper
def shuffle(edges, random):
    """Puts new edges into a random order, which decides between equal ones (Remarks 11 and 14)."""
    for last in range(len(edges) - 1, 0, -1):
        other = random_below(random, 0, last + 1)
        if other != last:
            swap(edges, other, last)


@helper
def select(edges, position, side, proofs):
    """Moves the most promising remaining edge to this position: resolved edges, which cost nothing, then by (c, v)."""
    best = position
    for number in range(position + 1, len(edges)):
        one, other = edges[number], edges[best]
        order = np.float32(side * (one.value - other.value))
        if proofs:
            if one.resolution != other.resolution:
                order = np.float32(one.resolution - other.resolution)
            elif one.completion != other.completion:
                order = np.float32(side * (one.completion - other.completion))
        if order > 0:
            best = number
    if best != position:
        swap(edges, position, best)


@helper
def move_to_front(edges, action):
    """Makes the edge of an action the first, if there is one."""
    for number in range(1, len(edges)):
        if edges[number].action == action:
            swap(edges, 0, number)
            return


@helper
def first_depth(frame, reductions):
    """To which depth the edge at the frame's position is searched first, by late move reductions.

    The second edge is searched one ply less deep than the first, the third two, the fifth three and so on, by at most
    one ply more than half of them, and only for whether it is better than the best so far. If it is, it is searched
    again as deep as the first. To depth 0 a state is worth what the evaluator says.
    """
    depth = frame.depth - 1
    if not reductions or frame.position == 0 or frame.reduced == AGAIN:
        return depth
    less, position = 1, frame.position
    while position > 1 and less < 1 + depth // 2:
        position >>= 1
        less += 1
    return max(0, depth - less)


@helper
def better(frame, side, key):
    """Whether a result would be the best within the frame's window."""
    return key > max(frame.alpha, frame.best) if side > 0 else key < min(frame.beta, frame.best)
