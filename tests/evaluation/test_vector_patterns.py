"""Pattern networks of vectors: values and learning as in plain NumPy, children, symmetries, publishing, export."""

from dataclasses import replace

import numpy as np
import pytest
from pattern_views import require_learning, require_values_of_children, view
from vector_networks import filled, places

from athenan import make
from athenan.evaluation.adam import DECAYS, WEIGHT
from athenan.evaluation.architectures import Patterns, parse_architecture
from athenan.evaluation.patterns.header import HEADER, record_in
from athenan.evaluation.patterns.kernels import SCALE_AT
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.vector_steps import DENSE_RATE, ITEMS, LEAST_POWER, NET, TOTAL
from athenan.evaluation.patterns.vector_weights import VectorWeights
from athenan.evaluation.patterns.vectors import GRID, largest, rounded
from athenan.evaluation.patterns.weights import EARLIER_ERRORS
from athenan.networks.catalogue import network_of
from athenan.rules.playouts import encoded_states, random_states
from athenan.runs.learnt import saved_network

GAMES = ["breakthrough:5x5", "connect_four", "draughts", "hex:5", "othello:6", "santorini"]


class Plain:
    """The dense part and its slopes, in NumPy and 64 bits."""

    def __init__(self, network, dense):
        vector, hidden = network.settings.vector, network.settings.hidden
        ends = np.cumsum([vector, vector * hidden, hidden])
        self.offsets, layer, self.thresholds, self.out = np.split(dense.astype(np.float64), ends)
        self.layer = layer.reshape(vector, hidden)

    def output(self, sums):
        self.inputs = np.clip(sums + self.offsets, 0, 1)
        self.neurons = np.maximum(self.inputs @ self.layer + self.thresholds, 0)
        return sums[0] + self.neurons @ self.out

    def slopes(self):
        """Those by the sums, and by the weights of the dense part."""
        into = self.out * (self.neurons > 0)
        by_offset = self.layer @ into * ((self.inputs > 0) & (self.inputs < 1))
        by_weight = [by_offset, np.outer(self.inputs, into).reshape(-1), into, self.neurons]
        return by_offset + np.eye(len(by_offset))[0], np.concatenate(by_weight)


def direct(network, state):
    planes, sign = view(network, state)
    read = network.entries[places(network, planes)].astype(np.float64)
    total = Plain(network, network.dense).output(read.sum(axis=0))
    bounded = record_in(network.layout.numbers, HEADER)["bounded"]
    return sign * float(network.weights[SCALE_AT]) * (np.tanh(total) if bounded else total)


@pytest.mark.parametrize(("vector", "hidden"), [(8, 64), (16, 16), (64, 8)])
@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_numpy(name, vector, hidden):
    network = filled(name, scale=3.0, bounded=name != "othello:6", vector=vector, hidden=hidden)
    states = random_states(network.game, 40, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)
    assert len(np.unique(found)) > 10


def test_hashed_values_are_those_of_numpy():
    network = filled("breakthrough:5x5", length=11, entries=500)
    states = random_states(network.game, 40, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)


@pytest.mark.parametrize("name", GAMES)
def test_children_have_the_values_that_they_have_alone(name):
    """Sums of multiples of the grid are exact; children may be of other phases than the parent."""
    require_values_of_children(filled(name, vector=8))


def test_what_plays_is_on_the_grid_and_bounded():
    tuples = 100
    entries = np.array([0.1, -0.1, 1e9, -1e9, 0.0], np.float32)
    found = rounded(entries, tuples)
    assert np.array_equal(found / GRID, np.rint(found / GRID)) and np.array_equal(rounded(found, tuples), found)
    assert np.abs(found[:2] - entries[:2]).max() <= GRID / 2
    assert found[2] == -found[3] == largest(tuples) and (tuples + 1) * found[2] <= 2**24 * GRID


@pytest.mark.parametrize("name", ["connect_four", "hex:5", "othello:6"])
def test_images_of_a_state_have_its_value(name):
    network = filled(name, phases=1)
    planes = encoded_states(network.game, random_states(network.game, 30, seed=6))
    values = network(planes).values
    for symmetry in network.game.plane_symmetries:
        assert np.array_equal(network(np.ascontiguousarray(planes[:, symmetry])).values, values)


