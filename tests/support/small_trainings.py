"""What tests of training share: small trainings, and what of their checkpoints must be equal."""

import io
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from athenan.learning.config import TrainingConfig
from athenan.learning.observers.display import Display
from athenan.learning.progress import Progress
from athenan.learning.recipe import recommended
from athenan.runs.checkpoint import Checkpoint, load
from athenan.search.settings import SearchSettings

TINY = [
    "--network", "c:filters=8,dense=16", "--action.evaluations", "50", "--memory", "16",
    "--strength.seconds", "0",
]  # fmt: skip
"""Options of `athenan train` for a small training."""


def small(game: str = "hex:3", **changes: Any) -> TrainingConfig:
    """A training that takes about a tenth of a second a match, and is deterministic; its strength is not measured.

    Changes are components (`replay=ReplayConfig(...)`, `strength={"seconds": 1}`), or settings by their names.
    """
    budget = {} if "iterations" in changes else {"evaluations": 40}
    settings = {
        "network": "c:filters=8,dense=16", "precision": "float32", "learning_precision": "float32", "device": "cpu",
        "threads": 1, "overlap": False, "memory": 16, "strength": {"seconds": 0}, **budget, **changes,
    }  # fmt: skip
    network = str(settings.pop("network"))
    return changed(recommended(game, timed=False, algorithm="descent", network=network), **settings)


def changed(config: TrainingConfig, **changes: Any) -> TrainingConfig:
    """A configuration with other values, as those of `small`."""
    components = {item.name: getattr(config, item.name) for item in fields(config)}
    sorted_out: dict[str, Any] = {}
    for name, value in changes.items():
        if name in components:
            sorted_out[name] = value if isinstance(value, dict | str | SearchSettings) else vars(value)
        else:
            owner = next(of for of, component in components.items() if hasattr(component, name))
            sorted_out.setdefault(owner, {})[name] = value
    return config.changed(**sorted_out)


def quiet() -> Display:
    return Display(Console(file=io.StringIO()))


class Interrupting(Display):
    """Presses Ctrl-C in the middle of the match that follows so many."""

    def __init__(self, matches: int, updates: int = 3) -> None:
        super().__init__(Console(file=io.StringIO()))
        self.matches, self.left = matches, updates

    def update(self, progress: Progress) -> None:
        super().update(progress)
        self.left -= progress.matches >= self.matches
        if self.left < 0:
            raise KeyboardInterrupt


def document_without_times(checkpoint: Checkpoint) -> dict[str, Any]:
    document = {**checkpoint.document, "progress": dict(checkpoint.document["progress"])}
    for name in [name for name in document["progress"] if name == "directory" or name.endswith("seconds")]:
        del document["progress"][name]
    return document


def assert_same_checkpoint(one: Path, other: Path) -> None:
    """All is equal, bit for bit: weights, optimizer, replay, random states, counters; times and places are not."""
    first, second = load(one), load(other)
    assert document_without_times(first) == document_without_times(second)
    assert_same_arrays(first.tensors, second.tensors)
    assert first.matches.keys() == second.matches.keys()
    for number, arrays in first.matches.items():
        assert_same_arrays(arrays, second.matches[number])


def assert_same_arrays(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.dtype == other[name].dtype, name
        assert array.shape == other[name].shape, name
        assert np.asarray(array).tobytes() == np.asarray(other[name]).tobytes(), name
