"""Actions drawn by visits, and noise at the root."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from evaluators import hash_leaves

from athenan import Budget, Search, make
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.visits import add_noise, by_visits


def searched():
    game = make("tictactoe")
    search = Search(game, partial(hash_leaves, game), settings=Puct(), memory=1 << 24)
    search.reset(game.initial())
    search.run(Budget(iterations=1))
    return search


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_actions_are_drawn_by_their_visits(temperature):
    node, random = searched().root(), np.random.default_rng(1)
    node = replace(node, counts=np.array([0, 8, 2, 1, 0, 0, 4, 0, 90], np.int32))
    positions = np.array([0, 1, 2, 3, 6])
    drawn = np.bincount([by_visits(temperature)(node, positions, random) for _ in range(20_000)], minlength=9)
    weights = np.zeros(9)
    weights[positions] = node.counts[positions] ** (1 / temperature)
    assert drawn / 20_000 == pytest.approx(weights / weights.sum(), abs=0.02)
    assert drawn[0] == 0


def test_without_temperature_the_most_visited_is_drawn():
    node, random = searched().root(), np.random.default_rng(1)
    node = replace(node, counts=np.array([5, 5, 1, 0, 0, 0, 0, 0, 9], np.int32))
    assert {by_visits(0)(node, np.arange(8), random) for _ in range(50)} == {0, 1}
    assert by_visits(0.001)(node, np.arange(9), random) == 8


def test_where_nothing_is_visited_all_are_equally_likely():
    node, random = searched().root(), np.random.default_rng(1)
    assert not node.counts.any()
    for temperature in (0, 1.0):
        assert {by_visits(temperature)(node, np.arange(9), random) for _ in range(200)} == set(range(9))


def test_noise_at_the_root():
    search = searched()
    before, child = search.root().priors, search.forest.edges["prior"][0, 9:].copy()
    noise = np.random.default_rng(3).dirichlet(np.full(9, 0.3))
    add_noise(search.forest, 0, 0.3 * 9, 0.25, np.random.default_rng(3))
    assert search.root().priors == pytest.approx(0.75 * before + 0.25 * noise, abs=1e-6)
    assert (search.forest.edges["prior"][0, 9:] == child).all()
    search.reset(search.game.initial())
    with pytest.raises(ValueError, match="the root has no priors yet"):
        add_noise(search.forest, 0, 0.3 * 9, 0.25, np.random.default_rng(3))
