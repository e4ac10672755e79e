"""The clocks of a training. What comes before its loop, and what is saved after it, takes no time from it."""

import time

from athenan.learning.state import TrainingState

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
"""What the limit of a training can count: real time, or the time of all threads of its process."""


class Clocks:
    """Writes the times of a training to its progress."""

    def __init__(self, state: TrainingState, clock: str) -> None:
        """`clock` is a name of `CLOCKS`."""
        self._state, self._now = state, CLOCKS[clock]

    def start(self) -> None:
        """Starts the clocks at the progress so far."""
        progress = self._state.progress
        self._began = self._now() - progress.seconds
        self._wall_began = time.perf_counter() - progress.wall_seconds
        self._processor_began = time.process_time() - progress.processor_seconds

    def read(self) -> None:
        """Writes the times so far to the progress."""
        progress = self._state.progress
        progress.seconds = self._now() - self._began
        progress.wall_seconds = time.perf_counter() - self._wall_began
        progress.processor_seconds = time.process_time() - self._processor_began

    def seconds_left(self) -> float | None:
        """Seconds until the limit, negative after it; None if there is no limit."""
        limit = self._state.progress.limit_seconds
        return None if limit is None else limit - (self._now() - self._began)

    def out_of_time(self) -> bool:
        """Whether the limit has been reached."""
        left = self.seconds_left()
        return left is not None and left <= 0
