"""What all searches have in common, whatever their algorithm and their trees."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.search.budget import Budget
from athenan.search.node import Node


@dataclass(frozen=True)
class Effort:
    """What a search has cost since it was started."""

    iterations: int
    evaluations: int
    states: int
    """Nodes in the tree, those of earlier searches too."""
    full: bool
    """Whether the tree has used its memory and grows no more."""


class Searcher(Protocol):
    """A search of one game; some grow several trees, one a slot."""

    @property
    def game(self) -> Game: ...

    @property
    def evaluations(self) -> int:
        """States evaluated, or rollouts made, since this object was made."""

    @property
    def keeps_tree(self) -> bool:
        """Whether `play` keeps what the tree knows, so that a search serves the actions after the next, too."""

    @property
    def proves_values(self) -> bool:
        """Whether a resolved state has its value under perfect play proven, not only who wins."""

    def seed(self, seed: int) -> None:
        """Sets the random numbers of all trees: the same seed grows the same trees, unless budgets are times."""

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root."""

    def start(self, budget: Budget, slot: int = 0) -> None:
        """Lets a tree grow: its slot takes part in rounds until the budget is used up. Seconds are the caller's."""

    def stop(self, slot: int = 0) -> None:
        """Lets the search of a slot end with its present iteration."""

    def round(self) -> int:
        """Advances every slot that is not done, for some milliseconds at most beyond an evaluation of a batch.

        Returns the states evaluated, or the rollouts made; it may be 0 before all slots are done.
        """

    def done(self) -> NDArray[np.int64]:
        """The slots whose search has ended (or has not begun)."""

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root."""

    def make_room(self, slot: int = 0) -> None:
        """Frees memory, if much is used, of what the root cannot reach."""

    def state(self, slot: int = 0) -> State:
        """The state at the root."""

    def root(self, slot: int = 0) -> Node:
        """What the tree knows of its root."""

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action that the algorithm plays in the end."""

    def line(self, slot: int = 0) -> list[int]:
        """The actions that the search expects both sides to play from the root on."""

    def effort(self, slot: int = 0) -> Effort:
        """What the present search of a slot has cost."""

    def end_value(self, end: State) -> float:
        """What the state in which a match has ended is worth to the search, from the first player's point of view."""


def run(searcher: Searcher, budget: Budget, watch: Callable[[float], None] | None = None) -> float:
    """Searches the tree of the only slot until the budget is used up or the search ends; returns the seconds taken.

    `watch` is called after each round, with the seconds so far.
    """
    searcher.start(budget)
    began = perf_counter()
    while searcher.round() or not searcher.done().size:
        seconds = perf_counter() - began
        if budget.seconds is not None and seconds >= budget.seconds:
            searcher.stop()
        if watch:
            watch(seconds)
    return perf_counter() - began
