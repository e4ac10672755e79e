"""Best-first minimax as Korf and Chickering published it (1996; 003, footnote 4), next to the papers' variant, UBFM.

If several edges are best, an iteration follows the one it last followed from there, if that is among them, otherwise
the first; UBFM draws one each time. If no two values are equal, and without transpositions, both grow the same trees.

`prior` is free in a search without a policy: it marks the edge followed last.
"""

from dataclasses import dataclass, replace

from athenan.rules.compiler import helper, kernel
from athenan.rules.state import sign
from athenan.search.algorithms.best_first import BestFirstSettings, best_first
from athenan.search.trees.algorithm import FOLLOW, Algorithm, Choose


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
    """The same among the open edges, the best by (c, v), as Algorithm 11 does for UBFM."""
    return _principal(node, edges, True)


@dataclass(frozen=True)
class KorfChickering(BestFirstSettings):
    """UBFM in Korf and Chickering's own form (003, footnote 4), to which completion is added in the same way."""

    def kernels(self, choose: Choose) -> Algorithm:
        ubfm = best_first(False, choose, self.completion, self.resolution_stop, self.exact)
        return replace(ubfm, follow=follow_principal_open if self.completion else follow_principal)
