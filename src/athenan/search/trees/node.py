"""A state of a search tree, for Python."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.rules.state import sign
from athenan.search.trees.forest import Forest


@dataclass(frozen=True)
class Node:
    """What a tree knows about one state; the arrays are copies with one entry per action."""

    player: int
    """Side to move: 0 first player, 1 second player, 2 chance."""
    value: float
    """v(s), first player's point of view."""
    completion: int
    """c(s): the proven gain of the first player, meaningful if `resolution` is 1."""
    resolution: int
    """r(s): 1 if the state is proven; in a game of chance, if its value is exact."""
    visits: int
    actions: NDArray[np.int32]
    children: NDArray[np.int32]
    """Nodes of the children, -1 where unvisited."""
    values: NDArray[np.float32]
    """v(s, a)"""
    priors: NDArray[np.float32]
    """P(s, a): the probability of an outcome, or the evaluator's policy if the algorithm asks for one."""
    completions: NDArray[np.int8]
    """c(s, a)"""
    resolutions: NDArray[np.int8]
    """r(s, a)"""
    counts: NDArray[np.int32]
    """n(s, a)"""
    stochastic: bool = False
    """Whether the game has chance, so that c = 0 is not a draw even if `resolution` is 1."""
    halving: int = 0
    """The iterations of the search that halves this root's candidates (`gumbel.halve`); otherwise 0."""
    noise: int = 0
    """The seed of the Gumbel noise of such a root's actions; 0 without noise."""

    @property
    def sign(self) -> int:
        """1 if the side to move maximises, -1 if it minimises, 0 for chance."""
        return sign(self.player)

    @property
    def proven(self) -> int | None:
        """The first player's gain under perfect play, if it is proven; see `proven`."""
        return proven(self.completion, self.resolution, self.stochastic)


def proven(completion: int, resolution: int, stochastic: bool = False) -> int | None:
    """The proven gain, or None.

    A completion other than 0 is a forced win or loss, even if the state is not resolved. In a one-player game the gain
    is 0 if the value is proven. In a game of chance only wins and losses that are certain whatever chance brings are
    proven: a resolved state of completion 0 has an exact expectation, not a proven gain.
    """
    return int(completion) if completion or (resolution and not stochastic) else None


def read_node(forest: Forest, slot: int, number: int, stochastic: bool) -> Node:
    """A node of a tree."""
    _, first, count, value, visits, halving, noise, _, player, completion, resolution, *_ = forest.nodes[
        slot, number
    ].item()
    edges = forest.edges[slot, first : first + count]
    return Node(
        player=player,
        value=value,
        completion=completion,
        resolution=resolution,
        visits=visits,
        actions=edges["action"].copy(),
        children=edges["child"].copy(),
        values=edges["value"].copy(),
        priors=edges["prior"].copy(),
        completions=edges["completion"].copy(),
        resolutions=edges["resolution"].copy(),
        counts=edges["visits"].copy(),
        stochastic=stochastic,
        halving=halving,
        noise=noise,
    )
