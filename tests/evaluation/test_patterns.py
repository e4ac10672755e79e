"""Pattern networks: values as a slow direct sum, symmetries, learning as in plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from pattern_views import indices, require_learning, require_values_of_children, view
from sizes import size

from athenan import make
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import codes_of
from athenan.evaluation.patterns.header import HEADER, record_in
from athenan.evaluation.patterns.kernels import SCALE_AT, WEIGHT, WEIGHTS_AT
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.tuples import tuples_of
from athenan.evaluation.patterns.vector_weights import weights_to_learn
from athenan.evaluation.patterns.weights import EARLIER_ERRORS, Weights
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states

GAMES = [
    "amazons:6", "ataxx", "breakthrough:5x5", "clobber:5x5", "connect6:9", "connect_four", "draughts", "einstein",
    "go:5", "gomoku:9", "havannah:4", "hex:5", "lines_of_action", "othello:6", "santorini", "shobu", "surakarta",
    "tictactoe", "xiangqi",
]  # fmt: skip
LAYERED = ["amazons:6", "arimaa", "backgammon", "go:5", "lines_of_action", "morpion", "santorini", "shobu", "xiangqi"]
"""Games for layers of marks."""
SMALL = Patterns(walks=6, entries=3**6)


def filled(name, settings=SMALL, scale=1.0, bounded=True):
    """A network with random weights."""
    network = PatternNetwork(make(name), settings, scale, bounded)
    random = np.random.default_rng(1)
    network.weights[WEIGHTS_AT:] = random.normal(0, 0.2, len(network.weights) - WEIGHTS_AT)
    return network


def direct(network, state):
    """The value of a state, summed in plain Python."""
    planes, sign = view(network, state)
    total = sum(network.weights[indices(network, planes)].astype(np.float64).tolist())
    bounded = record_in(network.layout.numbers, HEADER)["bounded"]
    return sign * float(network.weights[SCALE_AT]) * (np.tanh(total) if bounded else total)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("colours", [False, True])
def test_values_are_those_of_a_direct_sum(name, colours):
    settings = Patterns(walks=6, entries=3**6, colours=colours, lines=True, phases=1 + 2 * colours)
    network = filled(name, settings, scale=3.0, bounded=name != "othello:6")
    states = random_states(network.game, 60, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", LAYERED)
@pytest.mark.parametrize("colours", [False, True])
def test_values_of_layers_are_those_of_a_direct_sum(name, colours):
    network = filled(name, Patterns(walks=40, entries=14**2, layers=True, phases=2, colours=colours))
    assert network.codes.group[-1] == (name != "xiangqi")  # whose planes exclude or imply each other
    states = random_states(network.game, 60, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)


@pytest.mark.parametrize("name", ["breakthrough:5x5", "connect_four", "gomoku:9", "xiangqi"])
def test_hashed_values_are_those_of_a_direct_sum(name):
    network = filled(name, Patterns(walks=6, length=11, entries=5_000, phases=2))
    assert network.layout.stride == 4_096 * (network.tuples.family[-1] + 1)
    states = random_states(network.game, 60, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)


@pytest.mark.parametrize("name", GAMES)
def test_children_have_the_values_that_they_have_alone(name):
    require_values_of_children(filled(name, Patterns(walks=6, entries=3**6, phases=3)))


@pytest.mark.parametrize(
    "name", ["clobber:5x5", "connect_four", "gomoku:9", "havannah:4", "hex:5", "othello:6", "shobu"]
)
@pytest.mark.parametrize("layers", [False, True])
def test_images_of_a_state_have_its_value(name, layers):
    network = filled(name, Patterns(walks=6, entries=3**6, layers=layers))
    planes = encoded_states(network.game, random_states(network.game, 30, seed=6))
    values = network(planes).values
    assert len(np.unique(values)) > 10
    for symmetry in network.game.plane_symmetries:
        assert np.allclose(network(np.ascontiguousarray(planes[:, symmetry])).values, values, atol=1e-5)


@pytest.mark.parametrize("name", ["breakthrough:5x5", "draughts", "hex:5", "othello:6", "shobu", "xiangqi"])
@pytest.mark.parametrize("layers", [False, True])
def test_the_exchange_of_the_players_negates_values(name, layers):
    network = filled(name, Patterns(walks=6, entries=3**6, layers=layers))
    game = network.game
    states = random_states(game, 30, seed=7)
    images = np.array([game.colour_symmetry.state(state) for state in states])
    values = network(encoded_states(game, states)).values
    assert np.allclose(network(encoded_states(game, images)).values, -values, atol=1e-5)


def test_the_exchange_of_the_players_exchanges_what_is_the_same_on_all_cells():
    network = filled("xiangqi")
    arrays = network.as_arrays()
    arrays["shared"] = np.array([2, 19, 20])  # the side to move, and who has given check with each move
    arrays["table_of"] = np.arange(8, dtype=np.uint8)
    arrays["weights"] = np.random.default_rng(1).normal(0, 0.2, 4 * network.layout.stride).astype(np.float32)
    network = PatternNetwork(network.game, network.settings, arrays=arrays)
    planes = encoded_states(network.game, random_states(network.game, 30, seed=7)).reshape(30, *network.game.planes)
    planes[:, 19], planes[:, 20] = 1, 0
    exchange = network.game.colour_symmetry
    assert exchange
    images = planes.reshape(30, -1)[:, np.asarray(exchange.planes)].reshape(planes.shape)
    images[:, 2] = 1 - images[:, 2]
    assert images[:, 20].all() and not images[:, 19].any()
    assert np.allclose(network(images).values, -network(planes).values, atol=1e-5)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", [*GAMES, "arimaa", "backgammon", "morpion"])
@pytest.mark.parametrize("layers", [False, True])
def test_equal_codes_are_equal_planes(name, layers):
    game = make(name)
    codes = codes_of(game, layers)
    states = with_features(game, encoded_states(game, random_states(game, size(1_000, 2_000), seed=8)))
    factors = np.random.default_rng(1).integers(2**62, size=(states.shape[1],))
    seen, found = list[np.ndarray](), np.array([codes.of(planes[:, :, None])[0] for planes in states])
    for local in codes.local:
        own = local[local >= 0]
        seen.append(factors[: len(own)] @ states[:, own] + len(own))  # a number for all planes of a cell
    seen_of = np.concatenate(seen, axis=1)[:, codes.varying].reshape(-1)  # the other cells are in no tuple
    keys = ((np.repeat(codes.group, states.shape[2]).astype(np.int64) << 32) + found)[:, codes.varying]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    unlike = int((seen_of != seen_of[first][which.reshape(-1)]).sum())
    assert unlike <= 1e-4 * states.shape[0] * len(codes.varying)  # what random play has not met at first


@pytest.mark.parametrize("name", ["connect_four", "gomoku:9", "othello:6", "xiangqi"])
def test_learning_is_that_of_plain_python(name):
    network = filled(name, scale=2.0)
    network.entries[::2] = 0  # never learnt
    states = random_states(network.game, 80, seed=9)
    targets = np.random.default_rng(2).uniform(-2, 2, 80).astype(np.float32)
    weights, net = network.weights.astype(np.float64), np.zeros(len(network.weights))
    total, squares = np.where(weights != 0, EARLIER_ERRORS / len(network.tuples.cells), 0), 0.0
    for state, target in zip(states, targets, strict=True):
        planes, sign = view(network, state)
        places = indices(network, planes)
        error = sign * target / 2.0 - np.tanh(sum(weights[at] for at in places))
        squares += error**2
        step = 0.5 * error / len(places)
        for at in set(places):
            weights[at] += step * (abs(net[at] / total[at]) ** 0.5 if total[at] else 1.0)
            net[at] += step
            total[at] += abs(step)
    weighing = Weights(network)
    found = weighing.step(encoded_states(network.game, states), targets, rate=0.5)
    assert found == pytest.approx(squares / 80, rel=1e-3)
    assert np.allclose(weighing.learnt[:, WEIGHT], weights[WEIGHTS_AT:], atol=1e-4)
    before = network.weights[WEIGHTS_AT:].copy()
    weighing.publish(0.25)
    expected = before + 0.25 * (weights[WEIGHTS_AT:] - before)
    assert np.allclose(network.weights[WEIGHTS_AT:], expected, atol=1e-4)


@pytest.mark.parametrize("vector", [1, 8])
def test_a_network_that_has_learnt_changes_slowly_until_its_errors_agree(vector):
    game = make("connect_four")
    network = PatternNetwork(game, Patterns(walks=16, vector=vector, hidden=8), bounded=False)
    planes = encoded_states(game, random_states(game, 1, seed=3))

    def gone(steps, target):
        """The part of the way to a target that the value goes in so many steps, and whose weights these are."""
        weights, before = weights_to_learn(network), network(planes).values[0]
        for _ in range(steps):
            weights.step(planes, np.array([target], np.float32), rate=0.1)
        weights.publish()
        return (network(planes).values[0] - before) / (target - before)

    new, known = gone(3, 0.3), gone(3, 0.6)
    assert 0 < known < new / 3
    assert gone(100, 0.6) > 0.9


@pytest.mark.parametrize("vector", [1, 8])
def test_a_step_never_changes_a_value_by_more_than_its_error(vector):
    """On an empty board most tuples read the same few entries."""
    game = make("gomoku:9")
    planes = encoded_states(game, np.array([game.initial()]))
    weights = weights_to_learn(PatternNetwork(game, Patterns(vector=vector, hidden=8, features=False), bounded=False))
    before = weights.network(planes).values[0]
    target = before + np.float32(0.1)  # so little that the output of vectors is linear
    weights.step(planes, np.array([target]), rate=1.0)
    weights.publish()
    assert weights.network(planes).values[0] == pytest.approx(target, abs=0.01)


def test_learnt_values_come_to_their_targets():
    require_learning(Weights(PatternNetwork(make("connect_four"), Patterns(walks=16))), 30)


@pytest.mark.parametrize("name", ["breakthrough:5x5", "connect_four", "othello:6", "shobu", "xiangqi"])
@pytest.mark.parametrize("layers", [False, True])
def test_saved_networks_are_the_same(name, layers):
    network = filled(name, Patterns(walks=6, entries=3**6, lines=True, phases=2, layers=layers))
    again = PatternNetwork(network.game, network.settings, arrays=network.as_arrays())
    assert np.array_equal(again.layout.numbers, network.layout.numbers)
    assert np.array_equal(again.weights, network.weights)


@pytest.mark.parametrize("colours", [False, True])
def test_the_side_to_move_alone_may_choose_the_table(colours):
    network = filled("draughts:brazilian", replace(SMALL, shared=False, colours=colours))
    assert network.codes.shared.tolist() == [4]
    assert network.layout.tables == 2 - colours
    states = random_states(network.game, 60, seed=4)
    found = network(encoded_states(network.game, states)).values
    assert np.allclose(found, [direct(network, state) for state in states], atol=1e-4)


def test_windows_of_a_chessboard_have_the_cells_of_one_colour():
    """All places of 4x4 cells, half of which are dark and vary."""
    game, settings = make("draughts:brazilian"), Patterns(walks=0, length=8, layers=True)
    pieces, dark = 64, {(row, column) for row in range(8) for column in range(8) if (row + column) % 2}
    found = {one for one in tuples_of(game, codes_of(game, layers=True), settings).cells if max(one) < pieces}
    assert found == {
        tuple(8 * row + column for row, column in sorted(dark) if top <= row < top + 4 and left <= column < left + 4)
        for top in range(5)
        for left in range(5)
    }


def test_an_exchange_that_takes_a_cell_apart_is_left_out():
    layout = filled("backgammon").layout  # the exchange turns the points around, but not the bar
    begin = record_in(layout.numbers, HEADER)["tables_at"]
    views = layout.numbers[begin:][1 : 2 * len(codes_of(make("backgammon")).table_of) : 2]
    assert len(views) > 1000 and not views.any()


def test_networks_saved_before_there_were_layers_are_the_same():
    network = filled("connect_four")
    arrays = network.as_arrays()
    arrays["local"] = arrays["local"][0]
    del arrays["group"]
    again = PatternNetwork(network.game, network.settings, arrays=arrays)
    assert np.array_equal(again.layout.numbers, network.layout.numbers)


DAMAGES = {
    "local": lambda array: array + 20, "group": lambda array: array + 1, "shared": lambda array: array[::-1].repeat(2),
    "code_of": lambda array: array[1:], "beneath": lambda array: array + 1,
    "table_of": lambda array: array.astype(np.int64), "varying": lambda array: array[1:],
    "pieces": lambda array: array[::-1], "cells": lambda array: array + 100, "family": lambda array: array + 1,
    "weights": lambda array: array[1:],
}  # fmt: skip


@pytest.mark.parametrize("name", [*DAMAGES, "missing", "not finite"])
def test_damaged_networks_are_refused(name):
    network = filled("connect_four")
    arrays = network.as_arrays()
    if name == "missing":
        del arrays["family"]
    elif name == "not finite":
        arrays["weights"][3] = np.nan
    else:
        arrays[name] = DAMAGES[name](arrays[name])
    with pytest.raises(ValueError, match=r"weights|codes|tuples"):
        PatternNetwork(network.game, network.settings, arrays=arrays)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("gomoku", Patterns(entries=2**20, walks=500, memory=64), "take .* MiB, and memory allows 64: choose fewer"),
        ("pig", Patterns(), "no planes of 0 and 1"),
        ("arimaa", Patterns(shared=False), "shared must be true: arimaa declares no exchange of the players"),
        ("connect_four", Patterns(walks=4, windows=False, length=32), "length 32 is too long"),
        ("breakthrough", Patterns(length=32, entries=2**16, walks=4096), r"at most|too long|take"),
    ],
)
def test_networks_that_cannot_be_are_refused_in_a_sentence(name, settings, message):
    with pytest.raises(ValueError, match=message):
        PatternNetwork(make(name), settings)


@pytest.mark.parametrize("name", ["breakthrough:5x5", "connect_four", "hex:5", "othello:6", "shobu"])
@pytest.mark.parametrize(
    "settings",
    [
        Patterns(walks=6, entries=3**6, lines=True, phases=3),
        Patterns(walks=6, entries=3**6, layers=True),
        Patterns(walks=6, length=14, entries=2),
        Patterns(walks=6, length=14, entries=5_000, windows=False, phases=2),
    ],
    ids=["lines", "layers", "hashed in 2", "hashed in 4096"],
)
def test_exported_values_are_the_same(name, settings):
    torch = pytest.importorskip("torch")
    from athenan.evaluation.patterns.torch_module import PatternModule

    network = filled(name, replace(settings, features=False), scale=2.0)
    planes = encoded_states(network.game, random_states(network.game, 50, seed=3)).reshape(-1, *network.game.planes)
    (values,) = PatternModule(network).answers(torch.from_numpy(planes).float(), ("values",))
    assert len(np.unique(values)) > 10
    assert np.allclose(values.numpy(), network(planes).values, atol=1e-5)


def test_a_network_that_reads_features_is_not_exported():
    pytest.importorskip("torch")
    from athenan.evaluation.patterns.torch_module import PatternModule

    with pytest.raises(ValueError, match=r"reads features of hex cannot be exported: train one with .*features=false"):
        PatternModule(filled("hex:4"))


def test_a_network_from_before_the_exchange_was_declared_sees_both_players_as_they_are():
    game = make("connect6:6")
    before = PatternNetwork(game, Patterns(walks=1, length=2, colours=False), bounded=False)
    before.entries[:] = np.random.default_rng(1).normal(size=before.entries.shape)
    after = PatternNetwork(game, Patterns(walks=1, length=2), bounded=False, arrays=before.as_arrays())
    planes = encoded_states(game, random_states(game, 20))
    assert np.array_equal(before(planes).values, after(planes).values)
    assert np.ptp(after(planes).values)
