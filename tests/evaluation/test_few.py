"""The compiled forward pass of a network gives the answers of PyTorch's."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from small_networks import SMALL, network, states

from athenan.evaluation import evaluator
from athenan.evaluation.architectures import CNetwork, DenseNetwork, ResidualNetwork
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.few import FewStates, few_states
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.networks import Network, build_network
from athenan.rules.heads import VALUES

ALL = ("values", "policies", "action_values")
PLANES = (3, 5, 7)
COMPILED: dict[str, CNetwork | DenseNetwork | ResidualNetwork] = {
    "c": CNetwork(filters=8, dense=16),
    "odd": CNetwork(filters=5, dense=7),
    "padded": CNetwork(filters=8, dense=16, padded=True),
    "residual": ResidualNetwork(filters=6, blocks=2, dense=9, dense_layers=2),
    "pointwise": ResidualNetwork(filters=8, blocks=1, pointwise=3, dense=10),
    "dense": DenseNetwork(dense=12, dense_layers=2),
    "undense": ResidualNetwork(filters=4, blocks=0, dense_layers=0),
}


def space(placed: str) -> ActionSpace:
    places = {"all": np.arange(70), "some": np.append(np.arange(0, 70, 3), [-1, -1]), "none": np.full(11, -1)}[placed]
    return ActionSpace(len(places), 2, places.astype(np.int32))


def random_network(architecture: CNetwork | DenseNetwork | ResidualNetwork, placed: str = "some", bounded: bool = True):
    torch.manual_seed(0)
    built = build_network(architecture, PLANES, 20.0, bounded, ALL, space(placed))
    with torch.no_grad():
        for parameter in built.parameters():
            if parameter.ndim == 1:
                parameter.normal_()
    return built


@pytest.mark.parametrize("heads", [ALL, VALUES, ("action_values",), ("policies", "values")])
@pytest.mark.parametrize("placed", ["all", "some", "none"])
@pytest.mark.parametrize("name", COMPILED)
def test_answers_are_those_of_the_network(name, placed, heads):
    built = random_network(COMPILED[name], placed, bounded=placed != "all")
    few, planes = FewStates(built, heads), states(9, PLANES)
    with torch.no_grad():
        expected = built.answers(torch.from_numpy(planes).float(), heads)
    for count in (0, 1, 9):
        found = few(planes[:count].reshape(count, 105))
        for answer, wanted in zip(found, expected, strict=True):
            assert answer.dtype == np.float32
            assert answer.flags.c_contiguous
            np.testing.assert_allclose(answer, wanted[:count].numpy(), rtol=1e-4, atol=1e-4)


def test_refreshed_weights_are_used():
    built, planes = random_network(COMPILED["padded"]), states(4, PLANES)
    few = FewStates(built, ALL)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    stale = few(planes.reshape(4, -1))
    few.refresh()
    fresh, made_anew = few(planes.reshape(4, -1)), FewStates(built, ALL)(planes.reshape(4, -1))
    for old, new, anew in zip(stale, fresh, made_anew, strict=True):
        assert not np.allclose(old, new)
        assert np.array_equal(new, anew)


def test_the_work_of_a_state_is_counted():
    """Three convolutions of 64 filters on 9x9 planes, padded to four, and the papers' dense layer; one neuron."""
    built = network((3, 9, 9), "c")
    few = FewStates(built, VALUES)
    cells = [7 * 7, 5 * 5, 3 * 3]
    convolutions = cells[0] * 9 * 4 * 8 + cells[1] * 9 * 8 * 8 + cells[2] * 9 * 8 * 8
    assert few.multiplications == convolutions + 9 * 8 * 16 + 16
    assert few.suits(1)
    assert not few.suits(10**6)


def test_a_small_dense_network_suits_any_number_of_states():
    """Its planes are sparse: numbers that are zero cost nothing, others may be any int8, also at the end of a row."""
    small = build_network(DenseNetwork(dense=24, dense_layers=1), PLANES, 20.0, False)
    few = few_states(small, VALUES)
    assert few is not None
    assert few.suits(10**9)
    assert few_states(build_network(DenseNetwork(dense=500), PLANES, 20.0, False), VALUES) is None
    planes = np.random.default_rng(0).integers(-128, 128, (64, 105), np.int8)
    for share in (0, 3, 50, 105):
        sparse = planes * (np.random.default_rng(share).random(planes.shape) < share / 105).astype(np.int8)
        with torch.no_grad():
            expected = small(torch.from_numpy(sparse.reshape(-1, *PLANES)).float())
        np.testing.assert_allclose(few(sparse)[0], expected.numpy(), rtol=1e-4, atol=1e-2)


def test_what_has_no_compiled_form_is_left_to_pytorch():
    assert few_states(network((3, 9, 9), "pooled"), VALUES) is None
    large = build_network(ResidualNetwork(filters=128, blocks=8), (3, 19, 19), 1.0, True)
    assert few_states(large, VALUES) is None


@pytest.mark.parametrize("name", ["padded", "pooled"])
def test_the_evaluator_uses_it_where_searches_ask_for_one_state(name, monkeypatch):
    """The values of children are evaluated as ever, bit for bit."""
    torch.manual_seed(0)
    built, used = build_network(SMALL[name], PLANES, 20.0, True, ALL, space("some")), list[Sequence[str]]()

    def noting(built: Network, heads: Sequence[str]) -> FewStates | None:
        used.append(heads)
        return few_states(built, heads)

    monkeypatch.setattr(evaluator, "few_states", noting)
    children = Evaluator(built, "cpu", "float32")
    assert used.pop() == VALUES
    assert children._few is None
    evaluate = Evaluator(built, "cpu", "float32", heads=("values", "action_values"))
    assert used == [("values", "action_values")]
    planes = states(3, PLANES)
    np.testing.assert_allclose(evaluate(planes).values, children(planes).values, rtol=1e-4, atol=1e-4)
