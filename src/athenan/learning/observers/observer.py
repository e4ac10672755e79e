"""What the loop of a training tells whoever watches it."""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.runs.checkpoint import Checkpoint, RunDirectory


class Observer:
    """Watches a training between `with` and its end. Each method does nothing unless it is overridden."""

    def message(self, text: str) -> None:
        """Something that a person may want to know."""

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """The training begins in its directory, or goes on, with this checkpoint."""

    def update(self, progress: Progress) -> None:
        """Play goes on; this is called many times a second."""

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        """A match has ended."""

    def phase(self, progress: Progress) -> None:
        """The matches of a learning phase have ended; what is noted in the progress now is in the next checkpoint."""

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        """A checkpoint is saved; the progress is newer."""

    def end(self, progress: Progress) -> None:
        """The training is over. An interrupted training has no end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


class Observers(Observer):
    """Several observers, which are told one after the other."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._all = observers
        self._entered = ExitStack()

    def message(self, text: str) -> None:
        for one in self._all:
            one.message(text)

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        for one in self._all:
            one.begin(directory, checkpoint)

    def update(self, progress: Progress) -> None:
        for one in self._all:
            one.update(progress)

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        for one in self._all:
            one.match(match, progress)

    def phase(self, progress: Progress) -> None:
        for one in self._all:
            one.phase(progress)

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        for one in self._all:
            one.checkpoint(checkpoint, progress)

    def end(self, progress: Progress) -> None:
        for one in self._all:
            one.end(progress)

    def __enter__(self) -> Self:
        for one in self._all:
            self._entered.enter_context(one)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._entered.__exit__(kind, error, at)
