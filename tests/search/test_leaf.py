"""Leaf evaluations: the walk with a kernel grows the same trees as the walk with batches of the same values."""

import re

import numpy as np
import pytest
from evaluators import Valued, hash_state, of_values

from athenan import AlphaBeta, Budget, Descent, Gumbel, KorfChickering, Puct, Ubfm, Uct, make
from athenan.evaluation.handwritten import evaluation
from athenan.evaluation.patterns.network import PatternNetwork, Patterns
from athenan.rules.compiler import kernel
from athenan.rules.facts import altered
from athenan.rules.heads import VALUES, VALUES_AND_POLICIES
from athenan.rules.kernels import ENCODE, STATE_VALUE, KernelTable
from athenan.rules.leaf import by_state
from athenan.rules.leaves import Leaves
from athenan.rules.state import HEADER, copy_state, length
from athenan.search.algorithms.exit import Exit
from athenan.search.named import make_search

SEARCHES = {
    "descent": Descent(),
    "ubfm": Ubfm(),
    "ubfm without completion": Ubfm(completion=False),
    "korf_chickering": KorfChickering(),
    "uct": Uct(),
    "alphabeta": AlphaBeta(),
}
GAMES = ["breakthrough:5x5", "connect_four", "einstein", "hex:5", "othello:6"]


@kernel(STATE_VALUE)
def hashed(rules, state):
    """A value that depends on every byte of the state."""
    return hash_state(state) / 5_003.5 - 1.0


def random_patterns(game, settings=Patterns(walks=8, entries=3**6), heads=VALUES):
    network = PatternNetwork(game, settings, heads=heads)
    arrays, random = network.as_arrays(), np.random.default_rng(3)
    for name in {"weights", "policy"} & arrays.keys():
        arrays[name] = random.normal(0, 0.2, arrays[name].shape).astype(np.float32)
    network.plays_with(arrays)
    return network


def grown(game, evaluate, settings):
    """Two searches of a match, then its nodes and edges."""
    search = make_search(game, evaluate, settings=settings, seed=4)
    state = game.initial()
    search.reset(game.play(state, int(game.actions(state)[0])) if game.stochastic else state)
    for _ in range(2):
        search.run(Budget(evaluations=1500))
        root = search.root()
        action = root.actions[root.children >= 0][0]
        if game.outcome(game.play(search.state(), int(action))) is None:
            search.play(int(action))
    record = search.forest.slots[0]
    return search, search.forest.nodes[0, : record["nodes"]], search.forest.edges[0, : record["edges"]]


@pytest.mark.one_of(3)
@pytest.mark.parametrize("settings", SEARCHES)
@pytest.mark.parametrize("name", GAMES)
def test_trees_are_those_of_batches(name, settings):
    game = make(name)
    assert_trees_are_those_of_batches(game, random_patterns(game), SEARCHES[settings])


@pytest.mark.parametrize("name", GAMES)
def test_trees_of_vectors_are_those_of_batches(name):
    game = make(name)
    network = random_patterns(game, Patterns(walks=8, entries=3**4, vector=16, phases=2))
    assert_trees_are_those_of_batches(game, network, Descent())


BY_POLICY = {
    "puct": Puct(),
    "puct without completion": Puct(completion=False),
    "gumbel": Gumbel(),
    "exit": Exit(),
    "descent": Descent(),  # which asks such a network for values alone
}  # fmt: skip


@pytest.mark.one_of(3)
@pytest.mark.parametrize("settings", BY_POLICY)
@pytest.mark.parametrize("name", GAMES)
def test_trees_of_policies_are_those_of_batches(name, settings):
    game = make(name)
    network = random_patterns(game, heads=VALUES_AND_POLICIES)
    assert_trees_are_those_of_batches(game, network, BY_POLICY[settings], least=300)  # many iterations end at wins


@pytest.mark.parametrize("name", ["connect_four", "hex:5"])
def test_trees_of_policies_beside_vectors_are_those_of_batches(name):
    game = make(name)
    network = random_patterns(game, Patterns(walks=8, entries=3**4, vector=16), VALUES_AND_POLICIES)
    assert_trees_are_those_of_batches(game, network, Puct())


def test_searches_that_halve_are_those_of_batches():
    game = make("othello:6")
    network, trees = random_patterns(game, heads=VALUES_AND_POLICIES), []
    for evaluate in (network, network.__call__):
        search = make_search(game, evaluate, settings=Gumbel(), seed=4)
        search.reset(game.initial())
        search.prepare(Budget(iterations=64))
        search.run(Budget(iterations=64))
        trees.append(search.root())
    one, other = trees
    assert np.array_equal(one.counts, other.counts) and np.array_equal(one.priors, other.priors)
    assert one.halving == 64 and one.counts.sum() == 64


def assert_trees_are_those_of_batches(game, network, settings, least=1000):
    by_kernel, nodes, edges = grown(game, network, settings)
    by_batches, same_nodes, same_edges = grown(game, network.__call__, settings)
    assert len(nodes) > 100
    for field in nodes.dtype.names:
        assert np.array_equal(nodes[field], same_nodes[field], equal_nan=True), field
    for field in edges.dtype.names:
        assert np.array_equal(edges[field], same_edges[field]), field
    assert by_kernel.evaluations == by_batches.evaluations > least
    assert by_kernel.effort() == by_batches.effort()


