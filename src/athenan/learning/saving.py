"""When a training saves its checkpoint, and in which thread."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from athenan.runs.checkpoint import Checkpoint

Take = Callable[[Checkpoint], None]
LARGEST_SHARE = 0.1
"""The largest share of the time that goes into saving at intervals. Tables of a gigabyte take seconds to save."""


class Saving:
    """Saves checkpoints at intervals, from `with` to its end, while play and learning go on.

    An interval is longer than asked for if saving would take more than `LARGEST_SHARE` of it. Without an interval every
    checkpoint is on disk before the training goes on.
    """

    def __init__(self, save: Take, saved: Take, seconds: float) -> None:
        """`save` writes a checkpoint, in a thread of its own. `saved` is told afterwards, in the caller's thread."""
        self._save, self._saved, self._seconds = save, saved, seconds
        self._began, self._took = time.perf_counter(), 0.0
        self._thread = ThreadPoolExecutor(1)
        self._written: Future[None] | None = None
        self._checkpoint: Checkpoint

    @property
    def due(self) -> bool:
        """Whether the next checkpoint is to be saved: never while another one is being written."""
        interval = max(self._seconds, self._took / LARGEST_SHARE) if self._seconds else 0
        return self._written is None and time.perf_counter() >= self._began + interval

    def begin(self, checkpoint: Checkpoint) -> None:
        """Saves a checkpoint, which must no longer change, after the previous one.

        Raises the errors of `save` now or at the next call.
        """
        self.look(wait=True)
        self._began, self._checkpoint = time.perf_counter(), checkpoint
        self._written = self._thread.submit(self._timed_save, checkpoint)
        self.look(wait=self._seconds == 0)

    def _timed_save(self, checkpoint: Checkpoint) -> None:
        began = time.perf_counter()
        self._save(checkpoint)
        self._took = time.perf_counter() - began

    def look(self, wait: bool = False) -> None:
        """Reports a checkpoint once it is written, for which `wait` waits. Raises the errors of `save`."""
        written = self._written
        if written is not None and (wait or written.done()):
            self._written = None
            written.result()
            self._saved(self._checkpoint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.look(wait=True)
        finally:
            self._thread.shutdown()
