"""Locks of files: one process at a time, and a process that ends, however it ends, frees what it has locked."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FAR = 1 << 62
"""The byte that Windows locks: readers of a locked byte are refused, and no file is as long as this."""


def opened(path: Path) -> int:
    """A descriptor of the file, which is made if necessary. Raises OSError."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)


def hold(descriptor: int) -> bool:
    """Locks an open file until the descriptor is closed; False if another process holds it. Raises OSError."""
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):  # Windows reports a held lock as a missing permission
        return False
    return True


if fcntl:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

elif os.name == "nt":
    import msvcrt

    def _lock(descriptor: int) -> None:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)

else:  # a Python that was built without fcntl

    def _lock(descriptor: int) -> None:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            os.lockf(descriptor, os.F_TLOCK, 0)
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
