"""Actors that share an evaluator: common batches, the same answers, and nobody waits for one who has gone."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from evaluators import hash_values
from numpy.typing import NDArray
from small_trainings import Interrupting, assert_same_checkpoint, changed, quiet, small

from athenan.evaluation.evaluator import Evaluator
from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.learner.protocol import Learner, PlayingEvaluator
from athenan.learning.self_play.shared_evaluator import SharedEvaluator, gains_by_sharing
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import RunDirectory, load

WAIT = 60.0
"""Seconds until a test gives up."""
FOR_ALL = threading.TIMEOUT_MAX
"""The patience of batches that wait for all who play."""
SEVERAL = small(matches=8, actors=3, overlap=True)


class Hashing:
    """Evaluates states by a hash and its weight. It notes its batches, and does something during each."""

    precision, threads = "float32", 1

    def __init__(self, during: Callable[[int], object] = lambda batch: None) -> None:
        self.during, self.weight, self.newest = during, 1.0, 1.0
        self.batches: list[int] = []
        self.is_evaluating = False

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        assert not self.is_evaluating
        self.is_evaluating = True
        try:
            self.batches.append(len(planes))
            before = self.weight
            self.during(len(self.batches))
            values = hash_values(planes)
            return Leaves(before * values, policies=self.weight * np.stack([values, -values], axis=1))
        finally:
            self.is_evaluating = False

    def refresh(self) -> None:
        assert not self.is_evaluating
        self.weight = self.newest


def states(count: int, seed: int = 0) -> NDArray[np.int8]:
    return np.random.default_rng(seed).integers(0, 2, (count, 18), np.int8)


def play(shared: SharedEvaluator, asks: list[int]) -> list[Exception | bool]:
    """Lets an actor for each number ask so many times, with 1 + its own number of states.

    They begin together. The result of each: whether all its answers were right, or its error.
    """
    all_are_here = threading.Barrier(len(asks))

    def one(actor: int) -> Exception | bool:
        right = True
        with shared:
            all_are_here.wait(WAIT)
            for number in range(asks[actor]):
                planes = states(1 + actor, number)
                try:
                    leaves = shared(planes)
                except RuntimeError as error:
                    return error
                values = hash_values(planes)
                right &= np.array_equal(leaves.values, values) and leaves.action_values.shape == (0, 0)
                right &= np.array_equal(leaves.policies, np.stack([values, -values], axis=1))
        return right

    with ThreadPoolExecutor(len(asks)) as threads:
        return list(threads.map(one, range(len(asks)), timeout=WAIT))


def test_a_batch_has_the_states_of_all_who_play() -> None:
    evaluator = Hashing()
    shared = SharedEvaluator(evaluator, FOR_ALL)
    assert play(shared, [50, 50, 50]) == [True] * 3
    assert evaluator.batches == [6] * 50
    assert (shared.batches, shared.states) == (50, 300)


def test_nobody_waits_for_those_who_have_left() -> None:
    evaluator = Hashing()
    assert play(SharedEvaluator(evaluator, FOR_ALL), [40, 10, 0]) == [True] * 3
    assert evaluator.batches == [3] * 10 + [1] * 30


@pytest.mark.parametrize("patience", [0.0, None])
def test_a_batch_begins_without_those_who_take_too_long(patience: float | None) -> None:
    """The other one plays, and never asks."""
    evaluator = Hashing()
    with (shared := SharedEvaluator(evaluator, patience)), shared:
        for _ in range(3):
            np.testing.assert_array_equal(shared(states(4)).values, hash_values(states(4)))
    assert evaluator.batches == [4] * 3


def test_all_answers_are_right_however_the_batches_come_about() -> None:
    evaluator = Hashing()
    assert play(SharedEvaluator(evaluator), [30, 50, 40, 1]) == [True] * 4
    assert sum(evaluator.batches) == 30 * 1 + 50 * 2 + 40 * 3 + 4


def test_one_who_plays_alone_has_the_answers_and_batches_of_the_evaluator() -> None:
    asked: list[NDArray[np.int8]] = []

    class Noting(Hashing):
        def __call__(self, planes: NDArray[np.int8]) -> Leaves:
            asked.append(planes)
            return super().__call__(planes)

    with (shared := SharedEvaluator(Noting(), FOR_ALL)):
        for count in (1, 7, 7, 3):
            planes = states(count)
            np.testing.assert_array_equal(shared(planes).values, hash_values(planes))
            assert asked[-1] is planes
    assert len(asked) == 4


def test_observers_are_answered_whoever_plays() -> None:
    shared = SharedEvaluator(Hashing(), FOR_ALL)
    np.testing.assert_array_equal(shared(states(2)).values, hash_values(states(2)))
    with shared:  # plays, and does not ask
        np.testing.assert_array_equal(shared(states(2)).values, hash_values(states(2)))


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), KeyboardInterrupt()])
def test_an_error_reaches_all_who_wait_and_the_next_batch_is_evaluated(error: BaseException) -> None:
    def fail(batch: int) -> None:
        if batch == 2:
            raise error

    shared, caught = SharedEvaluator(Hashing(fail), FOR_ALL), list[BaseException]()
    all_are_here = threading.Barrier(3)

    def ask() -> None:
        with shared:
            all_are_here.wait(WAIT)
            for _ in range(3):
                try:
                    shared(states(2))
                except BaseException as found:
                    caught.append(found)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert caught == [error] * 3 and shared.batches == 3


def test_one_who_is_interrupted_while_waiting_leaves_no_states_behind(ctrl_c: Callable[[], None]) -> None:
    """Ctrl-C comes while the first thread waits for another one, which then asks alone."""
    evaluator = Hashing()
    shared, first_has_left = SharedEvaluator(evaluator, FOR_ALL), threading.Event()

    def interrupt_then_ask() -> None:
        with shared:
            here.set()
            while not shared._waiting:
                time.sleep(0.001)
            ctrl_c()
            first_has_left.wait(WAIT)
            shared(states(5))

    here = threading.Event()
    thread = threading.Thread(target=interrupt_then_ask, daemon=True)
    thread.start()
    here.wait(WAIT)
    with pytest.raises(KeyboardInterrupt), shared:
        shared(states(2))
    first_has_left.set()
    thread.join(WAIT)
    assert evaluator.batches == [5]


def test_a_batch_is_evaluated_by_one_network_whole() -> None:
    """New weights come while a batch is being evaluated: it ends with the old ones, and the next has the new ones."""
    refreshing = threading.Event()

    def change(batch: int) -> None:
        evaluator.newest = 2.0
        if batch == 1:
            refresher.start()
            refreshing.wait(WAIT)

    def refresh() -> None:
        refreshing.set()
        shared.refresh()

    evaluator = Hashing(change)
    shared, refresher = SharedEvaluator(evaluator, FOR_ALL), threading.Thread(target=refresh, daemon=True)
    values = hash_values(states(3))
    for weight in (1.0, 2.0):
        leaves = shared(states(3))
        np.testing.assert_array_equal(leaves.values, weight * values)
        np.testing.assert_array_equal(leaves.policies[:, 0], weight * values)
        refresher.join(WAIT)


# -- The choice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "gains"), [(lambda states: 1.0, True), (lambda states: states, False)])
def test_actors_share_where_a_batch_costs_less_than_its_parts(
    seconds: Callable[[int], float], gains: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock counts the seconds that a device with one queue would take for the batches, which wait for all actors.

    A busy machine may start an actor late.
    """
    now, lock = [0.0], threading.Lock()
    waiting = partial(SharedEvaluator, patience=FOR_ALL)
    monkeypatch.setattr("athenan.learning.self_play.shared_evaluator.SharedEvaluator", waiting)
    monkeypatch.setattr("athenan.evaluation.devices.time.perf_counter", lambda: now[0])

    class Queued(Hashing):
        def __call__(self, planes: NDArray[np.int8]) -> Leaves:
            with lock:
                now[0] += seconds(len(planes))
            return super().__call__(planes)

    assert gains_by_sharing([Queued() for _ in range(3)], states(8)) is gains


