"""Literal, slow, recursive transcriptions of Algorithms 1 and 9 to 13 of paper 003, for comparison.

Tables are dictionaries, states are bytes. The only additions: `order` records the states in the order in which they
enter S, ties are broken by the random numbers of athenan.rules.randomness (one draw below the number of tied
actions, if there are several), and without transpositions a state is identified by the actions that led to it.
"""

from functools import cache

import numpy as np

from athenan.rules.playouts import drawn_action

MASK = 2**64 - 1


class Random:
    """splitmix64, written from its definition."""

    def __init__(self, state):
        self.state = int(state)

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return ((self.bits() >> 32) * bound) >> 32

    def unit(self):
        return (self.bits() >> 11) * 2.0**-53

    def action(self, game, state):
        """A random action, as the game draws it."""
        stream = np.array([self.state], np.uint64)
        action = drawn_action(game, state, stream)
        self.state = int(stream[0])
        return action


def remember(transcription, *names):
    """Lets methods that ask only the game remember their answers, as the algorithms ask for most of them many times."""
    for name in names:
        setattr(transcription, name, cache(getattr(transcription, name)))


Reached = tuple[bytes, tuple[int, ...]]
"""A state; without transpositions also the actions that led to it."""


class Transcription:
    def __init__(self, game, evaluate, random_state, transpositions=True):
        remember(self, "actions", "after", "terminal", "first_player")
        self.game, self.evaluate = game, evaluate
        self.random = Random(random_state)
        self.transpositions = transpositions
        self.S, self.order = set(), []
        self.v, self.c, self.r = {}, {}, {}
        self.va, self.ca, self.ra, self.na = {}, {}, {}, {}

    # -- the game ---------------------------------------------------------------------------------------------------

    def root(self, state):
        return (state.tobytes(), ())

    def state(self, s):
        return np.frombuffer(s[0], np.int8).copy()

    def actions(self, s):
        return [int(a) for a in self.game.actions(self.state(s))]

    def after(self, s, a):
        path = () if self.transpositions else (*s[1], a)
        return (self.game.play(self.state(s), a).tobytes(), path)

    def terminal(self, s):
        return self.game.outcome(self.state(s)) is not None

    def first_player(self, s):
        return self.game.player(self.state(s)) == 0

    def f(self, s):
        return self.evaluate(self.game.encode(self.state(s))[None])[0]

    def f_t(self, s):
        return np.float32(self.game.outcome(self.state(s)))

    def add(self, s):
        if s not in self.S:
            self.S.add(s)
            self.order.append(s)

    # -- choices ----------------------------------------------------------------------------------------------------

    def arg(self, extreme, A, key):
        """arg max or arg min; a tie is broken by one random number."""
        value = extreme(key(a) for a in A)
        tied = [a for a in A if key(a) == value]
        return tied[self.random.below(len(tied))] if len(tied) > 1 else tied[0]

    def extreme(self, s):
        return max if self.first_player(s) else min

    def best_action(self, s):
        return self.arg(self.extreme(s), self.actions(s), lambda a: self.va[s, a])

    def best_value(self, s):
        """v(s, best_action(s)), which does not depend on ties."""
        return self.extreme(s)(self.va[s, a] for a in self.actions(s))

    def completed_best(self, s):
        """(c, v) of completed_best_action(s, actions(s)), which do not depend on ties."""
        return self.extreme(s)((self.ca[s, a], self.va[s, a]) for a in self.actions(s))

    def completed_best_action_dual(self, s, A):
        if self.first_player(s):
            return self.arg(max, A, lambda a: (self.ca[s, a], self.va[s, a], -self.na.get((s, a), 0)))
        return self.arg(min, A, lambda a: (self.ca[s, a], self.va[s, a], self.na.get((s, a), 0)))

    def backup_resolution(self, s):
        if abs(self.c[s]) == 1:
            return 1
        return min(self.ra[s, a] for a in self.actions(s))

    def safest_action(self, s):
        if self.first_player(s):
            key = lambda a: (self.ca[s, a], self.na.get((s, a), 0), self.va[s, a])
            return max(self.actions(s), key=key)
        key = lambda a: (self.ca[s, a], -self.na.get((s, a), 0), self.va[s, a])
        return min(self.actions(s), key=key)

    # -- Algorithm 1 ------------------------------------------------------------------------------------------------

    def ubfm_iteration(self, s):
        if self.terminal(s):
            self.add(s)
            self.v[s] = self.f_t(s)
            return self.v[s]
        if s not in self.S:
            self.add(s)
            for a in self.actions(s):
                child = self.after(s, a)
                if self.terminal(child):
                    self.add(child)
                    self.v[child] = self.f_t(child)
                    self.va[s, a] = self.v[child]
                else:
                    self.va[s, a] = self.f(child)
        else:
            a = self.best_action(s)
            self.na[s, a] = self.na.get((s, a), 0) + 1
            self.va[s, a] = self.ubfm_iteration(self.after(s, a))
        self.v[s] = self.best_value(s)
        return self.v[s]

    # -- Algorithm 9 ------------------------------------------------------------------------------------------------

    def descent_iteration(self, s):
        if self.terminal(s):
            self.add(s)
            self.v[s] = self.f_t(s)
            return self.v[s]
        if s not in self.S:
            self.add(s)
            for a in self.actions(s):
                child = self.after(s, a)
                if self.terminal(child):
                    self.va[s, a] = self.descent_iteration(child)
                else:
                    self.va[s, a] = self.f(child)
        a = self.best_action(s)
        self.na[s, a] = self.na.get((s, a), 0) + 1
        self.va[s, a] = self.descent_iteration(self.after(s, a))
        self.v[s] = self.best_value(s)
        return self.v[s]

    # -- Algorithm 10 -----------------------------------------------------------------------------------------------

    def terminal_values(self, s):
        self.add(s)
        self.r[s], self.c[s], self.v[s] = 1, self.game.outcome(self.state(s)), self.f_t(s)
        return self.r[s], self.c[s], self.v[s]

    def completed_expansion(self, s):
        for a in self.actions(s):
            child = self.after(s, a)
            if self.terminal(child):
                self.ra[s, a], self.ca[s, a], self.va[s, a] = self.terminal_values(child)
            else:
                self.ra[s, a], self.ca[s, a], self.va[s, a] = 0, 0, self.f(child)

    def completed_back_up(self, s):
        self.c[s], self.v[s] = self.completed_best(s)
        self.r[s] = self.backup_resolution(s)

    def completed_step(self, s, iteration):
        A = [a for a in self.actions(s) if self.ra[s, a] == 0]
        a = self.completed_best_action_dual(s, A)
        self.na[s, a] = self.na.get((s, a), 0) + 1
        self.ra[s, a], self.ca[s, a], self.va[s, a] = iteration(self.after(s, a))

    def completed_descent_iteration(self, s):
        if self.terminal(s):
            return self.terminal_values(s)
        if s not in self.S:
            self.add(s)
            self.completed_expansion(s)
            self.completed_back_up(s)
        if self.r[s] == 0:
            self.completed_step(s, self.completed_descent_iteration)
            self.completed_back_up(s)
        return self.r[s], self.c[s], self.v[s]

    # -- Algorithm 12 -----------------------------------------------------------------------------------------------

    def completed_ubfm_iteration(self, s):
        if self.terminal(s):
            return self.terminal_values(s)
        if self.r.get(s, 0) == 0:
            if s not in self.S:
                self.add(s)
                self.completed_expansion(s)
            else:
                self.completed_step(s, self.completed_ubfm_iteration)
            self.completed_back_up(s)
        return self.r[s], self.c[s], self.v[s]

    def run(self, s, algorithm, completion, iterations):
        iteration = {
            ("ubfm", False): self.ubfm_iteration,
            ("descent", False): self.descent_iteration,
            ("ubfm", True): self.completed_ubfm_iteration,
            ("descent", True): self.completed_descent_iteration,
        }[algorithm, completion]
        for _ in range(iterations):
            if completion and self.r.get(s, 0):
                break
            iteration(s)


def assert_same_tree(search, reference, completion):
    """The same states in the same order, with all that is known of them."""
    assert search.forest.slots[0]["nodes"] == len(reference.order)
    for number, s in enumerate(reference.order):
        node = search.node(number)
        assert search.forest.states[0, number].tobytes() == s[0]
        assert node.value == reference.v[s]
        if completion:
            assert (node.completion, node.resolution) == (reference.c[s], reference.r[s])
        if reference.terminal(s):
            continue
        assert node.actions.tolist() == reference.actions(s)
        for a, v, c, r, n in zip(
            node.actions.tolist(), node.values, node.completions, node.resolutions, node.counts, strict=True
        ):
            assert v == reference.va[s, a]
            assert n == reference.na.get((s, a), 0)
            assert (c, r) == ((reference.ca[s, a], reference.ra[s, a]) if completion else (0, 0))
