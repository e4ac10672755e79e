"""A team of workers, each with one job at a time. It gives jobs, takes results and replaces dead workers."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from athenan.jobs.job import MOST_DEATHS, Job, JobError

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Lost(Exception):
    """A worker has died; the message says how."""


class Worker(Protocol):
    """One worker. It returns the results of its jobs; a worker not ready at once first returns None when it is."""

    ready: bool
    """Whether a new worker takes a job at once, to do when its process has started."""

    def begin(self, argument: Any, common: tuple[Any, ...]) -> None:
        """Begins a job: function(argument, *common). A dead worker says so in its result."""

    def result(self) -> Any:
        """The result, once the place reports one. Raises the exception of the job, or Lost."""


class Workplace(Protocol):
    """A place where workers run."""

    @property
    def room(self) -> int:
        """The number of workers possible now."""

    def hire(self) -> Worker:
        """A new worker."""

    def answered(self, workers: Sequence[Any], seconds: float | None) -> list[Any]:
        """The given workers that have a result or have died; waits for one, at most `seconds`."""

    def end(self, workers: Sequence[Any], busy: Sequence[Any]) -> None:
        """Ends all workers, even in the middle of a job."""


class Team(Generic[Argument, Result]):
    """The workers of a place within `with`."""

    def __init__(
        self, place: Workplace, arguments: Iterable[Argument], common: Callable[[], Any] | None = None
    ) -> None:
        """See `athenan.jobs.team`."""
        self._place = place
        self._jobs = map(Job, arguments)
        self._common = common
        self._members: list[Worker] = []
        self._new: list[Worker] = []
        self._idle: list[Worker] = []
        self._doing: dict[Worker, Job] = {}
        self._waiting = deque[Job]()
        """Jobs of workers that have died or are not ready."""
        self._failure: Exception | None = None
        self._false_starts = 0
        self.deaths = 0
        """Number of workers that have died."""

    @property
    def busy(self) -> int:
        """Number of jobs that have begun or wait for a worker."""
        return len(self._doing) + len(self._waiting)

    @property
    def size(self) -> int:
        """Number of workers that are ready."""
        return len(self._members) - len(self._new)

    def finished(self, seconds: float | None = None) -> list[tuple[Argument, Result]]:
        """(argument, result) of the jobs that have ended; gives jobs to idle workers before and after waiting.

        Waits for one job, at most `seconds` if given. The list may be empty. Raises the exception of a job. Raises
        JobError if a job has ended three workers, or if three died before any job.
        """
        if not self._failure:
            self._give_jobs()
        done = list[tuple[Argument, Result]]()
        for worker in self._answered(seconds):
            try:
                done += self._taken(worker)
            except Exception as error:
                self._failure = error
        if self._failure and not done:
            raise self._failure
        if not self._failure:
            self._give_jobs()  # workers are busy while the results are used
        return done

    def _answered(self, seconds: float | None) -> list[Worker]:
        if self._failure or not self.busy:
            return []
        return self._place.answered([*self._new, *self._doing], seconds)

    def _taken(self, worker: Worker) -> list[tuple[Argument, Result]]:
        """A worker's result; empty if the worker has only become ready, or has died."""
        job = self._doing.pop(worker, None)
        if job is None:
            self._new.remove(worker)
        try:
            result = worker.result()
        except Lost as death:
            self._members.remove(worker)
            self._lost(job, str(death))
            return []
        self._idle.append(worker)
        self._false_starts = 0
        return [] if job is None else [(job.argument, result)]

    def _lost(self, job: Job | None, how: str) -> None:
        self.deaths += 1
        if job is None:
            self._false_starts += 1
            if self._false_starts >= MOST_DEATHS:
                raise JobError(f"{self._false_starts} workers have ended before they did anything, the last {how}")
        else:
            job.lost(how)
            self._waiting.append(job)

    def _give_jobs(self) -> None:
        """Gives jobs to idle workers, waiting jobs first, and hires workers for more while there is room."""
        while (self._idle or len(self._members) < self._place.room) and (job := self._next_job()):
            if not self._idle:
                self._hire()
            if self._idle:
                worker = self._idle.pop()
                self._doing[worker] = job
                worker.begin(job.argument, (self._common(),) if self._common else ())
            else:
                self._waiting.append(job)

    def _next_job(self) -> Job | None:
        """A waiting job, unless workers that are not ready will do it; else a job for the next argument."""
        if self._waiting and (self._idle or len(self._waiting) > len(self._new)):
            return self._waiting.popleft()
        return next(self._jobs, None)

    def _hire(self) -> None:
        worker = self._place.hire()
        self._members.append(worker)
        (self._idle if worker.ready else self._new).append(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._place.end(self._members, [*self._new, *self._doing])
