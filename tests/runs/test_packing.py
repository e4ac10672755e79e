"""Networks in few bytes."""

import numpy as np
import pytest

from athenan.runs.checkpoint import CheckpointError
from athenan.runs.checkpoint.packing import packed, unpacked

ARRAYS = {
    "weights": np.random.default_rng(0).normal(0, 1, 9000).astype(np.float32),
    "bias": np.array([0.5, -2.0], np.float32), "cells": np.arange(12, dtype=np.int16).reshape(3, 4),
    "varying": np.array([True, False]), "none": np.zeros(0, np.int64), "zeros": np.zeros(5000, np.float32),
}  # fmt: skip


@pytest.mark.parametrize("levels", [7, 127, 1023])
def test_arrays_come_back(levels: int) -> None:
    back = unpacked(*packed(ARRAYS, levels))
    assert set(back) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert back[name].dtype == array.dtype and back[name].shape == array.shape
        if name != "weights":
            np.testing.assert_array_equal(back[name], array)
    worst = np.abs(back["weights"] - ARRAYS["weights"]).max()
    assert worst <= np.abs(ARRAYS["weights"]).max() / levels / 2 + 1e-6


def test_fewer_levels_take_fewer_bytes() -> None:
    sizes = [packed(ARRAYS, levels)[0]["weights"].nbytes for levels in (7, 31, 127, 1023)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] / 2


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [10**9]}, {"shape": [-1]}, {"shape": [9001]}, {"shape": "x"}, {"dtype": "object"}, {"step": "1"},
        {"other": 1}, {"dtype": "float64"},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    tensors, described = packed(ARRAYS)
    described["weights"] = {**described["weights"], **change}
    with pytest.raises(CheckpointError, match="the packed array weights is damaged"):
        unpacked(tensors, described)


def test_damage_is_refused() -> None:
    tensors, described = packed(ARRAYS)
    tensors["weights"] = np.full(50, 255, np.uint8)
    with pytest.raises(CheckpointError, match="damaged"):
        unpacked(tensors, described)
    for wrong in (None, {}, {"weights": 3}):
        with pytest.raises(CheckpointError):
            unpacked({"weights": tensors["weights"]}, wrong)
