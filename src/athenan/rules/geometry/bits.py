"""Boards as bits of 64-bit words: counting, scanning and lines."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from athenan.rules.compiler import helper
from athenan.rules.intrinsics import emits
from athenan.rules.randomness import random_below

ONE = np.uint64(1)


@emits(lambda word: types.int64(types.uint64))
def popcount(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """popcount(word): the number of ones of a uint64, as int64."""
    return builder.ctpop(values[0])


@emits(lambda word: types.int64(types.uint64))
def lowest(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """lowest(word): the index of the lowest one of a uint64 that is not 0, as int64."""
    return builder.cttz(values[0], context.get_constant(types.boolean, True))


@emits(lambda word: types.int64(types.uint64))
def highest(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """highest(word): the index of the highest one of a uint64 that is not 0, as int64."""
    zeros = builder.ctlz(values[0], context.get_constant(types.boolean, True))
    return builder.sub(context.get_constant(types.int64, 63), zeros)


@emits(lambda state, offset, value: types.uint64(state, types.int64, types.int8))
def equal_bytes(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """equal_bytes(state, offset, value): a bit for each of 64 bytes of an int8 vector that is the value, unchecked."""
    vector = ir.VectorType(ir.IntType(8), 64)
    data = context.make_array(signature.args[0])(context, builder, values[0]).data
    found = builder.load(builder.bitcast(builder.gep(data, [values[1]]), vector.as_pointer()), align=1)
    wanted = builder.insert_element(ir.Constant(vector, ir.Undefined), values[2], ir.Constant(ir.IntType(32), 0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), 64), None)
    wanted = builder.shuffle_vector(wanted, ir.Constant(vector, ir.Undefined), everywhere)
    return builder.bitcast(builder.icmp_signed("==", found, wanted), ir.IntType(64))


def _shift(name: str, values: Any, builder: Any) -> Any:
    word = ir.IntType(64)
    function = builder.module.declare_intrinsic(name, (word,), ir.FunctionType(word, (word, word, word)))
    return builder.call(function, values)


@emits(lambda word, below, count: types.uint64(types.uint64, types.uint64, types.uint64))
def shift_up(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """shift_up(word, below, count): a uint64 shifted left by up to 63 bits; the highest bits of `below` come in."""
    return _shift("llvm.fshl", values, builder)


@emits(lambda word, above, count: types.uint64(types.uint64, types.uint64, types.uint64))
def shift_down(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """shift_down(word, above, count): a uint64 shifted right by up to 63 bits; the lowest bits of `above` come in."""
    return _shift("llvm.fshr", (values[1], values[0], values[2]), builder)


_BYTES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_HALVES, _QUARTERS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTHS = np.uint64(0x0F0F0F0F0F0F0F0F)
_OF_RANK = np.array([[*np.flatnonzero(byte >> np.arange(8) & 1), *[0] * 8][:8] for byte in range(256)], np.int8)
"""int8[256, 8]: the index of the one of each rank in a byte."""


@helper
def bit_of_rank(word, rank):
    """The index of the one of a uint64 with `rank` ones below it; without loops, as random ranks are hard to predict.

    Source: S. Vigna, "Broadword implementation of rank/select queries" (2008).
    """
    sums = word - ((word >> ONE) & _HALVES)
    sums = (sums & _QUARTERS) + ((sums >> np.uint64(2)) & _QUARTERS)
    sums = ((sums + (sums >> np.uint64(4))) & _EIGHTHS) * _BYTES  # in each byte: the ones up to its end
    place = np.uint64(8 * popcount(((np.uint64(rank) * _BYTES | _TOPS) - sums) & _TOPS))
    left = rank - np.int64((sums << np.uint64(8)) >> place & np.uint64(0xFF))
    return np.int64(place) + _OF_RANK[np.uint64(word >> place & np.uint64(0xFF)), np.uint64(left)]


@helper
def random_bit(words, used, random):
    """A random one among the first `used` words, each equally likely: the number of its word, and its index there.

    `words` is a vector of uint64, with a one at least; `random`, a stream, advances.
    """
    count, number, before, total = 0, 0, 0, 0
    for word in range(used):
        count += popcount(words[word])
    rank = random_below(random, 0, count)
    for word in range(used):  # without branches, which could not be predicted
        total += popcount(words[word])
        number += rank >= total
        before = total if rank >= total else before
    return number, bit_of_rank(words[number], rank - before)


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


@helper
def list_bits(word, first, actions, count):
    """Appends `first` plus each bit of a word to actions, ascending; returns their new number."""
    while word:
        actions[count] = first + lowest(word)
        word &= word - ONE
        count += 1
    return count
