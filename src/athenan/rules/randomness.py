"""Random numbers for compiled code: splitmix64, one uint64 of state per stream."""

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import helper

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def streams(seed: int, count: int) -> NDArray[np.uint64]:
    """`count` independent random states made from one seed; shape [count]."""
    return np.asarray(np.random.SeedSequence(seed).generate_state(count, np.uint64), np.uint64)


@helper
def next_random(random, stream):
    """The next 64 random bits of a stream; `random` is uint64[streams]."""
    random[stream] += _GOLDEN
    bits = random[stream]
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return bits ^ (bits >> np.uint64(31))


@helper
def random_below(random, stream, bound):
    """A random integer in [0, bound), bound < 2^32; the bias is below bound / 2^32."""
    return np.int64(((next_random(random, stream) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@helper
def random_action(rules, state, actions, random):
    """A legal action of a state that is not terminal, each equally likely; `actions` is room for all of them."""
    if calls.has_sample(rules):
        return calls.sample(rules, state, random)
    return np.int64(actions[random_below(random, 0, calls.actions(rules, state, actions))])