def test_one_weight_an_entry_is_contained():
    """Where the dense part gives nothing, the first numbers of the entries are a plain network."""
    game, settings = make("connect_four"), Patterns(walks=6, entries=81)
    plain, network = PatternNetwork(game, settings), PatternNetwork(game, replace(settings, vector=8))
    network.dense[-network.settings.hidden :] = 0
    plain.entries[:] = np.random.default_rng(2).normal(0, 0.1, plain.entries.shape)
    network.entries[:, 0] = rounded(plain.entries, len(plain.tuples.cells))
    planes = encoded_states(game, random_states(game, 300, seed=3))
    assert np.allclose(network(planes).values, plain(planes).values, atol=GRID * len(plain.tuples.cells))


@pytest.mark.parametrize("name", ["connect_four", "gomoku:9", "othello:6"])
def test_learning_is_that_of_numpy(name):
    """Up to the order of sums, and 32 bits."""
    network = filled(name, scale=2.0, vector=8, hidden=8)
    network.entries[::2] = 0  # never learnt
    states = random_states(network.game, ITEMS + 20, seed=9)
    targets = np.random.default_rng(2).uniform(-2, 2, len(states)).astype(np.float32)
    entries, dense = network.entries.astype(np.float64), network.dense.astype(np.float64)
    net, sizes = np.zeros(len(entries)), np.where(entries.any(axis=1), EARLIER_ERRORS, 0)
    moments, gradient, items, steps, squares = np.zeros((2, len(dense))), np.zeros(len(dense)), 0, 0, 0.0
    powers = list[float]()
    for row, (state, target) in enumerate(zip(states, targets, strict=True)):
        planes, sign = view(network, state)
        read = places(network, planes)
        part = Plain(network, dense)
        error = sign * target / 2.0 - np.tanh(part.output(entries[read].sum(axis=0)))
        squares += error**2
        by_sum, by_weight = part.slopes()
        gradient, items = gradient + error * by_weight, items + 1
        if items == ITEMS or row == len(states) - 1:
            steps += 1
            for moment, decay, power in ((0, DECAYS[0], 1), (1, DECAYS[1], 2)):
                moments[moment] = decay * moments[moment] + (1 - decay) * (gradient / items) ** power
            mean, square = (moments[moment] / (1 - DECAYS[moment] ** steps) for moment in range(2))
            dense += 0.5 * DENSE_RATE * mean / (np.sqrt(square) + 1e-8)
            gradient, items = np.zeros(len(dense)), 0
        powers.append(float(by_sum @ by_sum))
        change = 0.5 * error * by_sum / (len(read) * max(powers[-1], float(np.mean(powers)), LEAST_POWER))
        for at in set(read):  # images of one tuple may read the same entry, which changes once
            entries[at] += change * (np.sqrt(abs(net[at]) / sizes[at]) if sizes[at] else 1.0)
            net[at] += error
            sizes[at] += abs(error)
    weights = VectorWeights(network)
    found = weights.step(encoded_states(network.game, states), targets, rate=0.5)
    assert found == pytest.approx(squares / len(states), rel=1e-3)
    assert np.allclose(weights.learnt[:, :8], entries, atol=1e-4)
    assert np.allclose(weights.learnt[:, 8 + NET], net, atol=1e-3)
    assert np.allclose(weights.learnt[:, 8 + TOTAL], sizes, atol=1e-3)
    assert np.allclose(weights.dense[WEIGHT], dense, atol=1e-4) and weights.steps == [steps]
    before = network.entries.astype(np.float64)
    weights.publish(0.25)
    assert np.allclose(network.entries, before + 0.25 * (entries - before), atol=GRID)


def test_steps_remain_small_where_the_dense_part_cancels_the_slope():
    """Only the first input moves the output, with a slope of 0.001 - 1, which the sum itself makes 0.001."""
    network = PatternNetwork(make("connect_four"), Patterns(walks=6, entries=81, vector=8), bounded=False)
    vector, hidden = network.settings.vector, network.settings.hidden
    network.dense[:] = 0
    network.dense[0] = 0.5  # the offset
    network.dense[vector] = 1  # from the first input to the first neuron
    network.dense[vector + vector * hidden + hidden] = 0.001 - 1  # from the first neuron to the output
    weights = VectorWeights(network)
    planes = encoded_states(network.game, random_states(network.game, 1, seed=3))
    weights.step(planes, np.array([0.8], np.float32), 1.0)
    plain = (0.8 + 0.4995) / len(network.tuples.cells)  # the step of a network with one weight per entry
    changes = np.abs(weights.learnt[:, :vector])
    assert 0 < changes.max() <= plain / np.sqrt(LEAST_POWER)


