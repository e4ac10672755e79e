"""The compiled search against a literal transcription of the papers' pseudocode, and against exhaustive search."""

from functools import partial
from itertools import islice, pairwise

import numba
import numpy as np
import pytest
from best_first_transcription import Transcription, assert_same_tree
from evaluators import LEVELS, hash_values, of_values
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import size
from tree_memory import forest_bytes, used_bytes
from walk_settings import walk_settings

from athenan import Budget, Search, make
from athenan.rules.playouts import random_match
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.named import SEARCHES, make_search
from athenan.search.searcher import run
from athenan.search.trees.forest import EDGE, NODE, find, reachable, state_key
from athenan.search.trees.selection import best, safest
from athenan.search.walking.walk import WORK

SMALL = [
    "tictactoe", "connect_four:4x4", "connect_four:5x4", "connect_four:3x3,connect=3", "hex:3", "hex:3,swap=false",
    "hex:4", "othello:4", "othello:6", "breakthrough:3x4", "breakthrough:4x4", "clobber:3x4",
]  # fmt: skip


def compare(game, start, algorithm, completion, transpositions, iterations, levels, seed):
    evaluate = partial(hash_values, levels=levels)
    rules = walk_settings(algorithm, completion=completion, transpositions=transpositions)
    search = Search(game, of_values(evaluate), settings=rules, memory=1 << 27, seed=seed)
    reference = Transcription(game, evaluate, random_state=search.forest.random[0], transpositions=transpositions)
    search.reset(start)
    search.run(Budget(iterations=iterations))
    reference.run(reference.root(start), algorithm, completion, iterations)
    assert_same_tree(search, reference, completion)


@pytest.mark.one_of(4)
@pytest.mark.parametrize("specification", SMALL)
@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("transpositions", [True, False])
def test_equals_the_transcription(specification, algorithm, completion, transpositions):
    game = make(specification)
    for seed, levels in ((2, 5), *size((), ((1, LEVELS),))):
        compare(game, game.initial(), algorithm, completion, transpositions, 60, levels, seed)


@settings(max_examples=size(20, 40), deadline=None)
@given(st.data())
def test_equals_the_transcription_anywhere(data):
    game = make(data.draw(st.sampled_from(SMALL)))
    played = random_match(game, data.draw(st.integers(0, 2**32)))
    start = game.initial()
    for action in played[: data.draw(st.integers(0, len(played) - 1))]:
        start = game.play(start, action)
    compare(
        game, start, data.draw(st.sampled_from(["descent", "ubfm"])), data.draw(st.booleans()),
        data.draw(st.booleans()), data.draw(st.integers(1, 80)), data.draw(st.sampled_from([1, 3, LEVELS])),
        data.draw(st.integers(0, 2**32)),
    )  # fmt: skip


@pytest.mark.parametrize("specification", ["amazons:6", "santorini"])
@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
@pytest.mark.parametrize("completion", [True, False])
def test_equals_the_transcription_where_a_turn_is_two_actions(specification, algorithm, completion):
    game = make(specification)
    compare(game, late(game, seed=5, left=10), algorithm, completion, True, 20, LEVELS, seed=3)


def random_position(game, data, least):
    """A position of a random match after at least that many actions."""
    played = random_match(game, data.draw(st.integers(0, 2**32).filter(lambda s: len(random_match(game, s)) > least)))
    state = game.initial()
    for action in played[: data.draw(st.integers(least, len(played) - 1))]:
        state = game.play(state, action)
    return state


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_resolved_is_never_wrong(data):
    specification, least = data.draw(
        st.sampled_from(
            [("tictactoe", 2), ("hex:3", 2), ("hex:4", 10), ("connect_four:4x4", 9), ("connect_four:5x4", 13),
             ("othello:4", 5), ("othello:6", 26), ("breakthrough:3x4", 3), ("breakthrough:4x4", 9)]
        )
    )  # fmt: skip
    game = make(specification)
    start, value = random_position(game, data, least), exhaustive(game)
    evaluate = data.draw(st.sampled_from([None, of_values(partial(hash_values, levels=3)), of_values(hash_values)]))
    algorithm = data.draw(st.sampled_from(["descent", "ubfm"]))
    seed = data.draw(st.integers(0, 99))
    search = Search(game, evaluate, settings=walk_settings(algorithm), memory=1 << 27, seed=seed)
    search.reset(start)
    search.run(Budget(iterations=data.draw(st.sampled_from([1, 10, 100, 3000]))))
    for number in range(search.forest.slots[0]["nodes"]):
        node, state = search.node(number), search.forest.states[0, number]
        if node.resolution:
            assert node.completion == value(state)
        for action, completion, resolution in zip(node.actions, node.completions, node.resolutions, strict=True):
            if resolution:
                assert completion == value(game.play(state, int(action)))


