"""Heuristics, networks, the evaluator and learning steps, against hand computation and plain PyTorch."""

import json
from dataclasses import fields, replace
from functools import reduce

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from test_games import SPECIFICATIONS
from torch.nn import functional

from athenan import rules
from athenan.evaluation.evaluator import Evaluator, choose_device, faster, rounded_batch
from athenan.evaluation.heuristics import (
    HEURISTICS,
    check_heuristic,
    default_heuristic,
    make_heuristic,
    restored_heuristic,
)
from athenan.evaluation.inference import PRECISIONS
from athenan.evaluation.networks import (
    ARCHITECTURES,
    CNetwork,
    ResidualNetwork,
    build_network,
    describe,
    from_description,
    parse_architecture,
)
from athenan.games.catalogue import make
from athenan.learning.learner import Learner
from athenan.rules.game import Game
from athenan.rules.playouts import random_ends, random_match
from athenan.rules.terminal import terminal_value

SHAPES = [(2, 2, 2), (2, 3, 3), (3, 6, 7), (3, 9, 9), (4, 8, 8), (3, 5, 12)]
SMALL = {
    "c": CNetwork(filters=8, dense=16),
    "residual": ResidualNetwork(filters=8, blocks=2, dense=16),
    "r1": ResidualNetwork(filters=8, blocks=2, pointwise=8, dense=16),
    "r2": ResidualNetwork(filters=8, blocks=3, dense=16, dense_layers=2),
    "pooled": ResidualNetwork(filters=8, blocks=1, squeeze=4, pointwise=16, pooling=True, dense=16),
    "convolutional": ResidualNetwork(filters=4, blocks=0, dense_layers=0),
}


def value(name: str, game: Game, length: int, outcome: int) -> float:
    """The heuristic's value of a match that ends after so many actions (where the board does not matter)."""
    heuristic, state = make_heuristic(name, game), game.initial()
    state[2:4] = np.array([length], np.uint16).view(np.int8)
    return float(terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants))


def states(count: int, planes: tuple[int, int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (count, *planes), np.int8)


def network(planes: tuple[int, int, int] = (3, 9, 9), name: str = "c", scale: float = 25.5, bounded: bool = False):
    torch.manual_seed(0)
    return build_network(SMALL[name], planes, scale, bounded)


# Heuristics


@pytest.mark.parametrize(
    ("name", "game", "length", "outcome", "expected"),
    [
        ("classic", "hex:7", 20, -1, -1.0),
        # 003, section 6.2.2: at Hex, the number of empty cells plus 1 (the swap is one more action)
        ("additive_depth", "hex:7,swap=false", 20, 1, 30.0),
        ("additive_depth", "hex:7,swap=false", 49, -1, -1.0),
        ("additive_depth", "hex:7", 20, 1, 31.0),
        ("additive_depth", "hex:7", 300, 1, 1.0),
        ("multiplicative_depth", "hex:7", 12, -1, -2.0),
        ("multiplicative_depth", "hex:7", 48, 1, 0.5),
    ],
)
def test_values_computed_by_hand(name, game, length, outcome, expected):
    assert value(name, make(game), length, outcome) == expected


def test_the_score_is_that_of_the_game():
    game = make("othello:4")
    heuristic, random = make_heuristic("score", game), np.random.default_rng(3)
    state = game.initial()
    while (outcome := game.outcome(state)) is None:
        state = game.play(state, int(random.choice(game.actions(state))))
    cells = state[rules.HEADER :].tobytes()
    found = terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants)
    assert found == game.score(state), cells
    assert heuristic.scale == 8
    assert not heuristic.bounded


@pytest.mark.parametrize(("seed", "expected"), [(0, -2.0), (1, -1.0), (2, 3.0), (4, 2.0)])
def test_presence_counts_the_pieces(seed: int, expected: float) -> None:
    """003, section 6.2.4; random matches that end 8 to 10, 7 to 7, 10 to 7 and 10 to 8."""
    game = make("breakthrough:5x5")
    heuristic = make_heuristic("presence", game)
    state = reduce(game.play, random_match(game, seed), game.initial())
    outcome = game.outcome(state)
    found = terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants)
    assert found == expected
    assert heuristic.scale == 5


