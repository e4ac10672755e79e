"""What an evaluator answers to a search."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

_NONE = np.zeros((0, 0), np.float32)


class Leaves(NamedTuple):
    """The evaluation of n states; what was not asked for is empty. First player's point of view."""

    values: NDArray[np.float32] = np.zeros(0, np.float32)
    """float32[n]"""
    policies: NDArray[np.float32] = _NONE
    """Logits of all actions of the game, float32[n, actions]; those of illegal ones do not matter."""
    action_values: NDArray[np.float32] = _NONE
    """v(s, a) of all actions of the game, float32[n, actions]; those of illegal ones do not matter."""


_matrix = types.Array(types.float32, 2, "C")
LEAVES = types.NamedTuple([types.Array(types.float32, 1, "C"), _matrix, _matrix], Leaves)

Evaluate = Callable[[NDArray[np.int8]], Leaves]
"""The evaluation of encoded states, int8[n, planes * rows * columns], with all that the search asks for."""


def of_values(values: Callable[[NDArray[np.int8]], NDArray[np.float32]]) -> Evaluate:
    """An evaluator that knows values alone, from a function of encoded states to them."""
    return lambda planes: Leaves(values(planes))
