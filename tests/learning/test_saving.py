"""Saving while a training goes on: one checkpoint at a time, errors reach the training."""

import threading

import pytest

from athenan.learning.saving import Saving
from athenan.runs.checkpoint import Checkpoint, CheckpointError

HERE = Checkpoint({}, {}, {})


def test_a_checkpoint_is_written_while_the_caller_goes_on() -> None:
    may_end, told = threading.Event(), list[threading.Thread]()
    with Saving(lambda _: may_end.wait(20), lambda _: told.append(threading.current_thread()), 1e-9) as saving:
        assert saving.due
        saving.begin(HERE)
        saving.look()
        assert not saving.due and not told  # another one would have to wait
        may_end.set()
        saving.look(wait=True)
        assert saving.due
    assert told == [threading.current_thread()]


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
