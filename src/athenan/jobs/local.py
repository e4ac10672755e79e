"""Workers that are processes of this machine, each with a pipe of its own, so that one that dies disturbs no other."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from signal import Signals
from time import monotonic
from typing import Any

from athenan.jobs.job import Job
from athenan.jobs.worker import serve

_CONTEXT = get_context("spawn")
"""Fresh processes: a fork of one with threads, as those of PyTorch and numba, may hang."""
_PATIENCE = 5.0
"""Seconds that a worker has to end in an orderly way."""


class _Lost(Exception):
    """The worker of a job has died; the job is to be done again."""

    def __init__(self, job: Job) -> None:
        self.job = job


class _Worker:
    """A process, and the job that it does."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=serve, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()  # so that the end of the process is the end of the connection
        self.job: Job | None = None

    def begin(self, job: Job) -> None:
        self.job = job
        with suppress(OSError):  # it has died, as `result` will find
            self.connection.send(job.argument)

    def result(self) -> tuple[Any, Any]:
        """The argument of the finished job, and its result.

        Raises the exception of the job; _Lost if the process has died, JobError if it has died of this job too often.
        """
        job = self.job
        assert job, "only busy workers are asked"
        try:
            result, error = self.connection.recv()
        except (EOFError, OSError):
            job.lost(self._end)
            raise _Lost(job) from None
        self.job = None
        if error is not None:
            raise error
        return job.argument, result

    @property
    def _end(self) -> str:
        """How the process has ended, in words."""
        self.process.join(_PATIENCE)
        code = self.process.exitcode or 0
        return f"by the signal {Signals(-code).name}" if code < 0 else f"with the status {code}"


def run_in_processes(
    function: Callable[[Any], Any], arguments: Iterable[Any], workers: int
) -> Iterator[tuple[Any, Any]]:
    """See `athenan.jobs.run`."""
    jobs, lost, team = map(Job, arguments), deque[Job](), list[_Worker]()
    try:
        while True:
            _give_jobs(team, lost, jobs, function, workers)
            if not any(worker.job for worker in team):
                return
            done, failure = list[tuple[Any, Any]](), None
            for worker in _ready(team):
                try:
                    done.append(worker.result())
                except _Lost as death:
                    team.remove(worker)
                    lost.append(death.job)
                except Exception as error:  # of the job
                    failure = error
            if not failure:
                _give_jobs(team, lost, jobs, function, workers)  # workers are busy while the results are used
            yield from done
            if failure:
                raise failure
    finally:
        _end(team)


def _ready(team: list[_Worker]) -> list[_Worker]:
    """The busy workers that have answered, or died; waits for one."""
    answered = wait([worker.connection for worker in team if worker.job])
    return [worker for worker in team if worker.connection in answered]


def _give_jobs(
    team: list[_Worker], lost: deque[Job], jobs: Iterator[Job], function: Callable[[Any], Any], workers: int
) -> None:
    """Gives jobs, those that were lost first, to idle workers, and starts workers while there are too few."""
    while True:
        idle = next((worker for worker in team if not worker.job), None)
        if not idle and len(team) >= workers:
            return
        job = lost.popleft() if lost else next(jobs, None)
        if not job:
            return
        if not idle:
            idle = _Worker(function)
            team.append(idle)
        idle.begin(job)


def _end(team: list[_Worker]) -> None:
    """Ends all workers, those in the middle of a job, too."""
    for worker in team:
        worker.connection.close()
        if worker.job:
            worker.process.terminate()
    deadline = monotonic() + _PATIENCE
    for worker in team:
        worker.process.join(max(0.0, deadline - monotonic()))
        worker.process.kill()
        worker.process.join()