def test_the_average_comes_to_the_weights_and_only_what_moves_is_published():
    network = PatternNetwork(make("connect_four"), Patterns(walks=6, entries=81, vector=8))
    weights = VectorWeights(network)
    planes = encoded_states(network.game, random_states(network.game, 50, seed=3))
    weights.step(planes, np.full(50, 0.5, np.float32), 1.0)
    changed = (weights.learnt[:, :8] != 0).any(axis=1)
    assert 0 < changed.sum() < len(changed) / 2
    flags = weights.moving.view(np.uint8)[: len(changed)]
    weights.publish(0.5)
    assert np.array_equal(flags != 0, changed)
    for _ in range(40):
        weights.publish(0.5)
    assert not flags.any() and np.array_equal(weights.averages, weights.learnt[:, :8])
    weights.publish(1.0)
    assert np.array_equal(network.entries, rounded(weights.learnt[:, :8], len(network.tuples.cells)))


def test_weights_that_are_not_finite_are_told():
    network = PatternNetwork(make("connect_four"), Patterns(walks=6, entries=81, vector=8))
    weights = VectorWeights(network)
    planes = encoded_states(network.game, random_states(network.game, 5, seed=3))
    weights.step(planes, np.array([0, 0, np.nan, 0, 0], np.float32), 1.0)
    with pytest.raises(ValueError, match="no longer finite: begin anew with a lower learning_rate"):
        weights.publish()


def test_learnt_values_come_to_their_targets():
    network = PatternNetwork(make("connect_four"), Patterns(walks=16, entries=256, vector=16, features=False))
    require_learning(VectorWeights(network), 60)


@pytest.mark.parametrize("name", ["connect_four", "othello:6"])
def test_saved_networks_are_the_same(name):
    network = filled(name)
    again = PatternNetwork(network.game, network.settings, arrays=network.as_arrays())
    assert np.array_equal(again.weights, network.weights)


DAMAGES = {
    "weights": lambda array: array[:, 1:], "dense": lambda array: array[1:], "missing": lambda array: None,
    "not finite": lambda array: np.full_like(array, np.inf),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_networks_are_refused(damage):
    network = filled("connect_four")
    arrays = network.as_arrays()
    name = damage if damage in arrays else "dense"
    arrays[name] = DAMAGES[damage](arrays[name])
    with pytest.raises(ValueError, match=r"the weights (do not fit this network|are not)"):
        PatternNetwork(network.game, network.settings, arrays={k: v for k, v in arrays.items() if v is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patterns:vector=12", "vector must be 1, 8, 16, 32 or 64, not 12"),
        ("patterns:vector=16,hidden=0", "hidden must be 8, 16, 32 or 64, not 0"),
    ],
)
def test_other_sizes_are_refused_in_a_sentence(text, message):
    with pytest.raises(ValueError, match=message):
        parse_architecture(text)


def test_vectors_count_in_the_memory():
    with pytest.raises(ValueError, match=r"memory allows 64: choose fewer .* a smaller vector, or memory="):
        PatternNetwork(make("connect_four"), Patterns(vector=64, entries=4096, memory=64))


@pytest.mark.parametrize("name", ["connect_four", "hex:5", "othello:6"])
def test_exported_values_are_the_same(name):
    torch = pytest.importorskip("torch")
    from athenan.evaluation.patterns.torch_module import PatternModule

    network = filled(name, scale=2.0, features=False)
    planes = encoded_states(network.game, random_states(network.game, 50, seed=3)).reshape(-1, *network.game.planes)
    (values,) = PatternModule(network).answers(torch.from_numpy(planes).float(), ("values",))
    assert np.allclose(values.numpy(), network(planes).values, atol=1e-5)


def test_little_of_what_is_learnt_is_lost_in_play():
    """A large network learns on, in steps that are small where many tuples share an error."""
    network, random = saved_network(network_of(make("gomoku:15")).file).network, np.random.default_rng(3)
    assert isinstance(network, PatternNetwork)
    states = random_states(network.game, 3000, seed=8)
    planes, scale = encoded_states(network.game, states), float(network.weights[SCALE_AT])
    weights = VectorWeights(network)
    for _ in range(2):
        weights.step(planes, random.uniform(-scale, scale, len(states)).astype(np.float32), rate=0.3)
    weights.publish(1.0)
    played, dense = network(planes[:200]).values / scale, Plain(network, weights.dense[WEIGHT])
    learnt = []
    for state in states[:200]:
        seen, sign = view(network, state)
        learnt.append(sign * dense.output(weights.learnt[places(network, seen), : network.settings.vector].sum(axis=0)))
    lost = np.mean((played - learnt) ** 2) / np.mean(np.square(learnt))
    assert lost < 0.01
