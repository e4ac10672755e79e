"""Kernels that call Python, for rules that are not compiled. A call takes a few microseconds.

A kernel gets the address of a Python function in its `params`: `id(function)`. The function must live as long as the
process. The caller of the kernel gets the exceptions that the function raises.
"""

from typing import Any

from numba import types

from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import cgutils


@emits(lambda function, number, state, output: types.int64(types.int64, types.int64, state, output))
def call_python(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """call_python(function, number, state, output) -> int64: calls `function(number, state, output)`.

    `function` is an address. The function gets the addresses of the first elements of two vectors and returns an int.
    """
    api = context.get_python_api(builder)
    word = context.get_value_type(types.int64)
    vectors = [
        builder.ptrtoint(context.make_array(kind)(context, builder, value).data, word)
        for kind, value in zip(signature.args[2:], values[2:], strict=True)
    ]
    lock = api.gil_ensure()
    given = [api.long_from_longlong(value) for value in (values[1], *vectors)]
    answer = api.call_function_objargs(builder.inttoptr(values[0], api.pyobj), given)
    for one in given:
        api.decref(one)
    with builder.if_then(cgutils.is_null(builder, answer), likely=False):
        api.gil_release(lock)
        context.call_conv.return_exc(builder)
    result = api.long_as_longlong(answer)
    api.decref(answer)
    api.gil_release(lock)
    return result
