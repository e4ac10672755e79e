"""Locks of files: one process at a time, and a process that ends, however it ends, frees what it has locked."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FAR = 1 << 62
"""The byte that Windows locks: readers of a locked byte are refused, and no file is as long as this."""
_PAUSE = 0.02
"""Seconds between two attempts to get a lock that is waited for."""


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


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Waits until no other process is in such a block for the same path, a file that exists only meanwhile.

    Raises OSError if it cannot be made.
    """
    while (descriptor := _claimed(path)) is None:
        sleep(_PAUSE)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no file that others have opened
            path.unlink()
        os.close(descriptor)


def _claimed(path: Path) -> int | None:
    """The descriptor of a file that this process has locked; None if another one has it, or has just removed it."""
    descriptor = opened(path)
    try:
        if hold(descriptor) and os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except FileNotFoundError:
        pass
    os.close(descriptor)
    return None


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