@given(st.sampled_from(HEURISTICS), *[st.integers(1, 4000)] * 2, *[st.sampled_from([-1, 0, 1])] * 2)
def test_heuristics_preserve_the_order_of_the_gain(name, length, other_length, gain, other_gain):
    """003, Definition 21."""
    if name in ("score", "presence"):
        return  # they depend on the board: see the next test
    game = make("hex:5")
    one, other = value(name, game, length, gain), value(name, game, other_length, other_gain)
    if gain < other_gain:
        assert one < other
    assert value(name, game, length, -gain) == -one
    if "depth" in name and gain == other_gain == 1 and length < other_length:
        assert one >= other


def heuristics_of(game: Game) -> list[str]:
    def has(name: str) -> bool:
        try:
            check_heuristic(name, game)
        except ValueError:
            return False
        return True

    return [name for name in HEURISTICS if has(name)]


@pytest.mark.parametrize("specification", SPECIFICATIONS)
def test_amazons_score_did_not_preserve_the_order_of_the_gain(specification):
    """003, Definition 21, of every heuristic of every game, over the ends of random matches."""
    game = make(specification)
    ends = random_ends(game, 200, seed=7)
    gains = np.array([game.outcome(end) for end in ends])
    for name in heuristics_of(game):
        if (name, game.players) == ("score", 1):
            continue  # one player learns the score, and has no gain to preserve
        heuristic = make_heuristic(name, game)
        values = np.array([
            terminal_value(heuristic.address, game.rules, end, gain, heuristic.constants)
            for end, gain in zip(ends, gains, strict=True)
        ])  # fmt: skip
        lost, drawn, won = (values[gains == gain] for gain in (-1, 0, 1))
        assert max(lost, default=-1) < min(drawn, default=0), name
        assert max(drawn, default=0) < min(won, default=1), name
        assert (np.sign(values) == gains).all(), name


@pytest.mark.parametrize("specification", ["amazons:6", "amazons:8", "amazons:10"])
def test_a_score_of_amazons_is_the_territory_and_one(specification):
    """A match in which the loser and then the winner is shut in is still won; no score reaches the largest."""
    game = make(specification)
    scores = np.array([game.score(end) for end in random_ends(game, 400)])
    assert 1 <= abs(scores).min() <= 2
    assert abs(scores).max() <= game.max_score


@pytest.mark.parametrize("specification", ["lines_of_action", "shobu", "xiangqi", "draughts", "draughts:brazilian"])
def test_additive_depth_was_1_for_most_matches_of_some_games(specification):
    """Two typical lengths took the place of P; the longest of many random matches says more."""
    game = make(specification)
    lengths = [game.length(end) for end in random_ends(game, 1000, seed=99)]
    heuristic = make_heuristic("additive_depth", game)
    (longest,) = heuristic.constants
    assert np.mean(np.array(lengths) >= longest) < 0.02
    assert longest <= 1.2 * max(lengths)
    assert heuristic.scale == longest / 2
    assert value("additive_depth", game, 30, 1) == longest - 30
    assert value("additive_depth", game, int(longest) + 5, -1) == -1


@pytest.mark.parametrize("specification", ["hex:7", "connect_four", "breakthrough:6x6", "amazons:8", "clobber:6x5"])
def test_a_maximum_near_real_matches_is_taken_as_it_is(specification):
    game = make(specification)
    assert make_heuristic("additive_depth", game).constants.tolist() == [game.max_length + 1]


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_restored_heuristic_is_the_one_that_was_saved(name):
    """Whatever the rules say, or would be measured, now."""
    game = make("surakarta")
    saved = json.loads(json.dumps(make_heuristic(name, game).as_json()))
    other = replace(game, max_length=9, typical_length=7, max_score=3)
    one, two = make_heuristic(name, game), restored_heuristic(name, other, saved)
    assert (two.name, two.address, two.scale, two.bounded) == (one.name, one.address, one.scale, one.bounded)
    assert two.constants.tolist() == one.constants.tolist()


