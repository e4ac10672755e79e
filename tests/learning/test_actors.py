"""Actors: they play side by side, with whole networks, and end together."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_trainings import Interrupting, changed, quiet, small

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.networks import build_network
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.trainer import Trainer
from athenan.learning.training import resume, train
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import CheckpointError, RunDirectory, generator, load

SEVERAL = small(matches=8, actors=3, overlap=True)
WAIT = 20.0
"""Seconds until a test gives up."""


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert not {thread for thread in threading.enumerate() if thread not in before and thread.is_alive()}


def each_evaluation(monkeypatch: pytest.MonkeyPatch, does: Callable[[int], object]) -> None:
    """Lets something happen before each batch is evaluated; it is told the number of states."""
    evaluate = Evaluator.__call__

    def replacement(self: Evaluator, planes: np.ndarray) -> Leaves:
        does(len(planes))
        return evaluate(self, planes)

    monkeypatch.setattr(Evaluator, "__call__", replacement)


def test_actors_evaluate_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three evaluate, and none goes on before all have come."""
    all_play, begun = threading.Barrier(3), threading.local()

    def meet(_: int) -> None:
        if not hasattr(begun, "met"):
            begun.met = True
            all_play.wait(WAIT)

    each_evaluation(monkeypatch, meet)
    train(SEVERAL, tmp_path / "run", quiet())


def test_actors_wait_for_learning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a step takes long (it sleeps), every match is learnt all the same."""
    step = TorchLearner.step

    def slow(self: TorchLearner, batch: Batch) -> float:
        time.sleep(0.05)
        return float(step(self, batch))

    monkeypatch.setattr(TorchLearner, "step", slow)
    progress = load(train(SEVERAL, tmp_path / "run", quiet())).document["progress"]
    assert (progress["matches"], len(progress["losses"])) == (8, 7)  # the last one waits in the checkpoint


def test_a_network_half_refreshed_evaluates_nothing() -> None:
    def network(seed: int) -> Any:
        torch.manual_seed(seed)
        return build_network(parse_architecture("c:filters=32"), (3, 9, 9), 25.5, False)

    given, others = network(0), [network(seed).state_dict() for seed in (1, 2)]
    evaluate, planes, possible = Evaluator(given, "cpu", "float32"), np.ones((3, 3, 9, 9), np.int8), []
    for weights in others:
        given.load_state_dict(weights)
        evaluate.refresh()
        possible.append(evaluate(planes).values.tobytes())
    over, found = threading.Event(), set()

    def evaluate_on() -> None:
        while not over.is_set():
            found.add(evaluate(planes).values.tobytes())

    thread = threading.Thread(target=evaluate_on)
    thread.start()
    for number in range(300):
        given.load_state_dict(others[number % 2])
        evaluate.refresh()
    over.set()
    thread.join()
    assert found == set(possible)


@pytest.mark.parametrize("matches", [0, 3])
def test_an_interruption_ends_all_actors(matches: int, tmp_path: Path) -> None:
    """A resumed run begins the matches in play anew."""
    with pytest.raises(KeyboardInterrupt):
        train(SEVERAL, tmp_path / "run", Interrupting(matches))
    assert load(tmp_path / "run").document["progress"]["matches"] >= matches
    resume(tmp_path / "run", display=quiet())
    run = load(tmp_path / "run")
    assert run.document["progress"]["matches"] == len(run.document["progress"]["lengths"]) == len(run.matches) + 1 == 8
    assert len(set(run.tensors["search.random"])) == 3


def test_actors_draw_from_generators_of_their_own(tmp_path: Path) -> None:
    """Also after a resumption: the first goes on where it was, the others do not repeat what they have drawn."""

    def drawn(trainer: Trainer) -> list[float]:
        return [choice.random.random() for choice in trainer.state.choices]

    with RunDirectory(tmp_path / "new") as run:
        began = drawn(Trainer(SEVERAL, make(SEVERAL.run.game), run))
    train(changed(SEVERAL, matches=2), tmp_path / "run", quiet())
    saved = load(tmp_path / "run")
    with RunDirectory(tmp_path / "run") as run:
        first, *others = drawn(Trainer(SEVERAL, make(SEVERAL.run.game), run, saved))
    assert first == generator(saved.document["random"]).random()
    assert len({*began, *others}) == 5


def test_an_error_of_any_actor_ends_the_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("out of luck")

    each_evaluation(monkeypatch, fail)
    with pytest.raises(RuntimeError, match="out of luck"):
        train(changed(SEVERAL, matches=10**6), tmp_path / "run", quiet())


def test_the_time_of_a_run_ends_it_for_all(tmp_path: Path) -> None:
    """No action would end by itself."""
    train(changed(SEVERAL, matches=None, minutes=0.5 / 60, evaluations=10**9), tmp_path / "run", quiet())


def test_the_shares_of_time_are_those_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[int]()
    each_evaluation(monkeypatch, counted.append)
    config = changed(SEVERAL, matches=12)
    train(changed(config, matches=6), tmp_path / "run", quiet())
    for _ in range(2):  # and after a resumption
        progress = load(tmp_path / "run").document["progress"]
        assert 0 < progress["network_seconds"] + progress["search_seconds"] <= progress["seconds"] + 0.05
        assert sum(counted) / 2 < progress["evaluations"] <= sum(counted)  # some were of matches in play at the end
        assert len(counted) / 2 < progress["batches"] <= len(counted)
        resume(tmp_path / "run", matches=12, display=quiet())


def test_learning_has_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the thread in which an actor has evaluated with its share, and before the first match."""
    step, threads = TorchLearner.step, set[int]()

    def noting(self: TorchLearner, batch: Batch) -> float:
        threads.add(torch.get_num_threads())
        return float(step(self, batch))

    monkeypatch.setattr(TorchLearner, "step", noting)
    before = torch.get_num_threads()
    train(small(matches=2, actors=2, threads=4, random_ends=9, precision="auto"), tmp_path / "run", quiet())
    torch.set_num_threads(before)
    assert threads == {4}


