"""Networks in few bytes: small whole numbers, compressed.

A large array of weights becomes whole numbers times a step. The larger the step, the more weights become 0: so one
number trades bytes for exactness. The columns of an array may have steps of their own, if they do not matter equally.
`planes` says how whole numbers become bytes. Small arrays of weights and all others stay as they are.

>>> import numpy as np
>>> weights = {"weights": np.linspace(-1, 1, 10_000, dtype=np.float32), "cells": np.arange(9)}
>>> tensors, described = packed(weights, levels=127)
>>> sorted(tensors)
['cells', 'weights.plane0', 'weights.rows']
>>> back = unpacked(tensors, described)
>>> float(abs(back["weights"] - weights["weights"]).max()) <= 1 / 127 / 2 + 1e-6, back["cells"].tolist()
(True, [0, 1, 2, 3, 4, 5, 6, 7, 8])
"""

from collections.abc import Mapping
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.reading import WRONG_SHAPE
from athenan.runs.checkpoint.file_format import CheckpointError, Tensors
from athenan.runs.checkpoint.planes import POWERS, compressed, decompressed, from_planes, plane_names, to_planes

_FEW = 8192
"""Arrays of fewer weights keep them. The largest dense part of a pattern network is such an array; where it is steep,
float16 would change values by some percent."""
_MOST = 1 << 28
"""The most bytes that the arrays of a network may take, at four or more for a number: a small file could claim any."""
_MOST_AXES = 8
_LARGEST = float(np.finfo(np.float32).max)
_WHOLE = {"int8", "int16", "int32"}
_DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"}
"""Networks that were stored earlier have small arrays of float16."""


def packed(
    arrays: Tensors, levels: int = 127, steps: Mapping[str, NDArray[np.float64]] = MappingProxyType({})
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays of a network as few bytes, and JSON data by which `unpacked` restores them.

    `levels`, up to 32,767, is the whole number that the largest weight of an array becomes. An array whose name is in
    `steps` holds whole numbers of int32, which these steps, one for each place of its last axis, turn into weights.
    Raises CheckpointError if the arrays are too large to be read again.
    """
    tensors, described = dict[str, NDArray[Any]](), dict[str, Any]()
    for name, array in arrays.items():
        whole, step = _as_numbers(array, levels, steps.get(name))
        if step is None:
            tensors[name] = compressed(whole)
        else:
            tensors |= {f"{name}.{plane}": data for plane, data in to_planes(whole).items()}
        described[name] = {"dtype": whole.dtype.name, "shape": list(array.shape), "step": step}
    _require_room(described)
    return tensors, described


def _as_numbers(
    array: NDArray[Any], levels: int, steps: NDArray[np.float64] | None
) -> tuple[NDArray[Any], float | list[float] | None]:
    """The stored form of an array, and the step or steps by which its whole numbers are multiplied, if any."""
    if steps is not None:
        return _smallest(array), steps.tolist()
    if array.dtype != np.float32:
        return array, None
    largest = float(np.abs(array).max()) if array.size else 0.0
    if array.size < _FEW or largest == 0.0:
        return array, None
    step = largest / levels
    return _smallest(np.rint(array / step)), step


def _smallest(whole: NDArray[Any]) -> NDArray[np.signedinteger]:
    """Whole numbers in the smallest type that holds them."""
    least, most = whole.min(initial=0), whole.max(initial=0)
    fits = (one for one in (np.int8, np.int16, np.int32) if np.iinfo(one).min <= least and most <= np.iinfo(one).max)
    return whole.astype(next(fits))


def unpacked(tensors: Tensors, described: Any) -> dict[str, NDArray[Any]]:
    """The arrays of `packed`; arrays of weights are float32. Raises CheckpointError if they do not fit together.

    What they claim to be is checked first, so arrays take at most `_MOST` bytes, and a few times as many meanwhile.
    """
    unclear = CheckpointError("the packed network does not say what its arrays are: reinstall it")
    if not isinstance(described, Mapping):
        raise unclear
    _require_room(described)
    left = dict(tensors)
    arrays = {name: _restored(name, left, how) for name, how in described.items()}
    if left:
        raise unclear
    return arrays


def _require_room(described: Mapping[str, Any]) -> None:
    """Raises CheckpointError if arrays take more than `_MOST` bytes by their descriptions, or these are not valid."""
    claimed = sum(_claimed(name, how) for name, how in described.items())
    if claimed > _MOST:
        raise CheckpointError(f"a packed network may have {_MOST:,} bytes of arrays, and this one has {claimed:,}")


def _claimed(name: str, how: Any) -> int:
    """The bytes of an array by its description. Raises CheckpointError if that is not valid."""
    if not isinstance(how, Mapping) or set(how) != {"dtype", "shape", "step"}:
        raise _damaged(name)
    dtype, shape, step = how["dtype"], how["shape"], how["step"]
    if not isinstance(dtype, str) or dtype not in _DTYPES or not _is_shape(shape) or not _is_step(step, shape):
        raise _damaged(name)
    return prod(shape) * max(np.dtype(dtype).itemsize, np.dtype(np.float32).itemsize)


def _restored(name: str, tensors: dict[str, NDArray[Any]], how: Mapping[str, Any]) -> NDArray[Any]:
    """The array of that name; its tensors are removed from `tensors`."""
    dtype, shape, step = str(how["dtype"]), how["shape"], how["step"]
    try:
        if step is None:
            array = decompressed(tensors.pop(name), prod(shape) * np.dtype(dtype).itemsize).view(dtype).reshape(shape)
            return array.astype(np.float32) if dtype == "float16" else array.copy()
        if dtype not in _WHOLE:
            raise _damaged(name)
        planes = {plane: tensors.pop(f"{name}.{plane}") for plane in plane_names(dtype)}
        if (powers := tensors.pop(f"{name}.{POWERS}", None)) is not None:
            planes[POWERS] = powers
        with np.errstate(over="ignore"):
            weights = from_planes(planes, dtype, shape).astype(np.float32)
            weights *= np.asarray(step, np.float32)
    except WRONG_SHAPE:
        raise _damaged(name) from None
    if not np.isfinite(weights).all():
        raise _damaged(name)
    return weights


def _damaged(name: str) -> CheckpointError:
    return CheckpointError(f"the packed array {name} is damaged: reinstall the network")


def _is_shape(shape: Any) -> bool:
    """Whether JSON data is the shape of an array."""
    return (
        isinstance(shape, list)
        and len(shape) <= _MOST_AXES
        and all(type(one) is int and 0 <= one <= _MOST for one in shape)
    )


def _is_step(step: Any, shape: list[int]) -> bool:
    """Whether JSON data is null, a step, or a step for each place of the last axis of a shape."""
    if isinstance(step, list):
        return shape[-1:] == [len(step)] and all(type(one) is float and 0 < one <= _LARGEST for one in step)
    return step is None or (type(step) is float and 0 < step <= _LARGEST)
