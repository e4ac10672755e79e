"""Finished matches valued by the network, as a terminal evaluation (2505.04525, third modification).

The kernel reads the network from its constants, which hold a copy: players' networks do not change.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import kernel
from athenan.rules.kernels import TERMINAL_VALUE
from athenan.rules.leaf import LeafKernel, call_leaf


@kernel(TERMINAL_VALUE)
def learnt_value(rules, state, outcome, constants):
    """The network's value of a finished match.

    The constants are its kernel's address, the counts of its numbers and weights, room for a value, the numbers and the
    weights. As the room is shared, only one thread may search.
    """
    words, values = constants.view(np.int64), constants[3:4].view(np.float32)[:1]
    numbers = words[4 : 4 + words[1]]
    weights = constants[4 + words[1] :].view(np.float32)[: words[2]]
    call_leaf(words[0], (rules, state, state.reshape(1, len(state)), numbers, weights, values))
    return float(values[0])


@dataclass(frozen=True, eq=False)
class LearntEnds:
    """The terminal evaluation by a network that compiled code evaluates."""

    constants: NDArray[np.float64]
    scale: float
    """The scale of the heuristic that the network has learnt."""

    @staticmethod
    def of(leaf: LeafKernel, scale: float) -> "LearntEnds":
        """The evaluation by this network, as it is now."""
        head = np.array([leaf.address, len(leaf.numbers), len(leaf.weights), 0], np.int64)
        weights = np.zeros(2 * -(-len(leaf.weights) // 2), np.float32)
        weights[: len(leaf.weights)] = leaf.weights
        parts = (head, np.ascontiguousarray(leaf.numbers, np.int64), weights)
        return LearntEnds(np.concatenate([part.view(np.float64) for part in parts]), scale)

    @property
    def address(self) -> int:
        return learnt_value.address
