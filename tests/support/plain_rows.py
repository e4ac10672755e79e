"""A row of a batch, stepped by the public calls of a game, with random numbers written in plain Python.

The generator is splitmix64: G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators" (2014).
"""

import numpy as np

from athenan.rules.state import CHANCE

GOLDEN, WORD = 0x9E3779B97F4A7C15, (1 << 64) - 1


def mixed(bits):
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & WORD
    return bits ^ (bits >> 31)


class Stream:
    """The random numbers of one stream of a row."""

    def __init__(self, seed, number):
        self.state = mixed((mixed(seed) + (number + 1) * GOLDEN) & WORD)

    def bits(self):
        self.state = (self.state + GOLDEN) & WORD
        return mixed(self.state)

    def below(self, bound):
        return (self.bits() >> 32) * bound >> 32

    def outcome(self, probabilities):
        left = (self.bits() >> 11) * 2.0**-53
        for number, probability in enumerate(probabilities[:-1]):
            left -= probability
            if left < 0:
                return number
        return len(probabilities) - 1


class SlowRow:
    """What `StateBatch` promises of a row, with its defaults."""

    def __init__(self, game, seed, drawn=True):
        self.game, self.drawn = game, drawn
        self.chance, self.samples = Stream(seed, 0), Stream(seed, 1)
        self.rewards, self.end, self.final = [0.0] * game.players, False, None
        self.begin()

    def begin(self):
        self.enter(self.pass_chance(self.game.initial()))

    def enter(self, state):
        self.state, self.actions = state, self.game.actions(state)

    def pass_chance(self, state):
        while self.drawn and state[0] == CHANCE and self.game.outcome(state) is None:
            drawn = self.chance.outcome(self.game.probabilities(state))
            state = self.game.play(state, self.game.actions(state)[drawn])
        return state

    def sample(self):
        if self.state[0] == CHANCE:
            return int(self.actions[self.samples.outcome(self.game.probabilities(self.state))])
        return int(self.actions[self.samples.below(len(self.actions))])

    def step(self, action):
        game = self.game
        state = self.pass_chance(game.play(self.state, action))
        outcome = game.outcome(state)
        self.end, self.rewards = outcome is not None, [0.0] * game.players
        if self.end:
            self.final = state
            self.rewards = [game.score(state)] if game.players == 1 else [outcome, -outcome]
            self.begin()
        else:
            self.enter(state)


def require_same(batch, rows):
    """Compares all that a batch shows with its rows, stepped one by one."""
    encode, masks = batch.game.encode, np.zeros_like(batch.masks)
    for mask, row in zip(masks, rows, strict=True):
        mask[row.actions] = True
    assert np.array_equal(batch.states, [row.state for row in rows])
    assert np.array_equal(batch.players, [row.state[0] for row in rows])
    assert np.array_equal(batch.observations, [encode(row.state) for row in rows])
    assert np.array_equal(batch.masks, masks)
    assert np.array_equal(batch.rewards, np.array([row.rewards for row in rows], np.float32))
    assert np.array_equal(batch.ends, [row.end for row in rows])
    for row in batch.ends.nonzero()[0]:
        assert np.array_equal(batch.final_states[row], rows[row].final)
        assert np.array_equal(batch.final_observations[row], encode(rows[row].final))
