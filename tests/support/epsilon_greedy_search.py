"""A search algorithm of one's own, outside of the package: UBFM that now and then follows any edge, by ε-greedy."""

from dataclasses import dataclass, replace
from typing import Annotated

from athenan.rules.compiler import kernel
from athenan.rules.randomness import random_below
from athenan.rules.state import sign
from athenan.search.algorithms.best_first import best_first
from athenan.search.settings import WalkSettings
from athenan.search.trees.algorithm import FOLLOW, Algorithm, Choose
from athenan.settings import Between


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


@dataclass(frozen=True)
class Wandering(WalkSettings):
    epsilon: Annotated[float, Between(0, 1)] = 0.125
    """The probability with which an iteration follows any edge."""

    def algorithm(self, choose: Choose) -> Algorithm:
        plain = best_first(False, choose, completion=False, resolution_stop=False, exact=False)
        return replace(plain, follow=follow_best_or_any, constants=(self.epsilon,))
