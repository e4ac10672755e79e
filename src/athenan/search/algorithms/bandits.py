"""UCT and PUCT: Monte Carlo tree search whose leaves a network evaluates, as kernels of the forest's walk.

An iteration follows, from the root on, the edge with the highest upper confidence bound, expands the state that it
reaches, and gives its value to all states that it passed: v(s) is the mean result of the iterations through s, and v(s,
a) is the child's value as last seen through the edge. Nothing is played at random.

| | the bound of an edge followed n times, of a state visited N times, for the side to move | source |
| --- | --- | --- |
| uct | v + c √(ln N / n), infinite if n = 0 | UCB1: Kocsis and Szepesvári (2006) |
| puct | v + c(N) P √N / (1 + n), c(N) = c + ln((1 + N + 19652) / 19652) | AlphaZero: Silver et al. (2018) |

Here v is in units of the heuristic's scale, about [-1, 1], so that c means the same for all heuristics.

With completion, terminal states are propagated as in best-first search: a state is resolved by a win, or when all its
edges are, and has its exact value from then on. A resolved edge competes by its exact value alone: what is known needs
no exploration, and a proven draw still counts in the mean. An edge to a proven loss is followed only if all edges are
proven losses. If exact values are to be proven, any resolved edge is followed only if all are, because it has nothing
more to prove.
"""

from dataclasses import dataclass

import numpy as np

from athenan.rules.compiler import Helper, Kernel, helper, inlined, kernel
from athenan.search.algorithms.best_first import back_up_proof, back_up_value, completed_best, ends
from athenan.search.algorithms.visits import NoiseSettings
from athenan.search.settings import Exploration, TurnSettings, WalkSettings
from athenan.search.trees.algorithm import FOLLOW, UPDATE, Algorithm, Asks, Choose
from athenan.search.trees.ties import best_by

_GROWTH = 19652.0  # visits after which AlphaZero's c has grown by ln 2


@helper
def _width(node, constants, policy):
    """The part that the bounds of all edges of a node share."""
    visits = np.float64(max(1, node.visits))
    if policy:
        return (constants[0] + np.log((1.0 + visits + _GROWTH) / _GROWTH)) * np.sqrt(visits)
    return np.log(visits)


def _bound(policy: bool, completion: bool) -> Helper:
    """Makes the upper confidence bound of an edge; `constants` are c, whether open edges go first, and the scale."""

    @inlined
    def bound(node, edge, side, width, constants):
        value = side * np.float64(edge.value) / constants[-1]
        if completion and edge.resolution != 0:
            return value if side * edge.completion >= 0 and not constants[1] else -np.inf
        if policy:
            return value + width * edge.prior / (1.0 + edge.visits)
        if edge.visits == 0:
            return np.inf
        return value + constants[0] * np.sqrt(width / edge.visits)

    return bound


_ucb, _ucb_proven = best_by(_bound(False, False)), best_by(_bound(False, True))
_puct, _puct_proven = best_by(_bound(True, False)), best_by(_bound(True, True))


@kernel(FOLLOW)
def follow_ucb(node, edges, constants, random):
    """UCB1."""
    return _ucb(node, edges, _width(node, constants, False), constants, random)


@kernel(FOLLOW)
def follow_ucb_proven(node, edges, constants, random):
    """UCB1 with proven results."""
    return _ucb_proven(node, edges, _width(node, constants, False), constants, random)


@kernel(FOLLOW)
def follow_puct(node, edges, constants, random):
    """AlphaZero's PUCT."""
    return _puct(node, edges, _width(node, constants, True), constants, random)


@kernel(FOLLOW)
def follow_puct_proven(node, edges, constants, random):
    """AlphaZero's PUCT with proven results."""
    return _puct_proven(node, edges, _width(node, constants, True), constants, random)


@helper
def _begin(node, edges, result):
    """Gives edges to unfinished states, after an expansion, the value of their state.

    That is the first-play urgency of PUCT: until an edge is followed, it counts as much as the state.
    """
    if node.visits == 0:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].value = result


@helper
def _take_mean(node, result):
    """The mean result of the iterations through the node."""
    node.value += (result - node.value) / (node.visits + 1)


@helper
def _take_proof(node, edges, exact):
    """Gives the node c(s) and r(s), and if it is resolved its exact v(s) by Algorithm 11; returns r(s)."""
    best, all_resolved = completed_best(node, edges)
    node.completion = edges[best].completion
    resolved = all_resolved or (not exact and node.completion != 0)
    if resolved:
        node.resolution = 1
        node.value = edges[best].value
    return resolved


@kernel(UPDATE)
def update_mean(node, edges, result, constants):
    """Gives the node the mean result."""
    _begin(node, edges, result)
    _take_mean(node, result)


@kernel(UPDATE)
def update_mean_proven(node, edges, result, constants):
    """Resolved by a win, or when all edges are; else the mean."""
    _begin(node, edges, result)
    if not _take_proof(node, edges, False):
        _take_mean(node, result)


@kernel(UPDATE)
def update_mean_exact(node, edges, result, constants):
    """Resolved when all edges are (Remark 30); else the mean."""
    _begin(node, edges, result)
    if not _take_proof(node, edges, True):
        _take_mean(node, result)


def means(completion: bool, exact: bool) -> tuple[Kernel, Kernel]:
    """The kernels `back_up` and `update` of searches whose values are means; `exact` is for completion alone."""
    if not completion:
        return back_up_value, update_mean
    return back_up_proof, update_mean_exact if exact else update_mean_proven


@dataclass(frozen=True)
class Uct(TurnSettings, WalkSettings):
    """UCT whose leaves a network evaluates (003, section 3.3 and Remark 6)."""

    exploration: Exploration = 0.4
    """c of UCB1, for values of about [-1, 1]; the default is from 003, section 3.3."""

    def algorithm(self, choose: Choose) -> Algorithm:
        follow = follow_ucb_proven if self.completion else follow_ucb
        return bandit(self, self.exploration, follow, Asks.STATE, choose)


@dataclass(frozen=True)
class Puct(NoiseSettings):
    """The search of AlphaZero (Silver et al. 2018), which follows the network's policy."""

    exploration: Exploration = 1.25
    """c of PUCT, for values of about [-1, 1]; the default is AlphaZero's."""

    def algorithm(self, choose: Choose) -> Algorithm:
        follow = follow_puct_proven if self.completion else follow_puct
        return bandit(self, self.exploration, follow, Asks.STATE | Asks.POLICY, choose)


def bandit(settings: WalkSettings, exploration: float, follow: Kernel, asks: Asks, choose: Choose) -> Algorithm:
    """A search by means that expands one state per iteration; its first constants are c and whether it is exact."""
    back_up, update = means(settings.completion, settings.exact)
    return Algorithm(
        follow=follow,
        goes_on=ends,
        back_up=back_up,
        update=update,
        asks=asks,
        choose=choose,
        resolution_stop=settings.completion and settings.resolution_stop,
        constants=(exploration, float(settings.exact)),
    )
