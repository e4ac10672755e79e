"""Processes that learn what they have played and exchange what has changed: one training, also after deaths."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trainings import Interrupting, quiet, small

from athenan.cli import main
from athenan.games.catalogue import make
from athenan.jobs import Machines
from athenan.learning import exchange_process
from athenan.learning.config import TrainingConfig
from athenan.learning.exchange_process import Begin, Learning, LearningOrder, work
from athenan.learning.learner.deltas import Master
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.observers.display import Display
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.replay import ReplayConfig
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.learning.work_log import Phase
from athenan.runs.checkpoint import Checkpoint, RunDirectory, load, load_document

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
    assert len(saved.matches) == 30 and progress["remote_actors"] >= 1
    assert all(np.array_equal(saved.tensors[name], array) for name, array in learnt.items())
    assert any(np.any(array) for name, array in learnt.items() if name.startswith("learner."))
    for matches, form in (
        (33, {}), (36, {"machines": Machines(1)}), (45, {"machines": TWO, "exchange": True}), (47, {}),
    ):  # fmt: skip
        resume(tmp_path, matches=matches, display=quiet(), **form)
        saved = load(tmp_path)
        assert saved.document["progress"]["matches"] == len(saved.matches) == matches


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


# -- The memories of processes -----------------------------------------------------------------------------------------


class Listening(Display):
    """Notes the messages of a training; the first phases that are seen interrupt it, if it is to be."""

    def __init__(self, interrupts: bool = False) -> None:
        super().__init__(quiet().console)
        self.heard, self.interrupts = list[str](), interrupts

    def message(self, text: str) -> None:
        self.heard.append(text)

    def phase(self, progress: Progress) -> None:
        super().phase(progress)
        if self.interrupts:
            raise KeyboardInterrupt


def remembering(matches: int, **changes: Any) -> TrainingConfig:
    return training(matches, **{"replay": ReplayConfig(memory_matches=12, duplication=2.0), **changes})


def memory_of(saved: Checkpoint) -> list[tuple[int, bytes]]:
    """The matches in memory, with the states of each."""
    return [(number, arrays["states"].tobytes()) for number, arrays in sorted(saved.matches.items())]


def test_as_many_processes_go_on_with_what_each_remembered(tmp_path: Path) -> None:
    """Also with how much of each match it has learnt: the saved memory is what the processes begin with."""
    train(remembering(40), tmp_path, quiet(), machines=TWO, exchange=True)
    before = load(tmp_path)
    assert len(before.document["replay"]["parts"]) == 2 and 6 <= len(before.matches) <= 12
    listening = Listening()
    resume(tmp_path, matches=40, display=listening, machines=TWO, exchange=True)
    after = load(tmp_path)
    assert memory_of(after) == memory_of(before) and after.document["replay"] == before.document["replay"]
    cursors = [name for name in before.tensors if name.endswith("replay.cursors")]
    assert len(cursors) == 2 and all(np.array_equal(after.tensors[one], before.tensors[one]) for one in cursors)
    assert not any("memory" in text for text in listening.heard)
    resume(tmp_path, matches=42, display=quiet(), machines=TWO, exchange=True)
    kept = {states for _, states in memory_of(load(tmp_path))} & {states for _, states in memory_of(before)}
    assert len(kept) >= len(before.matches) - 2


FORMS: dict[str, dict[str, Any]] = {
    "three processes": {"machines": Machines(3), "exchange": True},
    "one process": {"machines": Machines(1), "exchange": True},
    "two threads of one process": {"machines": Machines(1, threads=2), "exchange": True},
    "actors": {"machines": Machines(1)},
    "here": {},
}


@pytest.mark.parametrize(("form", "actors"), [*((form, 1) for form in FORMS), ("one process", 2), ("here", 2)])
def test_other_numbers_of_processes_go_on_with_the_same_matches(form: str, actors: int, tmp_path: Path) -> None:
    """The run of two actors has a memory for each of them here, and so for each of two processes.

    A process that starts late on a busy machine remembers fewer matches than its half.
    """
    train(remembering(30, actors=actors), tmp_path, quiet(), machines=TWO, exchange=True)
    before = load(tmp_path)
    listening = Listening()
    resume(tmp_path, matches=32, display=listening, **FORMS[form])
    after = load(tmp_path)
    kept = {states for _, states in memory_of(after)} & {states for _, states in memory_of(before)}
    assert len(after.matches) <= 12 and len(kept) >= len(before.matches) - 4
    parts = {"three processes": 3, "one process": 1, "two threads of one process": 2}.get(form, actors)
    saved = after.document["replay"].get("parts", [None])
    assert len(saved) == parts
    told = [text for text in listening.heard if text.startswith("the replay memory of 2 workers goes to")]
    assert len(told) == (parts != 2)
    resume(tmp_path, matches=34, display=quiet())
    assert load(tmp_path).document["progress"]["matches"] == 34


def test_a_run_of_threads_goes_on_with_its_matches_in_processes_and_back(tmp_path: Path) -> None:
    train(remembering(12, actors=2, renewal=1.0), tmp_path, quiet())
    before = memory_of(load(tmp_path))
    resume(tmp_path, matches=12, display=quiet(), machines=Machines(1), exchange=True)
    assert [states for _, states in memory_of(load(tmp_path))] == [states for _, states in before]
    resume(tmp_path, matches=14, display=quiet())
    saved = load(tmp_path)
    assert len(saved.document["replay"]["parts"]) == 2 and saved.document["progress"]["matches"] == 14


def test_an_interruption_keeps_the_memories_of_the_run_that_it_has_resumed(tmp_path: Path) -> None:
    train(remembering(30), tmp_path, quiet(), machines=TWO, exchange=True)
    before = memory_of(load(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        resume(tmp_path, matches=10**6, display=Listening(interrupts=True), machines=TWO, exchange=True)
    saved = load(tmp_path)
    assert memory_of(saved) == before and saved.document["progress"]["matches"] > 30


class CopyingAndKilling(Observer):
    """Copies what is on disk after each of some checkpoints, and kills a process before the second."""

    def __init__(self, copies: Path) -> None:
        self.copies, self.made = copies, 0

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        self.path = directory.path

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        self.made += 1
        shutil.copytree(self.path, self.copies / str(self.made), ignore=lambda *_: ["lock"])
        if self.made == 2:
            process = multiprocessing.active_children()[0]
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
        if self.made == 6:
            raise KeyboardInterrupt


def test_what_a_kill_of_the_command_leaves_is_whole_also_after_a_process_was_killed(tmp_path: Path) -> None:
    """All processes have said what they remember for each checkpoint. The new one begins with the lost one's memory."""
    with RunDirectory(tmp_path / "run") as run:
        config = remembering(10**6, saving=0.1)
        trainer = Trainer(config, make(config.run.game), run, machines=TWO, exchange=True)
        with pytest.raises(KeyboardInterrupt):
            trainer.run([CopyingAndKilling(tmp_path)])
    assert trainer.progress.lost_actors == 1
    for copied in range(2, 7):
        saved = load(tmp_path / str(copied))
        added = [part["next_number"] for part in saved.document["replay"]["parts"]]
        assert 0 < sum(added) <= saved.document["progress"]["matches"]
        for part, count in enumerate(added):
            assert sum(number % 2 == part for number in saved.matches) == min(6, count)
    played = load(tmp_path / "6").document["progress"]["matches"]
    resume(tmp_path / "6", matches=played + 5, display=quiet(), machines=TWO, exchange=True)
    assert load(tmp_path / "6").document["progress"]["matches"] == played + 5


