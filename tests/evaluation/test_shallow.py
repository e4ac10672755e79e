"""Shallow networks against plain NumPy: values, images, learning steps."""

import numpy as np
import pytest

from athenan import make
from athenan.evaluation.architectures import Shallow, parse_architecture
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.evaluation.shallow.steps import ITEMS
from athenan.evaluation.shallow.weights import ShallowWeights
from athenan.rules.features import with_features
from athenan.rules.leaf import leaf_values
from athenan.rules.playouts import encoded_states, random_states

GAMES = ["backgammon", "einstein", "breakthrough:5x5", "tictactoe"]


def filled(name, scale=2.0, bounded=False, **settings):
    """A network with a random output."""
    network = ShallowNetwork(make(name), Shallow(hidden=32, **settings), scale, bounded)
    network.output[:] = np.random.default_rng(5).normal(0, 0.3, network.output.shape)
    return network


def inputs_of(network, planes):
    """What the network reads of encoded states, and the sign of its values, one state after the other."""
    game, exchange, found, signs = network.game, network.game.colour_symmetry, [], []
    for one in planes:
        state = one.copy()
        second = network.settings.colours and exchange and not state.reshape(game.planes)[exchange.side].any()
        if second:
            state[:] = one[exchange.planes]
            state.reshape(game.planes)[exchange.side] = 1
        whole = with_features(game, state[None]).reshape(-1) if network.settings.features else state
        found.append(whole[network.inputs] * network.factors)
        signs.append(-1 if second else 1)
    return np.array(found, np.float64), np.array(signs)


def outputs(weights, output, inputs):
    """The outputs and the hidden neurons of a layer with ReLU."""
    hidden = weights.shape[1]
    neurons = np.maximum(inputs @ weights + output[:hidden], 0)
    return neurons @ output[hidden:-1] + output[-1], neurons


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("settings", [{}, {"colours": False, "features": False}], ids=str)
@pytest.mark.parametrize("bounded", [False, True])
def test_values_are_those_of_plain_numpy(name, settings, bounded):
    network = filled(name, bounded=bounded, **settings)
    states = random_states(network.game, 100, seed=1)
    planes = encoded_states(network.game, states)
    inputs, signs = inputs_of(network, planes)
    expected, _ = outputs(network.layer.astype(np.float64), network.output.astype(np.float64), inputs)
    expected = 2.0 * signs * (np.tanh(expected) if bounded else expected)
    assert np.allclose(network(planes).values, expected, atol=1e-5)
    leaf, values = network.leaf, np.zeros(len(states), np.float32)
    leaf_values(leaf.address, network.game.rules, states[0], states, leaf.numbers, leaf.weights, values)
    assert np.array_equal(values, network(planes).values)


@pytest.mark.parametrize("name", ["backgammon", "einstein"])
def test_images_have_the_opposite_value(name):
    network = filled(name)
    game, exchange = network.game, network.game.colour_symmetry
    states = random_states(game, 100, seed=2)
    images = np.array([exchange.state(state) for state in states])
    values, of_images = (network(encoded_states(game, some)).values for some in (states, images))
    assert np.allclose(values, -of_images, atol=1e-5) and np.abs(values).max() > 0.1


def test_every_state_reads_what_tells_it_apart():
    """A plane that is the same on all cells is read once, and one that is the same in all states never."""
    network = ShallowNetwork(make("backgammon"), Shallow(features=False, colours=False))
    cells = network.inputs % 26
    of_side = network.inputs // 26 == 2
    assert cells[of_side].tolist() == [0]
    assert ShallowNetwork(make("backgammon")).inputs.max() >= 27 * 26
    assert 2 not in ShallowNetwork(make("backgammon"), Shallow(features=False)).inputs // 26


