"""Workers that are told what to do next when it is known what they have done."""

from collections.abc import Callable
from time import sleep
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from athenan.jobs.job import MOST_DEATHS, JobError
from athenan.jobs.team import Lost, Worker, Workplace

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Dialogue(Generic[Argument, Result]):
    """The workers of a place within `with`. Each has one job at a time, and the caller gives it the next one.

    A job is not repeated if its worker dies. Another worker takes its place, which begins with a first job of its own.
    """

    def __init__(self, place: Workplace, first: Callable[[Worker], Argument]) -> None:
        """`first` gives the first job of a worker."""
        self._place, self._first = place, first
        self._members = list[Worker]()
        self._new, self._beginning, self._busy = set[Worker](), set[Worker](), set[Worker]()
        """Workers that are not ready; those that do their first job; those that do any."""
        self._deaths_in_a_row = self.deaths = 0
        """Number of workers that have died."""

    @property
    def size(self) -> int:
        """Number of workers that have done their first job."""
        return len(self._members) - len(self._new) - len(self._beginning)

    @property
    def room(self) -> int:
        """Number of workers possible now."""
        return self._place.room

    def fill(self) -> None:
        """Hires workers while there is room, and gives each its first job when it is ready."""
        hired = [self._place.hire() for _ in range(self.room - len(self._members))]
        self._members += hired
        for worker in hired:  # they start together: sending a job waits for its worker
            if worker.ready:
                self._begin(worker)
            else:
                self._new.add(worker)

    def _begin(self, worker: Worker) -> None:
        self._beginning.add(worker)
        self.reply(worker, self._first(worker))

    def reply(self, worker: Worker, argument: Argument) -> None:
        """Gives a worker that has answered its next job."""
        self._busy.add(worker)
        worker.begin(argument, ())

    def answers(self, seconds: float) -> list[tuple[Worker, Result | None]]:
        """Workers with the results of their jobs, or None if they have died. Waits for one, at most so long.

        Raises the exception of a job, and JobError if three workers in a row die, and none does more than its first job
        meanwhile.
        """
        found, waited_for = list[tuple[Worker, Result | None]](), [*self._new, *self._busy]
        if not waited_for:
            sleep(seconds)
        for worker in self._place.answered(waited_for, seconds) if waited_for else ():
            try:
                found += self._taken(worker)
            except Lost as death:
                self._lost(worker, str(death))
                found.append((worker, None))
        return found

    def _taken(self, worker: Any) -> list[tuple[Worker, Result | None]]:
        """A worker's result; empty if the worker has only become ready."""
        result = worker.result()
        if worker in self._new:
            self._new.remove(worker)
            self._begin(worker)
            return []
        if worker not in self._beginning:
            self._deaths_in_a_row = 0
        self._beginning.discard(worker)
        self._busy.remove(worker)
        return [(worker, result)]

    def _lost(self, worker: Worker, how: str) -> None:
        self.deaths += 1
        self._deaths_in_a_row += 1
        self._members.remove(worker)
        for workers in (self._new, self._beginning, self._busy):
            workers.discard(worker)
        if self._deaths_in_a_row >= MOST_DEATHS:
            raise JobError(f"{self._deaths_in_a_row} workers have died in a row, the last {how}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._place.end(self._members, [*self._new, *self._busy])
