"""A search algorithm of one's own, outside of the package: UBFM that now and then follows any edge, by ε-greedy."""

from dataclasses import replace

from athenan.rules.compiler import kernel
from athenan.rules.randomness import random_below
from athenan.rules.state import sign
from athenan.search.algorithm import FOLLOW
from athenan.search.walk_search import ALGORITHMS, ubfm


@kernel(FOLLOW)
def follow_best_or_any(node, edges, constants, random):
    """Any edge with the probability constants[0], else the best, of equals the first."""
    if random_below(random, 0, 1000) < 1000 * constants[0]:
        return random_below(random, 0, len(edges))
    side, best = sign(node.player), 0
    for number in range(1, len(edges)):
        if side * (edges[number].value - edges[best].value) > 0:
            best = number
    return best


def wandering(settings, choose):
    plain = ubfm(replace(settings, completion=False), choose)
    return replace(plain, follow=follow_best_or_any, constants=(0.125,))


ALGORITHMS["wandering"] = wandering