@pytest.mark.parametrize(
    ("specification", "name", "constants", "scale"),
    [("lines_of_action", "additive_depth", [200], 100), ("hex:7,swap=false", "additive_depth", [50], 25),
     ("breakthrough:6x6", "additive_depth", [56], 28), ("breakthrough:8x8", "additive_depth", [178], 89),
     ("hex:7", "multiplicative_depth", [24], 1), ("othello:8", "score", [], 32), ("amazons:6", "score", [], 13.5)],
)  # fmt: skip
def test_runs_without_the_numbers_of_their_heuristic_keep_the_former_rule(specification, name, constants, scale):
    heuristic = restored_heuristic(name, make(specification), None)
    assert (heuristic.constants.tolist(), heuristic.scale) == (constants, scale)


@pytest.mark.parametrize(
    "saved",
    [{}, [], 5, "no", {"constants": [1.0]}, {"constants": [], "scale": 1.0}, {"constants": [1.0, 2.0], "scale": 1.0},
     {"constants": [-1.0], "scale": 1.0}, {"constants": [float("nan")], "scale": 1.0}, {"constants": 5, "scale": 1.0},
     {"constants": [1.0], "scale": 0}, {"constants": [1.0], "scale": float("inf")}, {"constants": ["x"], "scale": 1},
     {"constants": [1.0], "scale": None}, {"constants": [10**400], "scale": 1.0}],
)  # fmt: skip
def test_damaged_numbers_of_a_heuristic_are_refused(saved):
    with pytest.raises(ValueError, match="the numbers of its heuristic are damaged"):
        restored_heuristic("additive_depth", make("hex:3"), saved)


def test_the_scale_makes_typical_values_of_order_one():
    for specification in ("hex:7", "hex:11", "connect_four", "othello", "breakthrough"):
        game = make(specification)
        for name in HEURISTICS:
            if name not in ("score", "presence"):
                heuristic = make_heuristic(name, game)
                typical = value(name, game, game.typical_length, 1) / heuristic.scale
                assert 0.25 <= typical <= 1.5, (specification, name)


def test_defaults_and_unknown_heuristics():
    assert default_heuristic(make("hex:7")) == "additive_depth"
    assert default_heuristic(make("othello:6")) == "score"
    with pytest.raises(ValueError, match="no heuristic 'deep'; the heuristics of hex:7 are classic, additive_depth"):
        make_heuristic("deep", make("hex:7"))
    with pytest.raises(ValueError, match="hex:7 has no score"):
        make_heuristic("score", make("hex:7"))
    with pytest.raises(ValueError, match="hex:7 counts no pieces"):
        make_heuristic("presence", make("hex:7"))


# Networks


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
    assert torch.allclose(free(planes), 20 * free.output(planes))
    assert torch.allclose(bounded(planes), torch.tanh(free.output(planes)))
    with torch.no_grad():
        bounded.last.bias.fill_(1e6)
    assert (bounded(planes) <= 1).all()


def test_the_same_seed_gives_the_same_network():
    one, other = network(name="pooled"), network(name="pooled")
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert not torch.equal(one.body[0].weight, build_network(SMALL["pooled"], (3, 9, 9), 1.0, False).body[0].weight)


