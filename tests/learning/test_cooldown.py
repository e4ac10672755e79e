"""The learning rate falls evenly to 0 at the end of a training with a cooldown, whoever learns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trainings import assert_same_arrays, changed, quiet, small

from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.config import LearningSettings, TrainingConfig
from athenan.learning.examples.examples import Batch
from athenan.learning.exchange_process import Begin, Learning, LearningOrder
from athenan.learning.learner.deltas import Master
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.training import train
from athenan.rules.playouts import encoded_states, random_states

SCALARS = {"network": "patterns:walks=6,entries=729", "learning_rate": 1.0}
NETWORKS: dict[str, dict[str, Any]] = {
    "tables": SCALARS,
    "vectors": {"network": "patterns:walks=6,entries=81,vector=8,hidden=8", "learning_rate": 1.0},
    "shallow": {"network": "shallow:hidden=32", "learning_rate": 0.001},
    "layers": {"learning_rate": 0.001},
}
BY_POLICY = {"search": "puct:noise=0.25", "target": "terminal", "policy_target": "visits", "iterations": 9}


def test_the_rate_falls_evenly_in_the_last_share_of_a_training() -> None:
    cooling = LearningSettings(cooldown=0.25)
    assert [cooling.rate_left(done) for done in (None, 0.0, 0.5, 0.75)] == [1.0] * 4
    assert [cooling.rate_left(done) for done in (0.875, 0.9375, 1.0)] == [0.5, 0.25, 0.0]
    assert [LearningSettings(cooldown=1.0).rate_left(done) for done in (0.0, 0.25, 1.0)] == [1.0, 0.75, 0.0]
    assert LearningSettings().rate_left(1.0) == 1.0


def learner_of(config: TrainingConfig) -> Learner:
    return Components(config, make(config.run.game), None, new=True).learner(None)


@pytest.mark.parametrize("name", [*NETWORKS, "policy"])
def test_a_learner_takes_steps_of_the_rate_that_is_left(name: str) -> None:
    config = small("connect_four:4x4", **(NETWORKS.get(name) or SCALARS | BY_POLICY))
    game, random = make(config.run.game), np.random.default_rng(1)
    planes = encoded_states(game, random_states(game, 64))
    legal = np.ones((len(planes), 4), np.bool_) if name == "policy" else None
    policies = None if legal is None else random.dirichlet(np.ones(4), len(planes)).astype(np.float32)
    batch = Batch(planes, random.normal(size=len(planes)).astype(np.float32), legal=legal, policies=policies)
    half = learner_of(config)
    half.rate_left = 0.5
    learners = half, learner_of(changed(config, learning_rate=config.learning.learning_rate / 2)), learner_of(config)
    for learner in learners:
        learner.begin_phase()
        for _ in range(3):
            learner.step(batch)
        learner.end_phase()
    lower, whole = (learner.playing_weights() for learner in learners[1:])
    assert_same_arrays(half.playing_weights(), lower)
    assert any((lower[name] != whole[name]).any() for name in whole)


def noted(kind: type[Any], step: str, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What is left of the rate at each step of learners of a kind."""
    rates, learn = list[float](), getattr(kind, step)

    def noting(self: Any, batch: Batch) -> Any:
        rates.append(self.rate_left)
        return learn(self, batch)

    monkeypatch.setattr(kind, step, noting)
    return rates


@pytest.mark.parametrize("overlap", [False, True])
def test_one_learner_cools_down(overlap: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = noted(TorchLearner, "step", monkeypatch)
    train(small(matches=5, overlap=overlap, cooldown=0.8), tmp_path / "run", quiet())
    assert list(dict.fromkeys(rates)) == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])


def test_workers_cool_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = noted(NativeLearner, "learn", monkeypatch)
    train(small("connect_four:5x4", matches=400, actors=2, cooldown=0.9, **SCALARS), tmp_path / "run", quiet())
    assert rates == sorted(rates, reverse=True) and rates[0] == 1.0 and rates[-1] < 0.9


def test_learners_in_other_processes_cool_down() -> None:
    config = small("connect_four:5x4", matches=400, cooldown=0.5, **SCALARS)
    components = Components(config, make(config.run.game), None, new=True)
    master = components.learner(None)
    assert isinstance(master, NativeLearner)
    begin = Begin(config, components.heuristic.as_json(), (1, 2), {0: None}, 1, master.as_arrays(), 0)
    learning, news = Learning(begin), Master(master).news(0)
    for done, left in ((None, 1.0), (0.25, 1.0), (0.75, 0.5)):
        assert learning.work(LearningOrder(60.0, 1, done, news)).phases[0]
        assert learning.learner.rate_left == left
