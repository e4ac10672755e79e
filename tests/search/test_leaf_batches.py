"""Several leaves in one batch: the tree is that of its own iterations, with nothing left of the leaves that waited."""

import chance_games
import numpy as np
import pytest
from evaluators import hash_values, of_values

from athenan import Budget, Search, make
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.named import parse_search, search_text


def guess(planes):
    """Values that depend on all planes, between -0.9 and 0.9."""
    weights = np.random.default_rng(3).normal(size=planes.shape[1])
    return (0.9 * np.tanh(planes @ weights)).astype(np.float32)


def searched(name, settings, slots=1, iterations=300, memory=1 << 26):
    batches = list[int]()

    def evaluate(planes):
        batches.append(len(planes))
        return guess(planes)

    game = make(name)
    search = Search(game, of_values(evaluate), settings=settings, slots=slots, memory=memory, seed=5)
    for slot in range(slots):
        search.reset(game.initial(), slot)
    search.run(Budget(iterations=iterations))
    return search, batches


@pytest.mark.parametrize("name", ["connect_four", "hex:5", "othello:6", "amazons:6", "arimaa"])
@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize("completion", [False, True])
def test_values_are_those_of_the_edges(name, transpositions, completion):
    search, _ = searched(name, Ubfm(leaves=5, transpositions=transpositions, completion=completion))
    assert search.forest.slots[0]["iterations"] == 300
    assert search.root().visits == 300
    for number in range(search.forest.slots[0]["nodes"]):
        node = search.node(number)
        if len(node.actions):
            assert np.abs(node.values).max() <= 1
            values = node.sign * node.values
            if completion:
                values = values[node.sign * node.completions == (node.sign * node.completions).max()]
            assert node.sign * node.value == values.max()
            if not transpositions:
                for child, value in zip(node.children, node.values, strict=True):
                    assert child < 0 or search.node(int(child)).value == value


def test_a_batch_has_the_children_of_several_states():
    _, single = searched("connect_four", Ubfm())
    _, several = searched("connect_four", Ubfm(leaves=4))
    assert max(single) <= 7 < np.mean(several) < max(several) <= 28


def test_the_first_of_several_leaves_is_the_one_that_a_single_search_expands():
    one, _ = searched("connect_four", Ubfm(), iterations=2)
    several, batches = searched("connect_four", Ubfm(leaves=3), iterations=4)
    assert len(batches) == 2  # of the root, and of three leaves
    assert np.array_equal(one.forest.states[0, 1], several.forest.states[0, 1])
    assert len(np.unique(several.forest.states[0, 1:4], axis=0)) == 3


@pytest.mark.parametrize("seed", [45, 60, 82, 249])
@pytest.mark.parametrize("leaves", [4, 16])
def test_where_paths_meet_no_worst_value_is_left(seed, leaves):
    """An iteration that ends beside waiting leaves must not take their values through another edge."""
    game = chance_games.make(seed=seed, length=14, width=3, chance=False)
    search = Search(game, of_values(hash_values), settings=Ubfm(leaves=leaves), memory=1 << 26, seed=5)
    search.reset(game.initial())
    search.run(Budget(iterations=300))
    slot = search.forest.slots[0]
    assert np.abs(search.forest.edges["value"][0, : slot["edges"]]).max() <= 1
    assert np.abs(search.forest.nodes["value"][0, : slot["nodes"]]).max() <= 1


def test_proofs_are_those_of_a_single_search():
    for leaves in (2, 16):
        search, _ = searched("tictactoe", Ubfm(leaves=leaves), iterations=100_000)
        assert (search.root().resolution, search.root().completion) == (1, 0)


def test_slots_are_searched_together():
    search, batches = searched("connect_four", Ubfm(leaves=4), slots=3)
    assert [search.root(slot).visits for slot in range(3)] == [300] * 3
    assert max(batches) > 2 * 28


def test_a_full_tree_ends_the_search():
    search, _ = searched("connect_four", Ubfm(leaves=4), iterations=10**6, memory=1 << 18)
    assert search.full() and np.abs(search.root().values).max() <= 1


def test_leaves_are_a_setting():
    assert search_text(parse_search("ubfm:leaves=4")) == "ubfm:leaves=4"
    with pytest.raises(ValueError, match="leaves must be 1 unless evaluate is children"):
        Ubfm(leaves=2, evaluate="action_values")


def test_games_of_chance_are_searched_leaf_by_leaf():
    one, several = (searched("einstein", Ubfm(leaves=leaves))[0].root() for leaves in (1, 4))
    assert np.array_equal(one.values, several.values) and np.array_equal(one.counts, several.counts)
