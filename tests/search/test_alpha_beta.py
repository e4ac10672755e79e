"""Alpha-beta against a literal full minimax, at every depth, and against exhaustive search."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from evaluators import LEVELS, hash_values, of_values
from exhaustive_search import exhaustive, late
from full_minimax import SMALL, SOLVED, Pair, Reference, alpha_beta, grown, minimax
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import size
from tree_memory import used_bytes

from athenan import Budget, analyze, make
from athenan.arena.series import play_series
from athenan.evaluation.heuristics import make_heuristic
from athenan.play.player import RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, State
from athenan.rules.perft import perft
from athenan.rules.playouts import random_match
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.alpha_beta.stack import BOUND
from athenan.search.named import make_search
from athenan.search.searcher import run
from athenan.search.trees.forest import EDGE, NODE

DOUBLE = ["amazons:6", "santorini", "connect6:6", "arimaa"]
"""Games in which a turn is several actions."""


def compare(
    game: Game, start: State, levels: int | None, completion: bool, transpositions: bool, depths: int, seed: int = 0
) -> None:
    """Compares the root and the action chosen at every depth."""
    reference = minimax(game.name, levels, completion)
    search = alpha_beta(game, levels, completion=completion, transpositions=transpositions)
    random = np.random.default_rng(seed)
    for depth in range(1, depths + 1):
        search.seed(seed)
        root, wanted = grown(search, start, Budget(iterations=depth)), reference(start, depth)
        assert (root.completion, root.value) == wanted
        assert not search.full()
        chosen = search.choose(root, random)
        following = game.play(start, int(root.actions[chosen]))
        assert reference(following, depth - 1) == wanted
        assert (root.completions[chosen], root.values[chosen]) == wanted
        reached = search.effort().iterations
        assert reached == depth or reference(start, reached) == reference(start, depth)
        follow_line(search, start, reference, depth, wanted)


def follow_line(search: AlphaBetaSearch, state: State, reference: Reference, depth: int, value: Pair) -> None:
    """The principal variation is of best play, as far as the depth."""
    game = search.game
    for action in search.line()[:depth]:
        state, depth = game.play(state, action), depth - 1
        assert reference(state, depth) == value


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("levels", [3, *size((), (None, LEVELS))])
def test_equals_full_minimax_at_every_depth(
    name: str, completion: bool, transpositions: bool, levels: int | None
) -> None:
    game = make(name)
    compare(game, game.initial(), levels, completion, transpositions, 3)
    compare(game, late(game, 4, 6), levels, completion, transpositions, 7 if name in SOLVED else 5)


@pytest.mark.parametrize("name", DOUBLE)
@pytest.mark.parametrize("completion", [True, False])
def test_equals_full_minimax_where_a_turn_is_several_actions(name: str, completion: bool) -> None:
    game = make(name)
    compare(game, late(game, 5, 12), LEVELS, completion, True, 2)
    compare(game, late(game, 6, 4), 3, completion, True, 2 if name == "arimaa" else 3)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_equals_full_minimax_anywhere(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(SMALL)))
    start = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 9)))
    compare(
        game, start, data.draw(st.sampled_from([None, 2, 5, LEVELS])), data.draw(st.booleans()),
        data.draw(st.booleans()), data.draw(st.integers(1, 5)), data.draw(st.integers(0, 2**32)),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["tictactoe", "othello:4", "connect_four:3x3,connect=3"])
def test_proves_the_gain_and_the_value_of_draws_under_any_heuristic(name: str) -> None:
    """A win found ends the search, so that its value is that of one line."""
    game = make(name)
    for left in range(1, 9):
        state = late(game, left, left)
        gain, value = minimax(name, 5, heuristic="additive_depth")(state, game.max_length)
        root = grown(alpha_beta(game, 5, make_heuristic("additive_depth", game)), state, Budget(iterations=20))
        assert (root.resolution, root.completion) == (1, gain)
        assert gain or root.value == value


def assert_sound(search: AlphaBetaSearch, value: Callable[[State], int]) -> int:
    """Compares all that is resolved in a tree with exhaustive search; returns how many nodes are."""
    forest, resolved = search.forest, 0
    for number in range(search.effort().states):
        node, state = search.node(number), forest.states[0, number]
        if node.resolution:
            assert node.completion == value(state)
            resolved += 1
        else:
            assert node.completion == 0
        for action, completion, proven in zip(node.actions, node.completions, node.resolutions, strict=True):
            assert completion == (value(search.game.play(state, int(action))) if proven else 0)
    return resolved


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_resolved_is_never_wrong(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(SOLVED)))
    start, value = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 8))), exhaustive(game)
    search = alpha_beta(
        game, data.draw(st.sampled_from([None, 2, LEVELS])), transpositions=data.draw(st.booleans()),
    )  # fmt: skip
    limit = data.draw(st.one_of(st.none(), st.integers(1, 300)))
    grown(search, start, Budget(iterations=100, evaluations=limit))
    if limit is None:
        assert search.root().proven == value(start)
    if search.root().proven is not None:
        chosen = search.choose(search.root(), np.random.default_rng(0))
        assert value(game.play(start, int(search.root().actions[chosen]))) == search.root().proven
    assert_sound(search, value)


def test_what_is_proven_is_not_searched_again() -> None:
    game = make("connect_four:4x4")
    search, start = alpha_beta(game, LEVELS), late(game, 3, 9)
    grown(search, start, Budget(iterations=100))
    evaluations = search.evaluations
    assert search.root().resolution
    assert assert_sound(search, exhaustive(game)) > 10
    run(search, Budget(iterations=100))
    assert (search.evaluations, search.effort().iterations) == (evaluations, 0)


@pytest.mark.parametrize("completion", [True, False])
def test_a_search_ends_when_there_is_nothing_deeper(completion: bool) -> None:
    game = make("tictactoe")
    search = alpha_beta(game, LEVELS, completion=completion)
    root = grown(search, game.initial(), Budget(seconds=600))
    assert (root.value, root.resolution, search.effort().iterations) == (0, completion, 9)


@pytest.mark.parametrize(("name", "depth"), [("hex:4", 4), ("othello:6", 7), ("connect_four:5x4", 6)])
def test_evaluates_fewer_states_than_full_minimax(name: str, depth: int) -> None:
    game = make(name)
    leaves = perft(game, depth)[-1]
    for transpositions in (True, False):
        search = alpha_beta(game, LEVELS, transpositions=transpositions)
        grown(search, game.initial(), Budget(iterations=depth))
        assert search.effort().iterations == depth
        assert search.evaluations == search.effort().evaluations < leaves / 2


@pytest.mark.parametrize("name", ["hex:3", "othello:4", "breakthrough:4x4"])
@pytest.mark.parametrize("completion", [True, False])
def test_stopped_in_the_middle_it_has_the_result_of_the_last_whole_depth(name: str, completion: bool) -> None:
    game, middle = make(name), 0
    search, reference = alpha_beta(game, LEVELS, completion=completion), minimax(name, LEVELS, False)
    start = late(game, 2, 12)
    for evaluations in range(1, 900, 23):
        root = grown(search, start, Budget(evaluations=evaluations))
        depth = search.effort().iterations
        middle += search.effort().evaluations > sum_of_depths(search, start, depth)
        chosen = search.choose(root, np.random.default_rng(0))
        assert depth >= 1
        if not root.resolutions.any():
            assert root.value == root.values[chosen] == reference(start, depth)[1]
            assert reference(game.play(start, int(root.actions[chosen])), depth - 1) == reference(start, depth)
    assert middle > 20


@cache
def evaluations_of(name: str, completion: bool, start: bytes, depth: int) -> int:
    search = alpha_beta(make(name), LEVELS, completion=completion)
    grown(search, np.frombuffer(start, np.int8).copy(), Budget(iterations=depth))
    return search.evaluations


def sum_of_depths(search: AlphaBetaSearch, start: State, depth: int) -> int:
    """The evaluations of a search to that depth which nothing stops; ties are rare, so that all are the same."""
    return evaluations_of(search.game.name, search.settings.completion, start.tobytes(), depth)


def test_depth_one_is_completed_whatever_stops_the_search() -> None:
    game = make("hex:4")
    search = alpha_beta(game, LEVELS)
    search.reset(game.initial())
    search.start(Budget(seconds=1000))
    search.stop()
    while not search.done().size:
        search.round()
    assert (search.effort().iterations, search.evaluations) == (1, 16)
    assert search.root().value == minimax("hex:4", LEVELS)(game.initial(), 1)[1]


def test_a_fixed_depth_is_not_exceeded() -> None:
    game = make("hex:4")
    search = alpha_beta(game, LEVELS, depth=2)
    root = grown(search, game.initial(), Budget(seconds=600))
    assert search.effort().iterations == 2
    assert root.value == minimax("hex:4", LEVELS)(game.initial(), 2)[1]
    run(search, Budget(iterations=1))
    assert search.effort().iterations == 1


def node_bytes(game: Game) -> int:
    return NODE.itemsize + game.state_size + 8 + EDGE.itemsize * game.max_actions + BOUND.itemsize


def assert_in_order(search: AlphaBetaSearch) -> None:
    """Nodes and their edges lie in one order, so that pruning overwrites none."""
    nodes = search.forest.nodes[0, : search.effort().states]
    expanded = nodes[nodes["edges"] > 0]
    assert (expanded["first_edge"] == np.cumsum(expanded["edges"]) - expanded["edges"]).all()


@pytest.mark.parametrize("completion", [True, False])
def test_a_full_tree_ends_the_search_with_the_last_whole_depth(completion: bool) -> None:
    game, reference = make("hex:4"), minimax("hex:4", LEVELS, False)
    least = 2 * (game.max_actions + 2)
    for nodes in [*range(least, least + 30), 100, 300, 1000]:
        search = alpha_beta(game, LEVELS, memory=nodes * node_bytes(game), completion=completion)
        root = grown(search, game.initial(), Budget(iterations=16))
        assert search.full()
        assert used_bytes(search, BOUND.itemsize) <= nodes * node_bytes(game)
        assert root.value == reference(game.initial(), search.effort().iterations)[1]
        assert_in_order(search)


def test_a_match_is_played_in_little_memory() -> None:
    game = make("hex:4")
    for nodes in (40, 60, 100, 400):
        search = alpha_beta(game, LEVELS, memory=nodes * node_bytes(game))
        for seed in range(5):
            search.reset(game.initial())
            for action in random_match(game, seed)[:-1]:
                run(search, Budget(evaluations=200))
                assert sorted(search.root().actions) == game.actions(search.state()).tolist()
                assert_in_order(search)
                search.play(action)
                search.make_room()
                assert search.fullness() <= 1


@pytest.mark.parametrize("name", ["hex:3", "othello:4", "connect_four:4x4", "breakthrough:4x4"])
@pytest.mark.parametrize("completion", [True, False])
def test_the_tree_is_kept_from_action_to_action(name: str, completion: bool) -> None:
    """What was evaluated once is not evaluated again; values are those of a new search."""
    game, reference = make(name), minimax(name, LEVELS, completion)
    search, state = alpha_beta(game, LEVELS, completion=completion), game.initial()
    search.reset(state)
    value = exhaustive(game)
    saved = False
    for action in random_match(game, 5)[:-1]:
        run(search, Budget(iterations=3))
        fresh = alpha_beta(game, LEVELS, completion=completion)
        root, anew = search.root(), grown(fresh, state, Budget(iterations=3))
        saved |= search.effort().evaluations < fresh.evaluations
        if not completion:
            assert root.value == anew.value == reference(state, 3)[1]
        elif game.length(state) >= game.max_length - 9:
            assert root.proven in (None, value(state))
        state = game.play(state, action)
        search.play(action)
        search.make_room()
    assert saved


def test_searches_side_by_side_are_like_searches_alone() -> None:
    game = make("hex:4")
    together = AlphaBetaSearch(game, of_values(hash_values), slots=3, memory=1 << 26)
    starts = [game.after(moves) for moves in ("a1 b2", "c3 d4", "a4 b3 c2")]
    for slot, start in enumerate(starts):
        together.reset(start, slot)
    together.run(Budget(iterations=3))
    for slot, start in enumerate(starts):
        alone = alpha_beta(game, LEVELS)
        root = grown(alone, start, Budget(iterations=3))
        assert together.root(slot).value == root.value
        assert together.line(slot) == alone.line()


def test_the_same_seed_makes_the_same_tree_and_ties_are_broken_at_random() -> None:
    game, search = make("hex:4"), alpha_beta(make("hex:4"), 2)
    chosen = []
    for seed in (1, 1, *range(2, 12)):
        search.seed(seed)
        before = search.evaluations
        root = grown(search, game.initial(), Budget(iterations=3))
        evaluations = search.evaluations - before
        chosen.append((search.choose(root, np.random.default_rng(0)), evaluations, root.actions.tolist()))
    assert chosen[0] == chosen[1]
    assert len({actions[position] for position, _, actions in chosen}) > 1


@pytest.mark.parametrize("completion", [True, False])
def test_one_player_always_maximises(completion: bool) -> None:
    game = make("morpion:4D,size=9")
    for seed in range(6):
        state = late(game, seed, left=6)
        best = exhaustive(game, game.length)(state)
        search = alpha_beta(game, None, make_heuristic("score", game), completion=completion)
        root = grown(search, state, Budget(iterations=100))
        assert (root.value, root.completion, root.resolution) == (best, 0, completion)
        assert root.values[search.choose(root, np.random.default_rng(0))] == best
        following = game.play(state, search.line()[0])
        assert game.length(following) == best or exhaustive(game, game.length)(following) == best


def test_one_players_win_is_no_proof() -> None:
    game = make("morpion:4D,size=9,win=1")
    state = late(game, 5, left=6)
    root = grown(alpha_beta(game, None, make_heuristic("score", game)), state, Budget(iterations=100))
    assert (root.resolution, root.value) == (1, exhaustive(game, game.length)(state))


def test_plays_and_analyses() -> None:
    game = make("connect_four:5x4")
    heuristic = make_heuristic("additive_depth", game)
    search = make_search(game, None, heuristic, AlphaBeta(depth=4), memory=1 << 26)
    player = SearchPlayer("alphabeta", search)
    assert play_series(game, (player, RandomPlayer()), games=20).score >= 0.7
    found = analyze("tictactoe", "b2 b1", Budget(seconds=60), settings=AlphaBeta())
    assert (found.proven, found.exact, found.iterations) == (1, True, 5)
