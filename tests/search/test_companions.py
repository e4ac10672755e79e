"""Several threads that search one root by alpha-beta: values, proofs and lines are those of one thread."""

from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from evaluators import Valued, hash_state, of_values
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import PATIENCE
from thread_ends import assert_threads_end

from athenan import Budget, make
from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import STATE_VALUE
from athenan.rules.leaves import Evaluate
from athenan.search.alpha_beta.accompanied import AccompaniedSearch, _progress
from athenan.search.alpha_beta.deepening import lead
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.alpha_beta.shared_bounds import SharedBounds
from athenan.search.alpha_beta.stack import FRAME, come_back, memory_beside, put_off, was_searched
from athenan.search.named import make_search
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.planting import memory_for

GAMES = ["tictactoe", "connect_four:5x4", "hex:4", "othello:6", "breakthrough:5x5", "clobber:4x4", "amazons:6"]
CHANCE = ["einstein", "pig:6,length=9,sides=3"]
SOLVED = ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "clobber:3x4"]
LONG = 600.0
"""More seconds than any search here takes."""


@kernel(STATE_VALUE)
def hashed(rules, state):
    """A value of many levels that depends on every byte of a state."""
    return hash_state(state) / 5003.0 - 1.0


@kernel(STATE_VALUE)
def coarse(rules, state):
    """A value of three levels, so that many are equal."""
    return hash_state(state) % 3 - 1.0


@kernel(STATE_VALUE)
def fails(rules, state):
    """A value that is no number for a few states."""
    return np.nan if hash_state(state) == 5 else 0.25


def searching(
    game: Game, threads: int = 1, value: Kernel = hashed, memory: int = 1 << 26, **chosen: bool
) -> AccompaniedSearch:
    made = make_search(game, Valued(value), settings=AlphaBeta(**chosen), memory=memory, threads=threads)
    assert isinstance(made, AccompaniedSearch)
    return made


def searched(search: AccompaniedSearch, state: State, depth: int) -> AccompaniedSearch:
    """The search after it has searched a state to a depth, with all of its threads."""
    search.reset(state)
    search.run(Budget(iterations=depth, seconds=LONG))
    return search


def reached(search: AccompaniedSearch) -> int:
    """The depth of the root's values."""
    return _progress(search._answering)[1]


def assert_as_one_thread(search: AccompaniedSearch, one: AccompaniedSearch, state: State) -> None:
    """The root has the value of a single thread's search to the same depth, and so has the action that is chosen."""
    root, alone = search.root(), searched(one, state, reached(search)).root()
    assert sorted(root.actions) == sorted(alone.actions)
    assert (root.completion, root.value) == (alone.completion, alone.value)
    chosen = search.choose(root, np.random.default_rng(0))
    assert root.values[chosen] == root.value
    after = search.game.play(state, int(root.actions[chosen]))
    if search.game.outcome(after) is None and reached(search) > 1:
        assert searched(one, after, reached(search) - 1).root().value == root.value


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_values_are_those_of_one_thread(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(GAMES)))
    state = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(4, 14)))
    # With completion, the root also has what was proven since its last whole depth.
    chosen: dict[str, Any] = {"completion": False, "value": data.draw(st.sampled_from([hashed, coarse]))}
    search = searching(game, data.draw(st.sampled_from([2, 3])), **chosen)
    assert search.shares_work
    searched(search, state, data.draw(st.integers(1, 6)))
    assert_as_one_thread(search, searching(game, **chosen), state)


@pytest.mark.parametrize("name", CHANCE)
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_values_in_games_of_chance_are_those_of_one_thread(name: str, depth: int) -> None:
    game = make(name)
    search, one = searching(game, 2, completion=False), searching(game, completion=False)
    for seed in range(3):
        state = game.initial()
        for _ in range(seed):
            state = game.play(state, int(game.actions(state)[0]))
        root, alone = searched(search, state, depth).root(), searched(one, state, reached(search)).root()
        assert (root.completion, root.value) == (alone.completion, alone.value)


