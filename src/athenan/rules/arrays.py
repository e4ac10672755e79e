"""Types of the arrays that kernels take, for their signatures; all are C-contiguous."""

import numba
import numpy as np
from numba import types
from numpy.typing import DTypeLike


def array_of(dtype: DTypeLike, dimensions: int = 1) -> types.Type:
    """The type of arrays of numbers or records."""
    return types.Array(numba.from_dtype(np.dtype(dtype)), dimensions, "C")


PARAMS = array_of(np.int64)
"""The parameters of a game."""
STATE = array_of(np.int8)
STATES = array_of(np.int8, 2)
"""States, one in each row."""
PLANES = array_of(np.int8, 2)
"""Encoded planes, one state in each row."""
ACTION_LIST = array_of(np.int32)
ACTION_LISTS = array_of(np.int32, 2)
NUMBERS = array_of(np.int64)
"""Counts and places."""
RANDOM = array_of(np.uint64)
"""The words of a random generator, or of several."""
CONSTANTS = array_of(np.float64)
"""Constants, and probabilities."""
FLOATS = array_of(np.float32)
FLOAT_ROWS = array_of(np.float32, 2)
