"""A checkpoint for tests: what is in it, and how it is compared."""

from pathlib import Path

import numpy as np

from athenan.runs import checkpoint as c

DOCUMENT = {"configuration": {"game": "hex:7", "seed": 3}, "matches": 2, "random": {"state": 2**127 + 1}}


def tensors() -> dict[str, np.ndarray]:
    return {
        "network.0.weight": np.arange(60, dtype=np.float32).reshape(3, 4, 5),
        "network.0.bias": np.zeros((0, 3), np.float32),
        "optimizer.step": np.array(7, np.int64),
        "forest.random": np.array([2**64 - 1, 1], np.uint64),
        "done": np.array([True, False]),
        "half": np.array([0.5], np.float16),
        "transposed": np.arange(6, dtype=np.int8).reshape(2, 3).T,
    }


def match(number: int) -> dict[str, np.ndarray]:
    return {"states": np.full((5, 16), number, np.int8), "values": np.linspace(0, number, 5, dtype=np.float32)}


def assert_equal(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, tensor in one.items():
        assert tensor.dtype == other[name].dtype and tensor.shape == other[name].shape
        np.testing.assert_array_equal(tensor, other[name])


def saved(path: Path) -> Path:
    """Makes a run directory with a checkpoint that names matches 0 and 1."""
    with c.RunDirectory(path) as directory:
        directory.save(tensors(), DOCUMENT, {0: match(0), 1: match(1)})
    return path
