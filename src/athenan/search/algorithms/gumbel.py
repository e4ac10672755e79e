"""Gumbel AlphaZero's search, as kernels of the forest's walk, sequential halving at the root, and the improved policy.

Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel" (ICLR 2022), with the
constants and the rescaled values of its authors' library mctx.

An unvisited action takes the mixed value of its state (their appendix D), which combines the network's value with the
policy's mean over the visited actions. σ(q) = (50 + the most visits) · 0.1 · q, where q are these completed values,
rescaled to [0, 1] among the actions of the state. The improved policy is softmax(logits + σ(q)). Inside the tree an
iteration follows the action whose share of the visits is furthest below the improved policy.

`halve` prepares a root for sequential halving. Each iteration then has a number of visits that it considers
(`considered_visits`). It follows the best action by Gumbel noise + logits + σ(q) among those with that many visits,
scored anew each time. The action to play is the best by the same score among the most visited.

Means, backups and the solver come from `bandits`. A proven loss is followed only without another action: at a root of
halving, another one with the considered visits; inside the tree, any other.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LIST, CONSTANTS
from athenan.rules.compiler import helper, kernel
from athenan.rules.randomness import random_bits
from athenan.rules.state import sign
from athenan.search.algorithms.bandits import means
from athenan.search.algorithms.best_first import ends
from athenan.search.budget import ActionLimits, Budget
from athenan.search.settings import Preparation, WalkSettings
from athenan.search.trees.algorithm import FOLLOW, Algorithm, Asks, Choose
from athenan.search.trees.forest import Forest, is_known
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.search.trees.selection import Positions, Select
from athenan.settings import Between

VISITS, SCALE = 50.0, 0.1
"""c_visit and c_scale: the weight of values relative to the logits of the policy."""
_NEARLY_EQUAL = 1e-8
_UNLIKELY = -1e9  # mctx's low_logit: an action without any probability can still be the only one considered
_LOST = -1e12


@helper
def _mixed_value(edges):
    """The value of unvisited actions (equation 33); without unvisited actions it does not matter.

    Every edge that was never followed holds the network's value of the state.
    """
    raw, mean, share, visits = 0.0, 0.0, 0.0, 0
    for number in range(len(edges)):
        edge = edges[number]
        if is_known(edge):
            mean += np.float64(edge.prior) * np.float64(edge.value)
            share += edge.prior
            visits += edge.visits
        else:
            raw = np.float64(edge.value)
    return (raw + visits * mean / share) / (1 + visits) if share > 0.0 else raw


@helper
def _completed(edge, mixed):
    return np.float64(edge.value) if is_known(edge) else mixed


@helper
def _scale(edges, side, mixed):
    """The parts of σ: the weight of the completed values, the best of them, and the visits of all edges."""
    least, most, most_visits, visits = np.inf, -np.inf, 0, 0
    for number in range(len(edges)):
        value = side * _completed(edges[number], mixed)
        least, most = min(least, value), max(most, value)
        most_visits = max(most_visits, edges[number].visits)
        visits += edges[number].visits
    return (VISITS + most_visits) * SCALE / max(most - least, _NEARLY_EQUAL), most, visits


@helper
def _is_lost(edge, side):
    return edge.resolution != 0 and side * edge.completion < 0


@helper
def _most_below_policy(node, edges, completion):
    """The position of the first edge whose share of visits is furthest below the improved policy."""
    side, mixed = sign(node.player), _mixed_value(edges)
    weight, most, visits = _scale(edges, side, mixed)
    total = 0.0
    for number in range(len(edges)):
        total += edges[number].prior * np.exp(weight * (side * _completed(edges[number], mixed) - most))
    best, furthest = 0, -np.inf
    for number in range(len(edges)):
        edge = edges[number]
        improved = edge.prior * np.exp(weight * (side * _completed(edge, mixed) - most)) / total
        below = improved - edge.visits / (1.0 + visits)
        if completion and _is_lost(edge, side):
            below -= 2.0  # less than any other
        if below > furthest:
            best, furthest = number, below
    return best


@helper
def considered_visits(candidates, iterations, number):
    """The visits that an action must have to be followed by an iteration of sequential halving; both count from 0.

    All candidates are visited equally, then the better half of them, and so on: `get_sequence_of_considered_visits` of
    mctx, computed for one iteration.
    """
    if candidates == 1:
        return number
    phases = 0
    while 1 << phases < candidates:
        phases += 1
    left, visits = candidates, 0
    while True:
        each = max(1, iterations // (phases * left))
        if number < each * left:
            return visits + number // left
        number -= each * left
        visits += each
        left = max(2, left // 2)


@helper
def _noise(seed, action):
    """The Gumbel noise of an action under a seed other than 0."""
    uniform = (np.float64(random_bits(seed, action) >> np.uint64(11)) + 0.5) * 2.0**-53
    return -np.log(-np.log(uniform))


@helper
def _best_considered(node, edges, completion):
    """The position of the best edge by noise + logits + σ(q) among those with the considered visits."""
    side, mixed = sign(node.player), _mixed_value(edges)
    weight, most, visits = _scale(edges, side, mixed)
    considered = considered_visits(np.int64(node.candidates), np.int64(node.halving), visits)
    best, highest = 0, -np.inf
    for number in range(len(edges)):
        edge = edges[number]
        if edge.visits == considered:
            score = np.log(np.float64(edge.prior)) + weight * (side * _completed(edge, mixed) - most)
            if node.noise:
                score += _noise(node.noise, edge.action)
            score = max(score, _UNLIKELY)
            if completion and _is_lost(edge, side):
                score += _LOST
            if score > highest:
                best, highest = number, score
    return best


@kernel(FOLLOW)
def follow_policy(node, edges, constants, random):
    """Follows sequential halving at a root that is prepared for it, and the improved policy elsewhere."""
    return _best_considered(node, edges, False) if node.halving else _most_below_policy(node, edges, False)


@kernel(FOLLOW)
def follow_policy_proven(node, edges, constants, random):
    """Follows as `follow_policy` does, but avoids proven losses."""
    return _best_considered(node, edges, True) if node.halving else _most_below_policy(node, edges, True)


@kernel(types.void(types.int64, ACTION_LIST, CONSTANTS))
def _noise_of(seed, actions, noise):
    for number in range(len(actions)):
        noise[number] = _noise(seed, actions[number])


@dataclass(frozen=True)
class Gumbel(WalkSettings):
    """The search of Gumbel AlphaZero, which follows the network's policy.

    A search limited only by iterations halves at its root, in a new tree, with Gumbel noise in self-play. It plays the
    action that halving found.
    """

    candidates: Annotated[int, Between(1, 10**6)] = 16
    """The number of actions with which sequential halving begins."""

    def algorithm(self, choose: Choose) -> Algorithm:
        back_up, update = means(self.completion, self.exact)

        def choose_after_halving(node: Node, random: np.random.Generator) -> int:
            return halved(node, np.arange(len(node.actions)), random) if node.halving else choose(node, random)

        return Algorithm(
            follow=follow_policy_proven if self.completion else follow_policy,
            goes_on=ends,
            back_up=back_up,
            update=update,
            asks=Asks.STATE | Asks.POLICY,
            choose=choose_after_halving,
            resolution_stop=self.completion and self.resolution_stop,
        )

    def preparation(self, budget: Budget, random: np.random.Generator | None = None) -> Preparation | None:
        iterations = budget.iterations
        if iterations is None or budget != Budget(iterations=iterations):
            return None

        def prepare(search: ForestSearch, slot: int) -> bool:
            noise = int(random.integers(1, 2**32)) if random else 0
            halve(search.forest, slot, self.candidates, iterations, noise)
            return len(search.root(slot).actions) > 1

        return Preparation(prepare, keeps_tree=False)  # halving shares all visits itself

    @property
    def select(self) -> Select:
        return halved

    def require_limits(self, limits: ActionLimits) -> None:
        if limits.iterations is None or limits != ActionLimits(iterations=limits.iterations):
            raise ValueError("the limit of an action must be iterations alone for gumbel, which shares them")


def halve(forest: Forest, slot: int, candidates: int, iterations: int, noise: int) -> None:
    """Prepares the root of a tree for a search by sequential halving.

    The search begins with `candidates` actions, or all if there are fewer, and is to last for `iterations`, at most
    2^31 - 1 of which count. The Gumbel noise of the actions follows from the seed `noise`, below 2^32; 0 means no
    noise, for play without randomness.

    Raises ValueError if the root is not expanded, or if its actions were already visited.
    """
    root = forest.nodes[slot, forest.slots[slot]["root"]]
    edges = forest.edges[slot, root["first_edge"] : root["first_edge"] + root["edges"]]
    if not len(edges):
        raise ValueError("the root has no actions yet: it is not expanded")
    if edges["visits"].any():
        raise ValueError("the actions of the root were already visited: sequential halving must give all visits")
    root["candidates"], root["noise"] = min(candidates, len(edges)), noise
    root["halving"] = min(iterations, 2**31 - 1)


def gumbel_noise(seed: int, actions: NDArray[np.int32]) -> NDArray[np.float64]:
    """The Gumbel noise of actions, by their numbers, under a seed; zeros for the seed 0."""
    noise = np.zeros(len(actions))
    if seed:
        _noise_of(seed, np.ascontiguousarray(actions), noise)
    return noise


def advantages(node: Node) -> NDArray[np.float64]:
    """The amount that the search adds to the logits of each action: σ(q), for q of the side to move.

    Proven losses are below all other actions.
    """
    seen = (node.counts > 0) | (node.children >= 0)
    values, priors = node.sign * node.values.astype(np.float64), node.priors.astype(np.float64)
    if not seen.all():
        raw, share, visits = values[~seen][0], priors[seen].sum(), node.counts.sum()
        mean = (priors[seen] @ values[seen]) / share if share > 0 else 0.0
        values = np.where(seen, values, (raw + visits * mean) / (1 + visits) if share > 0 else raw)
    spread = max(values.max() - values.min(), _NEARLY_EQUAL)
    added: NDArray[np.float64] = (VISITS + int(node.counts.max())) * SCALE / spread * (values - values.min())
    gains = node.sign * node.completions
    if (gains >= 0).any():
        added[gains < 0] = _LOST
    return added


def improved_policy(node: Node) -> NDArray[np.float64]:
    """softmax(logits + advantages), the policy that Gumbel AlphaZero learns; proven losses have none unless all lose.

    `node.priors` are the softmax of the logits.
    """
    added = advantages(node)
    weights = node.priors * np.exp(added - added.max())
    gains = node.sign * node.completions
    if (gains > 0).any():
        weights = (gains > 0).astype(np.float64)
    return weights / weights.sum() if weights.any() else np.full(len(weights), 1 / len(weights))


def halved(node: Node, positions: Positions, random: np.random.Generator) -> int:
    """The position of the action that sequential halving leaves: among the most visited, the best by its score.

    A proven win comes before all other actions, a proven loss after them.
    """
    gains = node.sign * node.completions[positions]
    best = positions[gains == gains.max()]
    best = best[node.counts[best] == node.counts[best].max()]
    with np.errstate(divide="ignore"):
        logits = np.log(node.priors.astype(np.float64))
    scores = np.maximum(gumbel_noise(node.noise, node.actions) + logits + advantages(node), _UNLIKELY)
    return int(best[np.argmax(scores[best])])
