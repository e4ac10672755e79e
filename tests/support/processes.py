"""Events of other processes, for tests that wait for them: a line that is written, and their end."""

import os
import select
import time
from collections.abc import Iterable
from pathlib import Path

PATIENCE = 120.0
"""Seconds until a test gives up waiting for an event of another process."""


class Mailbox:
    """A named pipe, into which other processes write short lines."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._pipe, self._lines = os.open(path, os.O_RDWR), list[str]()

    def line(self) -> str:
        """Waits for the next line."""
        while not self._lines:
            assert select.select([self._pipe], [], [], PATIENCE)[0], "no process has written a line"
            self._lines = os.read(self._pipe, 4096).decode().splitlines()  # short lines are written whole
        return self._lines.pop(0)

    def close(self) -> None:
        os.close(self._pipe)


def all_end(processes: Iterable[int]) -> bool:
    """Waits for the end of processes, also of those that are no children; whether all end in time."""
    deadline = time.monotonic() + PATIENCE
    for process in processes:
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            continue
        try:
            if not select.select([handle], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
        finally:
            os.close(handle)
    return True
