"""Best-first minimax in Korf and Chickering's own form (1996), as a variant outside of the package.

Where several edges are of the best value, an iteration follows the one that it followed last from there, if it is one
of them; UBFM draws one anew (003, footnote 4). `prior` is free in a search without a policy: it marks that edge.
"""

from dataclasses import replace

from athenan.rules.compiler import kernel
from athenan.rules.state import sign
from athenan.search.algorithm import FOLLOW
from athenan.search.search import ALGORITHMS, ubfm


@kernel(FOLLOW)
def follow_principal(node, edges, constants, random):
    """The principal edge: the best, among equals the one followed last, else the first."""
    side, best = sign(node.player), 0
    for number in range(1, len(edges)):
        order = side * (edges[number].value - edges[best].value)
        if order > 0 or (order == 0 and edges[number].prior > edges[best].prior):
            best = number
    for number in range(len(edges)):
        edges[number].prior = number == best
    return best


def korf_chickering(settings, choose):
    return replace(ubfm(replace(settings, completion=False), choose), follow=follow_principal)


ALGORITHMS["korf_chickering"] = korf_chickering
