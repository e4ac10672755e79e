"""Processes that learn what they have played and exchange what has changed: one training, also after deaths."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trainings import Interrupting, quiet, small

from athenan.cli import main
from athenan.games.catalogue import make
from athenan.jobs import Machines
from athenan.learning import exchange
from athenan.learning.config import TrainingConfig
from athenan.learning.exchange import Begin, Learning, LearningOrder, work
from athenan.learning.learner.deltas import Master
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.observers.display import Display
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.learning.workers import Phase
from athenan.runs.checkpoint import RunDirectory, load

SCALARS = {"network": "patterns:walks=6,entries=729", "learning_rate": 1.0}
SHALLOW = {"network": "shallow:hidden=32", "learning_rate": 0.001}
TWO = Machines(2)


def training(matches: int | None, **changes: Any) -> TrainingConfig:
    return small("connect_four:5x4", **{**SCALARS, "matches": matches, "renewal": 0.05, "saving": 3600.0, **changes})


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert not multiprocessing.active_children()


class Noting(Observer):
    """Notes the numbers of the matches that observers are told of, and whether each has a value for its first state."""

    def __init__(self) -> None:
        self.numbers, self.known = list[int](), list[bool]()

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        self.numbers.append(progress.matches)
        self.known.append(len(match.examples) > 0)


@pytest.mark.parametrize("network", [SCALARS, SHALLOW])
def test_two_processes_make_one_training_which_goes_on_in_any_form(network: dict[str, Any], tmp_path: Path) -> None:
    noting = Noting()
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(training(30, **network), make("connect_four:5x4"), run, machines=TWO, exchange=True)
        trainer.run([noting])
        learnt = trainer.learner.as_arrays()
    saved = load(tmp_path)
    progress = saved.document["progress"]
    assert progress["matches"] == len(progress["lengths"]) == len(progress["losses"]) == 30
    assert noting.numbers == [*range(1, 31)] and noting.known[0]
    assert progress["learnt"] > 0 and progress["evaluations"] > 30 * 20 and progress["search_seconds"] > 0
    assert not saved.matches and progress["remote_actors"] >= 1
    assert all(np.array_equal(saved.tensors[name], array) for name, array in learnt.items())
    assert any(np.any(array) for name, array in learnt.items() if name.startswith("learner."))
    for matches, form in (
        (33, {}), (36, {"machines": Machines(1)}), (45, {"machines": TWO, "exchange": True}), (47, {}),
    ):  # fmt: skip
        resume(tmp_path, matches=matches, display=quiet(), **form)
        assert load(tmp_path).document["progress"]["matches"] == matches
    assert len(load(tmp_path).matches) == 2


class Killing(Display):
    """Kills a process after so many matches, and interrupts the training some after that is seen."""

    def __init__(self, matches: int) -> None:
        super().__init__(quiet().console)
        self.matches, self.killed, self.most = matches, 0, 0

    def update(self, progress: Progress) -> None:
        super().update(progress)
        self.most = max(self.most, progress.remote_actors)
        if progress.matches >= self.matches and self.most == 2 and not self.killed:
            process = multiprocessing.active_children()[0]
            assert process.pid
            self.killed = process.pid
            os.kill(process.pid, signal.SIGKILL)
        if progress.lost_actors and progress.remote_actors == 2 and progress.matches >= 2 * self.matches:
            raise KeyboardInterrupt


def test_a_killed_process_is_replaced_and_an_interruption_keeps_what_was_merged(tmp_path: Path) -> None:
    killing = Killing(10)
    with pytest.raises(KeyboardInterrupt):
        train(training(10**6), tmp_path / "run", killing, machines=TWO, exchange=True)
    progress = load(tmp_path / "run").document["progress"]
    assert killing.killed and progress["lost_actors"] == 1 and progress["matches"] >= 20
    resume(tmp_path / "run", matches=progress["matches"] + 3, display=quiet(), machines=TWO, exchange=True)
    assert load(tmp_path / "run").document["progress"]["matches"] == progress["matches"] + 3


def test_an_interruption_before_anybody_plays_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(training(10**6), tmp_path, Interrupting(0, updates=0), machines=Machines(1), exchange=True)
    assert load(tmp_path).document["progress"]["matches"] == 0


def test_time_ends_all_processes_and_begins_when_they_play(tmp_path: Path) -> None:
    """No action would end by itself; starting a process takes longer than the training."""
    train(training(None, minutes=0.2 / 60, evaluations=10**9), tmp_path, quiet(), machines=TWO, exchange=True)
    progress = load(tmp_path).document["progress"]
    assert progress["seconds"] >= 0.2 and progress["remote_actors"] >= 1


def test_a_run_of_threads_goes_on_without_its_matches_in_memory(tmp_path: Path) -> None:
    """Processes remember only what they have played."""
    train(training(4, actors=2, renewal=1.0), tmp_path, quiet())
    assert len(load(tmp_path).matches) == 4
    resume(tmp_path, matches=8, display=quiet(), machines=Machines(1), exchange=True)
    assert not load(tmp_path).matches
    resume(tmp_path, matches=10, display=quiet())
    saved = load(tmp_path)
    assert saved.document["progress"]["matches"] == 10 and len(saved.matches) == 2


# -- A process, here ---------------------------------------------------------------------------------------------------


def begun(tmp_path: Path, **changes: Any) -> tuple[Master, Begin]:
    config = training(100, **changes)
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make("connect_four:5x4"), run)
    assert isinstance(trainer.learner, NativeLearner)
    master, numbers = Master(trainer.learner), trainer.heuristic.as_json()
    return master, Begin(config, numbers, (3, 4), 1, 2, trainer.learner.as_arrays(), 0)


def test_a_process_learns_at_most_as_many_matches_as_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And sends the examples of one of them, for those who watch."""
    monkeypatch.setattr(exchange, "_KEPT", [])
    master, begin = begun(tmp_path, phase_matches=2)
    assert work(begin).delta is None
    for most, sizes in ((5, [2, 2, 1]), (1, [1]), (2, [2])):
        learnt = work(LearningOrder(60.0, most, None, master.news(master.version)))
        assert [len(phase.matches) for phase in learnt.phases] == sizes and learnt.delta
        sent = [len(match.examples) for phase in learnt.phases for match in phase.matches]
        assert sent[0] > 0 and not any(sent[1:])
        assert learnt.delta.steps == sum(len(phase.losses) for phase in learnt.phases) and learnt.delta.bytes > 0
        assert learnt.spent.evaluations > 0
        master.merge(learnt.delta, 2)
    assert len(exchange._KEPT) == 1


