"""Numbers that several threads read and write without a lock, for kernels.

A thread that reads with `load` what another wrote with `store` also sees everything that the other had written before.
Places that different threads write are `APART` numbers apart, so that they do not share a cache line.
"""

import os
import platform
from typing import Any

from llvmlite import ir
from numba import types

from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import cgutils

APART = 16
"""Numbers of 64 bits in two cache lines, which some processors fetch together."""


def _place(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """The address of numbers[place]."""
    array = context.make_array(kinds[0])(context, builder, values[0])
    return builder.gep(array.data, [values[1]])


@emits(lambda numbers, place: types.int64(numbers, types.int64))
def load(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """load(numbers, place): the number at a place of an int64 vector, unchecked."""
    return builder.load_atomic(_place(context, builder, signature.args, values), "acquire", 8)


@emits(lambda numbers, place, number: types.void(numbers, types.int64, types.int64))
def store(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """store(numbers, place, number): writes a number where `load` reads it, unchecked."""
    builder.store_atomic(values[2], _place(context, builder, signature.args, values), "release", 8)
    return context.get_dummy_value()


@emits(lambda numbers, place, old, new: types.boolean(numbers, types.int64, types.int64, types.int64))
def replace(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """replace(numbers, place, old, new): writes `new` if the number is `old`; whether it was. Unchecked."""
    place = _place(context, builder, signature.args, values)
    found = builder.cmpxchg(place, values[2], values[3], "acq_rel", "acquire")
    return builder.extract_value(found, 1)


_X86: tuple[str, list[int]] = ("llvm.x86.sse2.pause", [])
_ARM: tuple[str, list[int]] = ("llvm.aarch64.hint", [1])
_PAUSES = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}
"""LLVM's name of the instruction that waits, by processor, and its arguments."""


@emits(lambda: types.void())  # noqa: PLW0108  # numba reads its parameters
def pause(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """pause(): tells the processor that the thread is waiting in a loop, which leaves more of it to other threads."""
    name, numbers = _PAUSES.get(platform.machine(), ("", []))
    if name:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(numbers))
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [ir.IntType(32)(number) for number in numbers])
    return context.get_dummy_value()


@emits(lambda nanoseconds: types.void(types.int64))
def rest(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """rest(nanoseconds): lets other threads run for this time, and usually longer.

    It calls C's `nanosleep`, or in Windows `Sleep`, which counts milliseconds: 0 lets a waiting thread run.
    """
    word, number = ir.IntType(64), ir.IntType(32)
    if os.name == "nt":
        kind = ir.FunctionType(ir.VoidType(), [number])
        function = cgutils.get_or_insert_function(builder.module, kind, "Sleep")
        builder.call(function, [builder.trunc(builder.udiv(values[0], word(10**6)), number)])
        return context.get_dummy_value()
    with builder.goto_entry_block():
        time = builder.alloca(word, 2)  # seconds and nanoseconds
    builder.store(word(0), time)
    builder.store(values[0], builder.gep(time, [number(1)]))
    pointer = word.as_pointer()
    kind = ir.FunctionType(number, [pointer, pointer])
    function = cgutils.get_or_insert_function(builder.module, kind, "nanosleep")
    builder.call(function, [time, pointer(None)])
    return context.get_dummy_value()
