"""NumPy's random generators in compiled code, which draws the same numbers from them as their methods would.

A generator gives the addresses of its state and of its functions (`BitGenerator.ctypes`). The caller who passes them on
must ensure that no other thread draws from the generator meanwhile.

>>> import numpy as np
>>> drawn, other = np.random.default_rng(1), np.random.default_rng(1)
>>> unit(draws_of(drawn)) == other.random()
True
"""

from ctypes import c_void_p, cast
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from athenan.rules.compiler import helper
from athenan.rules.intrinsics import emits


class Draws(NamedTuple):
    """The addresses of a generator, for compiled code. The generator must exist as long as they are used."""

    state: int
    next_double: int
    next_uint32: int


DRAWS = types.NamedUniTuple(types.int64, 3, Draws)


def draws_of(random: np.random.Generator) -> Draws:
    """A generator for compiled code."""
    found = random.bit_generator.ctypes
    next_double, next_uint32 = (cast(one, c_void_p).value or 0 for one in (found.next_double, found.next_uint32))
    return Draws(found.state_address, next_double, next_uint32)


def _of_state(result: types.Type) -> Any:
    """An intrinsic `call(function, state)`: calls a function of a generator, which takes the state, by address."""

    @emits(lambda function, state: result(types.int64, types.int64))
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(context.get_value_type(result), [pointer])
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), [builder.inttoptr(values[1], pointer)])

    return call


_double, _uint32 = _of_state(types.float64), _of_state(types.uint32)


@helper
def unit(draws):
    """A random number in [0, 1): `Generator.random`."""
    return _double(draws.next_double, draws.state)


@helper
def below(draws, bound):
    """A random integer in [0, bound), bound from 1 to 2^32 - 1: `Generator.integers`, and the place of `choice`.

    D. Lemire, "Fast random integer generation in an interval", 2019. Nothing is drawn for a bound of 1.
    """
    if bound == 1:
        return 0
    low, wanted = np.uint64(0xFFFFFFFF), np.uint64(bound)
    product = np.uint64(_uint32(draws.next_uint32, draws.state)) * wanted
    if product & low < wanted:
        least = (low - (wanted - np.uint64(1))) % wanted
        while product & low < least:
            product = np.uint64(_uint32(draws.next_uint32, draws.state)) * wanted
    return np.int64(product >> np.uint64(32))


@helper
def shuffle(draws, order):
    """Permutes fewer than 2^32 items, from the last on: `Generator.shuffle`, and `permutation` of a copy."""
    mask = np.uint64(1)
    while mask < np.uint64(len(order)):
        mask = mask << np.uint64(1)
    for place in range(len(order) - 1, 0, -1):
        while mask >> np.uint64(1) > np.uint64(place):
            mask = mask >> np.uint64(1)
        other = np.int64(np.uint64(_uint32(draws.next_uint32, draws.state)) & (mask - np.uint64(1)))
        while other > place:
            other = np.int64(np.uint64(_uint32(draws.next_uint32, draws.state)) & (mask - np.uint64(1)))
        order[place], order[other] = order[other], order[place]
