"""Expectiminimax, alpha-beta with chance nodes, against a literal full one at every depth and full enumeration."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from alpha_beta_values import Reference, assert_values, depth_searched
from evaluators import LEVELS, hash_values, of_values
from full_minimax import grown
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sizes import size
from tree_memory import used_bytes

from athenan import Budget, check_game, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.game import Game, State
from athenan.rules.leaves import Leaves
from athenan.rules.state import CHANCE
from athenan.rules.terminal import value_of_end
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.alpha_beta.stack import BOUND
from athenan.search.named import make_search, parse_search
from athenan.search.searcher import run
from athenan.search.trees.forest import EDGE, NODE

OWN = Path(__file__).parents[1] / "support"
GAMES = {
    "pig": make("pig:6,length=9,sides=3"), "short pig": make("pig:4,length=6,sides=2"),
    "loaded pig": make(f"{OWN}/pig_variants.py:5,length=8"), "dice nim": make(f"{OWN}/dice_nim.py:6"),
    "long dice nim": make(f"{OWN}/dice_nim.py:9"),
}  # fmt: skip
HEURISTICS = ["classic", "additive_depth"]
CLOSE = 1e-6

Pair = tuple[int, float]


@cache
def expectiminimax(name: str, levels: int | None, completion: bool = True, heuristic: str = "classic") -> Reference:
    """(c, v) of a state to a depth, all children of all states, in double precision; c is 0 without completion.

    c of a chance state is what the outcomes have in common, else 0. Without `levels` of evaluations, every state is
    worth 0.
    """
    game = GAMES[name]
    terminal = make_heuristic(heuristic, game)

    @cache
    def value(key: bytes, depth: int) -> Pair:
        state = np.frombuffer(key, np.int8).copy()
        if (outcome := game.outcome(state)) is not None:
            return outcome * completion, value_of_end(game, terminal, state)
        if depth == 0:
            return 0, 0.0 if levels is None else float(hash_values(game.encode(state)[None], levels)[0])
        children = [value(game.play(state, int(action)).tobytes(), depth - 1) for action in game.actions(state)]
        if game.player(state) != CHANCE:
            return (max, min)[game.player(state)](children)
        gains = {gain for gain, _ in children}
        mean = sum(p * worth for p, (_, worth) in zip(game.probabilities(state), children, strict=True))
        return gains.pop() if len(gains) == 1 else 0, float(mean)

    return lambda state, depth: value(state.tobytes(), depth)


def searching(
    name: str, levels: int | None = LEVELS, heuristic: str = "classic", memory: int = 1 << 26, **chosen: object
) -> AlphaBetaSearch:
    game = GAMES[name]
    evaluate = None if levels is None else of_values(partial(hash_values, levels=levels))
    made = AlphaBeta(**chosen)  # type: ignore[arg-type]
    return AlphaBetaSearch(game, evaluate, make_heuristic(heuristic, game), made, memory=memory)


def met(game: Game, seed: int, left: int = 0, at_chance: bool = False) -> State:
    """A state of a random match that is not its end, so many actions before it; or the last before where chance is."""
    random, state, states = np.random.default_rng(seed), game.initial(), list[State]()
    while game.outcome(state) is None:
        states.append(state)
        state = game.play(state, game.draw(state, random))
    states = states[: max(1, len(states) - left)]
    at = [state for state in states if (game.player(state) == CHANCE) == at_chance]
    return at[-1] if at else states[-1]


def agrees(found: Pair, wanted: Pair) -> bool:
    return found[0] == wanted[0] and abs(found[1] - wanted[1]) <= CLOSE * max(1, abs(wanted[1]))


def compare(name: str, start: State, levels: int | None, heuristic: str, depths: int, **chosen: bool) -> None:
    """Compares the root, its edges and the action chosen at every depth."""
    game, search = GAMES[name], searching(name, levels, heuristic, **chosen)
    reference = expectiminimax(name, levels, search.settings.completion, heuristic)
    for depth in range(1, depths + 1):
        root = grown(search, start, Budget(iterations=depth))
        wanted = reference(start, depth)
        assert agrees((root.completion, root.value), wanted)
        following = [game.play(start, int(action)) for action in root.actions]
        if root.player == CHANCE:
            assert root.priors == pytest.approx(game.probabilities(start))
            pairs = zip(root.completions, root.values, strict=True)
            reached = min(depth, search.effort().iterations)
            assert all(
                agrees(pair, reference(state, reached - 1)) for pair, state in zip(pairs, following, strict=True)
            )
        else:
            assert agrees(reference(following[search.choose(root, np.random.default_rng(0))], depth - 1), wanted)


def test_the_games_of_these_tests_conform() -> None:
    for game in GAMES.values():
        check_game(game)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("transpositions", [True, False])
def test_equals_full_expectiminimax_at_every_depth(
    name: str, heuristic: str, completion: bool, transpositions: bool
) -> None:
    game = GAMES[name]
    chosen = {"completion": completion, "transpositions": transpositions}
    for levels in (3, *size((), (None, LEVELS))):
        compare(name, game.initial(), levels, heuristic, 5, **chosen)
    for seed in range(size(2, 4)):
        compare(name, met(game, seed, seed), LEVELS, heuristic, 7, **chosen)
        compare(name, met(game, seed, 2 + seed, at_chance=True), 3, heuristic, 6, **chosen)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_equals_full_expectiminimax_anywhere(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(GAMES)))
    start = met(GAMES[name], data.draw(st.integers(0, 2**32)), data.draw(st.integers(0, 9)), data.draw(st.booleans()))
    compare(
        name, start, data.draw(st.sampled_from([None, 2, 5, LEVELS])), data.draw(st.sampled_from(HEURISTICS)),
        data.draw(st.integers(1, 7)), completion=data.draw(st.booleans()), transpositions=data.draw(st.booleans()),
    )  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_equals_full_enumeration_in_the_end(name: str, heuristic: str) -> None:
    game, reference = GAMES[name], expectiminimax(name, None, True, heuristic)
    search = searching(name, LEVELS, heuristic)
    root = grown(search, game.initial(), Budget(iterations=100))
    assert root.resolution == 1
    assert search.proves_values
    assert agrees((root.completion, root.value), reference(game.initial(), 100))
    by_value = grown(searching(name, LEVELS, heuristic, completion=False), game.initial(), Budget(iterations=100))
    assert agrees((0, by_value.value), expectiminimax(name, None, False, heuristic)(game.initial(), 100))


def assert_sound(search: AlphaBetaSearch, reference: Reference) -> tuple[int, int]:
    """Compares all that is proven in a tree with full enumeration; returns how many values are, and how many gains."""
    game, resolved, gains = search.game, 0, 0
    for number in range(search.effort().states):
        node, state = search.node(number), search.forest.states[0, number]
        followers = (game.play(state, int(action)) for action in node.actions)
        edges = zip(node.completions, node.resolutions, node.values, followers, strict=True)
        for c, r, v, where in [(node.completion, node.resolution, node.value, state), *edges]:
            if r:
                assert agrees((c, v), reference(where, 100))
            elif c:
                assert c == reference(where, 100)[0]
            resolved, gains = resolved + bool(r), gains + bool(c)
    return resolved, gains


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_what_is_proven_is_never_wrong(data: st.DataObject) -> None:
    name, heuristic = data.draw(st.sampled_from(list(GAMES))), data.draw(st.sampled_from(HEURISTICS))
    game, random = GAMES[name], np.random.default_rng(data.draw(st.integers(0, 2**32)))
    search = searching(name, data.draw(st.sampled_from([None, 2, LEVELS])), heuristic)
    reference, state = expectiminimax(name, None, True, heuristic), game.initial()
    search.reset(state)
    while game.outcome(state) is None:
        run(search, Budget(iterations=100, evaluations=data.draw(st.integers(1, 300))))
        assert_sound(search, reference)
        action = game.draw(state, random)
        state = game.play(state, action)
        if game.outcome(state) is None:
            search.play(action)
            search.make_room()


def test_certain_wins_are_known_before_their_values() -> None:
    """With a heuristic other than the gain, a certain win does not end the search of a state."""
    total = np.zeros(3, int)
    for seed in range(15):
        search = searching("long dice nim", LEVELS, "additive_depth")
        grown(search, met(GAMES["long dice nim"], seed, 4), Budget(iterations=4))
        nodes = search.forest.nodes[0, : search.effort().states]
        proven = assert_sound(search, expectiminimax("long dice nim", None, True, "additive_depth"))
        total += (*proven, ((nodes["completion"] != 0) & (nodes["resolution"] == 0)).sum())
    assert total.min() > 5


def test_depth_limits_and_lines() -> None:
    """An outcome takes a ply, as an action does; a principal variation ends where chance is to move."""
    game = GAMES["loaded pig"]
    search = searching("loaded pig", depth=3)
    root = grown(search, game.initial(), Budget(seconds=600))
    assert (search.effort().iterations, search.line()) == (3, [])
    assert root.value == pytest.approx(expectiminimax("loaded pig", LEVELS)(game.initial(), 3)[1], abs=CLOSE)
    assert root.actions.tolist() == game.actions(game.initial()).tolist()
    start = game.play(game.initial(), 3)
    grown(search, start, Budget(iterations=3))
    line = search.line()
    for action in line:
        assert game.player(start) != CHANCE
        start = game.play(start, action)
    assert len(line) == 3 or game.player(start) == CHANCE


def children(game: Game, state: State) -> NDArray[np.int8]:
    """The planes of the children that are not terminal, in the order of the actions."""
    following = (game.play(state, int(action)) for action in game.actions(state))
    return np.array([game.encode(one).reshape(-1) for one in following if game.outcome(one) is None])


@pytest.mark.parametrize("name", GAMES)
def test_children_are_one_batch_and_never_evaluated_again(name: str) -> None:
    game, batches = GAMES[name], list[NDArray[np.int8]]()

    def evaluate(planes: NDArray[np.int8]) -> Leaves:
        batches.append(planes.copy())
        return Leaves(hash_values(planes))

    search = AlphaBetaSearch(game, evaluate, settings=AlphaBeta(completion=False))
    grown(search, game.initial(), Budget(iterations=5))
    expanded = search.forest.states[0, : search.effort().states][
        search.forest.nodes["edges"][0, : search.effort().states] > 0
    ]
    wanted = [batch for state in expanded if len(batch := children(game, state))]
    assert sorted(map(bytes, batches)) == sorted(map(bytes, wanted))
    run(search, Budget(iterations=5))
    assert len(batches) == len(wanted)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("transpositions", [True, False])
def test_what_is_learnt_is_expectiminimax_and_no_bound(name: str, transpositions: bool) -> None:
    """Also where a search was stopped, in the next search of the same tree, and after it was pruned."""
    game, reference, total = GAMES[name], expectiminimax(name, LEVELS, False), np.zeros(2, int)
    random = np.random.default_rng(1)
    for budget in (Budget(iterations=3), Budget(iterations=5), Budget(evaluations=50), Budget(evaluations=90)):
        search = searching(name, completion=False, transpositions=transpositions)
        state = game.initial()
        search.reset(state)
        for _ in range(4):
            run(search, budget)
            total += assert_values(search, reference, CLOSE)
            depth = depth_searched(search, search.forest.slots[0]["root"])
            assert not depth or agrees((0, search.root().value), reference(state, depth))
            action = game.draw(state, random)
            state = game.play(state, action)
            if game.outcome(state) is not None:
                break
            search.play(action)
            search.prune()
            total += assert_values(search, reference, CLOSE)
    assert total[0] > 100
    assert total[1] > 5 or name == "short pig"


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("completion", [True, False])
def test_a_full_tree_ends_the_search_with_the_last_whole_depth(name: str, completion: bool) -> None:
    game, reference = GAMES[name], expectiminimax(name, LEVELS, False)
    per_node = NODE.itemsize + game.state_size + 8 + EDGE.itemsize * game.max_actions + BOUND.itemsize
    per_node += 4 * game.max_actions
    for nodes in [*range(14, 30), 50, 90]:
        search = searching(name, memory=nodes * per_node, completion=completion)
        root = grown(search, game.initial(), Budget(iterations=16))
        assert used_bytes(search, BOUND.itemsize, 4) <= nodes * per_node
        assert search.full() or (root.resolution or game.max_length <= 16)
        if search.full() and not root.resolution:
            assert agrees((0, root.value), reference(game.initial(), search.effort().iterations))


def test_searches_side_by_side_are_like_searches_alone() -> None:
    game = GAMES["pig"]
    together = AlphaBetaSearch(game, of_values(hash_values), slots=3, memory=1 << 26)
    starts = [met(game, seed, 5) for seed in range(3)]
    for slot, start in enumerate(starts):
        together.reset(start, slot)
    together.run(Budget(iterations=4))
    for slot, start in enumerate(starts):
        root = grown(searching("pig"), start, Budget(iterations=4))
        assert together.root(slot).value == root.value


def test_the_name_of_the_papers() -> None:
    assert parse_search("expectiminimax:depth=2") == AlphaBeta(depth=2)
    assert isinstance(make_search(GAMES["pig"], settings=parse_search("expectiminimax")), AlphaBetaSearch)
