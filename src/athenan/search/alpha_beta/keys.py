"""Keys: a completion and a value as one whole number, ordered as (c, v) is; for kernels.

A value, a float32, becomes the number of float32s between it and 0, with the completion in the bits above. So windows
of values, compared by completion first, are pairs of int64, and the next smaller value is the key minus 1.
"""

from typing import Any

from llvmlite import ir
from numba import types

from athenan.rules.compiler import helper
from athenan.rules.intrinsics import emits

LOWEST, HIGHEST = -(1 << 40), 1 << 40
"""Below and above all keys."""
_SHIFT = 33
_MAGNITUDE = 0x7FFFFFFF


@emits(lambda value: types.int32(types.float32))
def _bits(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The 32 bits of a float32."""
    return builder.bitcast(values[0], ir.IntType(32))


@emits(lambda bits: types.float32(types.int32))
def _of_bits(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The float32 of these 32 bits."""
    return builder.bitcast(values[0], ir.FloatType())


@helper
def key_of(completion, value):
    """The key of a completion and a float32 that is a number."""
    bits = int(_bits(value))
    if bits < 0:
        bits = -(bits & _MAGNITUDE)
    return (int(completion) << _SHIFT) + bits


@helper
def completion_in(key):
    """The completion in a key: -1, 0 or 1; another number for `LOWEST` and `HIGHEST`."""
    return (key + (1 << (_SHIFT - 1))) >> _SHIFT


@helper
def value_in(key):
    """The value in a key."""
    bits = key - (completion_in(key) << _SHIFT)
    return -_of_bits(-bits) if bits < 0 else _of_bits(bits)
