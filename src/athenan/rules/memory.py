"""Access to the bytes of states as words of 16 and 64 bits, to records in vectors of numbers, and to vectors on the
machine's stack, for kernels.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from athenan.rules import numba_parts
from athenan.rules.compiler import helper
from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import TypingError


@helper
def load16(state, offset):
    """The number from 0 to 65535 at bytes offset and offset + 1 of an int8 vector, little-endian, unchecked."""
    return np.int64(np.uint8(state[offset])) | (np.int64(np.uint8(state[offset + 1])) << 8)


@helper
def store16(state, offset, number):
    """Writes the lowest 16 bits of an integer where `load16` reads them, unchecked."""
    state[offset], state[offset + 1] = number & 0xFF, number >> 8 & 0xFF


@emits(lambda state, offset: types.uint64(state, types.int64))
def load64(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """load64(state, offset): the uint64 at bytes offset .. offset + 7 of an int8 vector, little-endian, unchecked."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    word = builder.bitcast(builder.gep(array.data, [values[1]]), ir.IntType(64).as_pointer())
    return builder.load(word, align=1)


@emits(lambda state, offset, word: types.void(state, types.int64, types.uint64))
def store64(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """store64(state, offset, word): writes a uint64 where `load64` reads it, unchecked."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    target = builder.bitcast(builder.gep(array.data, [values[1]]), ir.IntType(64).as_pointer())
    builder.store(values[2], target, align=1)
    return context.get_dummy_value()


@emits(lambda numbers, at, record: record.dtype(numbers, types.int64, record))
def record_at(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """record_at(numbers, at, RECORD): the record of int64 fields that begins at this place of a vector, unchecked."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    return builder.bitcast(builder.gep(array.data, [values[1]]), context.get_value_type(signature.return_type))


@intrinsic(prefer_literal=True)
def scratch(typing_context: Any, count: Any, dtype: Any) -> Any:
    """scratch(count, dtype): an uninitialised vector of constant length on the machine's stack, valid until the
    calling function returns. `np.empty` would take as long as a short kernel.
    """
    if not isinstance(count, types.IntegerLiteral):
        raise TypingError("the length of scratch must be a constant")
    array_type = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        populate_array = numba_parts.populate_array()
        item = context.get_data_type(dtype.dtype)
        with builder.goto_entry_block():  # numba's own `alloca_once` would also clear it at each call
            data = builder.alloca(ir.ArrayType(item, count.literal_value))
        size = context.get_constant(types.intp, context.get_abi_sizeof(item))
        array = context.make_array(array_type)(context, builder)
        length = context.get_constant(types.intp, count.literal_value)
        populate_array(
            array, builder.bitcast(data, item.as_pointer()), shape=[length], strides=[size], itemsize=size, meminfo=None
        )
        return array._getvalue()

    return array_type(count, dtype), generate
