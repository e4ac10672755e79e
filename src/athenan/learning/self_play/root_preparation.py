"""What is done at the root of a search of self-play before it.

| preparation | at the root |
| --- | --- |
| RootNoise | AlphaZero's noise in the policy |
| SequentialHalving | Gumbel noise, by which the search chooses its candidates and then halves them |
"""

from typing import Protocol

import numpy as np

from athenan.search.forest_search import ForestSearch
from athenan.search.gumbel import halve
from athenan.search.visits import add_noise


class RootPreparation(Protocol):
    """Prepares the roots of searches that follow a policy."""

    keeps_tree: bool
    """Whether a search begins with what the ones before it have found."""

    def prepare(self, search: ForestSearch, slot: int) -> bool:
        """Prepares a root, which is expanded; whether a search has anything to choose there."""


class RootNoise:
    """Dirichlet noise in the policy of each root (Silver et al. 2018)."""

    keeps_tree = True

    def __init__(self, share: float, concentration: float, random: np.random.Generator) -> None:
        """`share` of the policy is noise; see `add_noise`."""
        self.share = share
        self.concentration = concentration
        self.random = random

    def prepare(self, search: ForestSearch, slot: int) -> bool:
        add_noise(search.forest, slot, self.concentration, self.share, self.random)
        return True


class SequentialHalving:
    """The root of Gumbel AlphaZero (Danihelka et al. 2022, algorithm 2); a single legal action is not searched."""

    keeps_tree = False  # visits of earlier searches were not shared by halving

    def __init__(self, iterations: int, candidates: int, random: np.random.Generator) -> None:
        """`iterations` of a search; `candidates` is the number of actions to begin with, or all if there are fewer."""
        self.iterations = iterations
        self.candidates = candidates
        self.random = random

    def prepare(self, search: ForestSearch, slot: int) -> bool:
        halve(search.forest, slot, self.candidates, self.iterations, int(self.random.integers(1, 2**32)))
        return len(search.root(slot).actions) > 1
