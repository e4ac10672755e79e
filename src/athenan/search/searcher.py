"""The interface of all searches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.search.budget import Budget
from athenan.search.clock import Deadlines, ReadClock
from athenan.search.trees.node import Node
from athenan.settings import require_type


@dataclass(frozen=True)
class Effort:
    """The cost of a search since it was started."""

    iterations: int
    evaluations: int
    states: int
    """Nodes in the tree, including nodes of earlier searches."""
    full: bool
    """Whether the tree has used its memory and no longer grows."""


@runtime_checkable
class Searcher(Protocol):
    """A search of one game; some have several trees, one per slot."""

    @property
    def game(self) -> Game: ...

    @property
    def evaluations(self) -> int:
        """States evaluated, or rollouts made, since this object was made."""

    @property
    def keeps_tree(self) -> bool:
        """Whether `play` keeps the tree, so that later searches can use it."""

    @property
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""

    @property
    def scale(self) -> float:
        """The size of large values, such as 1 for gains; more than 0."""

    @property
    def shares_work(self) -> bool:
        """Whether several threads can search one tree."""

    @property
    def threads(self) -> int:
        """The number of threads that search."""

    def use_threads(self, threads: int) -> None:
        """Searches with this number of threads from the next search on, if they can share its work."""

    def use_forced(self, forced: bool) -> None:
        """Expands only the forced actions where the game names them, or all, from the next tree on.

        It concerns searches whose settings want forced actions; others always expand all.
        """

    def threads_within(self, budget: Budget) -> int:
        """The number of threads that a search within this budget uses."""

    def seed(self, seed: int) -> None:
        """Seeds the random numbers of all trees: the same seed gives the same trees, unless budgets are times."""

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root."""

    def prepare(self, budget: Budget, slot: int = 0) -> None:
        """Prepares a tree for a search of the action to play, within this budget; it may be emptied."""

    def start(self, budget: Budget, slot: int = 0) -> None:
        """Starts a search: the slot takes part in rounds until the budget is used up. The caller watches the time."""

    def stop(self, slot: int = 0) -> None:
        """Ends the search of a slot after its present iteration."""

    def round(self) -> int:
        """Advances every slot that is not done; takes at most a few milliseconds besides the evaluation of a batch.

        Returns the number of states evaluated, or of rollouts; it may be 0 before all slots are done.
        """

    def done(self) -> NDArray[np.int64]:
        """The slots whose search has ended (or has not begun)."""

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root."""

    def make_room(self, slot: int = 0) -> None:
        """Frees the memory of nodes that the root cannot reach, if much memory is in use."""

    def state(self, slot: int = 0) -> State:
        """The state at the root."""

    def root(self, slot: int = 0) -> Node:
        """The root as the tree knows it."""

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action to play."""

    def line(self, slot: int = 0) -> list[int]:
        """The actions that the search expects both sides to play from the root on, until chance is to move."""

    def effort(self, slot: int = 0) -> Effort:
        """The cost of the present search of a slot."""

    def end_value(self, end: State) -> float:
        """The search's value of the final state of a match, from the first player's point of view."""


def require_searcher(searcher: object) -> None:
    """Raises TypeError for what is not a `Searcher`, such as a game."""
    require_type("searcher", searcher, Searcher, "Search(make('hex:7'))")


def advance(searcher: Searcher, deadlines: Deadlines) -> bool:
    """Advances all searches by a round, and stops those whose time is over; returns whether any may go on."""
    worked = searcher.round()
    for slot in deadlines.over():
        searcher.stop(slot)
    return worked > 0 or searcher.done().size < deadlines.slots


def run(
    searcher: Searcher, budget: Budget, watch: Callable[[float], None] | None = None, clock: ReadClock | None = None
) -> float:
    """Searches the tree of the only slot until the budget is used up or the search ends; returns the seconds taken.

    `watch` is called after each round with the elapsed seconds. `clock` counts them (default: wall-clock time).
    """
    deadlines = Deadlines(clock=clock)
    deadlines.start(seconds=budget.seconds)
    searcher.prepare(budget)
    searcher.start(budget)
    while advance(searcher, deadlines):
        if watch:
            watch(deadlines.elapsed())
    return deadlines.elapsed()
