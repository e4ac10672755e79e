"""Best-first minimax as Korf and Chickering published it (1996; 003, footnote 4), next to the papers' variant, UBFM.

Two things differ from UBFM, which draws one of equal edges each time and backs up to the root (2505.04525, section 2):

- If several edges are best, an iteration follows the one it last followed from there, if that is among them, otherwise
  the first.
- Values are backed up only as far as they change. The original begins the next iteration at the first node whose value
  did not change. Here iterations begin at the root and come to that node by the same edges: the edges above it keep
  their values. Proofs are always passed on.

If no two values are equal, and without transpositions, both grow the same trees. With transpositions an edge may keep
the value that its child had before other paths changed it.

Two fields are free in a search without a policy or halving: `prior` marks the edge followed last, and `candidates` a
node that its last update did not change.
"""

from dataclasses import dataclass, replace

from athenan.rules.compiler import helper, kernel
from athenan.rules.state import sign
from athenan.search.algorithms.best_first import BestFirstSettings, best_first, completed_best
from athenan.search.trees.algorithm import BACK_UP, FOLLOW, UPDATE, Algorithm, Choose


@helper
def _order(one, other, side, completion):
    """Above 0 if edge `one` comes before `other` for the side to move."""
    if completion:
        if one.resolution != other.resolution:
            return float(other.resolution - one.resolution)
        if one.completion != other.completion:
            return float(side * (one.completion - other.completion))
    if one.value != other.value:
        return float(side * (one.value - other.value))
    return float(one.prior - other.prior)


@helper
def _principal(node, edges, completion):
    side, best = sign(node.player), 0
    for number in range(1, len(edges)):
        if _order(edges[number], edges[best], side, completion) > 0:
            best = number
    for number in range(len(edges)):
        edges[number].prior = number == best
    return best


@kernel(FOLLOW)
def follow_principal(node, edges, constants, random):
    """The principal edge: the best; among equals the last followed, or else the first."""
    return _principal(node, edges, False)


@kernel(FOLLOW)
def follow_principal_open(node, edges, constants, random):
    """The principal edge among the open edges, the best by (c, v), as Algorithm 11 does for UBFM."""
    return _principal(node, edges, True)


@kernel(BACK_UP)
def back_up_change(edge, child, result, constants):
    """Sets v(s, a), unless the last update of the child changed nothing."""
    if not child.candidates:
        edge.value = child.value


@kernel(BACK_UP)
def back_up_change_or_proof(edge, child, result, constants):
    """Sets v(s, a), c(s, a) and r(s, a), unless the last update of the child changed nothing and proves nothing new."""
    news = child.resolution != edge.resolution or child.completion != edge.completion
    if news or not child.candidates:
        edge.value = child.value
        edge.completion = child.completion
        edge.resolution = child.resolution


@helper
def _update(node, edges, completion, exact):
    """Updates a node as UBFM does, and marks it if nothing changed. A node that was just expanded has changed."""
    value, completed, resolved = node.value, node.completion, node.resolution
    best, all_resolved = completed_best(node, edges)  # without completion c is 0 on all edges
    node.value = edges[best].value
    if completion:
        node.completion = edges[best].completion
        node.resolution = all_resolved or (not exact and node.completion != 0)
    same = node.value == value and node.completion == completed and node.resolution == resolved
    node.candidates = same and node.visits > 0


@kernel(UPDATE)
def update_value(node, edges, result, constants):
    """Sets v(s)."""
    _update(node, edges, False, False)


@kernel(UPDATE)
def update_proof(node, edges, result, constants):
    """Sets v(s), c(s) and r(s): resolved by a win, or if all edges are resolved."""
    _update(node, edges, True, False)


@kernel(UPDATE)
def update_exact_proof(node, edges, result, constants):
    """Sets v(s), c(s) and r(s): resolved only if all edges are resolved."""
    _update(node, edges, True, True)


@dataclass(frozen=True)
class KorfChickering(BestFirstSettings):
    """UBFM in Korf and Chickering's own form (003, footnote 4), to which completion is added in the same way."""

    def kernels(self, choose: Choose) -> Algorithm:
        ubfm = best_first(False, choose, self.completion, self.resolution_stop, self.exact)
        if not self.completion:
            return replace(ubfm, follow=follow_principal, back_up=back_up_change, update=update_value)
        update = update_exact_proof if self.exact else update_proof
        return replace(ubfm, follow=follow_principal_open, back_up=back_up_change_or_proof, update=update)
