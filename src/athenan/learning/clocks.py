"""The clocks of a training. What comes before its loop, and what is saved after it, takes no time from it."""

import time

from athenan.learning.progress import Progress

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
"""What the limit of a training can count: real time, or the time of all threads of its process."""


class Clocks:
    """Writes the times of a training to its progress."""

    def __init__(self, progress: Progress, clock: str) -> None:
        """`clock` is a name of `CLOCKS`."""
        self._progress, self._now = progress, CLOCKS[clock]

    def start(self) -> None:
        """Starts the clocks at the progress so far."""
        progress = self._progress
        self._began = self._now() - progress.seconds
        self._wall_began = time.perf_counter() - progress.wall_seconds
        self._processor_began = time.process_time() - progress.processor_seconds

    def read(self) -> None:
        """Writes the times so far to the progress."""
        self._progress.seconds = self._now() - self._began
        self._progress.wall_seconds = time.perf_counter() - self._wall_began
        self._progress.processor_seconds = time.process_time() - self._processor_began

    def seconds_left(self) -> float | None:
        """Seconds until the limit, negative after it; None if there is no limit."""
        limit = self._progress.limit_seconds
        return None if limit is None else limit - (self._now() - self._began)

    def out_of_time(self) -> bool:
        """Whether the limit has been reached."""
        left = self.seconds_left()
        return left is not None and left <= 0
