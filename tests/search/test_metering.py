"""What a search spends on evaluations is counted where they are made."""

import numpy as np
from evaluators import hash_values, of_values

from athenan.evaluation.patterns.network import PatternNetwork
from athenan.games.catalogue import make
from athenan.rules.leaf import Native
from athenan.rules.leaves import Leaves
from athenan.search.budget import Budget
from athenan.search.trees.metering import metered
from athenan.search.walking.walk_search import Search


def test_a_search_counts_every_state_and_batch() -> None:
    game, rows = make("hex:4"), list[int]()

    def evaluate(planes: np.ndarray) -> Leaves:
        rows.append(len(planes))
        return Leaves(hash_values(planes))

    search = Search(game, evaluate, slots=3)
    for slot in range(3):
        search.reset(game.initial(), slot)
    search.run(Budget(iterations=20))
    assert search.evaluate is not None
    assert (search.evaluations, search.evaluate.states, search.evaluate.batches) == (sum(rows), sum(rows), len(rows))


def test_an_evaluator_that_compiled_code_calls_stays_one() -> None:
    game = make("connect_four:4x4")
    network = PatternNetwork(game)
    counting = metered(network)
    assert isinstance(counting, Native)
    assert counting.leaf.address == network.leaf.address and counting.leaf.weights is network.weights
    assert not isinstance(metered(of_values(hash_values)), Native)
    inside, outside = Search(game, counting, seed=1), Search(game, network.__call__, seed=1)
    for search in (inside, outside):
        search.reset(game.initial())
        search.run(Budget(evaluations=500))
    assert counting.states == 0
    assert inside.evaluations == outside.evaluations >= 500
    assert inside.root().value == outside.root().value
