"""The search of expert iteration (ExIt): UCT with rollouts, biased by a policy and a value, as kernels of the walk.

For the side to move, an edge followed n times, of a state visited N times, has the bound

    r + c √(ln N / (n + 1)) + w_a π / (n + 1) + w_v Q,

where r is the mean result of the random rollouts of the iterations through the edge, Q is the mean of the network's
values of the states that these expanded, and π is the network's policy (003, section 8.1; Anthony, Tian and Barber,
"Thinking fast and slow with deep learning and tree search", 2017). Each iteration makes one rollout from the state that
it expands and one evaluation of it, so r + w_v Q is a single mean: 1 + w_v times the mean of
(rollout + w_v value) / (1 + w_v), which the walk computes. While the network's values are 0, because it has not learnt
them yet, this is the formula with the policy alone, except for finished matches: their result is both r and Q, and so
counts 1 + w_v times as much as a rollout.

UCT's √(ln N / n) is infinite for n = 0, so every action would be tried before the policy could matter. Here n + 1
replaces n, as in `rave`, and an edge that was not yet followed has the present mean of its state.
"""

from dataclasses import dataclass, replace

import numpy as np

from athenan.rules.compiler import inlined, kernel
from athenan.search.algorithms.bandits import bandit
from athenan.search.algorithms.visits import NoiseSettings
from athenan.search.settings import Exploration
from athenan.search.trees.algorithm import FOLLOW, Algorithm, Asks, Choose
from athenan.search.trees.forest import is_known
from athenan.search.trees.ties import best_by


@inlined
def _bound(node, edge, side, width, constants):
    """The bound of an edge; `constants` are c, whether open edges go first, w_a, w_v, and the scale."""
    mean = edge.value if is_known(edge) else node.value
    value = (1.0 + constants[3]) * side * np.float64(mean) / constants[4]
    if edge.resolution != 0:
        return value if side * edge.completion >= 0 and not constants[1] else -np.inf
    tries = edge.visits + 1.0
    return value + constants[0] * np.sqrt(width / tries) + constants[2] * edge.prior / tries


_highest = best_by(_bound)


@kernel(FOLLOW)
def follow_exit(node, edges, constants, random):
    """The position of the edge of the highest bound."""
    return _highest(node, edges, np.log(np.float64(max(1, node.visits))), constants, random)


@dataclass(frozen=True)
class Exit(NoiseSettings):
    """The search of expert iteration. The default weights are from 003, section 8.4.2.

    With completion a resolved edge competes by its exact value alone, as in `bandits`.
    """

    exploration: Exploration = 0.05
    """c, for values of about [-1, 1]."""
    policy_weight: Exploration = 100.0
    """w_a: about the number of iterations of a search per action."""
    value_weight: Exploration = 0.75
    """w_v: the weight of the network's values; the weight of rollouts is 1."""

    def algorithm(self, choose: Choose) -> Algorithm:
        plain = bandit(self, self.exploration, follow_exit, Asks.STATE | Asks.POLICY, choose)
        constants = (*plain.constants, self.policy_weight, self.value_weight)
        return replace(plain, rollouts=1 / (1 + self.value_weight), constants=constants)
