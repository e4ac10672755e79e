"""Boards as bits of 64-bit words: counting, scanning and lines."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from athenan.rules.compiler import helper

ONE = np.uint64(1)


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.int64(types.uint64), generate


def _lowest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


def _highest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        zeros = builder.ctlz(values[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.uint64), generate


popcount: Any = intrinsic(_popcount)
"""popcount(word): the number of ones of a uint64, as int64."""
lowest: Any = intrinsic(_lowest)
"""lowest(word): the index of the lowest one of a uint64 that is not 0, as int64."""
highest: Any = intrinsic(_highest)
"""highest(word): the index of the highest one of a uint64 that is not 0, as int64."""


@helper
def has_line(stones, stride, count):
    """Whether `count` stones stand in a line on a board whose neighbouring bits differ by 1 and by `stride`.

    Every `stride`-th bit must be no cell, so that no line runs over the border.
    """
    for step in (1, stride - 1, stride, stride + 1):
        run = stones
        for _ in range(count - 1):
            run &= run >> np.uint64(step)  # shortens every run by one stone
        if run:
            return True
    return False
