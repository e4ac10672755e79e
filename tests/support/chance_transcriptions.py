"""Literal, slow transcriptions of searches with chance nodes: Figure 2 of paper 001, and MCTS that draws outcomes.

They are the transcriptions of deterministic games with what chance adds. As in the forest, probabilities and values are
rounded to float32, and an outcome is drawn by one random number.
"""

from typing import Any

import numpy as np
from best_first_transcription import Transcription
from monte_carlo_transcription import MonteCarlo

from athenan.rules.state import CHANCE


class _Chance:
    """What both have in common; `va` or `q` are v(s, a)."""

    game: Any
    state: Any
    actions: Any
    random: Any
    ca: Any

    def by_chance(self, s):
        return self.game.player(self.state(s)) == CHANCE

    def P(self, s):
        """The probabilities P(s, .)."""
        probabilities = self.game.probabilities(self.state(s)).astype(np.float32)
        return dict(zip(self.actions(s), map(float, probabilities), strict=True))

    def at_random(self, s, A):
        """An action of A at random according to P(s, .), which is renormalised."""
        P, left = self.P(s), 0.0
        for a in A:
            left += P[a]
        left *= self.random.unit()
        for a in A:
            left -= P[a]
            if left < 0:
                return a
        return A[-1]

    def expectation(self, s, A, values):
        """The sum of v(s, a) P(s, a) over A, renormalised."""
        P, total, share = self.P(s), 0.0, 0.0
        for a in A:
            total += P[a] * float(values[s, a])
            share += P[a]
        return np.float32(total / share)

    def common(self, s):
        """The c(s, a) that all outcomes have in common, else 0."""
        found = {self.ca[s, a] for a in self.actions(s)}
        return found.pop() if len(found) == 1 else 0


class DescentExpectiminimax(_Chance, Transcription):
    """Figure 2: `descent_iteration` is that of `Transcription`, with the best_action and backup_value of the figure.

    The others are Algorithms 1, 10 and 12 of 003 with the same two, and completion as `search.chance` defines it.
    """

    def best_action(self, s):
        if self.by_chance(s):
            return self.at_random(s, self.actions(s))
        return super().best_action(s)

    def best_value(self, s):
        """backup_value of the figure."""
        if self.by_chance(s):
            return self.expectation(s, self.actions(s), self.va)
        return super().best_value(s)

    def completed_best(self, s):
        if self.by_chance(s):
            return self.common(s), self.best_value(s)
        return super().completed_best(s)

    def completed_best_action_dual(self, s, A):
        if self.by_chance(s):
            return self.at_random(s, A)
        return super().completed_best_action_dual(s, A)

    def backup_resolution(self, s):
        if self.by_chance(s):
            return min(self.ra[s, a] for a in self.actions(s))
        return super().backup_resolution(s)


class ChanceMonteCarlo(_Chance, MonteCarlo):
    """An iteration passes through chance nodes, which hand on their expectation over the outcomes that are known."""

    def iterate(self, s):
        if self.terminal(s) or (self.completion and self.r.get(s)) or not self.by_chance(s):
            return super().iterate(s)
        if s not in self.N:
            self.expand_outcomes(s)
        if not (self.completion and self.r[s]):
            open_ = [a for a in self.actions(s) if not self.ra[s, a]] or self.actions(s)
            a = self.at_random(s, open_)
            child = self.after(s, a)
            self.iterate(child)
            self.n[s, a] += 1
            self.see(s, a, child)
            self.expect(s)
        self.N[s] += 1
        return float(self.v[s])

    def expand_outcomes(self, s):
        self.order.append(s)
        self.N[s], self.v[s], self.c[s], self.r[s] = 0, np.float32(0), 0, 0
        for a, p in self.P(s).items():
            self.n[s, a], self.q[s, a], self.ca[s, a], self.ra[s, a], self.p[s, a] = 0, np.float32(0), 0, 0, p
            if self.terminal(self.after(s, a)):
                self.see(s, a, self.after(s, a))
        self.expect(s)

    def expect(self, s):
        known = [a for a in self.actions(s) if self.n[s, a] or self.terminal(self.after(s, a))]
        if known:
            self.v[s] = self.expectation(s, known, self.q)
            self.q.update({(s, a): self.v[s] for a in self.actions(s) if a not in known})
        if self.completion:
            self.c[s], self.r[s] = self.common(s), min(self.ra[s, a] for a in self.actions(s))
