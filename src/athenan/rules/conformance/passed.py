"""Remembers which of a user's parts have passed their trials, in this process and in the user's cache.

A part is known by a digest of its name and sources, so that each version is tried once. Processes that
`multiprocessing` started make no trials: the process that started them has.
"""

import hashlib
import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from athenan.version import __version__

_passed: set[str] = set()
"""The digests that have passed in this process, which the cache may not hold if it cannot be written."""


def once(module: ModuleType, name: str, trial: Callable[[], None]) -> None:
    """Makes the trial of a part of a user's module unless it has passed before. Raises what the trial raises."""
    if multiprocessing.parent_process() is not None:
        return
    digest = digest_of(module, name)
    if digest in _passed or (_folder() / digest).exists():
        return
    trial()
    _remember(digest)


def _remember(digest: str) -> None:
    """Notes that a part has passed."""
    _passed.add(digest)
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        (_folder() / digest).touch()
    except OSError:
        return  # the next process tries again


def digest_of(module: ModuleType, name: str) -> str:
    """A digest of a part's name and of all that it may come from: its module and the imports beside it."""
    found = hashlib.sha256(f"{__version__} {sys.version} {name}".encode(errors="surrogateescape"))
    for file in _sources(module):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _sources(module: ModuleType) -> list[Path]:
    own = module.__file__ or ""
    folder = os.path.dirname(own) + os.sep
    loaded = {getattr(one, "__file__", None) or "" for one in list(sys.modules.values())}
    files = {file for file in loaded if file.startswith(folder)}
    return [Path(file) for file in sorted(files | {own}) if os.path.isfile(file)]


def _folder() -> Path:
    """The folder of empty files that are named by the digests of what has passed."""
    cache = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "athenan" / "checked"
