"""The answers of an evaluator to a search."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOAT_ROWS, FLOATS
from athenan.rules.compiler import kernel

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

Evaluate = Callable[[NDArray[np.int8]], Any]
"""Evaluates encoded states, int8[n, planes * rows * columns]: it returns `Leaves` with the fields that the search asks
for, or plain arrays of any library (`answered`)."""


def answered(answer: Any, states: int) -> Leaves:
    """The answer of an evaluator for n states: `Leaves`, values [n] or [n, 1], or these and logits [n, actions].

    Several outputs are a tuple, or a list whose first entry has as many rows as there are states, as of ONNX Runtime.

    Raises ValueError if a value is no finite number, or the answer is something else.

    >>> answered(([[0.5], [0.25]], np.zeros((2, 9))), 2).values
    array([0.5 , 0.25], dtype=float32)
    >>> answered([np.array([0.5, 0.25])], 2).values
    array([0.5 , 0.25], dtype=float32)
    """
    leaves = answer if isinstance(answer, Leaves) else _of_arrays(answer, states)
    if not _is_finite(leaves.values):
        wrong = int((~np.isfinite(leaves.values)).sum())
        raise ValueError(
            f"the evaluation of {wrong} of {len(leaves.values)} states is NaN or infinite, and must be finite"
        )
    return leaves


def _is_finite(values: NDArray[np.float32]) -> bool:
    """Whether all values are finite, for small batches in a tenth of the time that NumPy takes to say so."""
    try:
        return bool(all_finite(values))
    except TypeError:  # not float32[n], or its numbers lie apart
        return bool(np.isfinite(values).all())


@kernel(types.boolean(FLOATS))
def all_finite(values):
    """Whether all values are finite."""
    for value in values:
        if not np.isfinite(value):
            return False
    return True


def _of_arrays(answer: Any, states: int) -> Leaves:
    try:
        several = isinstance(answer, tuple | list) and len(answer) > 0 and np.ndim(answer[0]) > 0
        several = several and (isinstance(answer, tuple) or len(answer[0]) == states)
        with np.errstate(over="ignore"):  # what float32 cannot hold is refused as infinite
            arrays = [np.asarray(one, np.float32) for one in (answer if several else (answer,))]
    except (TypeError, ValueError, RuntimeError) as error:  # PyTorch raises the last for a tensor with a gradient
        raise ValueError(f"an evaluation must return arrays of numbers: {error}") from None
    values, *others = arrays or [np.zeros(0, np.float32)]
    logits = all(one.ndim == 2 and len(one) == states for one in others)
    if values.shape[1:] not in ((), (1,)) or values.ndim == 0 or len(others) > 1 or not logits:
        shapes = [list(one.shape) for one in arrays]
        raise ValueError(f"an evaluation must return values [n] or [n, 1], and any logits [n, actions], not {shapes}")
    if others and np.isnan(others[0]).any():
        raise ValueError("the logits of an evaluation must be numbers, and some are NaN")
    return Leaves(values.reshape(-1), *others)
