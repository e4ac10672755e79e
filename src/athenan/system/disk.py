"""Waiting for the disk, so that what was written survives a loss of power."""

import os
from pathlib import Path


def synchronise(path: Path) -> None:
    """Waits until a file, or the list of a folder's files, is on disk. Raises OSError.

    Windows cannot open a folder, and keeps the list of its files in its own journal.
    """
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)  # Windows writes out only what may change
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
