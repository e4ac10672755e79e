"""Saving while a training goes on: one checkpoint at a time, errors reach the training."""

import threading

import pytest

from athenan.learning import saving as saving_module
from athenan.learning.saving import Saving
from athenan.runs.checkpoint import Checkpoint, CheckpointError

HERE = Checkpoint({}, {}, {})


class _Clock:
    """A clock that a test sets."""

    seconds = 100.0

    def perf_counter(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(saving_module, "time", clock)
    return clock


def test_a_checkpoint_is_written_while_the_caller_goes_on(clock: _Clock) -> None:
    may_end, told = threading.Event(), list[threading.Thread]()

    def save(checkpoint: Checkpoint) -> None:
        may_end.wait(20)

    with Saving(save, lambda _: told.append(threading.current_thread()), 30) as saving:
        assert not saving.due
        clock.seconds += 30
        assert saving.due
        saving.begin(HERE)
        saving.look()
        clock.seconds += 30
        assert not saving.due and not told  # another one would have to wait
        may_end.set()
        saving.look(wait=True)
    assert told == [threading.current_thread()]


def test_what_takes_long_to_save_is_saved_less_often(clock: _Clock) -> None:
    def save(checkpoint: Checkpoint) -> None:
        clock.seconds += 7

    with Saving(save, lambda _: None, 30) as saving:
        saving.begin(HERE)
        saving.look(wait=True)
        assert clock.seconds == 107
        clock.seconds = 169.9
        assert not saving.due
        clock.seconds = 170
        assert saving.due  # 7 seconds of 70


def test_without_an_interval_a_checkpoint_is_on_disk_at_once() -> None:
    events = list[str]()
    with Saving(lambda _: events.append("saved"), lambda _: events.append("told"), 0) as saving:
        saving.begin(HERE)
        assert events == ["saved", "told"] and saving.due


def test_the_end_waits_for_what_is_being_written() -> None:
    events = list[str]()
    with Saving(lambda _: events.append("saved"), lambda _: events.append("told"), 3600) as saving:
        assert not saving.due
        saving.begin(HERE)
    assert events == ["saved", "told"]


def test_an_error_reaches_the_training() -> None:
    def fail(checkpoint: Checkpoint) -> None:
        raise CheckpointError("the disk is full")

    with pytest.raises(CheckpointError, match="the disk is full"), Saving(fail, fail, 3600) as saving:
        saving.begin(HERE)
