"""AlphaZero's self-play: actions drawn by how often a search has followed them, and noise in the policy at the root.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play"
(2018): the temperature is 1 for the first 30 actions and 0 after them; a quarter of the root's policy is noise, of a
Dirichlet distribution whose parameter is about 10 / (legal actions).
"""

import numpy as np

from athenan.search.forest import Forest
from athenan.search.node import Node
from athenan.search.selection import Positions, Select


def by_visits(temperature: float) -> Select:
    """An action with a probability in proportion to n^(1 / temperature); with 0 a random one of the most visited.

    Where nothing has been visited all are equally likely.
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        shares = node.counts[positions] / max(1, node.counts[positions].max())
        weights = shares ** (1 / temperature) if temperature else (shares == shares.max()).astype(np.float64)
        if not weights.any():
            return int(random.choice(positions))
        return int(random.choice(positions, p=weights / weights.sum()))

    return select


def add_noise(forest: Forest, slot: int, parameter: float, share: float, random: np.random.Generator) -> None:
    """Mixes noise into the priors at the root of a tree: (1 - share) P + share x, x of Dirichlet(parameter).

    To be called once a root, after its expansion (`Search.expanded`), of searches that ask for a policy. Raises
    ValueError if the root is not expanded.
    """
    root = forest.nodes[slot, forest.slots[slot]["root"]]
    if not root["edges"]:
        raise ValueError("the root has no priors yet: it is not expanded")
    priors = forest.edges["prior"][slot, root["first_edge"] : root["first_edge"] + root["edges"]]
    priors *= 1 - share
    priors += share * random.dirichlet(np.full(len(priors), parameter))