def taking_turns(
    game: Game, state: State, depth: int, searches: int, shared: SharedBounds, value: Kernel = hashed, **chosen: bool
) -> list[AccompaniedSearch]:
    """Searches to a depth that one thread advances in turn, so that nothing depends on time."""
    made = [searching(game, value=value, **chosen) for _ in range(searches)]
    advances = [lead.bound(*search._for_kernels, shared) for search in made]
    shared.start()
    for number, search in enumerate(made):
        search.seed(number)
        search.reset(state)
        search.start(Budget(iterations=depth))
    while any(not search.done().size for search in made):
        for search, advance in zip(made, advances, strict=True):
            if not search.done().size:
                advance()
    return made


@pytest.mark.parametrize(
    ("name", "depth"), [("othello:6", 7), ("breakthrough:5x5", 6), ("clobber:4x4", 6), ("hex:4", 5)]
)
def test_searches_that_take_turns_save_work_and_change_no_value(name: str, depth: int) -> None:
    game, shared = make(name), SharedBounds.of(1 << 22)
    state = late(game, 3, 14)
    alone = searched(searching(game, completion=False), state, depth)
    made = taking_turns(game, state, depth, 3, shared, completion=False)
    assert max(map(reached, made)) == depth
    for search in made:
        assert search.effort().evaluations < 0.9 * alone.effort().evaluations
        if reached(search) == depth:
            assert search.root().value == alone.root().value


def test_a_table_of_other_numbers_tells_nothing() -> None:
    game = make("othello:6")
    alone = searched(searching(game), game.initial(), 5)
    shared = SharedBounds.of(1 << 16)
    shared.table[:] = np.random.default_rng(1).integers(-(2**62), 2**62, shared.table.shape)
    (search,) = taking_turns(game, game.initial(), 5, 1, shared)
    assert search.root().value == alone.root().value
    shared.forget()
    (again,) = taking_turns(game, game.initial(), 5, 1, shared, value=coarse)
    assert again.root().value == searched(searching(game, value=coarse), game.initial(), 5).root().value


def trees(search: AccompaniedSearch) -> Iterator[ForestSearch]:
    assert search._companions
    yield from (search, *search._companions.searches)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("reductions", [False, True])
def test_nothing_is_proven_that_is_not_true(name: str, reductions: bool) -> None:
    game = make(name)
    value = exhaustive(game)
    for seed in range(3):
        search = searching(game, 3, reductions=reductions)
        state = late(game, seed, 8)
        searched(search, state, 30)
        root = search.root()
        assert (root.resolution, root.completion) == (1, value(state))
        for tree in trees(search):
            nodes = tree.forest.nodes[0, : int(tree.forest.slots[0]["nodes"])]
            for number in np.flatnonzero(nodes["resolution"]):
                assert nodes[number]["completion"] == value(tree.forest.states[0, number])


def test_lines_are_played_by_the_rules_and_as_long_as_the_depth() -> None:
    game = make("breakthrough:5x5")
    search = searching(game, 2, completion=False)
    for seed in range(5):
        state = late(game, seed, 20)
        searched(search, state, 6)
        line = search.line()
        assert 1 <= len(line) <= reached(search)
        for action in line:
            assert action in game.actions(state)
            state = game.play(state, action)


@helper
def _visit(frame, edges, busy, seen):
    """Searches the edges of a frame that another thread is not at, then the others, as the search does."""
    while True:
        come_back(frame, edges)
        if frame.position == edges:
            return
        for position in range(edges):
            if was_searched(frame, position) != (seen[position] > 0):
                seen[position] = 100
        if 0 < frame.position < 64 and frame.returning == 0 and busy[frame.position]:
            put_off(frame)
        else:
            seen[frame.position] += 1
            frame.position += 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=90))
def test_each_edge_is_searched_once_whatever_is_put_off(busy: list[bool]) -> None:
    frames, seen = np.zeros(1, FRAME), np.zeros(len(busy), np.int64)
    _visit(frames[0], len(busy), np.array(busy), seen)
    assert (seen == 1).all()


