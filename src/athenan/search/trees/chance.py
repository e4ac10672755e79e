"""Chance nodes: states of a tree where chance is to move. The walk treats them alike for all algorithms.

The edges of a chance node are its outcomes, with their probabilities P(s, a) as `prior`. An iteration follows an
outcome drawn by these probabilities, with completion among the unresolved ones. The value of the node is the
expectation of its edges' values (001, Figure 2). Kernels of algorithms see only decision nodes.

**Completion.** c(s) is 1 if the first player wins whatever chance brings, -1 if the second does, else 0; r(s) is 1 if
v(s) is exact. A chance node has the c that all of its edges share, else 0, and r = 1 if all are resolved. A decision
node follows the rule of deterministic games (003, Algorithm 11): c and v of the edge that is best by (c, v) for the
side to move, and r = 1 if all edges are resolved or, without `exact`, by a certain win.

*Claim.* Let C(s) be 1 or -1 if the first or the second player can win whatever chance brings, else 0, and E(s) the
expectation of f_t if both sides play what is best by (C, E). Then c(s) is C(s) unless it is 0, and if r(s) = 1,
c(s) = C(s) and v(s) = E(s). If f_t is the gain, E(s) is the expectation if both sides play what is best by E alone.

*Proof*, by induction over the finitely many states that can follow a state. Whatever an edge holds was true of its
child when it was stored, and what is claimed of a state does not change. A terminal state has c = C, v = E. A chance
node: if all edges have c = 1, every outcome is a certain win, and so is the node. If all edges are resolved, their c
and v are C and E of the outcomes. The node is certain exactly if all outcomes are and agree, and the sum of P v is E. A
decision node of the first player (a node of the second is its mirror image): c = 1 is the c of an edge, whose action
wins for certain; c = -1 is the c of all edges, so all actions lose. If all edges are resolved, the best (c, v) is the
best (C, E). A certain win resolves the node earlier only if f_t is the gain. Then that edge is also resolved (without
`exact`, what is certain is resolved at every node), and its v is E = 1, the largest value. With another heuristic one
certain win may be worth more than another, so games of chance are then searched with `exact`. If f_t is the gain, C = 1
exactly if E = 1, the largest value, and C = -1 exactly if E = -1, the least. So what is best by E is best by (C, E),
and conversely.

So c = 0 and r = 1 mean an exact expectation, which need not be a draw.

**Points.** Under the score of a game (`rules.terminal.counts_points`) the order (C, E) would be wrong: it prefers a
certain win of one point to an expectation of 1.7, though only points count, and whoever maximises E(s) gets no less in
the long run than by any other play. There the completion of finished matches is 0, and so is the completion of all
states. What is best by (c, v) is then best by v, for every algorithm, and the claim holds with E(s) as the expectation
of the score if both sides play what is best by E alone: r(s) = 1 says that v(s) = E(s). One-player games follow the
same rule. Heuristics that refine the gain, such as depth, keep the order (C, E): their points are not points of the
game, and a certain win is never given up for them.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import STATE, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.memory import scratch
from athenan.rules.randomness import MOST_OUTCOMES, random_unit
from athenan.search.trees.forest import EDGE, is_known


@kernel(types.void(RULES, STATE, array_of(EDGE)))
def take_probabilities(rules, state, edges):
    """Sets the priors of the edges of a chance node to the probabilities of its outcomes.

    A separate function, so that only chance spends time on clearing the room for them.
    """
    probabilities = scratch(MOST_OUTCOMES, np.float64)
    calls.probabilities(rules, state, probabilities)
    for number in range(len(edges)):
        edges[number].prior = probabilities[number]


@helper
def _share(edges, resolved):
    """The probability of the edges with this resolution."""
    share = 0.0
    for number in range(len(edges)):
        if edges[number].resolution == resolved:
            share += edges[number].prior
    return share


@helper
def draw_outcome(edges, random):
    """The position of an open outcome, or of any if none is open, drawn by the probabilities with one random number."""
    share, resolved = _share(edges, 0), 0
    if share == 0.0:
        share, resolved = _share(edges, 1), 1
    left, drawn = share * random_unit(random, 0), -1
    for number in range(len(edges)):
        if edges[number].resolution == resolved:
            drawn = number
            left -= edges[number].prior
            if left < 0.0:
                break
    return drawn


@helper
def expect(node, edges, sampled):
    """Updates a chance node from its edges: v(s) is the sum of P(s, a) v(s, a), in float64; c(s), r(s) as above.

    If outcomes are only `sampled`, not evaluated with the node, an outcome that was not yet drawn counts as much as the
    expectation of the others.
    """
    total, share, all_resolved, completion = 0.0, 0.0, True, edges[0].completion
    for number in range(len(edges)):
        edge = edges[number]
        if edge.completion != completion:
            completion = 0
        all_resolved = all_resolved and edge.resolution != 0
        if not sampled or is_known(edge):
            total += np.float64(edge.prior) * np.float64(edge.value)
            share += edge.prior
    node.completion = completion
    node.resolution = all_resolved
    if share == 0.0:
        return
    node.value = total / share
    if sampled:
        for number in range(len(edges)):
            if not is_known(edges[number]):
                edges[number].value = node.value
