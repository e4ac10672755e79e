"""Heads: where their numbers come from, how they are evaluated and learnt, and what a search takes of them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sizes import size
from small_networks import SMALL, network, states
from torch import nn
from torch.nn import functional

from athenan import Budget, Search, make
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heads import HEADS, ActionSpace, Head, Neurons, Trunk
from athenan.evaluation.inference import PRECISIONS
from athenan.evaluation.networks import build_network
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.losses import LossWeights
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.rules.compiler import kernel
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.trees.algorithm import UPDATE, Asks

ALL = ("values", "policies", "action_values")
PLANES = (3, 6, 7)
PLACES = np.random.default_rng(0).permutation(2 * 6 * 7)[:31].astype(np.int32)
PLACES[[4, 30]] = -1
ACTIONS = ActionSpace(31, 2, PLACES)


def with_heads(name: str = "padded", **changes):
    return network(PLANES, name, heads=ALL, actions=ACTIONS, **changes)


def floats(count: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(states(count, PLANES, seed)).float()


# What networks with heads are


@pytest.mark.parametrize("name", SMALL)
def test_the_values_do_not_depend_on_other_heads(name):
    alone, beside = network(PLANES, name), with_heads(name)
    weights = beside.state_dict()
    for key, tensor in alone.state_dict().items():
        assert torch.equal(tensor, weights[key]), key
    assert torch.equal(alone(floats(9)), beside(floats(9)))


def test_a_convolutional_head_reads_each_action_at_its_place():
    built, planes = with_heads("padded"), floats(5)
    head = built.others["policies"]
    neurons = built.neurons(planes, ("policies",))
    weight, bias = head.convolution.weight[:, :, 0, 0], head.convolution.bias
    logits = head(neurons)
    assert logits.shape == (5, 31)
    for action, place in enumerate(PLACES):
        if place >= 0:
            plane, row, column = np.unravel_index(place, (2, 6, 7))
            expected = neurons.features[:, :, row, column] @ weight[plane] + bias[plane]
            assert torch.allclose(logits[:, action], expected, atol=1e-5)
    assert torch.allclose(logits[:, [4, 30]], head.dense(neurons.hidden), atol=1e-6)


@pytest.mark.parametrize(("name", "placed"), [("c", 0), ("padded", 29), ("residual", 29), ("pooled", 29)])
def test_heads_are_convolutional_where_the_trunk_keeps_the_board(name, placed):
    head = with_heads(name).others["policies"]
    assert (head.convolution is not None) == (placed > 0)
    assert head.dense.out_features == 31 - placed


def test_a_game_that_does_not_place_its_actions_has_dense_heads():
    head = network(PLANES, "padded", heads=("policies",), actions=ActionSpace(12)).others["policies"]
    assert head.convolution is None
    assert head.dense.out_features == 12


def test_hidden_neurons_that_no_head_reads_are_not_computed():
    space = ActionSpace(84, 2, np.arange(84, dtype=np.int32))
    built = network(PLANES, "padded", heads=("policies",), actions=space)
    assert built.neurons(floats(5), ("policies",)).hidden.shape == (5, 0)
    assert built.neurons(floats(5), ("values", "policies")).hidden.shape == (5, 16)


@pytest.mark.parametrize("bounded", [True, False])
def test_action_values_are_on_the_scale_of_the_value(bounded):
    built = with_heads(scale=20.0, bounded=bounded)
    head = built.others["action_values"]
    with torch.no_grad():
        head.dense.bias.fill_(100)
    (values,) = built.answers(floats(5), ("action_values",))
    expected = 20 * (torch.ones(5) if bounded else head(built.neurons(floats(5)))[:, 4])
    assert torch.allclose(values[:, 4], expected)


@pytest.mark.parametrize(("name", "common"), [("c", False), ("padded", True)])
def test_convolutional_action_values_share_a_number_of_the_state(name, common):
    head = with_heads(name).others["action_values"]
    neurons = with_heads(name).neurons(floats(5), ("action_values",))
    assert (head.common is not None) == common
    if common:
        before = head(neurons)
        with torch.no_grad():
            head.common.bias.fill_(7)
        assert torch.allclose(head(neurons), before + 7, atol=1e-5)


def test_heads_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="no head 'policy'; the heads are values, policies, action_values"):
        network(PLANES, heads=("policy",))
    with pytest.raises(ValueError, match="needs the actions of the game"):
        network(PLANES, heads=("policies",))


# Evaluation


@pytest.mark.parametrize("heads", [ALL, ("policies",), ("action_values", "values")])
@pytest.mark.parametrize("name", SMALL)
def test_the_evaluator_gives_what_the_heads_say(name, heads):
    built = with_heads(name)
    evaluate = Evaluator(built, device="cpu", precision="float32", heads=heads)
    for count in (0, 1, 45, 1500):
        leaves = evaluate(states(count, PLANES, seed=count))
        with torch.no_grad():
            expected = dict(zip(ALL, built.answers(floats(count, seed=count), ALL), strict=True))
        for head in ALL:
            answer = getattr(leaves, head)
            if head in heads:
                assert answer.dtype == np.float32
                assert answer.flags.c_contiguous
                np.testing.assert_allclose(answer, expected[head].numpy(), rtol=1e-4, atol=1e-4)
            else:
                assert answer.size == 0


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ["c", "padded", "residual"])
def test_refresh_takes_the_new_weights_of_heads(name, precision):
    built, batch = with_heads(name), states(20, PLANES)
    evaluate = Evaluator(built, device="cpu", precision=precision, heads=ALL)
    before = evaluate.answers(batch)
    with torch.no_grad():
        for parameter in built.others.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    evaluate.refresh()
    after = evaluate.answers(batch)
    anew = Evaluator(built, device="cpu", precision=precision, heads=ALL).answers(batch)
    for head in ALL:
        assert np.array_equal(after[head], before[head]) == (head == "values")
        np.testing.assert_array_equal(after[head], anew[head])


def test_heads_that_a_network_lacks_are_not_evaluated():
    with pytest.raises(ValueError, match="the network has no head 'policies'; its heads are values"):
        Evaluator(network(), heads=("values", "policies"))


# Search


@kernel(UPDATE)
def keep(node, edges, result, constants):
    """The node keeps its own value."""


@pytest.mark.parametrize("asks", [Asks.STATE | Asks.POLICY, Asks.ACTION_VALUES, Asks.STATE | Asks.ACTION_VALUES])
@pytest.mark.parametrize(
    ("specification", "moves"), [("connect_four", "4 4 4 4 4 4 1"), ("hex:4", "b2"), ("othello:6", "")]
)
def test_a_search_takes_what_the_heads_say_of_legal_actions(asks, specification, moves):
    class Asking(Ubfm):
        def algorithm(self, choose):
            return replace(super().algorithm(choose), asks=asks, update=keep)

    game, state = make(specification), make(specification).after(moves)
    torch.manual_seed(1)
    built = build_network(SMALL["padded"], game.planes, 3.0, True, ALL, ActionSpace.of(game))
    heads = Asking().heads()
    evaluate = Evaluator(built, device="cpu", precision="float32", heads=heads)
    search = Search(game, evaluate, settings=Asking())
    search.reset(state)
    search.run(Budget(iterations=1))

    root, legal = search.root(), game.actions(state)
    with torch.no_grad():
        values, logits, action_values = built.answers(torch.from_numpy(game.encode(state)[None]).float(), ALL)
    assert root.actions.tolist() == legal.tolist()
    assert len(legal) < game.action_count
    assert root.value == (pytest.approx(values.item(), rel=1e-4) if asks & Asks.STATE else 0)
    if asks & Asks.POLICY:
        expected = functional.softmax(logits[0, legal], 0)
        np.testing.assert_allclose(root.priors, expected.numpy(), rtol=1e-4)
        assert root.priors.sum() == pytest.approx(1)
    if asks & Asks.ACTION_VALUES:
        np.testing.assert_allclose(root.values, action_values[0, legal].numpy(), rtol=1e-4, atol=1e-5)


# Learning


@pytest.mark.parametrize("precision", size(("float32",), tuple(PRECISIONS)))
@pytest.mark.parametrize("name", ["c", "padded", "residual"])
def test_a_policy_is_learnt(name, precision):
    """Of the first column with the fewest stones."""
    game, planes = make("connect_four"), states(150, PLANES)
    stones = (planes[:, 0] | planes[:, 1]).sum(1)
    policies = np.zeros((150, 7), np.float32)
    policies[np.arange(150), stones.argmin(1)] = 1
    torch.manual_seed(0)
    places = np.arange(35, 42, dtype=np.int32)  # the lowest cell of each column
    space = ActionSpace(game.action_count, 1, places)
    built = build_network(SMALL[name], PLANES, 1.0, True, ("policies",), space)
    learner = TorchLearner(built, learning_rate=0.003, l2=0, precision=precision, weights=LossWeights(values=0))
    batch = Batch(planes, np.zeros(150, np.float32), policies)
    assert learner.step(batch) > 1.5
    assert any(learner.step(batch) < 0.1 for _ in range(150))
    found = Evaluator(built, "cpu", "float32", heads=("policies",))(planes).policies
    assert (found.argmax(1) == stones.argmin(1)).mean() > 0.95


def unexplained(found, wanted):
    """The share of the sum of squares within rows that is not explained, by a loop."""
    errors = differences = 0.0
    for row, targets in zip(found, wanted, strict=True):
        known = ~np.isnan(targets)
        errors += known.sum() * np.var((row - targets)[known]) if known.any() else 0
        differences += known.sum() * np.var(targets[known]) if known.any() else 0
    return errors / differences


def test_small_differences_between_actions_are_learnt_beside_large_ones_between_states():
    """All actions of a state are about as good as its stones say, and those on stones a hundredth better."""
    torch.manual_seed(0)
    space = ActionSpace(42, 1, np.arange(42, dtype=np.int32))
    built = network(PLANES, "padded", heads=("values", "action_values"), actions=space)
    planes = states(600, PLANES, seed=4)
    stones = planes[:, 0].reshape(600, 42)
    wanted = (stones.mean(1, keepdims=True) * 20 - 10 + 0.1 * stones).astype(np.float32)
    learner, random = TorchLearner(built, learning_rate=0.003, l2=0, precision="float32"), np.random.default_rng(0)
    for _ in range(300):
        some = random.choice(500, 100, replace=False)
        learner.step(Batch(planes[some], np.zeros(100, np.float32), action_values=wanted[some]))
    (found,) = built.answers(torch.from_numpy(planes[500:]).float(), ("action_values",))
    assert unexplained(found.detach().numpy(), wanted[500:]) < 0.7  # 188 by the mean squared error alone


@pytest.mark.parametrize("name", ["c", "padded"])
def test_action_values_leave_the_trunk_as_values_make_it(name):
    both, alone = with_heads(name), network(PLANES, name)
    random = np.random.default_rng(1)
    planes, values = states(40, PLANES), random.normal(size=40).astype(np.float32)
    numbers = random.normal(size=(40, 31)).astype(np.float32)
    for _ in range(3):
        TorchLearner(both, precision="float32").step(Batch(planes, values, action_values=numbers))
        TorchLearner(alone, precision="float32").step(Batch(planes, values))
    for (part, mine), (_, expected) in zip(both.body.named_parameters(), alone.body.named_parameters(), strict=True):
        assert torch.equal(mine, expected), part


def test_the_loss_is_the_weighted_sum_over_what_is_known():
    built, planes = with_heads(scale=20.0), floats(6)
    random = np.random.default_rng(3)
    values = random.normal(size=6).astype(np.float32)
    policies = random.dirichlet(np.ones(31), 6).astype(np.float32)
    policies[2] = 0  # not known
    action_values = random.normal(size=(6, 31)).astype(np.float32)
    action_values[random.random((6, 31)) < 0.7] = np.nan
    with torch.no_grad():
        found, logits, found_values = (answer.numpy() for answer in built.answers(planes, ALL))
        likelihood = functional.log_softmax(torch.from_numpy(logits), 1).numpy()
    expected = {
        "values": np.mean(((found - values) / 20) ** 2),
        "policies": -np.sum(policies * likelihood) / 5,
        "action_values": np.nanmean(((found_values - action_values) / 20) ** 2),
    }
    expected["action_values"] += unexplained(found_values, action_values)
    batch, weights = Batch(planes.numpy().astype(np.int8), values, policies, action_values), LossWeights(2, 0.5, 3)
    total = 2 * expected["values"] + 0.5 * expected["policies"] + 3 * expected["action_values"]
    assert TorchLearner(built, precision="float32", weights=weights).step(batch) == pytest.approx(total, rel=1e-4)


def test_without_known_targets_a_head_adds_no_loss_and_weights_stay_numbers():
    built = with_heads()
    batch = Batch(
        states(5, PLANES), np.zeros(5, np.float32), np.zeros((5, 31), np.float32), np.full((5, 31), np.nan, np.float32)
    )
    values_only = TorchLearner(network(PLANES, "padded"), precision="float32").step(replace(batch, policies=None))
    assert TorchLearner(built, precision="float32").step(batch) == pytest.approx(values_only)
    assert all(torch.isfinite(parameter).all() for parameter in built.parameters())


def test_heads_without_targets_are_left_as_they_are():
    built, alone, batch = with_heads(), network(PLANES, "padded"), Batch(states(20, PLANES), np.ones(20, np.float32))
    before = {name: tensor.clone() for name, tensor in built.state_dict().items()}
    learners = [TorchLearner(one, precision="float32", averaging=0.9) for one in (built, alone)]
    for _ in range(2):
        assert learners[0].step(batch) == learners[1].step(batch)
    after = built.state_dict()
    for name, tensor in before.items():
        assert torch.equal(tensor, after[name]) == name.startswith("others."), name
    assert not any(name.startswith("others.") for name in learners[0].state_dict())
    for name, tensor in learners[0].average.state_dict().items():
        assert torch.isfinite(tensor).all(), name


def test_learning_with_heads_resumes_exactly():
    random = np.random.default_rng(0)
    batch = Batch(
        states(40, PLANES), random.normal(size=40).astype(np.float32),
        random.dirichlet(np.ones(31), 40).astype(np.float32), random.normal(size=(40, 31)).astype(np.float32),
    )  # fmt: skip
    without = replace(batch, policies=None, action_values=None)
    through, stopped, resumed = with_heads(), with_heads(), with_heads()
    learner, first = TorchLearner(through, precision="float32"), TorchLearner(stopped, precision="float32")
    sequence = [without, without, batch, batch, without, batch]
    losses = [learner.step(one) for one in sequence]
    for stop in (2, 4):  # before the heads have learnt anything, and after
        assert [first.step(one) for one in sequence[stop - 2 : stop]] == losses[stop - 2 : stop]
        resumed.load_state_dict(stopped.state_dict())
        second = TorchLearner(resumed, precision="float32")
        second.load_state_dict(first.state_dict())
        assert [second.step(one) for one in sequence[stop:]] == losses[stop:]


def test_a_batch_without_anything_to_learn_is_refused():
    learner = TorchLearner(network(), precision="float32", weights=LossWeights(values=0))
    with pytest.raises(ValueError, match="the heads to learn are values"):
        learner.step(Batch(states(3, (3, 9, 9)), np.zeros(3, np.float32)))


# A head of one's own


class LengthHead(Head):
    """How many actions the match lasts, as a share of 42."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.neuron = nn.Linear(trunk.hidden, 1)

    def forward(self, neurons: Neurons) -> torch.Tensor:
        return self.neuron(neurons.hidden.float())[:, 0]

    def answer(self, output: torch.Tensor) -> torch.Tensor:
        return 42 * output

    def loss(self, output: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return functional.mse_loss(output, wanted / 42)


def test_a_head_of_ones_own_is_learnt_and_evaluated(monkeypatch):
    monkeypatch.setitem(HEADS, "length", LengthHead)
    built, planes = network(PLANES, heads=("length",)), states(100, PLANES)
    lengths = planes.sum((1, 2, 3)).astype(np.float32) / 3
    learner = TorchLearner(built, learning_rate=0.003, l2=0, precision="float32")
    evaluate = Evaluator(built, "cpu", heads=("values", "length"))
    for _ in range(300):
        learner.step(Batch(planes, np.zeros(100, np.float32), more={"length": lengths}))
    evaluate.refresh()
    answers = evaluate.answers(planes)
    assert np.mean((answers["length"] - lengths) ** 2) < 0.2 * lengths.var()
    np.testing.assert_array_equal(evaluate(planes).values, answers["values"])
