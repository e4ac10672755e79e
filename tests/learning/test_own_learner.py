"""A training asks no more of a learner than its protocol: here it is two numbers, and no PyTorch."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from small_trainings import Interrupting, assert_same_checkpoint, quiet, small

from athenan.learning.components import Components
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.protocol import Arrays, Learner
from athenan.learning.training import resume, train
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import NETWORK_PREFIX, Tensors, load


class Bias:
    """Learns one value for all states, with steps that become shorter."""

    precision = "float32"
    rate_left = 1.0

    def __init__(self) -> None:
        self.value, self.steps = np.zeros(1, np.float32), np.zeros(1, np.float32)
        self.phases = 0

    def begin_phase(self) -> None:
        self.phases += 1

    def step(self, batch: Batch) -> float:
        assert self.phases
        loss = float(np.mean((batch.values - self.value) ** 2))
        self.steps += 1
        self.value += (batch.values.mean() - self.value) / self.steps
        return loss

    def end_phase(self) -> None:
        assert np.isfinite(self.value)

    def evaluator(self, heads: tuple[str, ...], precision: str, threads: int) -> "Constant":
        assert heads == ("values",)
        return Constant(self, threads)

    def playing_weights(self) -> Arrays:
        return {"value": self.value.copy()}

    def plays_with(self, weights: Arrays) -> None:
        self.value[:] = weights["value"]

    def as_arrays(self) -> dict[str, NDArray[np.float32]]:
        return {NETWORK_PREFIX + "value": self.value.copy(), "steps": self.steps.copy()}

    def restore(self, tensors: Tensors) -> None:
        self.value[:], self.steps[:] = tensors[NETWORK_PREFIX + "value"], tensors["steps"]


class Constant:
    """Evaluates all states alike."""

    precision = "float32"

    def __init__(self, learner: Bias, threads: int) -> None:
        self._learner, self.threads = learner, threads
        self.refresh()

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        return Leaves(np.full(len(planes), self._value))

    def refresh(self) -> None:
        self._value = self._learner.value[0]


def test_a_learner_without_pytorch_trains_and_goes_on_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learner(components: Components, saved: Tensors | None = None) -> Learner:
        return Bias()

    monkeypatch.setattr(Components, "learner", learner)
    config = small("tictactoe", matches=8)
    whole = train(config, tmp_path / "whole", quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Interrupting(3))
    resume(tmp_path / "parts", display=quiet())
    assert_same_checkpoint(whole, tmp_path / "parts")
    saved = load(whole)
    assert saved.tensors["steps"] >= 7 and saved.tensors[NETWORK_PREFIX + "value"] != 0
    assert "optimizer.last.weight.step" not in saved.tensors