@pytest.mark.parametrize("architecture", [*ARCHITECTURES.values(), *SMALL.values()])
def test_a_description_says_everything(architecture):
    assert from_description(json.loads(json.dumps(describe(architecture)))) == architecture


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({}, "kind must be one of C, residual"),
        ({"kind": ["C"]}, "kind must be one of C, residual"),
        ({"kind": "transformer"}, "kind must be one of C, residual"),
        ({"kind": "C", "heads": 8}, "no 'heads'"),
        ({"kind": "C", "filters": "64"}, "filters must be from 1 to 1024"),
        ({"kind": "C", "filters": 64.0}, "filters must be from 1 to 1024"),
        ({"kind": "C", "filters": True}, "filters must be from 1 to 1024"),
        ({"kind": "C", "filters": 10**9}, "filters must be from 1 to 1024"),
        ({"kind": "C", "dense": 0}, "dense must be from 1 to 8192"),
        ({"kind": "residual", "pooling": 1}, "pooling must be true or false"),
        ({"kind": "residual", "blocks": None}, "blocks must be from 0 to 64"),
    ],
)
def test_bad_descriptions_are_refused(description, message):
    with pytest.raises(ValueError, match=message):
        from_description(description)


def test_architectures_are_named_with_changes():
    assert parse_architecture("c") == CNetwork()
    assert parse_architecture("c:filters=32,dense=50") == CNetwork(filters=32, dense=50)
    assert parse_architecture("r1:pooling=true") == ResidualNetwork(blocks=2, pointwise=64, pooling=True)
    for text in ("d", "", "c:filters", "c:filters=many", "c:filters=0", "c:heads=3", "c:filters=-1"):
        with pytest.raises(ValueError, match="network"):
            parse_architecture(text)


def test_a_network_too_large_is_refused_before_it_is_made():
    with pytest.raises(ValueError, match="at most 200,000,000 weights"):
        build_network(ResidualNetwork(filters=1024, blocks=64), (3, 19, 19), 1.0, bounded=False)


def test_every_bound_is_checked():
    for kind in (CNetwork, ResidualNetwork):
        for field in fields(kind):
            with pytest.raises(ValueError, match=field.name):
                kind(**{field.name: -1})


# Evaluator


@pytest.mark.parametrize("planes", [(3, 9, 9), (2, 3, 3), (3, 6, 7)])
@pytest.mark.parametrize("name", SMALL)
def test_evaluations_are_the_networks_values(name, planes):
    built = network(planes, name)
    evaluate = Evaluator(built, device="cpu", precision="float32")
    for count in (1, 5, 45, 150):
        batch = states(count, planes, seed=count)
        with torch.no_grad():
            expected = built(torch.from_numpy(batch).float()).numpy()
        values = evaluate(batch)
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(evaluate(batch.reshape(count, -1)), values)


@pytest.mark.parametrize("name", SMALL)
def test_bfloat16_is_close_to_float32(name):
    built, batch = network(name=name), states(200, (3, 9, 9))
    exact = Evaluator(built, device="cpu", precision="float32")(batch)
    rounded = Evaluator(built, device="cpu", precision="bfloat16")(batch)
    assert np.abs(rounded - exact).max() < 0.1 * exact.std() + 0.02 * np.abs(exact).max()
    assert len(np.unique(rounded)) > 180  # the last neuron's float32 keeps the values of different states apart


def test_no_state_many_states_and_wrong_states():
    evaluate = Evaluator(network(), device="cpu", precision="float32")
    assert evaluate(np.empty((0, 3, 9, 9), np.int8)).shape == (0,)
    batch = states(2500, (3, 9, 9))
    values = evaluate(batch)
    np.testing.assert_allclose(values[[0, 1023, 1024, 2499]], evaluate(batch[[0, 1023, 1024, 2499]]), atol=1e-4)
    with pytest.raises(ValueError, match="a state has 192 numbers here"):
        evaluate(states(4, (3, 8, 8)))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", SMALL)
def test_refresh_takes_the_new_weights(name, precision):
    built, batch = network(name=name), states(20, (3, 9, 9))
    evaluate = Evaluator(built, device="cpu", precision=precision)
    before = evaluate(batch)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    np.testing.assert_array_equal(evaluate(batch), before)
    evaluate.refresh()
    assert not np.array_equal(evaluate(batch), before)
    np.testing.assert_array_equal(evaluate(batch), Evaluator(built, device="cpu", precision=precision)(batch))


