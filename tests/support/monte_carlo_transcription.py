"""Monte Carlo tree search with a network, written plainly: UCT and AlphaZero's PUCT, with and without a solver.

Tables are dictionaries. A state is its bytes and, without transpositions, the actions that led to it. Means are running
means in float32, as the forest has them; ties are broken by the random numbers of athenan.rules.randomness.
"""

import math

import numpy as np
import pytest
from best_first_transcription import Random, remember


class MonteCarlo:
    def __init__(
        self, game, evaluate, random_state, policy, exploration,
        completion=False, exact=False, transpositions=True, worth=None, scale=1.0,
    ):  # fmt: skip
        remember(self, "actions", "after", "side")
        self.game, self.evaluate, self.random = game, evaluate, Random(random_state)
        self.policy, self.exploration = policy, exploration
        self.completion, self.exact, self.transpositions = completion, exact, transpositions
        self.worth, self.scale = worth or game.outcome, scale
        self.order = []
        self.N, self.v, self.c, self.r = {}, {}, {}, {}
        self.n, self.q, self.ca, self.ra, self.p = {}, {}, {}, {}, {}

    def root(self, state):
        return (state.tobytes(), ())

    def state(self, s):
        return np.frombuffer(s[0], np.int8).copy()

    def actions(self, s):
        return [int(action) for action in self.game.actions(self.state(s))]

    def after(self, s, a):
        return (self.game.play(self.state(s), a).tobytes(), () if self.transpositions else (*s[1], a))

    def side(self, s):
        return 1 - 2 * self.game.player(self.state(s))

    def terminal(self, s):
        """Learns the value of a finished match; whether it is one."""
        outcome = self.game.outcome(self.state(s))
        if outcome is None:
            return False
        self.v[s], self.c[s], self.r[s] = np.float32(self.worth(self.state(s))), outcome, 1
        return True

    def expand(self, s):
        self.order.append(s)
        leaves = self.evaluate(self.game.encode(self.state(s))[None])
        self.N[s], self.v[s], self.c[s], self.r[s] = 1, leaves.values[0], 0, 0
        for a in self.actions(s):
            child = self.after(s, a)
            self.n[s, a], self.q[s, a], self.ca[s, a], self.ra[s, a] = 0, self.v[s], 0, 0
            if self.terminal(child):
                self.see(s, a, child)
        if self.policy:
            weights = {a: math.exp(leaves.policies[0][a]) for a in self.actions(s)}
            self.p.update({(s, a): weights[a] / sum(weights.values()) for a in weights})
        self.prove(s)

    def see(self, s, a, child):
        self.q[s, a] = self.v[child]
        if self.completion:
            self.ca[s, a], self.ra[s, a] = self.c[child], self.r[child]

    def prove(self, s):
        """Algorithm 11: the best (c, v), and resolved by a win or by all actions."""
        if not self.completion:
            return
        side, actions = self.side(s), self.actions(s)
        c, v = max((side * self.ca[s, a], side * self.q[s, a]) for a in actions)
        self.c[s] = side * c
        if all(self.ra[s, a] for a in actions) or (self.c[s] and not self.exact):
            self.r[s], self.v[s] = 1, side * v

    def bound(self, s, a):
        value = self.side(s) * float(self.q[s, a]) / self.scale
        if self.ra[s, a]:
            return -math.inf if self.exact or self.side(s) * self.ca[s, a] < 0 else value
        if self.policy:
            c = self.exploration + math.log((1 + self.N[s] + 19652) / 19652)
            return value + c * self.p[s, a] * math.sqrt(self.N[s]) / (1 + self.n[s, a])
        if self.n[s, a] == 0:
            return math.inf
        return value + self.exploration * math.sqrt(math.log(self.N[s]) / self.n[s, a])

    def choose(self, s):
        bounds = {a: self.bound(s, a) for a in self.actions(s)}
        tied = [a for a, bound in bounds.items() if bound == max(bounds.values())]
        return tied[self.random.below(len(tied))] if len(tied) > 1 else tied[0]

    def iterate(self, s):
        """One iteration from a state; returns what it found, from the first player's point of view."""
        if self.terminal(s) or (self.completion and self.r.get(s)):
            return float(self.v[s])
        if s not in self.N:
            self.expand(s)
            return float(self.v[s])
        a = self.choose(s)
        child = self.after(s, a)
        result = self.iterate(child)
        self.n[s, a] += 1
        self.see(s, a, child)
        self.v[s] = np.float32(float(self.v[s]) + (result - float(self.v[s])) / (self.N[s] + 1))
        self.N[s] += 1
        self.prove(s)
        return result

    def run(self, s, iterations):
        for _ in range(iterations):
            if self.completion and self.r.get(s):
                break
            self.iterate(s)


def assert_same_tree(search, reference):
    """The same states in the same order, with the same visits and values."""
    nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
    expanded = np.flatnonzero(nodes["edges"])
    assert [search.forest.states[0, number].tobytes() for number in expanded] == [s[0] for s in reference.order]
    for number, s in zip(expanded, reference.order, strict=True):
        node, edges = search.node(int(number)), [(s, a) for a in reference.actions(s)]
        assert node.actions.tolist() == [a for _, a in edges]
        assert node.counts.tolist() == [reference.n[edge] for edge in edges]
        assert node.values.tolist() == [reference.q[edge] for edge in edges]
        assert node.resolutions.tolist() == [reference.ra[edge] for edge in edges]
        assert node.completions.tolist() == [reference.ca[edge] for edge in edges]
        assert (node.value, node.completion, node.resolution) == (reference.v[s], reference.c[s], reference.r[s])
        if reference.policy:
            assert node.priors == pytest.approx([reference.p[edge] for edge in edges], rel=1e-5)
