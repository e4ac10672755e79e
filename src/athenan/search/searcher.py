"""What all searches have in common, whatever their algorithm and their trees."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.search.budget import Budget
from athenan.search.node import Node


class Searcher(Protocol):
    """A search of one game, whose tree can go on with the match; some grow several trees, one a slot."""

    @property
    def game(self) -> Game: ...

    @property
    def evaluations(self) -> int:
        """States evaluated, or rollouts made, since this object was made."""

    def seed(self, seed: int) -> None:
        """Sets the random numbers of all trees: the same seed grows the same trees, unless budgets are times."""

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root."""

    def start(self, budget: Budget, slot: int = 0) -> None:
        """Lets a tree grow: its slot takes part in rounds until the budget is used up. Seconds are the caller's."""

    def stop(self, slot: int = 0) -> None:
        """Lets the search of a slot end with its present iteration."""

    def round(self) -> int:
        """Advances every slot that is not done, for some milliseconds at most beyond an evaluation of a batch."""

    def done(self) -> NDArray[np.int64]:
        """The slots whose search has ended (or has not begun)."""

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root; what the tree knows of it, it keeps."""

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
