"""The trainings of a folder, live and finished: their settings, and their curves.

The curves are those that a training writes for TensorBoard, see `learning.metrics`; they are at most ten seconds old.
"""

import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from athenan.games.catalogue import known
from athenan.runs.checkpoint import CHECKPOINT, load_network
from athenan.runs.description import flat
from athenan.runs.run import settings_of

_MOST_RUNS = 200
_MOST_POINTS = 400
"""Of a curve, evenly over its length."""
_KEPT = 2000
"""Points that are read of a curve; of longer ones a random sample."""


def runs_in(folder: Path | None) -> dict[str, Path]:
    """The runs of a folder, by the names of their folders; without a folder, none."""
    if folder is None or not folder.is_dir():
        return {}
    found = sorted(path for path in folder.iterdir() if (path / CHECKPOINT).is_file())
    return {path.name: path for path in found[:_MOST_RUNS]}


def game_of(path: Path) -> str | None:
    """The game of a run; None if it cannot be read, or is of a game whose code was not named."""
    try:
        return known(settings_of(_configuration(path, _version(path))).game).name
    except (ValueError, OSError):
        return None


def overview(runs: Mapping[str, Path]) -> list[dict[str, Any]]:
    """Every run that can be read: its game, its settings by their names, and the seconds since it was last saved."""
    found = []
    for name, path in runs.items():
        if (game := game_of(path)) is not None:
            age = max(0.0, time.time() - (path / CHECKPOINT).stat().st_mtime)
            settings = flat(_configuration(path, _version(path)))
            found.append({"name": name, "game": game, "settings": settings, "age": round(age)})
    return found


class Curves:
    """Reads the curves of runs; what was read before is kept. Several threads may use it."""

    def __init__(self) -> None:
        self._readers: dict[Path, Any] = {}
        self._lock = threading.Lock()

    def of(self, path: Path) -> dict[str, list[tuple[int, float]]]:
        """Tag -> pairs of a number of matches and a value."""
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        folder = path / "tensorboard"
        if not folder.is_dir():
            return {}
        with self._lock:
            reader = self._readers.setdefault(path, EventAccumulator(str(folder), size_guidance={"scalars": _KEPT}))
            reader.Reload()
            return {tag: _thinned(reader.Scalars(tag)) for tag in reader.Tags()["scalars"]}


def _thinned(events: list[Any]) -> list[tuple[int, float]]:
    every = -(-len(events) // _MOST_POINTS) or 1
    kept = events[::-1][::every][::-1]  # the last one is always shown
    return [(int(event.step), float(event.value)) for event in kept if event.value == event.value]


def _version(path: Path) -> int:
    """A checkpoint that is replaced is another file."""
    return (path / CHECKPOINT).stat().st_ino


@lru_cache(maxsize=_MOST_RUNS)
def _configuration(path: Path, version: int) -> Mapping[str, Any]:
    return load_network(path).configuration
