"""The evaluation functions of tests that need values but no network: hashes of the planes, or of the state."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import Kernel, helper
from athenan.rules.game import Game
from athenan.rules.leaf import by_state
from athenan.rules.leaves import Evaluate, Leaves

LEVELS = 1 << 20
"""So many different values that ties are rare."""


@helper
def hash_state(state):
    """A number from 0 to 10,006 that depends on every byte of a state, for kernels."""
    total = 0
    for place in range(state.shape[0]):
        total = (total * 31 + state[place] + 128) % 10_007
    return total


class Valued:
    """A `STATE_VALUE` kernel as an evaluator in compiled code; it is never asked for batches."""

    def __init__(self, value: Kernel) -> None:
        self.leaf = by_state(value)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        raise AssertionError("the search evaluates itself")


def of_values(values: Callable[[NDArray[np.int8]], NDArray[np.float32]]) -> Evaluate:
    """An evaluator that gives only values, made from a function of encoded states."""
    return lambda planes: Leaves(values(planes))


def hash_levels(planes: NDArray[np.int8], levels: int = LEVELS, power: int = 3) -> NDArray[np.int64]:
    """A number from 0 to `levels` - 1 for each state, which depends on every plane; with few levels it has many ties.

    With a `power` of 1, moves in the same direction often change it by the same number.
    """
    flat = planes.reshape(len(planes), -1).astype(np.int64)
    return flat @ _weights(flat.shape[1], power) % levels


@cache
def _weights(size: int, power: int) -> NDArray[np.int64]:
    weights: NDArray[np.int64] = (np.arange(1, size + 1, dtype=np.int64) * 2654435761 % 1021) ** power
    return weights


def hash_values(planes: NDArray[np.int8], levels: int = LEVELS, power: int = 3) -> NDArray[np.float32]:
    """The same as values from -1 to 1, equal on every machine: `data/fingerprint.json` depends on them."""
    return (2 * hash_levels(planes, levels, power) / max(1, levels - 1) - 1).astype(np.float32)


def hash_leaves(game: Game, planes: NDArray[np.int8], scale: float = 1.0, levels: int = LEVELS) -> Leaves:
    """Values from -`scale` to `scale`, and a policy that depends on the state and the action."""
    logits = hash_levels(planes)[:, None] * (np.arange(game.action_count) + 1) % 1009 / 300
    return Leaves(np.float32(scale) * hash_values(planes, levels), policies=logits.astype(np.float32))
