"""Results of alpha-beta's searches through edges: what a search found, or what is known without one.

Each function concerns the edge at the position of a frame. It either gives the frame a result and moves it to the next
edge, or leaves the search of the edge to a frame of its own.
"""

from athenan.rules.compiler import helper
from athenan.rules.state import sign
from athenan.search.alpha_beta.keys import key_of, value_in
from athenan.search.alpha_beta.ordering import better
from athenan.search.alpha_beta.proving import has_exact_child, is_exact, proven_key, take_proof
from athenan.search.alpha_beta.shared_bounds import is_marked, mark, told
from athenan.search.alpha_beta.stack import AGAIN, may_put_off, put_off, usable


@helper
def offer(forest, plan, slot, frame, key, is_open, proofs):
    """Stores the result of a search through the edge at the frame's position, which leads to a node.

    The value of an edge that only ties with the best is a bound, and is kept just below: there is a single best edge.
    """
    record, node = forest.slots[slot], forest.nodes[slot, frame.node]
    side = sign(node.player)
    edge = forest.edges[slot, node.first_edge + frame.position]
    shown = key
    if side * key > side * frame.best:
        frame.best = key
        frame.leader = frame.position
    elif key == frame.best and not has_exact_child(forest, slot, edge, proofs):
        shown = key - side
    if edge.resolution or record.path > 1:
        edge.value = value_in(shown)
    if record.path == 1:
        plan.values[slot, -1 - frame.position] = value_in(shown)
    edge.visits += 1
    frame.open |= is_open
    frame.reduced = 0
    frame.position += 1


@helper
def estimate(forest, plan, slot, frame, edge, proofs):
    """Searches the edge at the frame's position to depth 0; it is searched again if it then seems to be the best."""
    key = key_of(0, edge.prior)
    if better(frame, sign(forest.nodes[slot, frame.node].player), key):
        frame.reduced = AGAIN
    else:
        offer(forest, plan, slot, frame, key, True, proofs)


@helper
def known(forest, plan, slot, frame, edge, depth, alpha, beta, proofs, reductions):
    """Answers the search through the edge at the frame's position by what is known; returns whether that suffices."""
    child, bound = forest.nodes[slot, edge.child], plan.bounds[slot, edge.child]
    take_proof(edge, child, proofs)
    if is_exact(child, proofs):
        child.visits += 1
        offer(forest, plan, slot, frame, proven_key(child, proofs), False, proofs)
        return True
    if child.edges == 0 or not usable(bound, depth, proofs, reductions):
        return False
    return _decided(forest, plan, slot, frame, depth, alpha, beta, bound.lower, bound.upper, bound.open != 0, proofs)


@helper
def left_to_others(forest, plan, slot, frame, edge, key, depth, alpha, beta, proofs, reductions, shared):
    """Answers the search through an edge by what other threads know, or puts it off if one of them is at it.

    `key` is that of the state to which the edge leads. Returns whether this thread need not search now.
    """
    if has_exact_child(forest, slot, edge, proofs):
        return False
    lower, upper, searched, _ = told(shared, key)
    holds = searched == depth or (reductions and searched > depth)
    if holds and _decided(forest, plan, slot, frame, depth, alpha, beta, lower, upper, True, proofs):
        return True
    if depth > 1 and may_put_off(frame) and is_marked(shared, key, depth):
        put_off(frame)
        return True
    mark(shared, key, depth)
    return False


@helper
def _decided(forest, plan, slot, frame, depth, alpha, beta, lower, upper, is_open, proofs):
    """Answers the search through the edge at the frame's position by bounds; returns whether they suffice."""
    above, below = lower >= beta, upper <= alpha
    if depth < frame.depth - 1 and (above if sign(forest.nodes[slot, frame.node].player) > 0 else below):
        frame.reduced = AGAIN
        return True
    if above or lower == upper:
        offer(forest, plan, slot, frame, lower, is_open, proofs)
        return True
    if below:
        offer(forest, plan, slot, frame, upper, is_open, proofs)
    return below