@pytest.mark.parametrize(
    ("specification", "value"),
    [("tictactoe", 0), ("connect_four:4x4", 0), ("hex:2,swap=false", 1), ("hex:3,swap=false", 1), ("othello:4", -1),
     ("breakthrough:4x4", -1), ("breakthrough:3x4", -1)],
)  # fmt: skip
@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
def test_proves_known_values(specification, value, algorithm):
    """Values of the literature and of exhaustive search by other programs."""
    search = Search(make(specification), settings=walk_settings(algorithm), memory=1 << 30)
    search.reset(search.game.initial())
    search.run(Budget(iterations=10**6))
    assert (search.root().resolution, search.root().completion) == (1, value)


HEX_WINNING_OPENINGS = {
    2: "b1 a2",
    3: "c1 a2 b2 c2 a3",
    4: "d1 c2 b3 a4",
}


@pytest.mark.parametrize("size", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_hex_openings_without_swap(size):
    game = make(f"hex:{size},swap=false")
    first = game.initial()
    for action in game.actions(first):
        search = Search(game, memory=1 << 30)
        search.reset(game.play(first, int(action)))
        search.run(Budget(iterations=10**7))
        wins = game.action_name(first, int(action)) in HEX_WINNING_OPENINGS[size].split()
        assert (search.root().resolution, search.root().completion) == (1, 1 if wins else -1)


def test_pruning_keeps_what_the_root_reaches():
    game = make("othello:6")
    search = Search(game, of_values(hash_values), seed=3)
    search.reset(game.initial())
    for _ in range(8):
        search.run(Budget(iterations=50))
        root = search.root()
        search.play(int(root.actions[np.argmax(root.counts)]))
        before = search.root()
        count = int(search.forest.slots[0]["nodes"])
        reached = np.zeros(count, bool)
        reachable(search.forest, 0, reached, np.empty(count, np.int32))
        kept, leaving = int(reached.sum()), list[np.ndarray]()
        search.prune(leaving=leaving.append)
        assert search.forest.slots[0]["nodes"] == kept
        assert leaving[0].tolist() == (~reached).tolist()
        after = search.root()
        assert after.values.tolist() == before.values.tolist()
        assert after.counts.tolist() == before.counts.tolist()
        for number in range(kept):
            state = search.forest.states[0, number]
            assert find_node(search, state) == number
            for action, child in zip(search.node(number).actions, search.node(number).children, strict=True):
                if child >= 0:
                    assert np.array_equal(search.forest.states[0, child], game.play(state, int(action)))


@pytest.mark.parametrize(("algorithm", "iterations"), [("descent", 300), ("uct", 300), ("alphabeta", 5)])
def test_without_transpositions_a_match_follows_its_own_nodes(algorithm, iterations):
    """Equal states may be other nodes, that know less."""
    game, twins = make("tictactoe"), 0
    search = make_search(game, settings=SEARCHES[algorithm](completion=False, transpositions=False))
    for seed in range(10):
        search.reset(game.initial())
        for action in random_match(game, seed)[:-1]:
            run(search, Budget(iterations=iterations))
            root = search.root()
            child = int(root.children[root.actions == action][0])
            search.play(action)
            now = int(search.forest.slots[0]["root"])
            assert child in (now, -1)
            twins += child >= 0 and find_node(search, search.state()) != child
    assert twins > 0


def find_node(search, state):
    return int(_find(search.forest, 0, state.copy()))


@numba.njit
def _find(forest, slot, state):
    return find(forest, slot, state, state_key(state))


def test_a_full_tree_stops_growing():
    game = make("hex:5")
    search = Search(game, memory=300_000)
    search.reset(game.initial())
    search.run(Budget(iterations=100_000))
    assert search.full()
    assert search.forest.slots[0]["nodes"] <= search.forest.nodes.shape[1]
    visits = int(search.forest.slots[0]["iterations"])
    search.run(Budget(iterations=100_000))  # does not grow, and ends at once
    assert search.forest.slots[0]["iterations"] < visits


def never_zero(planes):
    """As `hash_values`, but nothing is worth 0."""
    values = hash_values(planes)
    return np.where(values == 0, np.float32(0.5), values)


def full_trees(game):
    """Searches whose trees are full, in memories of all sizes from the smallest on; Hex has no draws."""
    least = 2 * (game.max_actions + 2)
    for algorithm in ("descent", "ubfm"):
        for nodes in range(least, least + 40):
            settings = walk_settings(algorithm, completion=False)
            search = Search(
                game, of_values(never_zero), settings=settings, memory=forest_bytes(game, nodes), seed=nodes
            )
            search.reset(game.initial())
            search.run(Budget(iterations=100_000))
            assert search.full()
            assert used_bytes(search) <= forest_bytes(game, nodes)
            yield search


def test_a_full_tree_backs_up_nothing_that_was_not_evaluated():
    """As where there is room for a child but not for its children."""
    game = make("hex:4")
    for search in full_trees(game):
        nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
        edges = search.forest.edges[0, : search.forest.slots[0]["edges"]]
        assert (edges["value"] != 0).all()
        assert ((nodes["edges"] > 0) | (nodes["terminal"] > 0)).all()
        expanded = nodes[nodes["edges"] > 0]
        assert (expanded["first_edge"] == np.cumsum(expanded["edges"]) - expanded["edges"]).all()


@pytest.mark.parametrize(("name", "memory"), [("draughts", 1 << 25), ("hex:5", size(1 << 22, 1 << 25))])
def test_a_full_tree_has_used_its_memory_whatever_the_number_of_actions(name, memory):
    """States of draughts have up to 600 actions and about seven: room for all 600 was kept at every state."""
    game = make(name)
    search = Search(game, of_values(never_zero), settings=Ubfm(completion=False), memory=memory)
    search.reset(game.initial())
    search.run(Budget(iterations=100_000))
    assert search.full()
    spare = (2 + game.max_actions) * (NODE.itemsize + game.state_size + 8) + game.max_actions * EDGE.itemsize
    assert memory - spare <= used_bytes(search) <= memory


def test_a_full_tree_has_room_for_every_root():
    """Every action of a match is played in a full tree that nobody prunes: the second wrote beyond the tree."""
    game = make("hex:4")
    for search in islice(full_trees(game), 5):
        for action in random_match(game, seed=1)[:-1]:
            state = game.play(search.state(), action)
            search.play(action)
            assert np.array_equal(search.state(), state)
            assert search.forest.slots[0]["nodes"] <= search.forest.nodes.shape[1]
        search.run(Budget(iterations=1))
        assert search.root().actions.tolist() == game.actions(state).tolist()


@pytest.mark.parametrize("player", [0, 1])
def test_without_completion_a_win_in_one_action_is_worth_what_its_value_is(player):
    """Algorithm 1 plays arg max v(s, a); edges to finished matches were proven, and a win went before all else."""
    game = make("tictactoe")
    state = game.after("a1 a2 b1 b2" if player == 0 else "a1 a2 b1 b2 a3")
    for completion in (True, False):
        settings = Ubfm(completion=completion)
        search = Search(
            game, of_values(lambda planes: np.full(len(planes), 2 - 4 * player, np.float32)), settings=settings
        )
        search.reset(state)
        search.run(Budget(iterations=1))
        root = search.root()
        wins = np.array([game.outcome(game.play(state, int(action))) is not None for action in root.actions])
        assert wins.sum() == 1
        assert root.values[wins] == 1 - 2 * player
        for choose in (best, safest):
            assert wins[choose(root, np.random.default_rng(0))] == completion


LONG = ["hex:11", "go:19", "havannah:8"]
"""Games in which an iteration of Descent takes long."""


@pytest.mark.parametrize("specification", LONG)
def test_without_a_network_a_search_returns_after_some_thousand_children(specification):
    """So that its caller sees the clock often, whatever an iteration costs."""
    game = make(specification)
    search = Search(game, settings=Descent(), memory=1 << 28)
    search.reset(game.initial())
    search.start(Budget(seconds=1))
    record = search.forest.slots[0]
    for _ in range(20):
        before = int(record["edges"])
        search.round()
        assert WORK / 2 < record["edges"] - before <= WORK + game.max_actions
    assert record["current"] >= 0  # in the middle of an iteration
    before = int(record["edges"])
    search.stop()
    search.round()
    assert search.done().tolist() == [0]
    assert record["edges"] - before <= game.max_actions
    assert search.root().visits == record["iterations"]


@pytest.mark.parametrize("specification", LONG)
def test_without_a_network_seconds_are_kept(specification):
    """The search looks at the clock after every few thousand children, and ends when it says so."""
    game = make(specification)
    search = Search(game, settings=Descent(), memory=1 << 28)
    search.reset(game.initial())
    looks, record = list[int](), search.forest.slots[0]

    def clock():  # a second passes from one look to the next
        looks.append(int(record["edges"]))
        return float(len(looks))

    run(search, Budget(seconds=20), clock=clock)
    assert 20 <= len(looks) <= 25
    assert all(after - before <= WORK + game.max_actions for before, after in pairwise(looks))
    assert record["edges"] - looks[0] > 10 * WORK / 2


@pytest.mark.parametrize("algorithm", ["descent", "ubfm"])
def test_a_pause_changes_no_tree(algorithm):
    """Without a network the tree is that of an evaluation function that is 0, which pauses at every expansion."""
    game, searches = make("hex:7"), []
    for evaluate in (None, of_values(lambda planes: np.zeros(len(planes), np.float32))):
        search = Search(game, evaluate, settings=walk_settings(algorithm), memory=1 << 28, seed=3)
        search.reset(game.initial())
        search.run(Budget(iterations=1000))
        searches.append(search)
    one, other = searches
    nodes, edges = int(one.forest.slots[0]["nodes"]), int(one.forest.slots[0]["edges"])
    assert edges > 4 * WORK
    assert one.forest.nodes[0, :nodes].tobytes() == other.forest.nodes[0, :nodes].tobytes()
    mine, others = (search.forest.edges[0, :edges] for search in searches)
    assert not mine["evaluated"].any()
    mine["evaluated"] = others["evaluated"]
    assert mine.tobytes() == others.tobytes()
    assert not other.forest.nodes[0, nodes:].view(np.int8).any()


def test_too_little_memory_is_said():
    with pytest.raises(ValueError, match="too little for 1 trees of hex:5: give at least"):
        Search(make("hex:5"), memory=1000)


def test_slots_are_independent_of_each_other():
    """Many slots do what each would do alone with the same random state."""
    game = make("connect_four:5x5")
    together = Search(game, of_values(partial(hash_values, levels=7)), slots=3, seed=5)
    starts = [game.initial(), game.after("3 3"), game.after("1 2 3")]
    for slot, start in enumerate(starts):
        together.reset(start, slot)
    together.run(Budget(iterations=100))
    for slot, start in enumerate(starts):
        alone = Search(game, of_values(partial(hash_values, levels=7)), seed=0)
        alone.forest.random[0] = Search(game, slots=3, seed=5).forest.random[slot]
        alone.reset(start)
        alone.run(Budget(iterations=100))
        assert alone.root().values.tolist() == together.root(slot).values.tolist()
        assert alone.root().counts.tolist() == together.root(slot).counts.tolist()


def test_an_iteration_of_descent_reaches_the_end_of_a_match_and_one_of_ubfm_a_child():
    game, expanded = make("connect_four"), {}
    for algorithm in ("ubfm", "descent"):
        search = Search(game, of_values(hash_values), settings=walk_settings(algorithm))
        search.reset(game.initial())
        search.run(Budget(iterations=1))
        expanded[algorithm] = int((search.forest.nodes["edges"] > 0).sum())
    assert expanded["ubfm"] == 1
    assert expanded["descent"] >= 7  # no match is shorter
