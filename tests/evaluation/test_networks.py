"""Networks: architectures, against the papers' numbers and plain PyTorch."""

import subprocess
import sys
from dataclasses import dataclass, fields
from math import prod
from typing import Any

import pytest
import torch
from small_networks import SMALL, network, states
from torch import nn
from torch.nn import functional

from athenan.evaluation.architectures import (
    ARCHITECTURES,
    CNetwork,
    ResidualNetwork,
    parse_architecture,
)
from athenan.evaluation.layers import Dense
from athenan.evaluation.networks import build_network
from athenan.games.catalogue import make

SHAPES = [(2, 2, 2), (2, 3, 3), (3, 6, 7), (3, 9, 9), (4, 8, 8), (3, 5, 12)]


@pytest.mark.parametrize("planes", SHAPES)
@pytest.mark.parametrize("name", SMALL)
def test_every_architecture_takes_every_board(name, planes):
    values = network(planes, name)(torch.from_numpy(states(5, planes)).float())
    assert values.shape == (5,)
    assert values.dtype == torch.float32


@pytest.mark.parametrize("specification", ["hex:2", "hex:7", "hex:19", "connect_four", "othello:4", "breakthrough:3x6"])
def test_the_c_network_takes_the_games(specification):
    game = make(specification)
    c_network = build_network(SMALL["c"], game.planes, 1.0, bounded=True)
    assert c_network(torch.from_numpy(game.encode(game.initial())[None]).float()).shape == (1,)


@pytest.mark.parametrize(
    ("name", "planes", "weights"),
    [
        ("othello_10", (4, 8, 8), 41_695_147),  # 003, section 10.3
        ("arimaa", (10, 8, 8), 10_511_017),  # 003, section 11.4
        ("morpion", (5, 16, 16), 9_989_285),  # 003, section 12.4
        # first convolution 3 -> 64, two of 64 -> 64, 3 x 3 cells left -> 100, 100 -> 1
        ("c", (3, 9, 9), 1_792 + 2 * 36_928 + 57_700 + 101),
    ],
)
def test_weights_are_as_many_as_in_the_papers(name, planes, weights):
    with torch.device("meta"):
        built = build_network(ARCHITECTURES[name], planes, 1.0, bounded=False)
    assert sum(parameter.numel() for parameter in built.parameters()) == weights


@pytest.mark.parametrize(
    ("dense", "board"), [(365, 9), (228, 11), (228, 13), (155, 15), (477, 8), (286, 10), (111, 15), (65, 19)]
)
def test_r2_networks_have_of_the_order_of_five_million_weights(dense, board):
    """003, section 8.4.1 and Table 5; 004, section 3.1.1 and Table 3; Hex boards with their borders."""
    architecture = ResidualNetwork(filters=132, blocks=8, dense=dense, dense_layers=2)
    with torch.device("meta"):
        built = build_network(architecture, (3, board, board), 1.0, bounded=False)
    assert 4e6 < sum(parameter.numel() for parameter in built.parameters()) < 8e6


def test_the_c_network_pads_only_where_it_must():
    def sizes(planes):
        found, planes = [], torch.zeros(1, *planes)
        for layer in list(network(planes.shape[1:]).body)[:3]:
            planes = layer(planes)
            found.append(tuple(planes.shape[2:]))
        return found

    assert sizes((3, 9, 9)) == [(7, 7), (5, 5), (3, 3)]
    assert sizes((3, 8, 8)) == [(6, 6), (4, 4), (2, 2)]
    assert sizes((3, 6, 7)) == [(6, 7), (4, 5), (2, 3)]
    assert sizes((2, 3, 3)) == [(3, 3), (3, 3), (1, 1)]
    assert sizes((2, 2, 2)) == [(2, 2), (2, 2), (2, 2)]


