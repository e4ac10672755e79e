"""Eight float32 numbers that the processor computes with at once, for kernels.

`lanes(array, at)` loads array[at], ..., array[at + 7] of a float32 vector, `put(array, at, found)` stores them, and
`spread(number)` has the same number eight times. Sums, differences, products, `least` and `most` are taken number by
number. So results do not depend on the processor. Positions are unchecked.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from athenan.rules.intrinsics import emits

COUNT = 8
"""How many numbers there are."""
_VECTOR = ir.VectorType(ir.FloatType(), COUNT)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__("lanes")


LANES = _Lanes()
"""The type of eight numbers."""


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _VECTOR.as_pointer())


@emits(lambda array, at: LANES(array, types.int64))
def lanes(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """lanes(array, at): eight numbers of a float32 vector from a place on."""
    return builder.load(_place(context, builder, signature.args[0], *values), align=4)


@emits(lambda array, at, found: types.void(array, types.int64, LANES))
def put(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """put(array, at, found): writes eight numbers where `lanes` reads them."""
    builder.store(values[2], _place(context, builder, signature.args[0], *values[:2]), align=4)
    return context.get_dummy_value()


@emits(lambda number: LANES(types.float32))
def spread(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """spread(number): the number, as float32, eight times."""
    found = ir.Constant(_VECTOR, ir.Undefined)
    for lane in range(COUNT):
        found = builder.insert_element(found, values[0], ir.Constant(ir.IntType(32), lane))
    return found


def _binary(build: Callable[[Any, Any, Any], Any]) -> Any:
    @emits(lambda one, other: LANES(LANES, LANES))
    def operation(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return build(builder, *values)

    return operation


least = _binary(lambda builder, one, other: builder.select(builder.fcmp_ordered("<", one, other), one, other))
"""least(one, other): the smaller of two numbers; `other` if one of them is NaN."""
most = _binary(lambda builder, one, other: builder.select(builder.fcmp_ordered(">", one, other), one, other))
"""most(one, other): the larger of two numbers; `other` if one of them is NaN."""


def _define(sign: Any, instruction: str) -> None:
    """Gives an operator between lanes its meaning."""

    def typing(context: Any) -> Any:
        return lambda one, other: LANES if one == other == LANES else None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return getattr(builder, instruction)(*values)

    type_callable(sign)(typing)
    lower_builtin(sign, LANES, LANES)(generate)


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")


@emits(lambda found: types.float32(LANES))
def total(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """total(found): the sum of the eight numbers, by pairs of neighbours, then of these."""
    parts = [builder.extract_element(values[0], ir.Constant(ir.IntType(32), lane)) for lane in range(COUNT)]
    while len(parts) > 1:
        parts = [builder.fadd(one, other) for one, other in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]