def test_steps_are_those_of_adam():
    network = filled("backgammon", scale=3.0)
    weights, game = ShallowWeights(network), network.game
    planes = encoded_states(game, random_states(game, 2 * ITEMS + 5, seed=3))
    targets = np.random.default_rng(0).uniform(-3, 3, len(planes)).astype(np.float32)
    inputs, signs = inputs_of(network, planes)
    layer, output = network.layer.astype(np.float64), network.output.astype(np.float64)
    moments, squares = [np.zeros((2, *part.shape)) for part in (layer, output)], 0.0
    for step, begin in enumerate(range(0, len(planes), ITEMS), start=1):
        some = slice(begin, begin + ITEMS)
        found, neurons = outputs(layer, output, inputs[some])
        errors = signs[some] * targets[some] / 3 - found
        squares += float((errors**2).sum())
        slopes = errors[:, None] * output[32:-1] * (neurons > 0)
        gradients = inputs[some].T @ slopes, np.concatenate([slopes.sum(0), errors @ neurons, [errors.sum()]])
        for part, gradient, moment in zip((layer, output), gradients, moments, strict=True):
            mean = gradient / len(errors)
            moment[0] = 0.9 * moment[0] + 0.1 * mean
            moment[1] = 0.999 * moment[1] + 0.001 * mean**2
            part[:] += 0.01 * (moment[0] / (1 - 0.9**step)) / (np.sqrt(moment[1] / (1 - 0.999**step)) + 1e-7)
    assert weights.step(planes, targets, 0.01) == pytest.approx(squares / len(planes), rel=1e-4)
    weights.publish()
    assert weights.steps[0] == 3
    differences = np.abs(np.concatenate([(network.layer - layer).reshape(-1), network.output - output]))
    assert np.quantile(differences, 0.95) < 1e-4  # where slopes nearly cancel, float32 may have another sign


def test_what_is_learnt_plays_as_its_average():
    network = filled("einstein")
    weights, before = ShallowWeights(network), network.layer.copy()
    planes = encoded_states(network.game, random_states(network.game, 64, seed=3))
    for _ in range(100):
        weights.step(planes, np.ones(64, np.float32), 0.001)
    weights.publish(0.5)
    begin = len(network.weights) - network.layer.size
    assert np.allclose(network.layer.reshape(-1), (before.reshape(-1) + weights.learnt[0, begin:]) / 2, atol=1e-6)
    assert network.weights[0] == 2.0


def test_learning_brings_values_to_their_targets():
    network = ShallowNetwork(make("backgammon"), scale=1.0, bounded=False)
    game, weights = network.game, ShallowWeights(network)
    planes = encoded_states(game, random_states(game, 500, seed=6))
    targets = (inputs_of(network, planes)[0].sum(axis=1) % 1 - 0.5).astype(np.float32)
    first, *_, last = (weights.step(planes, targets, 0.001) for _ in range(60))
    assert last < 0.2 * first


def test_arrays_restore_the_network_and_what_is_learnt():
    network = filled("backgammon")
    weights = ShallowWeights(network)
    planes = encoded_states(network.game, random_states(network.game, 70))
    weights.step(planes, np.ones(70, np.float32), 0.001)
    weights.publish(0.1)
    again = ShallowNetwork(network.game, network.settings, 2.0, False, network.as_arrays())
    assert np.array_equal(again(planes).values, network(planes).values)
    copy = ShallowWeights(again)
    copy.restore(weights.as_arrays())
    for one in (weights, copy):
        one.step(planes, np.zeros(70, np.float32), 0.001)
        one.publish(0.1)
    assert np.array_equal(again.weights, network.weights)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layer": np.zeros((3, 32), np.float32)}, "do not fit"),
        ({"output": np.full(65, np.nan, np.float32)}, "not finite"),
        ({"inputs": np.arange(3, dtype=np.int64)}, "do not fit"),
        ({"inputs": np.array([9**9], np.int64)}, "not of this game"),
        ({"other": np.zeros(1)}, "not of a shallow network"),
    ],
)
def test_other_arrays_are_refused(changes, message):
    network = filled("einstein")
    with pytest.raises(ValueError, match=message):
        ShallowNetwork(network.game, network.settings, arrays={**network.as_arrays(), **changes})


@pytest.mark.parametrize("name", ["learnt", "steps"])
def test_what_is_learnt_of_another_network_is_refused(name):
    weights = ShallowWeights(filled("einstein"))
    saved = weights.as_arrays()
    saved[name] = saved[name] - 1
    with pytest.raises(ValueError, match="the weights that are learnt are not those"):
        weights.restore(saved)


def test_hidden_neurons_are_a_multiple_of_what_is_computed_at_once():
    with pytest.raises(ValueError, match="hidden must be a multiple of 32, not 100"):
        parse_architecture("shallow:hidden=100")
