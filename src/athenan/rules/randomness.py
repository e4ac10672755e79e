"""Random numbers for compiled code: splitmix64 with one uint64 of state per stream."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import RANDOM, STATE
from athenan.rules.compiler import helper, inlined, kernel
from athenan.rules.kernels import RULES
from athenan.rules.memory import scratch
from athenan.rules.state import CHANCE

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def streams(seed: int, count: int) -> NDArray[np.uint64]:
    """`count` independent random states made from one seed; shape [count]."""
    return np.asarray(np.random.SeedSequence(seed).generate_state(count, np.uint64), np.uint64)


@helper
def _mixed(bits):
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return bits ^ (bits >> np.uint64(31))


@helper
def next_random(random, stream):
    """The next 64 random bits of a stream; `random` is uint64[streams]."""
    random[stream] += _GOLDEN
    return _mixed(random[stream])


@helper
def random_bits(seed, position):
    """The 64 random bits at a position of the seed's own stream."""
    return _mixed(_mixed(np.uint64(seed)) + (np.uint64(position) + np.uint64(1)) * _GOLDEN)


@kernel(types.int64(RANDOM))
def seed_from(random):
    """A random seed in [0, 2^63); `random`, a stream of uint64[1], advances."""
    return np.int64(next_random(random, 0) >> np.uint64(1))


@helper
def random_below(random, stream, bound):
    """A random integer in [0, bound), bound < 2^32; the bias is below bound / 2^32."""
    return np.int64(((next_random(random, stream) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


MOST_OUTCOMES = 256
"""Most outcomes of a state where chance is to move."""
_TO_UNIT = 2.0**-53


@helper
def random_unit(random, stream):
    """A random number in [0, 1)."""
    return np.float64(next_random(random, stream) >> np.uint64(11)) * _TO_UNIT


@helper
def draw(probabilities, count, random):
    """A position in [0, count), drawn by the probabilities; the last position takes what rounding leaves."""
    left = random_unit(random, 0)
    for position in range(count - 1):
        left -= probabilities[position]
        if left < 0:
            return position
    return count - 1


@kernel(types.int64(RULES, STATE, types.int64, RANDOM))
def random_outcome(rules, state, count, random):
    """Draws an outcome by its probability; returns its position among the `count` outcomes of a state of chance.

    This is a separate function so that its callers stay small.
    """
    probabilities = scratch(MOST_OUTCOMES, np.float64)
    calls.probabilities(rules, state, probabilities)
    return draw(probabilities, count, random)


@inlined  # a call with all of `Rules` takes up to a quarter of a short game's time
def random_action(rules, state, actions, random):
    """A legal action of a non-terminal state, each equally likely, or an outcome of chance by its probability.

    `actions` is room for `max_actions`.
    """
    if calls.has_sample(rules):
        return calls.sample(rules, state, random)
    count = calls.actions(rules, state, actions)
    if state[0] == CHANCE:
        return np.int64(actions[random_outcome(rules, state, count, random)])
    return np.int64(actions[random_below(random, 0, count)])
