"""The check of a user's game before its first use: a wrong kernel would end the process, or play wrongly in silence.

A game that has passed is remembered in the user's cache by a digest of its name and sources, so that each version is
checked once. Processes that `multiprocessing` started do not check again: the process that started them has.
"""

import hashlib
import multiprocessing
import os
import sys
from pathlib import Path
from types import ModuleType

from athenan.rules.conformance import check_quickly
from athenan.rules.game import Game
from athenan.version import __version__

_passed: set[str] = set()
"""The digests that have passed in this process, which the cache may not hold if it cannot be written."""


def check_once(module: ModuleType, game: Game) -> None:
    """Checks a game of a user's module unless it has passed before. Raises GameError with the fault."""
    if multiprocessing.parent_process() is not None:
        return
    digest = digest_of(module, game.name)
    if digest in _passed or (_folder() / digest).exists():
        return
    check_quickly(game)
    remember(digest)


def remember(digest: str) -> None:
    """Notes that a game has passed."""
    _passed.add(digest)
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        (_folder() / digest).touch()
    except OSError:
        return  # the next process checks again


def digest_of(module: ModuleType, name: str) -> str:
    """A digest of a game's name and of all that its rules may come from: its module and its imports beside it."""
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
    """The folder of empty files that are named by the digests of games that have passed."""
    cache = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "athenan" / "checked"
