"""Schedules: what is done at the root of a search of self-play, before it and between its parts.

| schedule | before the search | then |
| --- | --- | --- |
| RootNoise | AlphaZero's noise in the policy | the whole budget |
| SequentialHalving | Gumbel noise, and the best candidates by it | parts, after each of which half of them are left |
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.search.budget import Budget
from athenan.search.forest_search import ForestSearch
from athenan.search.gumbel import advantages
from athenan.search.visits import add_noise


class Schedule(Protocol):
    """Prepares the roots of searches that follow a policy."""

    keeps_tree: bool
    """Whether a search begins with what the ones before it have found."""

    def begin(self, search: ForestSearch, slot: int) -> Budget | None:
        """Prepares a root, which is expanded; returns the first part of the search, None if there is none."""

    def following(self, search: ForestSearch, slot: int) -> Budget | None:
        """The next part of the search; None if it is over."""


class RootNoise:
    """Dirichlet noise in the policy of each root (Silver et al. 2018)."""

    keeps_tree = True

    def __init__(self, budget: Budget, share: float, concentration: float, random: np.random.Generator) -> None:
        """`share` of the policy is noise; see `add_noise`."""
        self.budget = budget
        self.share = share
        self.concentration = concentration
        self.random = random

    def begin(self, search: ForestSearch, slot: int) -> Budget | None:
        add_noise(search.forest, slot, self.concentration, self.share, self.random)
        return self.budget

    def following(self, search: ForestSearch, slot: int) -> Budget | None:
        return None


class SequentialHalving:
    """The root of Gumbel AlphaZero (Danihelka et al. 2022, algorithm 2, with sequential halving).

    The candidates are the best actions by Gumbel noise + logits. A search of n iterations visits all candidates
    equally, then keeps the better half of them by noise + logits + what the search has found, and so on, until one is
    left: the action to play.
    """

    keeps_tree = False  # visits of earlier searches were not shared equally

    def __init__(self, iterations: int, candidates: int, random: np.random.Generator) -> None:
        """`candidates` is the number of actions to begin with, or all if there are fewer."""
        self.iterations = iterations
        self.candidates = candidates
        self.random = random
        self._noise: dict[int, NDArray[np.float64]] = {}
        self._left: dict[int, int] = {}

    def begin(self, search: ForestSearch, slot: int) -> Budget | None:
        root = search.root(slot)
        with np.errstate(divide="ignore"):
            self._noise[slot] = self.random.gumbel(size=len(root.actions)) + np.log(root.priors.astype(np.float64))
        self._left[slot] = self.iterations
        self._keep(search, slot, min(self.candidates, len(root.actions), self.iterations))
        return self._part(search, slot)

    def following(self, search: ForestSearch, slot: int) -> Budget | None:
        count = int(self._candidates(search, slot).sum())
        if count == 1:
            return None
        if self._left[slot]:
            self._keep(search, slot, max(2, count // 2))
            return self._part(search, slot)
        self._keep(search, slot, 1)
        return None

    def _candidates(self, search: ForestSearch, slot: int) -> NDArray[np.int8]:
        """The marks of the root's edges, as a view."""
        root = search.forest.nodes[slot, search.forest.slots[slot]["root"]]
        marks: NDArray[np.int8] = search.forest.edges["candidate"][slot][root["first_edge"] :][: root["edges"]]
        return marks

    def _keep(self, search: ForestSearch, slot: int, count: int) -> None:
        """Keeps the best candidates among the most visited; in the beginning all actions are candidates."""
        root, marks = search.root(slot), self._candidates(search, slot)
        scores = self._noise[slot] + advantages(root)
        if marks.any():
            scores[(marks == 0) | (root.counts < root.counts[marks > 0].max())] = -np.inf
        marks[:] = 0
        marks[np.argsort(-scores, kind="stable")[:count]] = 1
        search.forest.nodes[slot, search.forest.slots[slot]["root"]]["halving"] = 1

    def _part(self, search: ForestSearch, slot: int) -> Budget | None:
        """The same number of visits for each candidate; all that are left for the last two, none for a single one."""
        count = int(self._candidates(search, slot).sum())
        if count == 1:
            return None
        parts = (min(self.candidates, len(self._noise[slot]), self.iterations) - 1).bit_length()
        visits = self._left[slot] if count == 2 else count * max(1, self.iterations // (parts * count))
        visits = min(visits, self._left[slot])
        self._left[slot] -= visits
        return Budget(iterations=visits)
