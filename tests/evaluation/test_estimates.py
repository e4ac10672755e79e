"""Pattern networks whose output begins with the estimate that their game declares (`Features.estimate`)."""

from typing import Literal

import numpy as np
import pytest
from pattern_views import require_values_of_children

from athenan import make
from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.vector_weights import weights_to_learn
from athenan.evaluation.shallow.inputs import sampled
from athenan.rules.playouts import encoded_states, random_states

ARIMAA = make("arimaa")
STATES = random_states(ARIMAA, 200, seed=7)
MATERIAL = np.array([ARIMAA.evaluations["material"](ARIMAA.rules, state) for state in STATES])


Vector = Literal[1, 16]


def network(vector: Vector = 1) -> PatternNetwork:
    return PatternNetwork(ARIMAA, Patterns(walks=2, entries=256, vector=vector, estimate=True), scale=2.0)


def random_network(vector: Vector = 1) -> PatternNetwork:
    made = network(vector)
    arrays = made.as_arrays()
    arrays["weights"] = np.random.default_rng(1).normal(0, 0.1, arrays["weights"].shape).astype(np.float32)
    made.plays_with(arrays)
    return made


def test_a_network_begins_with_the_estimate() -> None:
    found = network()(encoded_states(ARIMAA, STATES)).values / 2
    clipped = np.clip(MATERIAL, -0.85, 0.85)
    assert np.abs(found - clipped).max() <= 0.005
    assert np.std(found) > 0.02


@pytest.mark.parametrize("vector", [1, 16])
def test_what_is_learnt_is_added_before_the_value_is_bounded(vector: Vector) -> None:
    made, planes = random_network(vector), encoded_states(ARIMAA, STATES)
    without = PatternNetwork(ARIMAA, Patterns(walks=2, entries=256, vector=vector), scale=2.0)
    without.plays_with(made.as_arrays())
    estimates = ARIMAA.features.kernel
    assert estimates is not None
    added = np.zeros((len(planes), 64), np.int8)
    for row, one in enumerate(planes):
        estimates(ARIMAA.rules.params, one.reshape(-1), added[row])
    found, learnt = made(planes).values / 2, without(planes).values / 2
    assert np.allclose(np.arctanh(found), np.arctanh(learnt) + added[:, 0] / 100, atol=1e-4)
    assert added.any()


@pytest.mark.parametrize("vector", [1, 16])
def test_children_have_the_values_that_they_have_alone(vector: Vector) -> None:
    require_values_of_children(random_network(vector))


@pytest.mark.parametrize("vector", [1, 16])
def test_learning_corrects_the_estimate(vector: Vector) -> None:
    made = PatternNetwork(ARIMAA, Patterns(entries=4096, vector=vector, layers=True, estimate=True))
    weights, ahead = weights_to_learn(made), np.abs(MATERIAL) > 0.05
    planes, targets = encoded_states(ARIMAA, STATES[ahead]), np.where(MATERIAL[ahead] > 0, -0.8, 0.8)
    errors = [weights.step(planes, targets.astype(np.float32), rate=1.0) for _ in range(60)]
    assert errors[-1] < 0.2 * errors[0]


@pytest.mark.parametrize("name", ["xiangqi", "draughts:international", "draughts:brazilian", "draughts:canadian"])
def test_games_of_pieces_begin_with_their_material(name: str) -> None:
    game = make(name)
    states = random_states(game, 200, seed=7)
    made = PatternNetwork(game, Patterns(walks=2, estimate=True))
    material = [game.evaluations["material"](game.rules, state) for state in states]
    assert np.abs(made(encoded_states(game, states)).values - np.clip(material, -0.85, 0.85)).max() <= 0.005


def test_codes_leave_the_estimate_out() -> None:
    codes = network().codes
    assert max(codes.local.max(), codes.shared.max()) < ARIMAA.planes[0]


def test_shallow_networks_leave_the_estimate_out() -> None:
    assert not sampled(ARIMAA, colours=True, features=True)[:, ARIMAA.planes[0] * 64 :].any()


def test_a_game_without_an_estimate_is_told() -> None:
    with pytest.raises(ValueError, match=r"^estimate must be false: hex:5 declares no estimate among its features$"):
        PatternNetwork(make("hex:5"), Patterns(estimate=True))


@pytest.mark.parametrize("vector", [1, 16])
def test_networks_see_states_of_the_second_player_as_images_but_for_the_points_of_one_player(vector: Vector) -> None:
    game = make("go:5,komi=4.5")
    planes = encoded_states(game, random_states(game, 200, seed=7))
    exchange = game.plane_exchange
    assert exchange is not None and game.colour_symmetry is None
    images = planes[:, exchange.planes].reshape(len(planes), *game.planes)
    images[:, exchange.side] = 1 - images[:, exchange.side]
    for estimate in (True, False):
        made = PatternNetwork(game, Patterns(walks=2, entries=256, vector=vector, estimate=estimate), bounded=False)
        arrays = made.as_arrays()
        arrays["weights"] = np.random.default_rng(1).normal(0, 0.1, arrays["weights"].shape).astype(np.float32)
        made.plays_with(arrays)
        together = made(planes).values + made(images).values
        komi = -2 * 4.5 / (25 + 4.5)
        assert np.allclose(together, komi, atol=0.011) == estimate
        assert np.std(made(planes).values) > 0.05
