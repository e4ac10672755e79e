"""What alpha-beta proves: children whose values need no search, and nodes that are resolved by their edges."""

from athenan.rules.compiler import helper
from athenan.rules.state import sign
from athenan.search.alpha_beta.keys import LOWEST, completion_in, key_of, value_in
from athenan.search.alpha_beta.stack import BOTH, GAINS


@helper
def proven_key(node, proofs):
    """The key of a terminal or resolved node."""
    return key_of(node.completion if proofs >= GAINS else 0, node.value)


@helper
def is_exact(node, proofs):
    """Whether the value of a node needs no search."""
    return node.terminal != 0 or (proofs != 0 and node.resolution != 0)


@helper
def has_exact_child(forest, slot, edge, proofs):
    """Whether an edge leads to a node whose value needs no search."""
    return edge.child >= 0 and is_exact(forest.nodes[slot, edge.child], proofs)


@helper
def take_proof(edge, child, proofs):
    """Copies to an edge what is proven about its child."""
    if proofs >= GAINS:
        edge.completion = child.completion
    if proofs and child.resolution:
        edge.resolution = 1
        edge.value = child.value


@helper
def resolve(node, edges, exact, frame, proofs):
    """Resolves a node by a win, an exact search that is not open, or when all edges are resolved; sets its (c, v)."""
    side = sign(node.player)
    all_resolved, best, leader = True, LOWEST * side, 0
    for position in range(len(edges)):
        edge = edges[position]
        all_resolved = all_resolved and edge.resolution != 0
        key = key_of(edge.completion, edge.value)
        if edge.resolution and side * key > side * best:
            best, leader = key, position
    if all_resolved or (proofs == GAINS and completion_in(best) == side):
        frame.best = best
        frame.leader = leader
    elif not (exact and frame.open == 0):
        return
    node.resolution = 1
    node.completion = completion_in(frame.best)
    node.value = value_in(frame.best)


@helper
def prove(node, edges, frame, proofs):
    """Keeps what a search within its window proved about a decision node; with `BOTH` also a win without its value."""
    above, below = frame.best > frame.alpha, frame.best < frame.beta
    gain = completion_in(frame.best)
    if proofs == BOTH and ((above and gain == 1) or (below and gain == -1)):
        node.completion = gain
    resolve(node, edges, above and below, frame, proofs)
