"""Trees as Python reads them: states, nodes, and how much of the memory they use."""

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.game import Game, State
from athenan.search.searcher import Effort
from athenan.search.trees.forest import Forest, fullness_of, reachable
from athenan.search.trees.node import Node, read_node


class ReadableTrees:
    """The trees of a forest, one per slot, with states of one game."""

    def __init__(self, game: Game, forest: Forest) -> None:
        self.game = game
        self.forest = forest

    def state(self, slot: int = 0) -> State:
        """The state at the root."""
        return np.array(self.forest.states[slot, self.forest.slots[slot]["root"]])

    def after(self, action: int, slot: int = 0) -> State:
        """The state after a legal action of the root."""
        following = np.empty(self.game.state_size, np.int8)
        calls.play(self.game.rules, self.state(slot), action, following)
        return following

    def root(self, slot: int = 0) -> Node:
        """The root as the tree knows it."""
        return self.node(int(self.forest.slots[slot]["root"]), slot)

    def node(self, number: int, slot: int = 0) -> Node:
        """A node as the tree knows it."""
        return read_node(self.forest, slot, number, self.game.stochastic)

    def expanded(self, slot: int = 0) -> bool:
        """Whether the tree knows the actions of its root."""
        return bool(self.forest.nodes[slot, self.forest.slots[slot]["root"]]["edges"] > 0)

    def can_choose(self, slot: int = 0) -> bool:
        """Whether the tree knows enough about its root to choose an action without another search."""
        return self.expanded(slot)

    def valued(self, slot: int = 0) -> NDArray[np.bool_]:
        """Whether v(s) of each node is its value in the tree, not only a bound; bool[nodes]."""
        return np.ones(self.forest.slots[slot]["nodes"], bool)

    def unreachable(self, slot: int = 0) -> NDArray[np.bool_]:
        """Whether the root cannot reach each node; bool[nodes]."""
        count = self.forest.slots[slot]["nodes"]
        reached, stack = np.zeros(count, bool), np.empty(count, np.int32)
        reachable(self.forest, slot, reached, stack)
        return ~reached

    def effort(self, slot: int = 0) -> Effort:
        """The cost of the present search of a slot."""
        record = self.forest.slots[slot]
        return Effort(int(record["iterations"]), int(record["evaluations"]), int(record["nodes"]), self.full(slot))

    def full(self, slot: int = 0) -> bool:
        """Whether the memory of a tree ended its last search."""
        return bool(self.forest.slots[slot]["full"])

    def fullness(self, slot: int = 0) -> float:
        """The share of a tree's memory that is in use, from 0 to 1."""
        return float(fullness_of(self.forest, slot))
