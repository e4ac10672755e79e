"""The answers of an evaluator to a search."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOAT_ROWS, FLOATS

_NONE = np.zeros((0, 0), np.float32)


class Leaves(NamedTuple):
    """The evaluation of n states from the first player's point of view; fields not asked for are empty."""

    values: NDArray[np.float32] = np.zeros(0, np.float32)
    """float32[n]"""
    policies: NDArray[np.float32] = _NONE
    """Logits of all actions of the game, float32[n, actions]; illegal actions may have any."""
    action_values: NDArray[np.float32] = _NONE
    """v(s, a) of all actions of the game, float32[n, actions]; illegal actions may have any."""


LEAVES = types.NamedTuple([FLOATS, FLOAT_ROWS, FLOAT_ROWS], Leaves)

Evaluate = Callable[[NDArray[np.int8]], Leaves]
"""Evaluates encoded states, int8[n, planes * rows * columns], and fills the fields that the search asks for."""


def of_values(values: Callable[[NDArray[np.int8]], NDArray[np.float32]]) -> Evaluate:
    """An evaluator that gives only values, made from a function of encoded states."""
    return lambda planes: Leaves(values(planes))
