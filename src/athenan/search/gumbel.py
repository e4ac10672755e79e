"""Gumbel AlphaZero's search, as kernels of the forest's walk, and the policy that it improves.

Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel" (ICLR 2022), with the
constants and the rescaled values of its authors' library mctx.

The value of an action that was not visited is thought to be the mixed value of its state (their appendix D): of the
network's value and of the mean of the visited actions by the policy. With these completed values q, rescaled to [0, 1]
among the actions of the state, the improved policy is softmax(logits + (50 + the most visits) · 0.1 · q). Inside the
tree the action is followed whose share of visits is furthest below its improved policy. At a root with candidates,
which sequential halving chooses (`learning.schedules`), the least visited candidate is.

Means, backups and the solver are those of `bandits`. Inside the tree a proven loss is followed only if all actions are;
the candidates of a root are visited equally, proven or not, but a proven loss is the first to be dropped.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import helper, kernel
from athenan.rules.state import sign
from athenan.search.algorithm import FOLLOW, Algorithm, Asks, Choose
from athenan.search.bandits import means
from athenan.search.best_first import ends
from athenan.search.forest import is_known
from athenan.search.node import Node
from athenan.search.selection import Positions
from athenan.search.settings import WalkSettings

VISITS, SCALE = 50.0, 0.1
"""c_visit and c_scale: how much values weigh beside the logits of the policy."""
_NEARLY_EQUAL = 1e-8
_LOST = -1e300  # finite: a candidate that loses is still before an action that is none


@helper
def _mixed_value(edges):
    """The value of the actions that were not visited (equation 33); where all were, it does not matter.

    The network's value of the state stands on every edge that was never followed.
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
def _most_below_policy(node, edges, completion):
    """The position of the edge whose share of visits is furthest below the improved policy; of several the first."""
    side, mixed = sign(node.player), _mixed_value(edges)
    least, most, most_visits, visits = np.inf, -np.inf, 0, 0
    for number in range(len(edges)):
        value = side * _completed(edges[number], mixed)
        least, most = min(least, value), max(most, value)
        most_visits = max(most_visits, edges[number].visits)
        visits += edges[number].visits
    weight = (VISITS + most_visits) * SCALE / max(most - least, _NEARLY_EQUAL)
    total = 0.0
    for number in range(len(edges)):
        total += edges[number].prior * np.exp(weight * (side * _completed(edges[number], mixed) - most))
    best, furthest = 0, -np.inf
    for number in range(len(edges)):
        edge = edges[number]
        improved = edge.prior * np.exp(weight * (side * _completed(edge, mixed) - most)) / total
        below = improved - edge.visits / (1.0 + visits)
        if completion and edge.resolution != 0 and side * edge.completion < 0:
            below -= 2.0  # less than that of any other
        if below > furthest:
            best, furthest = number, below
    return best


@helper
def _least_visited_candidate(edges):
    best = -1
    for number in range(len(edges)):
        if edges[number].candidate and (best < 0 or edges[number].visits < edges[best].visits):
            best = number
    return best


@kernel(FOLLOW)
def follow_policy(node, edges, constants, random):
    """The least visited candidate of a root with candidates, elsewhere by the improved policy."""
    return _least_visited_candidate(edges) if node.halving else _most_below_policy(node, edges, False)


@kernel(FOLLOW)
def follow_policy_proven(node, edges, constants, random):
    """The same, where proven losses are avoided inside the tree."""
    return _least_visited_candidate(edges) if node.halving else _most_below_policy(node, edges, True)


@dataclass(frozen=True)
class Gumbel(WalkSettings):
    """The search of Gumbel AlphaZero, which follows the network's policy."""

    def algorithm(self, choose: Choose) -> Algorithm:
        back_up, update = means(self.completion, self.exact)
        return Algorithm(
            follow=follow_policy_proven if self.completion else follow_policy,
            goes_on=ends,
            back_up=back_up,
            update=update,
            asks=Asks.STATE | Asks.POLICY,
            choose=choose,
            resolution_stop=self.completion and self.resolution_stop,
        )


def advantages(node: Node) -> NDArray[np.float64]:
    """What the search adds to the logits of each action: (50 + the most visits) · 0.1 · q, q of the side to move.

    Proven losses are below all others, if there are any.
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


def the_candidate(node: Node, positions: Positions, random: np.random.Generator) -> int:
    """The action that sequential halving has kept; one of the most visited if that is not among the positions."""
    kept = positions[node.candidates[positions] > 0]
    if kept.size:
        return int(kept[0])
    counts = node.counts[positions]
    return int(random.choice(positions[counts == counts.max()]))
