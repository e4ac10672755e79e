"""Trainings for a page, live and finished: settings, kept networks, curves and the latest matches."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from athenan.games.catalogue import known
from athenan.play.latest import LATEST, LatestMatch, read_latest
from athenan.runs.checkpoint import CHECKPOINT, kept
from athenan.runs.curves import CurveReader
from athenan.runs.description import Description, describe, flat, runs_in
from athenan.settings import readable

_MOST_RUNS = 200
_MOST_POINTS = 400
"""Most points of a curve that is sent, evenly over its length."""
_KEPT = 2000
"""Most points of a curve kept in memory; a longer curve is sampled at random."""


def runs_of(folder: Path | None) -> dict[str, Path]:
    """The runs in a folder and its subfolders, by their paths in it; empty without a folder."""
    if folder is None or not folder.is_dir():
        return {}
    found = runs_in(folder)[:_MOST_RUNS]
    names = (folder.resolve().name if path == folder else path.relative_to(folder).as_posix() for path in found)
    return dict(zip(map(readable, names), found, strict=True))


def game_of(path: Path) -> str | None:
    """The game of a run; None if it cannot be read or the code of its game was not named."""
    try:
        return known(_described(path, _version(path)).settings.game).name
    except (ValueError, OSError):
        return None


def overview(runs: Mapping[str, Path]) -> list[dict[str, Any]]:
    """Every readable run: game, settings, minutes of kept networks, and the seconds since it was saved."""
    found = []
    for name, path in runs.items():
        if (game := game_of(path)) is not None:
            one = _described(path, _version(path))
            age = round(max(0.0, time.time() - one.saved))
            settings, minutes = flat(one.configuration), [f"{minutes:g}" for minutes in kept(path)]
            found.append({"name": name, "game": game, "settings": settings, "kept": minutes, "age": age})
    return found


def latest(path: Path) -> list[dict[str, Any]]:
    """The latest matches of a training, the latest one first. Raises CheckpointError and GameError as `read_latest`."""
    return _latest(path, _version(path, LATEST)) if (path / LATEST).exists() else []


class CurveCache:
    """Reads the curves of runs and keeps what it has read. Several threads may use it."""

    def __init__(self) -> None:
        self._readers: dict[Path, CurveReader] = {}
        self._lock = threading.Lock()

    def of(self, path: Path) -> dict[str, list[tuple[int, float]]]:
        """Tag -> pairs of a number of matches and a value; empty before the first match."""
        with self._lock, suppress(ValueError):
            if path not in self._readers:
                self._readers[path] = CurveReader(path, _KEPT)
            found = self._readers[path].read()
            return {
                tag: [(point.matches, point.value) for point in _thinned(points) if point.value == point.value]
                for tag, points in found.items()
            }
        return {}


def _thinned(points: list[Any]) -> list[Any]:
    every = -(-len(points) // _MOST_POINTS) or 1
    return points[::-1][::every][::-1]  # always with the last one


def _version(path: Path, name: str = CHECKPOINT) -> tuple[int, int]:
    """Differs when a file is replaced: its number may be reused, its time is not."""
    found = (path / name).stat()
    return found.st_ino, found.st_mtime_ns


@lru_cache(maxsize=_MOST_RUNS)
def _described(path: Path, version: tuple[int, int]) -> Description:
    return describe(path)


@lru_cache(maxsize=_MOST_RUNS)
def _latest(path: Path, version: tuple[int, int]) -> list[dict[str, Any]]:
    return [_told(match) for match in reversed(read_latest(path))]


def _told(match: LatestMatch) -> dict[str, Any]:
    record = match.record
    return {
        "number": match.number, "seconds": match.training_seconds, "moves": known(record.game).moves(record.actions),
        "outcome": record.outcome, "score": record.score, "values": match.values,
    }  # fmt: skip