COMMAND = """
import sys
from athenan.jobs import Machines
from athenan.learning.training import resume
if __name__ == "__main__":
    resume(sys.argv[1], matches=10**6, machines=Machines(2), exchange=True)
"""


def test_the_command_may_be_killed_at_any_time(tmp_path: Path) -> None:
    """Its processes end with it, and the next one goes on from the last checkpoint."""
    run, script = tmp_path / "run", tmp_path / "go_on.py"
    train(remembering(20, saving=0.05), run, quiet(), machines=TWO, exchange=True)
    script.write_text(COMMAND)
    played = 20
    for _ in range(2):
        with subprocess.Popen([sys.executable, script, run], stdout=subprocess.DEVNULL) as command:
            until = time.monotonic() + 120
            while load_document(run)["progress"]["matches"] < played + 30 and time.monotonic() < until:
                time.sleep(0.05)
            command.kill()
        saved = load(run)
        played = saved.document["progress"]["matches"]
        assert played >= 50 and 6 <= len(saved.matches) <= 12
    resume(run, matches=played + 5, display=quiet(), machines=TWO, exchange=True)
    assert load(run).document["progress"]["matches"] == played + 5


# -- A process, here ---------------------------------------------------------------------------------------------------


def begun(tmp_path: Path, **changes: Any) -> tuple[Master, Begin]:
    config = training(100, **changes)
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make("connect_four:5x4"), run)
    assert isinstance(trainer.learner, NativeLearner)
    master, numbers = Master(trainer.learner), trainer.heuristic.as_json()
    return master, Begin(config, numbers, (3, 4), {1: None}, 2, trainer.learner.as_arrays(), 0)


