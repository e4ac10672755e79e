"""Networks in few bytes."""

import json
import math
import tracemalloc

import numpy as np
import pytest

from athenan.runs.checkpoint import CheckpointError, packing
from athenan.runs.checkpoint.packing import packed, unpacked
from athenan.runs.checkpoint.planes import compressed

ARRAYS: dict[str, np.ndarray] = {
    "weights": np.random.default_rng(0).normal(0, 1, 9000).astype(np.float32),
    "bias": np.array([0.1, -15.6], np.float32), "cells": np.arange(12, dtype=np.int16).reshape(3, 4),
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


def test_small_arrays_of_earlier_networks_are_read() -> None:
    """They were stored as float16."""
    bias = ARRAYS["bias"].astype(np.float16)
    described = {"bias": {"dtype": "float16", "shape": [2], "step": None}}
    back = unpacked({"bias": compressed(bias)}, described)["bias"]
    assert back.dtype == np.float32 and (back == bias).all() and (back != ARRAYS["bias"]).any()


def columns() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Whole numbers in rows of several powers of two, and the steps of their columns."""
    whole = np.rint(1000 * ARRAYS["weights"].reshape(3000, 3)).astype(np.int32) << (np.arange(3000) % 5)[:, None]
    return {**ARRAYS, "weights": whole}, {"weights": np.array([0.5, 0.001, 0.0001])}


def test_columns_have_steps_of_their_own() -> None:
    arrays, steps = columns()
    tensors, described = packed(arrays, steps=steps)
    assert described["weights"]["dtype"] == "int32" and described["weights"]["step"] == steps["weights"].tolist()
    back = unpacked(tensors, json.loads(json.dumps(described)))
    assert back["weights"].dtype == np.float32
    np.testing.assert_allclose(back["weights"], arrays["weights"] * steps["weights"], rtol=1e-6)


@pytest.mark.parametrize("powers", [np.zeros(9, np.uint8), np.full(50, 255, np.uint8), np.zeros(4, np.int64)])
def test_damaged_powers_are_refused(powers: np.ndarray) -> None:
    arrays, steps = columns()
    tensors, described = packed(arrays, steps=steps)
    with pytest.raises(CheckpointError, match="the packed array weights is damaged"):
        unpacked({**tensors, "weights.powers": powers}, described)


def test_weights_beyond_float32_are_refused() -> None:
    arrays, steps = columns()
    tensors, described = packed(arrays, steps=steps)
    described["weights"]["step"] = [1e38, 1e38, 1e38]
    with pytest.raises(CheckpointError, match="the packed array weights is damaged"):
        unpacked(tensors, described)


@pytest.mark.parametrize(
    "step",
    [
        [], [1.0], [1.0, 1.0], [1.0] * 4, [1.0, 1.0, "1"], [1.0, 1.0, 1], [1.0, 1.0, None], [1.0, 1.0, True],
        [1.0, 1.0, math.nan], [1.0, 1.0, math.inf], [1.0, 1.0, -1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1e300],
        [1.0, 1.0, [1.0]], {"0": 1.0}, math.nan, math.inf, -1.0, 0.0, 1e300, True, 1,
    ],
)  # fmt: skip
def test_steps_that_are_none_are_refused(step: object) -> None:
    tensors, described = packed({"weights": np.ones((3000, 3), np.int32)}, steps={"weights": np.ones(3)})
    described["weights"]["step"] = step
    with pytest.raises(CheckpointError, match="the packed array weights is damaged"):
        unpacked(tensors, described)


def test_an_array_without_axes_has_no_columns() -> None:
    tensors, described = packed({"one": np.array(3)})
    described["one"]["step"] = []
    with pytest.raises(CheckpointError, match="the packed array one is damaged"):
        unpacked(tensors, described)


def test_fewer_levels_take_fewer_bytes() -> None:
    stored = [packed({"weights": ARRAYS["weights"]}, levels)[0] for levels in (7, 31, 127, 1023)]
    sizes = [sum(tensor.nbytes for tensor in tensors.values()) for tensors in stored]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] / 2


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [10**9]}, {"shape": [-1]}, {"shape": [9001]}, {"shape": "x"}, {"dtype": "object"}, {"step": "1"},
        {"other": 1}, {"dtype": "float64"}, {"dtype": []}, {"dtype": {}},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    tensors, described = packed(ARRAYS)
    described["weights"] = {**described["weights"], **change}
    with pytest.raises(CheckpointError, match="the packed array weights is damaged"):
        unpacked(tensors, described)


@pytest.mark.parametrize(
    ("count", "shape", "step"),
    [(1, [1 << 27], 0.5), (1, [1 << 27], None), (1, [1 << 23, 16], [0.5] * 16), (100, [1 << 20], 0.5)],
)
def test_a_small_file_that_claims_large_arrays_is_refused_before_they_are_made(
    count: int, shape: list[int], step: object
) -> None:
    """Each byte of compressed zeros stands for thousands of rows, so the bytes do not tell how large arrays become."""
    zeros = compressed(np.zeros(1 << 20, np.uint8))
    names = [f"array{number}" for number in range(count)]
    parts = [""] if step is None else [".rows", ".plane0"]
    tensors = {f"{name}{part}": zeros for name in names for part in parts}
    described = {name: {"dtype": "int8", "shape": shape, "step": step} for name in names}
    tracemalloc.start()
    with pytest.raises(CheckpointError, match=r"may have 268,435,456 bytes of arrays, and this one has [4-9]\d\d,"):
        unpacked(tensors, described)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_arrays_that_could_not_be_read_again_are_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_MOST", 4 * 9000)
    with pytest.raises(CheckpointError, match="may have 36,000 bytes of arrays, and this one has "):
        packed(ARRAYS)


def test_damage_is_refused() -> None:
    tensors, described = packed(ARRAYS)
    for name in ("weights.rows", "weights.plane0", "cells"):
        with pytest.raises(CheckpointError, match="damaged"):
            unpacked({**tensors, name: np.full(50, 255, np.uint8)}, described)
        with pytest.raises(CheckpointError, match="damaged"):
            unpacked({other: tensor for other, tensor in tensors.items() if other != name}, described)
    with pytest.raises(CheckpointError, match="does not say"):
        unpacked({**tensors, "weights.plane1": tensors["weights.plane0"]}, described)
    for wrong in (None, {}, {"weights": 3}):
        with pytest.raises(CheckpointError):
            unpacked({"weights": tensors["cells"]}, wrong)
