"""Which action to play after a search.

Every function takes a node and returns the position of the chosen action in `node.actions`.
Ties are broken at random (003, Remarks 11 and 14).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.search.algorithm import Choose
from athenan.search.node import Node

Positions = NDArray[np.int64]
Select = Callable[[Node, Positions, np.random.Generator], int]
"""select(node, positions, random): one of the given positions."""


def _largest(positions: Positions, random: np.random.Generator, *keys: NDArray[np.number]) -> int:
    """The position whose keys are lexicographically largest; the first key weighs most."""
    for key in keys:
        positions = positions[key[positions] == key[positions].max()]
    return int(random.choice(positions))


def _all(node: Node) -> Positions:
    return np.arange(len(node.actions))


def best(node: Node, random: np.random.Generator) -> int:
    """The best action by (c, v, n): `best_action` of Algorithm 1, `completed_best_action` of Algorithm 11."""
    return _largest(_all(node), random, node.sign * node.completions, node.sign * node.values, node.counts)


def safest(node: Node, random: np.random.Generator) -> int:
    """The proven, then most often chosen, then best action: `safest_action` of Algorithm 13 (UBFM_s)."""
    return _largest(_all(node), random, node.sign * node.completions, node.counts, node.sign * node.values)


def safest_or_exact(node: Node, random: np.random.Generator) -> int:
    """For `exact` searches, including one-player games, and for games of chance: among the actions with the best c, the
    best resolved one if the safest of the others has no greater value, otherwise the safest.

    A resolved action is no longer visited, so its visits mean nothing, but its value is exact.
    """
    gains, values = node.sign * node.completions, node.sign * node.values
    open_, resolved = (np.flatnonzero((gains == gains.max()) & (node.resolutions == r)) for r in (0, 1))
    if not open_.size:
        return _largest(resolved, random, values)
    chosen = _largest(open_, random, node.counts, values)
    if resolved.size and values[resolved].max() >= values[chosen]:
        return _largest(resolved, random, values)
    return chosen


def safest_securing_draw(node: Node, random: np.random.Generator) -> int:
    """Like `safest`, but a proven draw comes before an unproven win (Remark 16).

    Remark 16 minimises (c, -r, -n, v) for the second player and maximises (c, r, n, v) for the first. In games of
    chance, where a resolved action is not a draw that could be secured, it is `safest_or_exact`.
    """
    if node.stochastic:
        return safest_or_exact(node, random)
    sign = node.sign
    return _largest(_all(node), random, sign * node.completions, node.resolutions, node.counts, sign * node.values)


def completed(node: Node, select: Select, random: np.random.Generator) -> int:
    """Completed action selection (003, section 5.2): a proven win if there is one; otherwise `select` among the actions
    that do not lead to a proven loss; if all do, the best action.
    """
    if not node.completions.any():
        return select(node, _all(node), random)
    gains = node.sign * node.completions
    values = node.sign * node.values
    if (winning := np.flatnonzero(gains > 0)).size:
        return _largest(winning, random, values)
    if (playable := np.flatnonzero(gains == 0)).size:
        return select(node, playable, random)
    return _largest(_all(node), random, values)


def epsilon_greedy(epsilon: float) -> Select:
    """A uniformly random action with probability epsilon, else the best (Algorithm 2)."""

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        if random.random() < epsilon:
            return int(random.choice(positions))
        return _largest(positions, random, node.sign * node.values)

    return select


def softmax(temperature: float) -> Select:
    """An action with probability proportional to exp(v / temperature), from the mover's point of view (section 2.3).

    A temperature of 0 takes the best action, an infinite one any action.
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        values = node.sign * node.values[positions].astype(np.float64)
        if temperature == 0:
            return _largest(positions, random, node.sign * node.values)
        weights = np.exp((values - values.max()) / temperature)
        return int(random.choice(positions, p=weights / weights.sum()))

    return select


def ordinal(exploitation: float) -> Select:
    """The ordinal distribution (Algorithm 14): going from the best action to the worst, each action reached is taken
    with a probability between uniform (exploitation 0) and certain (1).
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        shuffled = random.permutation(positions)
        ranked = shuffled[np.argsort(-node.sign * node.values[shuffled], kind="stable")]
        count = len(ranked)
        for rank, position in enumerate(ranked):
            if random.random() <= (exploitation * (count - rank - 1) + 1) / (count - rank):
                return int(position)
        raise AssertionError("the last action is taken with probability 1")

    return select


def softmax_temperature(exploitation: float, half: float) -> float:
    """The temperature of softmax at an exploitation rate: `half` at 1/2, infinite (uniform) at 0, 0 (the best) at 1."""
    return half * (1 - exploitation) / exploitation if exploitation > 0 else np.inf


SELECTIONS: dict[str, Choose] = {"best": best, "safest": safest, "safest_securing_draw": safest_securing_draw}
"""The ways to choose the action to play, by name."""