def test_the_automatic_choices_are_recorded_and_can_be_given_again():
    built, batch = network(), states(20, (3, 9, 9))
    evaluate = Evaluator(built)
    assert evaluate.precision in PRECISIONS
    assert evaluate.device.type in ("cpu", "cuda")
    again = Evaluator(built, device=str(evaluate.device), precision=evaluate.precision)
    np.testing.assert_array_equal(evaluate(batch), again(batch))


def test_unknown_devices_and_precisions_are_refused():
    for device in ("gpu", "cuda:99", "cpu:1", "cuda:x", "cpu:-1"):
        with pytest.raises(ValueError, match="is not here; use auto, cpu"):
            choose_device(device)
    with pytest.raises(ValueError, match="auto, float32 or bfloat16, not 'float16'"):
        Evaluator(network(), precision="float16")


@given(st.integers(1, 20000))
def test_batches_are_rounded_up_a_little(count):
    rounded = rounded_batch(count)
    assert count <= rounded <= count + count // 16
    assert rounded_batch(rounded) == rounded


def test_the_faster_trial_is_chosen_and_the_first_when_in_doubt():
    def spin(steps):
        return lambda: sum(range(steps))

    assert faster({"slow": spin(200_000), "fast": spin(1_000)}, seconds=0.01) == "fast"
    assert faster({"fast": spin(1_000), "slow": spin(200_000)}, seconds=0.01) == "fast"


# Learning steps


def examples(count: int = 256):
    """States with a target that a network can learn: scaled counts of the first two planes."""
    batch = states(count, (3, 9, 9))
    counts = batch.sum((2, 3), dtype=np.int64)
    return batch, (2.0 * (counts[:, 0] - counts[:, 1])).astype(np.float32)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ["c", "residual", "pooled"])
def test_learning_reduces_the_loss(name, precision):
    built = network(name=name)
    learner = Learner(built, precision=precision)
    batch, targets = examples()
    losses = [learner.step(batch, targets) for _ in range(150)]
    assert losses[-1] < 0.2 * losses[0]


def test_a_step_is_adam_on_the_squared_error_with_the_l2_of_keras():
    built, reference = network(), network()
    batch, targets = examples(64)
    learner = Learner(built, learning_rate=0.01, l2=0.05 * 25.5**2, precision="float32")
    optimizer = torch.optim.Adam(reference.parameters(), lr=0.01, eps=1e-7)
    for _ in range(3):
        output = reference.output(torch.from_numpy(batch).float())
        error = ((output - torch.from_numpy(targets) / 25.5) ** 2).mean()
        penalty = sum(0.05 * (weight**2).sum() for weight in reference.parameters() if weight.ndim > 1)
        optimizer.zero_grad()
        (error + penalty).backward()
        optimizer.step()
        assert learner.step(batch, targets) == pytest.approx(error.item(), rel=1e-3)
    for one, other in zip(built.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_learning_is_repeatable_and_resumes_exactly():
    batch, targets = examples(64)
    through, stopped = network(), network()
    learner, first = (Learner(built, precision="float32") for built in (through, stopped))
    losses = [learner.step(batch, targets) for _ in range(8)]
    assert [first.step(batch, targets) for _ in range(4)] == losses[:4]

    resumed = network(name="c")
    resumed.load_state_dict(stopped.state_dict())
    second = Learner(resumed, precision="float32")
    second.load_state_dict(first.state_dict())
    assert [second.step(batch, targets) for _ in range(4)] == losses[4:]


def test_only_the_same_networks_state_is_taken():
    batch, targets = examples(16)
    learner = Learner(network(), precision="float32")
    assert learner.state_dict() == {}
    learner.step(batch, targets)
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
    assert Learner(built).precision in PRECISIONS
    assert all(torch.equal(a, b) for a, b in zip(weights, built.parameters(), strict=True))  # the trial was on a copy
    with pytest.raises(ValueError, match="auto, float32 or bfloat16"):
        Learner(built, precision="half")
