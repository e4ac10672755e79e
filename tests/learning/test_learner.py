"""Learning steps, against plain PyTorch."""

import numpy as np
import pytest
import torch
from small_networks import network, states

from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.inference import PRECISIONS
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.losses import LossWeights
from athenan.learning.learner.torch_learner import TorchLearner


def examples(count: int = 256) -> Batch:
    """States with a target that a network can learn: scaled counts of the first two planes."""
    planes = states(count, (3, 9, 9))
    counts = planes.sum((2, 3), dtype=np.int64)
    return Batch(planes, (2.0 * (counts[:, 0] - counts[:, 1])).astype(np.float32))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ["c", "residual", "pooled"])
def test_learning_reduces_the_loss(name, precision):
    built = network(name=name)
    learner = TorchLearner(built, precision=precision)
    batch = examples(64)
    first = learner.step(batch)
    assert any(learner.step(batch) < 0.2 * first for _ in range(150))


def test_a_step_is_adam_on_the_squared_error_with_the_l2_of_keras():
    built, reference = network(), network()
    batch = examples(64)
    learner = TorchLearner(built, learning_rate=0.01, l2=0.05 * 25.5**2, precision="float32")
    optimizer = torch.optim.Adam(reference.parameters(), lr=0.01, eps=1e-7)
    for _ in range(3):
        output = reference.last(reference.neurons(torch.from_numpy(batch.planes).float()))
        error = ((output - torch.from_numpy(batch.values) / 25.5) ** 2).mean()
        penalty = sum(0.05 * (weight**2).sum() for weight in reference.parameters() if weight.ndim > 1)
        optimizer.zero_grad()
        (error + penalty).backward()
        optimizer.step()
        assert learner.step(batch) == pytest.approx(error.item(), rel=1e-3)
    for one, other in zip(built.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_learning_is_repeatable_and_resumes_exactly():
    batch = examples(64)
    through, stopped = network(), network()
    learner, first = (TorchLearner(built, precision="float32") for built in (through, stopped))
    losses = [learner.step(batch) for _ in range(8)]
    assert [first.step(batch) for _ in range(4)] == losses[:4]

    resumed = network(name="c")
    resumed.load_state_dict(stopped.state_dict())
    second = TorchLearner(resumed, precision="float32")
    second.load_state_dict(first.state_dict())
    assert [second.step(batch) for _ in range(4)] == losses[4:]


def test_only_the_same_networks_state_is_taken():
    batch = examples(16)
    learner = TorchLearner(network(), precision="float32")
    assert learner.state_dict() == {}
    learner.step(batch)
    state = learner.state_dict()
    for name, tensor in state.items():
        assert tensor.is_contiguous(), name
    broken = {**state, "last.weight.exp_avg": torch.zeros(3)}
    missing = {name: tensor for name, tensor in state.items() if name != "last.bias.step"}
    for wrong in (broken, missing, {"x": torch.zeros(1)}):
        with pytest.raises(ValueError, match="not of this network"):
            learner.load_state_dict(wrong)
    learner.load_state_dict({})
    assert learner.state_dict() == {}


def test_the_learners_precision_is_recorded():
    built = network()
    weights = [parameter.clone() for parameter in built.parameters()]
    assert TorchLearner(built).precision in PRECISIONS
    assert all(torch.equal(a, b) for a, b in zip(weights, built.parameters(), strict=True))  # the trial was on a copy
    with pytest.raises(ValueError, match="auto, float32 or bfloat16"):
        TorchLearner(built, precision="half")


def test_a_trunk_that_learns_nothing_is_averaged_too():
    built = network(heads=("values", "action_values"), actions=ActionSpace(count=9))
    learner = TorchLearner(built, precision="float32", averaging=0.9, weights=LossWeights(values=0.0))
    batch = examples(16)
    assert np.isfinite(learner.step(Batch(batch.planes, batch.values, action_values=np.ones((16, 9), np.float32))))