@pytest.mark.parametrize("settings", SEARCHES)
def test_a_function_of_a_state_is_a_leaf_evaluation(settings):
    game = make("connect_four")
    search = make_search(game, Valued(hashed), settings=SEARCHES[settings])
    search.reset(game.after("4 4"))
    search.run(Budget(evaluations=500))
    root = search.root()
    for action, child in zip(root.actions, root.children, strict=True):
        state = game.play(search.state(), int(action))
        if child >= 0 and not search.forest.nodes[0, child]["edges"]:
            assert search.node(int(child)).value == pytest.approx(hashed(game.rules, state))
    assert search.evaluations > 400
    assert np.isfinite(root.values).all() and len(np.unique(root.values)) > 1


def test_a_logit_that_is_not_finite_ends_the_search():
    game = make("connect_four")
    network = random_patterns(game, heads=VALUES_AND_POLICIES)
    network.policy[:] = np.nan
    search = make_search(game, network, settings=Puct())
    search.reset(game.initial())
    with pytest.raises(ValueError, match="no finite number"):
        search.run(Budget(iterations=10))
    assert np.allclose(search.root().priors, 1 / 7)


def test_a_search_for_a_policy_that_a_kernel_does_not_give_asks_in_batches():
    game = make("connect_four")
    asked = list[int]()

    class WithPolicies:
        leaf = by_state(hashed)

        def __call__(self, planes):
            asked.append(len(planes))
            return Leaves(np.zeros(len(planes), np.float32), np.zeros((len(planes), 7), np.float32))

    search = make_search(game, WithPolicies(), settings=Puct())
    search.reset(game.initial())
    search.run(Budget(iterations=10))
    assert sum(asked) == search.evaluations > 0


def test_trees_of_several_slots_are_those_of_batches():
    game = make("hex:5")
    network = random_patterns(game)
    trees = []
    for evaluate in (network, network.__call__):
        search = make_search(game, evaluate, settings=Descent(), slots=3, seed=4)
        for slot in range(3):
            search.reset(game.initial(), slot)
        search.run(Budget(iterations=40))
        trees.append([search.root(slot).values for slot in range(3)])
    assert all(np.array_equal(one, other) for one, other in zip(*trees, strict=True))


def shown_as_itself(game):
    """The game whose planes are the state, so that Python evaluates batches of states."""
    same = np.arange(game.state_size, dtype=np.int32)[None, :]
    return altered(
        game, table=KernelTable({**game.table.kernels, "encode": itself}), planes=(1, 1, game.state_size),
        plane_symmetries=same, action_symmetries=game.action_symmetries[:1], action_planes=0, action_places=None,
        colour_symmetry=None,
    )  # fmt: skip


@kernel(ENCODE)
def itself(params, state, planes):
    copy_state(state, planes)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("settings", SEARCHES)
@pytest.mark.parametrize("name", ["breakthrough:5x5", "draughts:brazilian", "othello:6", "connect_four"])
def test_trees_of_an_evaluation_are_those_of_batches(name, settings):
    game = shown_as_itself(make(name))
    (value,) = game.evaluations.values()
    in_batches = of_values(lambda states: np.array([value(game.rules, state) for state in states], np.float32))
    by_kernel, nodes, edges = grown(game, evaluation(game), SEARCHES[settings])
    by_batches, same_nodes, same_edges = grown(game, in_batches, SEARCHES[settings])
    assert len(nodes) > 100
    assert nodes.tobytes() == same_nodes.tobytes() and edges.tobytes() == same_edges.tobytes()
    assert by_kernel.evaluations == by_batches.evaluations > 1000


@kernel(STATE_VALUE)
def nan_where_one_column_is_full(rules, state):
    """Random play fills the first column first in one match of thousands."""
    return np.nan if length(state) == 6 and state[HEADER] | state[HEADER + 8] == 63 else 0.0


@kernel(STATE_VALUE)
def nought(rules, state):
    return 0.0


@pytest.mark.parametrize("settings", ["ubfm", "alphabeta", "uct"])
def test_a_value_that_is_not_finite_ends_the_search_and_leaves_the_tree_as_with_0(settings):
    game = make("connect_four")
    trees = []
    for own in (nan_where_one_column_is_full, nought):
        search = make_search(game, Valued(own), settings=SEARCHES[settings])
        search.reset(game.after("1 1 1 1 1"))
        search.start(Budget(evaluations=500))
        refused = 0
        while not len(search.done()):
            try:
                search.round()
            except ValueError as error:
                assert re.fullmatch("the evaluation gave no finite number for (a|2) states? of the search", str(error))
                refused += 1
        record = search.forest.slots[0]
        trees.append((search.forest.nodes[0, : record["nodes"]], search.forest.edges[0, : record["edges"]]))
        assert (refused > 0) == (own is not nought)
    (nodes, edges), (same_nodes, same_edges) = trees
    assert nodes.tobytes() == same_nodes.tobytes() and edges.tobytes() == same_edges.tobytes()