def test_a_process_learns_at_most_as_many_matches_as_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And sends the examples of one of them, for those who watch."""
    monkeypatch.setattr(exchange_process, "_KEPT", [])
    master, begin = begun(tmp_path, phase_matches=2)
    assert work(begin).delta is None
    for most, sizes in ((5, [2, 2, 1]), (1, [1]), (2, [2])):
        learnt = work(LearningOrder(60.0, most, None, master.news(master.version)))
        (phases,) = learnt.phases
        assert [len(phase.matches) for phase in phases] == sizes and learnt.delta
        sent = [len(match.examples) for phase in phases for match in phase.matches]
        assert sent[0] > 0 and not any(sent[1:])
        assert learnt.delta.steps == sum(len(phase.losses) for phase in phases) and learnt.delta.bytes > 0
        assert learnt.spent.evaluations > 0
        master.merge(learnt.delta, 2)
    assert len(exchange_process._KEPT) == 1


def test_matches_that_wait_for_others_of_their_phase_are_learnt_by_a_later_order(tmp_path: Path) -> None:
    master, begin = begun(tmp_path, phase_matches=50)
    learning = Learning(begin)
    phases = list[Phase]()
    (thread,) = learning._threads
    while not phases or not thread.waiting:
        phases += learning.work(LearningOrder(0.02, None, None, master.news(0))).phases[0]
    assert {len(phase.matches) for phase in phases} == {50}
    waiting = len(thread.waiting)
    ((phase,),) = learning.work(LearningOrder(60.0, 1, None, master.news(0))).phases
    assert len(phase.matches) == 1 and len(thread.waiting) == waiting - 1


def test_threads_of_a_process_learn_side_by_side_and_say_what_they_remember(tmp_path: Path) -> None:
    master, begin = begun(tmp_path)
    learning = Learning(replace(begin, memories={2: None, 3: None}, parts=4))
    learnt = learning.work(LearningOrder(60.0, 5, None, master.news(0)))
    assert [sum(len(phase.matches) for phase in phases) for phases in learnt.phases] == [2, 3] and learnt.delta
    steps = sum(len(phase.losses) for phases in learnt.phases for phase in phases)
    assert learnt.delta.steps == steps and learnt.spent.evaluations > 0
    remembered = learning.remember().memories
    assert remembered and [news.numbers for news in remembered] == [[0, 1], [0, 1, 2]]
    assert [[*news.matches] for news in remembered] == [[0, 1], [0, 1, 2]]
    again = learning.remember().memories
    assert again and [news.numbers for news in again] == [[0, 1], [0, 1, 2]] and not any(news.matches for news in again)


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
    assert main(["train", "--resume", str(run), "--exchange"]) == 2
    assert "athenan: error: --exchange needs --workers or --ray" in capsys.readouterr().err
    assert main(["train", "--resume", str(run), "--matches", "6", "--workers", "1", "--exchange"]) == 0
    assert "1 actor in another process" in capsys.readouterr().out
    assert load(run).document["progress"]["matches"] == 6
    resuming = ["train", "--resume", str(run), "--matches", "9", "--threads", "2"]
    assert main(resuming) == 2 and "--exchange with --threads" in capsys.readouterr().err
    assert main([*resuming, "--workers", "1", "--exchange"]) == 0
    saved = load(run)
    assert saved.document["progress"]["matches"] == 9 and len(saved.document["replay"]["parts"]) == 2
    with pytest.raises(ValueError, match="threads of other processes need exchange"):
        train(training(1), tmp_path / "other", quiet(), machines=Machines(1, threads=2))