def test_a_match_is_played_in_little_memory() -> None:
    game = make("hex:4")
    search = searching(game, 3, memory=1 << 20)
    state, played = game.initial(), 0
    search.reset(state)
    while game.outcome(state) is None:
        search.run(Budget(seconds=0.02))
        root = search.root()
        action = int(root.actions[search.choose(root, np.random.default_rng(0))])
        state, played = game.play(state, action), played + 1
        if game.outcome(state) is None:
            search.play(action)
            search.make_room()
            for tree in trees(search):
                assert np.array_equal(tree.state(), state)
    assert played >= 7


def test_many_threads_fit_into_the_least_memory() -> None:
    game = make("draughts")
    memory = memory_for(game, beside=memory_beside(game))
    search = searched(searching(game, 5, memory=memory, completion=False), game.initial(), 3)
    alone = searched(
        searching(game, completion=False), game.initial(), reached(search)
    )  # full trees may end it earlier
    assert reached(search) >= 1
    assert search.root().value == alone.root().value


def test_all_evaluations_are_counted() -> None:
    game = make("othello:6")
    search = searching(game, 2, completion=False)
    for depth in (5, 7):
        before = search.evaluations
        searched(search, game.initial(), depth)
        by_each = [int(tree.forest.slots[0]["evaluations"]) for tree in trees(search)]
        assert search.evaluations - before == search.effort().evaluations == sum(by_each)
        assert all(by_each)


def test_without_a_limit_in_seconds_one_thread_searches() -> None:
    game = make("othello:6")
    two, one = searching(game, 2), searching(game)
    for search in (two, one):
        search.reset(game.initial())
        search.run(Budget(evaluations=20_000))
    assert two.effort() == one.effort()
    count = one.effort().states
    assert np.array_equal(two.forest.nodes[0, :count], one.forest.nodes[0, :count])


def until(condition: Callable[[], bool]) -> None:
    """Waits until something has happened; fails after a time that is too long even for a busy machine."""
    end = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < end
        sleep(0.01)


def test_companions_of_a_search_that_is_left_alone_end_and_the_next_search_is_whole() -> None:
    game = make("breakthrough:8x8")
    search = searching(game, 3, completion=False)
    search.reset(game.initial())
    search.start(Budget(seconds=LONG))
    for _ in range(3):
        search.round()
    assert search._companions
    running = [future for future in search._companions._running if future]
    assert len(running) == 2
    until(lambda: all(future.done() for future in running))
    assert not search._companions.searches[0].done().size  # it would go on
    before = search.effort().evaluations
    for _ in range(3):
        search.round()
    assert search.effort().evaluations > before
    assert_as_one_thread(searched(search, game.initial(), 4), searching(game, completion=False), game.initial())


def test_the_number_of_threads_can_change_between_searches_and_during_one() -> None:
    game = make("othello:6")
    search = searching(game)
    search.reset(game.initial())
    for threads in (3, 1, 2):
        search.use_threads(threads)
        assert search.threads == threads
        search.run(Budget(iterations=4, seconds=LONG))
        assert reached(search) >= 4
    search.start(Budget(seconds=LONG))
    search.round()
    search.use_threads(1)
    search.run(Budget(iterations=2))
    assert reached(search) == 2


def test_companions_end_with_their_search() -> None:
    game = make("othello:6")
    assert_threads_end(lambda: searched(searching(game, 4), game.initial(), 5), most=3)


def test_a_value_that_is_no_number_is_an_error() -> None:
    search = searching(make("othello:8"), 2, fails)
    search.reset(search.game.initial())
    for _ in range(2):
        with pytest.raises(ValueError, match="no finite number"):
            search.run(Budget(seconds=LONG))
        search.reset(search.game.initial())
    search.run(Budget(evaluations=10))


@pytest.mark.parametrize("evaluate", [None, of_values(lambda planes: np.zeros(len(planes), np.float32))])
def test_without_values_from_compiled_code_one_thread_searches(evaluate: Evaluate | None) -> None:
    search = make_search(make("hex:5"), evaluate, settings=AlphaBeta(), memory=1 << 24, threads=4)
    assert not search.shares_work
    assert search.threads == 1
