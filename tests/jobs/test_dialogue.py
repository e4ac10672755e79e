"""Dialogues with workers: each gets its next job when it has answered; who dies is replaced and its job is not."""

import multiprocessing
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import worker_jobs

from athenan.jobs import JobError, Machines, dialogue
from athenan.jobs.dialogue import Dialogue
from athenan.jobs.team import Lost, Worker


def until(processes: Dialogue[Any, Any], count: int) -> list[tuple[Worker, Any]]:
    """So many answers, with as many processes as there is room for."""
    found = list[tuple[Worker, Any]]()
    while len(found) < count:
        processes.fill()
        found += processes.answers(0.5)
    return found


def test_the_next_job_of_a_process_follows_from_its_last_result() -> None:
    with dialogue(worker_jobs.squared, Machines(2), lambda _: 2) as processes:
        assert processes.size == 0 and processes.room == 2
        answers = until(processes, 2)
        assert [result for _, result in answers] == [4, 4] and processes.size == 2
        assert processes.answers(0.01) == []
        for number, (worker, result) in enumerate(answers):
            processes.reply(worker, result + number)
        assert sorted(result for _, result in until(processes, 2)) == [16, 25]
        processes.fill()
        assert processes.size == 2  # nobody else is hired
    assert not multiprocessing.active_children()


def test_a_process_that_dies_is_replaced_and_its_job_is_lost() -> None:
    with dialogue(worker_jobs.squared, Machines(1), lambda _: 3) as processes:
        ((first, nine),) = until(processes, 1)
        process: Any = first
        process.process.kill()
        processes.reply(first, 10)
        assert until(processes, 1) == [(first, None)] and processes.size == 0 and processes.deaths == 1
        ((second, other),) = until(processes, 1)
        assert nine == other == 9 and second is not first
    assert not multiprocessing.active_children()


def test_an_exception_of_a_job_ends_all_processes() -> None:
    with (
        pytest.raises(ValueError, match="three is refused"),
        dialogue(worker_jobs.refused, Machines(2), lambda _: 3) as processes,
    ):
        until(processes, 2)
    assert not multiprocessing.active_children()


def test_processes_that_die_in_a_row_end_the_dialogue(tmp_path: Path) -> None:
    with (
        pytest.raises(JobError, match=r"3 workers have died in a row, the last by SIGKILL"),
        dialogue(worker_jobs.attempted, Machines(1), lambda _: (str(tmp_path), 1, 9)) as processes,
    ):
        until(processes, 3)


class Slow:
    """A worker that says when it is ready, like the workers of a cluster."""

    ready = False

    def __init__(self) -> None:
        self.jobs = list[Any]()
        self.dead = False

    def begin(self, argument: Any, common: tuple[Any, ...]) -> None:
        self.jobs.append(argument)

    def result(self) -> Any:
        if self.dead:
            raise Lost("its machine is gone")
        return self.jobs[-1] if self.jobs else None


class Growing:
    """A cluster that gets another processor each time it has been asked."""

    def __init__(self) -> None:
        self.room, self.hired, self.ended = 1, list[Slow](), 0

    def hire(self) -> Slow:
        self.hired.append(Slow())
        return self.hired[-1]

    def answered(self, workers: Sequence[Slow], seconds: float | None) -> list[Slow]:
        assert workers, "Ray cannot wait for nothing"
        return list(workers)

    def end(self, workers: Sequence[Slow], busy: Sequence[Slow]) -> None:
        self.ended = len(workers)


def test_workers_of_a_cluster_begin_when_they_are_ready_and_join_later() -> None:
    place = Growing()
    with Dialogue[str, str](place, lambda _: "first") as workers:
        workers.fill()
        assert workers.answers(0) == [] and workers.size == 0  # it has become ready, and does its first job
        place.room = 2
        workers.fill()
        assert workers.answers(0) == [(place.hired[0], "first")] and workers.size == 1
        assert workers.answers(0) == [(place.hired[1], "first")] and workers.size == 2
        began = time.monotonic()
        assert workers.answers(0.02) == [] and time.monotonic() >= began + 0.02  # nobody has anything to do
        workers.reply(place.hired[0], "second")
        place.hired[0].dead = True
        assert workers.answers(0) == [(place.hired[0], None)] and workers.size == 1
        assert place.hired[1].jobs == ["first"]
    assert place.ended == 1