def test_a_residual_block_is_that_of_the_papers():
    built = network((2, 4, 4), "residual")
    block, planes = built.body[1], torch.randn(3, 8, 4, 4)

    def convolved(layer, planes):
        return functional.conv2d(functional.relu(planes), layer.weight, layer.bias, padding=1)

    expected = planes + convolved(block.second, convolved(block.first, planes))
    assert torch.allclose(block(planes), expected, atol=1e-6)


def test_values_are_scaled_and_bounded():
    planes = torch.from_numpy(states(50, (3, 9, 9))).float()
    free, bounded = network(scale=20.0), network(scale=1.0, bounded=True)
    output = free.last(free.neurons(planes))
    assert torch.allclose(free(planes), 20 * output)
    assert torch.allclose(bounded(planes), torch.tanh(output))
    with torch.no_grad():
        bounded.last.bias.fill_(1e6)
    assert (bounded(planes) <= 1).all()


def test_the_same_seed_gives_the_same_network():
    one, other = network(name="pooled"), network(name="pooled")
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    unseeded = build_network(SMALL["pooled"], (3, 9, 9), 1.0, False)
    assert not torch.equal(next(one.parameters()), next(unseeded.parameters()))


def test_architectures_are_named_with_changes():
    assert parse_architecture("c") == CNetwork()
    assert parse_architecture("c:filters=32,dense=50") == CNetwork(filters=32, dense=50)
    assert parse_architecture("r1:pooling=true") == ResidualNetwork(blocks=2, pointwise=64, pooling=True)
    assert parse_architecture("c:16,padded=true") == CNetwork(filters=16, padded=True)
    for text in ("d", "", "c:filters", "c:filters=many", "c:filters=0", "c:heads=3", "c:filters=-1", "c:padded=1"):
        with pytest.raises(ValueError, match="network"):
            parse_architecture(text)
    with pytest.raises(ValueError, match=r"network 'c:dense=9999': dense must be from 1 to 8,192, not 9999"):
        parse_architecture("c:dense=9999")


def test_a_network_too_large_is_refused_before_it_is_made():
    with pytest.raises(ValueError, match="at most 200,000,000 weights"):
        build_network(ResidualNetwork(filters=1024, blocks=64), (3, 19, 19), 1.0, bounded=False)


def changed(name: str) -> dict[str, Any]:
    """A setting below every bound."""
    return {name: -1}


def test_every_bound_is_checked():
    for kind in (CNetwork, ResidualNetwork):
        for field in fields(kind):
            with pytest.raises(ValueError, match=field.name):
                kind(**changed(field.name))


@dataclass(frozen=True)
class Perceptron:
    """An architecture of one's own."""

    dense: int = 20

    def layers(self, planes: tuple[int, int, int]) -> tuple[list[nn.Module], list[nn.Module]]:
        return [], [nn.Flatten(), Dense(prod(planes), self.dense)]


def test_an_architecture_of_ones_own_is_entered_by_name(monkeypatch):
    monkeypatch.setitem(ARCHITECTURES, "perceptron", Perceptron())
    built = build_network(parse_architecture("perceptron:dense=7"), (3, 9, 9), 1.0, bounded=False)
    assert [tuple(weights.shape) for weights in built.parameters()] == [(7, 243), (7,), (1, 7), (1,)]
    assert built(torch.from_numpy(states(5, (3, 9, 9))).float()).shape == (5,)


def test_architectures_are_read_without_torch():
    check = (
        "import sys\nfrom athenan.evaluation.architectures import parse_architecture as parse\nparse('c:filters=8')\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_a_network_is_made_without_torchs_compiler():
    """Whose import takes a second, at every start of a command with a network."""
    check = (
        "import sys\nfrom athenan.evaluation.architectures import parse_architecture\n"
        "from athenan.evaluation.networks import build_network\n"
        "for name in ('c', 'r1', 'fcn'):\n    build_network(parse_architecture(name), (3, 9, 9), 1.0, True)\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