def test_actors_share_the_memory_and_the_threads(tmp_path: Path) -> None:
    def forest_bytes(actors: int) -> int:
        with RunDirectory(tmp_path / str(actors)) as run:
            config = small(matches=1, actors=actors, memory=64, threads=8, overlap=True)
            trainer = Trainer(config, make(config.run.game), run)
        assert {actor.evaluator.threads for actor in trainer.actors} == {4 // actors}
        players = [actor.self_play for actor in trainer.actors]
        forests = [player.search.forest for player in players if isinstance(player, SearchPlay)]
        return sum(array.nbytes for forest in forests for array in (forest.nodes, forest.edges, forest.states))

    assert 0.9 * forest_bytes(1) < forest_bytes(4) <= forest_bytes(1)
    with pytest.raises(ValueError, match="memory must be at least"):
        train(small(matches=1, actors=2, parallel_matches=100, memory=1), tmp_path / "run", quiet())


@pytest.mark.parametrize(("cores", "actors"), [(1, 1), (2, 2), (3, 2), (8, 4), (64, 8)])
def test_half_of_the_cores_play_for_a_network_of_pytorch(
    cores: int, actors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen(config: TrainingConfig) -> tuple[int, bool, int]:
        return config.playing.actors, config.learning.overlap, config.run.threads

    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)))
    timed = recommended("hex:7", minutes=5, network="c")
    counted = recommended("hex:7", matches=5, timed=False, network="c")
    assert chosen(timed) == (actors, cores > 1, cores)
    assert chosen(counted) == (1, False, 1)
    alone = recommended("hex:7", minutes=5, threads=1, network="c")
    assert chosen(alone) == (1, False, 1)


def test_another_number_of_actors_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = train(changed(SEVERAL, matches=2), tmp_path / "run", quiet())
    whole = load(run)
    whole.document["configuration"]["playing"]["actors"] = 2
    monkeypatch.setattr(RunDirectory, "load", lambda self, salvage: whole)
    with pytest.raises(CheckpointError, match=r"search\.random"):
        resume(run, display=quiet())
