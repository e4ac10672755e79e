"""AlphaZero's self-play: actions drawn by how often a search followed them, and noise in the root's policy.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play"
(2018): the temperature is 1 for the first 30 actions and 0 after them; a quarter of the root's policy is noise, of a
Dirichlet distribution whose parameter is about 10 / (legal actions).
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan.search.budget import Budget
from athenan.search.settings import Preparation, SearchSettings, WalkSettings
from athenan.search.trees.forest import Forest
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.search.trees.selection import Positions, Select
from athenan.settings import Between


def by_visits(temperature: float) -> Select:
    """An action with a probability in proportion to n^(1 / temperature); at temperature 0 a random most visited one.

    If nothing has been visited, all actions are equally likely.
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        shares = node.counts[positions] / max(1, node.counts[positions].max())
        weights = shares ** (1 / temperature) if temperature else (shares == shares.max()).astype(np.float64)
        if not weights.any():
            return int(random.choice(positions))
        return int(random.choice(positions, p=weights / weights.sum()))

    return select


def visit_shares(node: Node) -> NDArray[np.float64]:
    """The share of each action in the visits of a node: the policy that AlphaZero learns.

    If results are proven, the winning actions share everything, and losing ones get nothing unless all lose. If nothing
    has been visited, all actions get the same share.
    """
    gains = node.sign * node.completions
    counts = node.counts.astype(np.float64)
    if (gains > 0).any():
        counts = (gains > 0).astype(np.float64)
    elif (gains == 0).any():
        counts[gains < 0] = 0
        if not counts.any():
            counts = (gains == 0).astype(np.float64)
    return counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))


def add_noise(forest: Forest, slot: int, concentration: float, share: float, random: np.random.Generator) -> None:
    """Mixes noise into the priors at the root of a tree: (1 - share) P + share x, x of a Dirichlet distribution.

    `concentration` is the sum of its parameters, which are equal.

    Call it once per root, after its expansion (`Search.expanded`), in searches that ask for a policy. Raises ValueError
    if the root is not expanded.
    """
    root = forest.nodes[slot, forest.slots[slot]["root"]]
    if not root["edges"]:
        raise ValueError("the root has no priors yet: it is not expanded")
    priors = forest.edges["prior"][slot, root["first_edge"] : root["first_edge"] + root["edges"]]
    priors *= 1 - share
    priors += share * random.dirichlet(np.full(len(priors), concentration / len(priors)))


@dataclass(frozen=True, kw_only=True)
class NoiseSettings(WalkSettings):
    """The settings of searches that follow a policy, into which self-play mixes noise at each root."""

    noise: Annotated[float, Between(0, 1)] = 0.0
    """The share of Dirichlet noise in the policy of each root. For trainings: players use no noise."""
    noise_concentration: Annotated[float, Between(1e-3, 10**6)] = 10.0
    """The sum of the parameters of the Dirichlet distribution, which all legal actions share equally."""

    def preparation(self, budget: Budget, random: np.random.Generator | None = None) -> Preparation | None:
        if not self.noise or random is None:
            return None

        def prepare(search: ForestSearch, slot: int) -> bool:
            add_noise(search.forest, slot, self.noise_concentration, self.noise, random)
            return True

        return Preparation(prepare)

    def for_play(self) -> SearchSettings:
        """The search without noise."""
        return replace(
            self.with_defaults(), noise=NoiseSettings.noise, noise_concentration=NoiseSettings.noise_concentration
        )
