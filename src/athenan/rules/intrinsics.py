"""A short form of numba's intrinsics: functions that write the instructions of kernels."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from numba.extending import intrinsic

Generate = Callable[[Any, Any, Any, Any], Any]
"""generate(context, builder, signature, values): writes the instructions of a call, and returns its result."""


def emits(typed: Callable[..., Any]) -> Callable[[Generate], Any]:
    """Makes a function that writes instructions an intrinsic, which kernels call with the parameters of `typed`.

    `typed` gets the types of the arguments and returns the signature of the call. It raises TypingError if no call has
    such arguments.
    """

    def make(generate: Generate) -> Any:
        @wraps(generate)
        def typing(typing_context: Any, *kinds: Any) -> Any:
            return typed(*kinds), generate

        own, context = signature(typed), Parameter("typing_context", Parameter.POSITIONAL_OR_KEYWORD)
        typing.__signature__ = own.replace(parameters=[context, *own.parameters.values()])  # type: ignore[attr-defined]
        return intrinsic(typing)

    return make