@pytest.mark.parametrize(("device", "gains", "kinds"), [("cpu", True, 3), ("cuda", True, 1), ("cuda", False, 3)])
def test_actors_share_on_a_gpu_alone_and_only_if_that_is_faster(
    device: str, gains: bool, kinds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is computed on the GPU."""
    config = changed(SEVERAL, device="auto")
    components = Components(config, make(config.run.game), None, new=True)
    learner, evaluator = components.learner(), Components.evaluator

    def on_device(self: Components, learner: Learner, threads: int, *precision: str) -> PlayingEvaluator:
        made = evaluator(self, learner, threads, *precision)
        assert isinstance(made, Evaluator)
        made.device = torch.device(device)
        return made

    monkeypatch.setattr(Components, "evaluator", on_device)
    monkeypatch.setattr("athenan.learning.components.gains_by_sharing", lambda evaluators, planes: gains)
    found = components.evaluators(learner, 1)
    assert len(found) == 3 and len(set(found)) == kinds
    assert all(isinstance(one, SharedEvaluator) == (kinds == 1) for one in found)


# -- Trainings -----------------------------------------------------------------------------------------------------


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All trainings share an evaluator; no thread is left at the end."""

    def evaluators(self: Components, learner: Learner, threads: int) -> list[SharedEvaluator]:
        return [SharedEvaluator(self.evaluator(learner, threads))] * self.config.playing.actors

    before = set(threading.enumerate())
    monkeypatch.setattr(Components, "evaluators", evaluators)
    yield
    assert not {thread for thread in threading.enumerate() if thread not in before and thread.is_alive()}


def test_a_training_with_one_actor_is_the_same(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    config = small(matches=3)
    own = train(config, tmp_path / "own", quiet())
    request.getfixturevalue("sharing")
    assert_same_checkpoint(own, train(config, tmp_path / "shared", quiet()))


@pytest.mark.parametrize("network", ["c:filters=8,dense=16", "r1:filters=8,blocks=1"])
def test_a_training_learns_all_matches_of_its_actors(network: str, tmp_path: Path, sharing: None) -> None:
    progress = load(train(changed(SEVERAL, network=network), tmp_path / "run", quiet())).document["progress"]
    assert (progress["matches"], len(progress["losses"])) == (8, 7)  # the last one waits in the checkpoint


def test_the_newest_network_is_copied_once_for_all_actors(
    tmp_path: Path, sharing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied, refresh = list[int](), Evaluator.refresh

    def counting(self: Evaluator) -> None:
        copied.append(1)
        refresh(self)

    monkeypatch.setattr(Evaluator, "refresh", counting)
    with RunDirectory(tmp_path / "run") as run:
        trainer = Trainer(changed(SEVERAL, matches=4, overlap=False), make(SEVERAL.run.game), run)
        trainer.run()
    assert len(copied) == 4


@pytest.mark.parametrize("matches", [0, 3])
def test_an_interruption_ends_all_actors(matches: int, tmp_path: Path, sharing: None) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(SEVERAL, tmp_path / "run", Interrupting(matches))
    assert load(tmp_path / "run").document["progress"]["matches"] >= matches
    resume(tmp_path / "run", display=quiet())
    assert load(tmp_path / "run").document["progress"]["matches"] == 8


def test_an_error_of_any_actor_ends_the_training(
    tmp_path: Path, sharing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = Evaluator.__call__

    def fail(self: Evaluator, planes: NDArray[np.int8]) -> Leaves:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("out of luck")
        return evaluate(self, planes)

    monkeypatch.setattr(Evaluator, "__call__", fail)
    with pytest.raises(RuntimeError, match="out of luck"):
        train(changed(SEVERAL, matches=10**6), tmp_path / "run", quiet())


def test_the_time_of_a_run_ends_it_for_all(tmp_path: Path, sharing: None) -> None:
    """No action would end by itself."""
    train(changed(SEVERAL, matches=None, minutes=0.5 / 60, evaluations=10**9), tmp_path / "run", quiet())
