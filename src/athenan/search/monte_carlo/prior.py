"""What a network says in advance of the actions of a state, as if it were rollouts: the heuristic prior of RAVE.

Source: Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go" (2011): a new
action begins with a heuristic value and with an *equivalent experience*, the number of rollouts that the value is
worth. Here the value is the win chance that a network gives the state after the action, and it counts in A. The paper
initializes Q or A when a state is added; here a state is valued at its eighth visit, since a network takes as long for
all children of a state as several rollouts, and most states of a tree are visited only once or twice.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, CONSTANTS
from athenan.rules.compiler import helper
from athenan.rules.game import Game
from athenan.rules.leaf import LEAF, Leaf, LeafKernel, call_leaf, keep_finite
from athenan.rules.state import CHANCE, ONGOING
from athenan.search.trees.interpolation import chance_at

EXPERIENCE = 100
"""The rollouts that a network's value is worth; measured in Go (docs/algorithms/mcts.md), like the next."""
VISIT = 8
"""The visit of a state at which its actions are valued."""


class Prior(NamedTuple):
    """A network that values actions in advance, for compiled code."""

    leaf: Leaf
    """Without a kernel (address 0) no action is valued."""
    values: NDArray[np.float64]
    """Values of the network, ascending; between them the win chance is interpolated."""
    chances: NDArray[np.float64]
    """The first player's chance to win at each of them."""
    valued: NDArray[np.int32]
    """int32[max_actions]: room for the edges, from the first of their state on, whose states are valued."""

    @staticmethod
    def of(game: Game, kernel: LeafKernel | None, values: ArrayLike = (0.0,), chances: ArrayLike = (0.5,)) -> "Prior":
        """The prior of searches of a game; None: there is no network."""
        return Prior(
            Leaf.of(game, kernel), np.array(values, np.float64), np.array(chances, np.float64),
            np.zeros(game.max_actions, np.int32),
        )  # fmt: skip


PRIOR = types.NamedTuple([LEAF, CONSTANTS, CONSTANTS, ACTION_LIST], Prior)


@helper
def value_actions(rules, state, node, edges, firsts, prior):
    """Adds to A what the network says of each action of a state that does not end the match, at the right visit."""
    leaf = prior.leaf
    if leaf.address == 0 or node.visits != VISIT or state[0] == CHANCE:
        return
    states, values, count = leaf.states, leaf.values, 0
    for number in range(node.edges):
        calls.play(rules, state, edges[node.first_edge + number].action, states[count])
        if calls.outcome(rules, states[count]) == ONGOING:
            prior.valued[count] = number
            count += 1
    if count == 0:
        return
    call_leaf(leaf.address, (rules, state, states[:count], leaf.numbers, leaf.weights, values[:count]))
    keep_finite(values[:count], leaf.counts)
    for row in range(count):
        edge = node.first_edge + prior.valued[row]
        expected = 2.0 * chance_at(values[row], prior.values, prior.chances) - 1.0
        firsts[edge, 0] += EXPERIENCE
        firsts[edge, 1] += np.int32(np.rint(EXPERIENCE * expected))
