"""Workers: each plays matches and learns them; one is the training of one learner, several share all they have."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small_trainings import Interrupting, assert_same_arrays, changed, document_without_times, quiet, small

from athenan.games.catalogue import make
from athenan.learning import trainer as trainers
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.learning.replay.divided import DividedReplay, shares
from athenan.learning.self_play.actors import Actor
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.learning.work_log import Phase
from athenan.learning.workers import Gate, Workers
from athenan.runs.checkpoint import Checkpoint, CheckpointError, RunDirectory, load

SCALARS = {"network": "patterns:walks=6,entries=729", "learning_rate": 1.0}
VECTORS = {"network": "patterns:walks=6,entries=81,vector=8,hidden=8", "learning_rate": 1.0}
SHALLOW = {"network": "shallow:hidden=32", "learning_rate": 0.001}
ORDERS = {
    "scalars": SCALARS,
    "vectors": {**VECTORS, "averaging": 0.9, "exploitation": "annealed", "replay": ReplayConfig("games", 4)},
    "shallow": {**SHALLOW, "phase_matches": 2, "saving": 3600.0},
}


def training(workers: int, matches: int | None, **changes: Any) -> TrainingConfig:
    settings = {**SCALARS, "saving": 0.0, **changes}
    return small("connect_four:5x4", matches=matches, actors=workers, threads=workers, **settings)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert not {thread for thread in threading.enumerate() if thread not in before and thread.is_alive()}


def stay_in_a_match(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Lets a worker that has played so many matches stop in the middle of the next until it is interrupted."""
    play, played = Actor.play, list[FinishedMatch | None]()

    def replacement(self: Actor, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        questions = count()

        def asked() -> bool:
            while len(played) >= after and next(questions) >= 2 and not interrupted():
                time.sleep(0.001)
            return interrupted()

        played.append(play(self, asked))
        return played[-1]

    monkeypatch.setattr("athenan.search.walking.acting._PATIENT", 64)  # several questions a match
    monkeypatch.setattr(Actor, "play", replacement)


def without_numbers_of_workers(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint of one worker, as that of one learner would be."""
    document = dict(checkpoint.document)
    assert document.pop("others") == []
    (document["replay"],) = document["replay"]["parts"]
    tensors = {name.removeprefix("worker.0."): tensor for name, tensor in checkpoint.tensors.items()}
    return Checkpoint(tensors, document, checkpoint.matches)


@pytest.mark.parametrize("order", ORDERS)
def test_one_worker_is_the_training_of_one_learner_also_when_interrupted(
    order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = training(1, 9, **ORDERS[order])
    expected = load(train(config, tmp_path / "learner", quiet()))
    monkeypatch.setattr(trainers, "learn_themselves", lambda config, learner: True)
    with monkeypatch.context() as patched:
        stay_in_a_match(patched, after=4)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "worker", Interrupting(4))
    assert load(tmp_path / "worker").document["progress"]["matches"] == 4
    resume(tmp_path / "worker", display=quiet())
    found = without_numbers_of_workers(load(tmp_path / "worker"))
    assert document_without_times(found) == document_without_times(expected)
    assert_same_arrays(found.tensors, expected.tensors)
    assert found.matches.keys() == expected.matches.keys()
    for number, arrays in found.matches.items():
        assert_same_arrays(arrays, expected.matches[number])


class Counting(Observer):
    """Notes the numbers of the matches that observers are told of."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        self.numbers.append(progress.matches)


@pytest.mark.parametrize("network", [SCALARS, VECTORS, SHALLOW])
def test_workers_share_the_matches_of_a_training_and_each_remembers_its_own(
    network: dict[str, Any], tmp_path: Path
) -> None:
    """None is lost or counted twice, also where the run is resumed."""
    counting = Counting()
    for matches in (7, 20):
        config = training(3, matches, replay=ReplayConfig(memory_matches=100), saving=3600.0, **network)
        with RunDirectory(tmp_path) as run:
            earlier = run.load() if run.holds_checkpoint else None
            Trainer(config, make(config.run.game), run, earlier).run([counting])
        saved = load(tmp_path)
        progress = saved.document["progress"]
        assert (
            progress["matches"] == len(progress["lengths"]) == len(saved.matches) == len(progress["losses"]) == matches
        )
        assert progress["memory"] == sum(len(match["symmetries"]) for match in saved.matches.values())
        assert progress["examples"] == sum(len(match["states"]) for match in saved.matches.values())
    assert counting.numbers == [*range(1, 21)]
    played = [part["next_number"] for part in saved.document["replay"]["parts"]]
    assert sum(played) == 20 and len({match["states"].tobytes() for match in saved.matches.values()}) > 15


def test_all_workers_play_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play, meeting, met = Actor.play, threading.Barrier(3), threading.local()

    def meet(self: Actor, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        if not hasattr(met, "before"):
            met.before = meeting.wait(20)
        return play(self, interrupted)

    monkeypatch.setattr(Actor, "play", meet)
    train(training(3, 6), tmp_path, quiet())


@pytest.mark.parametrize("workers", [1, 2, 3, 16, 1000])
def test_workers_divide_the_memory_of_replay(workers: int) -> None:
    whole = ReplayConfig(memory_matches=100, memory_pairs=1000, pairs_limit=10**6, memory=1000, sampling_rate=0.05)
    parts = shares(whole, workers)
    assert len(parts) == workers and (workers > 1 or parts == [whole])
    for name in ("memory_matches", "memory_pairs", "pairs_limit", "memory"):
        sizes = [getattr(part, name) for part in parts]
        assert sum(sizes) == max(workers, getattr(whole, name)) and max(sizes) - min(sizes) <= 1
    assert {part.sampling_rate for part in parts} == {min(1.0, 0.05 * workers)}


def test_a_memory_that_is_full_is_as_large_as_that_of_one_worker(tmp_path: Path) -> None:
    saved = load(train(training(2, 30, replay=ReplayConfig(memory_matches=5)), tmp_path, quiet()))
    assert sorted(number % 2 for number in saved.matches) == [0, 0, 1, 1, 1]


def require_whole(run: Path, config: TrainingConfig) -> None:
    """Tests that a run would go on with all that was counted, and with the random numbers of each worker."""
    before = load(run)
    parts = before.document["replay"]["parts"]
    played = config.learning.phase_matches * sum(part["next_number"] for part in parts)
    assert played == before.document["progress"]["matches"] > 0
    with RunDirectory(run) as directory:
        trainer = Trainer(config, make(config.run.game), directory, directory.load())
    states = [choice.random.bit_generator.state for choice in trainer.state.choices]
    assert states == [before.document["random"], *before.document["others"]] and states[0] != states[1]
    assert isinstance(trainer.replay, DividedReplay)
    assert trainer.replay.state_document() == before.document["replay"]
    assert_same_arrays(trainer.state.checkpoint().tensors, before.tensors)


def test_several_workers_are_interrupted_and_resumed(tmp_path: Path) -> None:
    config = training(2, 10**6, phase_matches=2, saving=3600.0)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path, Interrupting(4))
    require_whole(tmp_path, config)
    played = load(tmp_path).document["progress"]["matches"]
    resume(tmp_path, matches=played + 5, display=quiet())
    assert load(tmp_path).document["progress"]["matches"] == played + 5


class Copying(Observer):
    """Copies what is on disk when a checkpoint was saved: what a kill would leave then."""

    def __init__(self, copies: Path) -> None:
        self.copies = copies
        self.made = 0

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        self.path = directory.path

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        self.made += 1
        if self.made in (1, 3, 5):
            shutil.copytree(self.path, self.copies / str(self.made), ignore=lambda *_: ["lock"])
        if self.made == 5:
            raise KeyboardInterrupt


def test_what_a_kill_leaves_goes_on_while_workers_are_in_the_middle_of_matches(tmp_path: Path) -> None:
    config = training(2, 10**6, replay=ReplayConfig(memory_matches=4))
    with RunDirectory(tmp_path / "run") as run:
        trainer = Trainer(config, make(config.run.game), run)
        with pytest.raises(KeyboardInterrupt):
            trainer.run([Copying(tmp_path)])
    for copied in (1, 3, 5):
        require_whole(tmp_path / str(copied), config)
    played = load(tmp_path / "3").document["progress"]["matches"]
    resume(tmp_path / "3", matches=played + 5, display=quiet())
    assert load(tmp_path / "3").document["progress"]["matches"] == played + 5


def test_time_ends_all_workers(tmp_path: Path) -> None:
    """No action would end by itself."""
    train(training(2, None, minutes=0.2 / 60, evaluations=10**9), tmp_path, quiet())


@pytest.mark.parametrize("worker", [0, 1])
def test_an_error_of_a_worker_that_plays_ends_the_training_and_loses_no_match(
    worker: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Actor.play

    def fail(self: Actor, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        if self is trainer.actors[worker] and trainer.progress.matches >= 5:
            raise ValueError("out of luck")
        return play(self, interrupted)

    config = training(2, 10**6, saving=3600.0)
    monkeypatch.setattr(Actor, "play", fail)
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make(config.run.game), run)
        with pytest.raises(ValueError, match="out of luck"):
            trainer.run([])
    assert load(tmp_path).document["progress"]["matches"] == trainer.progress.matches >= 5


def test_an_error_in_learning_is_raised_before_what_it_causes_in_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker publishes weights that are no longer finite; the other plays with them, and fails first."""
    learning, played = threading.Event(), threading.Event()

    class Acting:
        def __init__(self, fails: bool) -> None:
            self.fails, self.self_play = fails, self

        def hurry(self, hurried: bool) -> None: ...

        def play(self, interrupted: Callable[[], bool]) -> object:
            if self.fails:
                assert learning.wait(60)
                played.set()
                raise ValueError("no finite number for a state")
            return object()

    def learn(*_: object) -> Phase:
        learning.set()
        assert played.wait(60)
        raise ValueError("the weights are no longer finite")

    monkeypatch.setattr("athenan.learning.workers.learnt_phase", learn)
    actors: Any = [Acting(True), Acting(False)]
    parts: Any = [None, None]
    work_log: Any = SimpleNamespace(begins_match=lambda: True)
    with (
        pytest.raises(ValueError, match="the weights are no longer finite"),
        Workers(actors, parts, parts, 1, lambda: False, work_log) as workers,
    ):
        list(workers.phases(0.01))


def test_weights_that_diverge_end_the_training_and_are_not_saved(tmp_path: Path) -> None:
    train(training(2, 4), tmp_path, quiet())
    before = load(tmp_path).tensors
    config = training(2, 10**6)
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make(config.run.game), run, run.load())
        assert isinstance(trainer.learner, NativeLearner)
        trainer.learner.weights.learnt[:, 0] = np.nan
        with pytest.raises(ValueError, match="no longer finite: begin anew with a lower learning_rate"):
            trainer.run([])
    assert_same_arrays(before, load(tmp_path).tensors)


def test_observers_see_weights_that_only_they_renew(tmp_path: Path) -> None:
    config = training(2, 4)
    with RunDirectory(tmp_path) as run:
        trainer = Trainer(config, make(config.run.game), run)
        watching, planes = trainer.watching_evaluator(), make(config.run.game).encode(make(config.run.game).initial())
        before = watching(planes[None]).values
        trainer.run([])
        playing = trainer.actors[0].evaluator(planes[None]).values
        assert np.array_equal(watching(planes[None]).values, before) and not np.array_equal(playing, before)
        watching.refresh()
        assert np.array_equal(watching(planes[None]).values, playing)


def test_a_gate_closes_when_those_inside_have_left() -> None:
    gate, events, entered, may_leave = Gate(), list[str](), threading.Event(), threading.Event()

    def learn() -> None:
        with gate.passed():
            entered.set()
            may_leave.wait(20)
            events.append("learnt")

    inside, late = threading.Thread(target=learn), threading.Thread(target=learn)
    inside.start()
    entered.wait(20)
    threading.Timer(0.05, may_leave.set).start()
    with gate.closed():
        events.append("closed")
        late.start()
        late.join(0.05)
        events.append("opened")
    inside.join()
    late.join()
    assert events == ["learnt", "closed", "opened", "learnt"]


def test_several_threads_of_learning_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="learning_threads must be 1 where each actor learns"):
        train(training(2, 1, learning_threads=2), tmp_path / "run", quiet())


def test_another_number_of_workers_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = train(training(2, 2), tmp_path / "run", quiet())
    whole = load(run)
    whole.document["configuration"]["playing"]["actors"] = 3
    monkeypatch.setattr(RunDirectory, "load", lambda self, salvage: whole)
    with pytest.raises(CheckpointError, match=r"search.random is uint64\[2\], not uint64\[3\]"):
        resume(run, display=quiet())


def test_a_run_of_one_learner_goes_on_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As runs of earlier versions do, whose actors did not overlap with learning."""
    with monkeypatch.context() as patched:
        patched.setattr(trainers, "learn_themselves", lambda config, learner: False)
        train(training(2, 3), tmp_path, quiet())
    resume(tmp_path, matches=6, display=quiet())
    saved = load(tmp_path)
    assert saved.document["progress"]["matches"] == 6 and sorted(saved.matches) == [*range(6)]


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 2), (8, 8), (100, 64)])
def test_all_cores_play_and_learn_by_default(cores: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)))
    for game in ("hex:7", "backgammon"):
        timed, counted = recommended(game, minutes=5), recommended(game, matches=5, timed=False)
        assert (timed.playing.actors, timed.learning.overlap) == (workers, False)
        assert counted.playing.actors == (1 if game == "hex:7" else workers)
    assert changed(recommended("hex:7", minutes=5), overlap=True).playing.actors == workers
