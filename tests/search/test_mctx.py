"""Sequential halving at the root, compared with mctx, the library of its authors, on equal trees."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context

import numpy as np
import pytest
import wide_game
from evaluators import hash_leaves

from athenan import Budget, Search
from athenan.search.algorithms.gumbel import Gumbel, gumbel_noise, halve, improved_policy

pytestmark = pytest.mark.skipif(not find_spec("mctx"), reason="mctx is not installed (an extra of development)")


@pytest.fixture(scope="module")
def mctx():
    """Calls mctx_oracle.by_mctx in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield lambda *arguments: pool.submit(_by_mctx, *arguments).result()


def _by_mctx(*arguments):
    from mctx_oracle import by_mctx

    return by_mctx(*arguments)


def ours(game, state, seed, candidates, iterations):
    """The root after the search of a state by sequential halving, and the action to play."""
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(), memory=1 << 24)
    search.reset(state)
    search.run(Budget(iterations=1))
    halve(search.forest, 0, candidates, iterations, seed)
    search.run(Budget(iterations=iterations))
    root = search.root()
    return root, search.choose(root, np.random.default_rng(0))


NUMBERS = [
    (7, 16, 50), *((count, 16, 32) for count in range(2, 41)), (13, 9, 100), (30, 16, 64), (5, 1, 20), (40, 40, 32),
    (40, 16, 10), (3, 2, 7),
]  # fmt: skip
"""Counts of actions, candidates, iterations. Only the first are for every day: mctx is compiled for each."""


@pytest.mark.slow
@pytest.mark.parametrize(("count", "candidates", "iterations"), NUMBERS)
def test_actions_visits_and_policies_are_those_of_mctx(mctx, count, candidates, iterations):
    game, seeds = wide_game.make(count), range(1, 7)
    states = np.stack([game.after(" ".join("1" * (seed - 1))) for seed in seeds])
    noise = np.stack([gumbel_noise(seed, np.arange(count, dtype=np.int32)) for seed in seeds])
    actions, visits, policies = mctx(count, states, noise, candidates, iterations)
    for number, seed in enumerate(seeds):
        root, action = ours(game, states[number], seed, candidates, iterations)
        assert root.counts.tolist() == visits[number].tolist()
        assert action == actions[number]
        assert improved_policy(root) == pytest.approx(policies[number], rel=1e-3, abs=1e-6)