def test_matches_that_wait_for_others_of_their_phase_are_learnt_by_a_later_order(tmp_path: Path) -> None:
    master, begin = begun(tmp_path, phase_matches=50)
    learning = Learning(begin)
    phases = list[Phase]()
    while not phases or not learning._waiting:
        phases += learning.work(LearningOrder(0.02, None, None, master.news(0))).phases
    assert {len(phase.matches) for phase in phases} == {50}
    waiting = len(learning._waiting)
    (phase,) = learning.work(LearningOrder(60.0, 1, None, master.news(0))).phases
    assert len(phase.matches) == 1 and len(learning._waiting) == waiting - 1


# -- What is refused ---------------------------------------------------------------------------------------------------


def test_an_error_of_a_process_ends_the_training(tmp_path: Path) -> None:
    config = training(10**6, **SHALLOW)
    train(training(1, renewal=1.0, **SHALLOW), tmp_path, quiet())
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make("connect_four:5x4"), run, run.load(), machines=Machines(1), exchange=True)
        assert isinstance(trainer.learner, NativeLearner)
        trainer.learner.weights.learnt[0] = np.nan
        with pytest.raises(ValueError, match="is not finite"):
            trainer.run([])
    assert load(tmp_path).document["progress"]["matches"] == 1


def test_exchange_is_refused_where_it_means_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["train", "hex:3", "--exchange", "--run", str(run)]) == 2
    assert "--exchange needs --workers or --ray" in capsys.readouterr().err
    with pytest.raises(ValueError, match="exchange needs --workers or --ray"):
        train(training(1, renewal=1.0), run, quiet(), exchange=True)
    for changes, message in (
        ({"network": "c:filters=8,dense=16", "learning_rate": 0.001}, "exchange needs a pattern network or a shallow"),
        ({"learning_threads": 2}, "exchange needs --no-overlap and one thread"),
        ({"overlap": True}, "exchange needs --no-overlap and one thread"),
    ):
        with pytest.raises(ValueError, match=message):
            train(training(1, **changes), run, quiet(), machines=TWO, exchange=True)
        assert not run.exists()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    train(training(1, renewal=1.0), run, quiet())
    assert main(["train", "--resume", str(run), "--matches", "6", "--workers", "1", "--exchange"]) == 0
    assert "1 actor in another process" in capsys.readouterr().out
    assert load(run).document["progress"]["matches"] == 6
