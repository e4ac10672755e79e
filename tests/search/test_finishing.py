"""Ends that are solved beside a search, and the margin after a proof, against exhaustive search."""

from dataclasses import replace

import numpy as np
import pytest
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan import Budget, Search, Ubfm, make
from athenan.evaluation.handwritten import evaluation
from athenan.evaluation.heuristics import make_heuristic
from athenan.games import othello
from athenan.games.othello.ending import ENDING
from athenan.learning.config import TrainingConfig
from athenan.play.session import Session
from athenan.rules.endings import Ending
from athenan.rules.errors import GameError
from athenan.rules.facts import altered
from athenan.rules.leaf import Leaf
from athenan.rules.playouts import random_match
from athenan.runs.run import RunSettings
from athenan.search.finishing.ends import Ends, actions_left
from athenan.search.finishing.finishing_search import FinishingSearch
from athenan.search.named import make_search, parse_search

GAMES = {
    "tictactoe": 8, "connect_four:4x4": 8, "hex:3": 7, "othello:4": 10, "othello:6": 7, "clobber:3x4": 9,
    "breakthrough:3x4": 7,
}  # fmt: skip
"""Games, and how many actions before the end of a random match exhaustive search is fast."""


def heuristic_of(game, name):
    return make_heuristic(name if name == "classic" or game.max_score is not None else "additive_depth", game)


def searched(game, state, evaluations, heuristic="score", text="ubfm:ends=100"):
    terminal = heuristic_of(game, heuristic)
    search = make_search(game, None, terminal, parse_search(text), memory=1 << 26)
    search.reset(state)
    search.run(Budget(evaluations=evaluations))
    return search


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_what_is_known_of_a_root_is_what_exhaustive_search_finds(data):
    name = data.draw(st.sampled_from(sorted(GAMES)))
    game = make(name)
    state = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, GAMES[name])))
    heuristic = data.draw(st.sampled_from(["classic", "score"]))
    search = searched(game, state, data.draw(st.sampled_from([3, 30, 300, 3000])), heuristic)
    by_score = heuristic == "score" and game.max_score is not None
    gain, worth = exhaustive(game), exhaustive(game, game.score if by_score else game.outcome)
    root, following = search.root(), [game.play(state, int(action)) for action in search.root().actions]
    if root.proven is not None:
        assert root.proven == gain(state)
    for child, completion in zip(following, root.completions, strict=True):
        assert completion in (0, gain(child))
    if search.proves_values and root.resolution:
        assert root.value == worth(state)
        for child, value, resolution in zip(following, root.values, root.resolutions, strict=True):
            assert not resolution or value == worth(child)
    chosen = following[search.choose(root, np.random.default_rng(1))]
    if root.resolution:
        assert gain(chosen) == gain(state)
        assert not search.proves_values or worth(chosen) == worth(state)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 9), st.sampled_from([4, 6, 8]), st.integers(-9, 9))
def test_othellos_own_solver_finds_what_the_generic_one_finds(seed, left, size, threshold):
    game = make(f"othello:{size}")
    generic = altered(game, ending=Ending(ENDING.remaining))
    state, heuristic = late(game, seed, left), make_heuristic("score", game)
    found = []
    for one in (altered(game, ending=replace(ENDING, from_remaining=8)), generic):
        ends = Ends(one, heuristic, Leaf.of(one, None), 100, 1 << 20)
        ends.start(state, float(threshold), Budget(seconds=1))
        while not ends.knowledge.solved:
            ends.go_on(0)
        found.append(ends.knowledge.lower)
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["othello:4", "othello:6", "othello:8", "clobber:3x4", "tictactoe"])
def test_no_match_has_more_actions_left_than_the_game_says(name):
    game = make(name)
    passing = game.action_count - 1 if name.startswith("othello") else -1
    for seed in range(10):
        state, played = game.initial(), random_match(game, seed)
        for number, action in enumerate(played):
            assert actions_left(game, state) >= sum(one != passing for one in played[number:])
            state = game.play(state, action)


def two_wins(name, text):
    """Positions in which one action wins by more than another, with the wins' scores for the side to move."""
    game = make(name)
    worth = exhaustive(game, game.score)
    for seed in range(400):
        state = late(game, seed, 7)
        side = 1 - 2 * game.player(state)
        scores = sorted(side * worth(game.play(state, int(one))) for one in game.actions(state))
        if len(scores) > 1 and 0 < scores[0] < scores[-1]:
            yield game, state, scores


@pytest.mark.parametrize("text", ["ubfm:margin=true", "ubfm:ends=30", "ubfm:ends=8,margin=true"])
def test_the_larger_of_two_wins_is_played(text):
    positions = 0
    for number, (game, state, scores) in zip(range(8), two_wins("othello:6", text), strict=False):
        search = searched(game, state, 20_000, text=text)
        root = search.root()
        side, worth = root.sign, exhaustive(game, game.score)
        chosen = game.play(state, int(root.actions[search.choose(root, np.random.default_rng(number))]))
        assert side * worth(chosen) == scores[-1]
        assert side * root.value == scores[-1] and root.proven == side and search.proves_values
        positions += 1
    assert positions == 8


def test_the_papers_search_ends_with_the_first_win():
    lost = 0
    for number, (game, state, scores) in zip(range(8), two_wins("othello:6", "ubfm"), strict=False):
        search = searched(game, state, 20_000, text="ubfm")
        root = search.root()
        lost += root.sign * root.value != scores[-1]
        assert root.proven == root.sign and not search.proves_values and number < 8
    assert lost > 0


def test_a_solved_root_is_followed_by_solved_roots():
    """What is known of a root is not taken for its successor's."""
    game = make("othello:6")
    state, worth = late(game, 5, 10), exhaustive(game, game.score)
    search = make_search(game, None, make_heuristic("score", game), parse_search("ubfm:ends=30"), memory=1 << 26)
    session = Session(search)
    session.position(state)
    values = []
    while not session.over:
        found = session.think(Budget(evaluations=50_000))
        values.append(found.value)
        assert found.exact and found.value == worth(session.state)
        session.play(found.line[0])
    assert len(values) > 4 and len(set(values)) == 1


def test_a_network_changes_the_order_and_nothing_else():
    game = make("othello:6")
    evaluate, heuristic = evaluation(game, "squares"), make_heuristic("score", game)
    for seed in range(3):
        state = late(game, seed, 9)
        ends = Ends(game, heuristic, Leaf.of(game, evaluate.leaf), 100, 1 << 22)
        ends.start(state, 0.0, Budget(seconds=1))
        while not ends.knowledge.solved:
            ends.go_on(0)
        assert ends.knowledge.lower == exhaustive(game, game.score)(state)


def test_ends_are_left_alone_where_the_budget_would_not_suffice():
    game = make("othello:8")
    heuristic = make_heuristic("score", game)
    ends = Ends(game, heuristic, Leaf.of(game, None), 20, 1 << 22)
    for left, budget, active in (
        (20, Budget(seconds=1), True), (21, Budget(seconds=1), False), (21, Budget(seconds=2), True),
        (17, Budget(seconds=0.1), False), (16, Budget(seconds=0.1), True), (12, Budget(evaluations=1), False),
    ):  # fmt: skip
        state = next(
            one for seed in range(100) if actions_left(game, one := late(game, seed, left)) == left
        )  # fmt: skip
        ends.start(state, 0.0, budget)
        assert ends.active == active


def test_a_search_limited_by_counts_is_repeatable():
    game = make("othello:8")
    search = make_search(game, None, make_heuristic("score", game), parse_search("ubfm:ends=60"), memory=1 << 26)
    assert isinstance(search, FinishingSearch) and search._ends
    found, ends = [], search._ends
    for _ in range(2):
        before = ends.states
        search.seed(3)
        search.reset(late(game, 1, 24))
        search.run(Budget(evaluations=2000))
        root = search.root()
        found.append((root.value, root.values.tolist(), root.counts.tolist(), ends.states - before))
    assert found[0] == found[1] and found[0][3] > 0


@pytest.mark.parametrize(("slots", "memory"), [(2, 1 << 26), (1, 1 << 20)])
def test_several_positions_and_small_memory_have_the_papers_search(slots, memory):
    game, found = make("othello:6"), []
    for text in ("ubfm", "ubfm:ends=30,margin=true"):
        heuristic = make_heuristic("score", game)
        search = make_search(game, None, heuristic, parse_search(text), slots=slots, memory=memory)
        for slot in range(slots):
            search.reset(late(game, 5 + slot, 8), slot)
        search.run(Budget(iterations=200))
        found.append([(root.value, root.counts.tolist()) for root in map(search.root, range(slots))])
    assert found[0] == found[1]


def test_searches_without_a_solver_refuse():
    game = make("othello:4")
    with pytest.raises(ValueError, match=r"ends and margin need a search that is made with named\.make_search"):
        Search(game, settings=Ubfm(ends=3))
    with pytest.raises(ValueError, match="ends must be 0 in pig:20"):
        FinishingSearch(make("pig:20"), settings=Ubfm(ends=3))
    with pytest.raises(ValueError, match="ends must be 0 in morpion"):
        make_search(make("morpion"), settings=parse_search("ubfm:ends=3"))
    with pytest.raises(ValueError, match="ends must be 0 and margin false unless completion"):
        parse_search("ubfm:ends=3,completion=false")
    with pytest.raises(ValueError, match="ends must be 0 and margin false in a training"):
        TrainingConfig(RunSettings("tictactoe", 1)).changed(search=parse_search("ubfm:ends=3"))
    assert parse_search("ubfm:ends=3,margin=true").for_play() == parse_search("ubfm")


def test_a_declared_ending_has_kernels_of_its_signatures():
    game = make("tictactoe")
    with pytest.raises(GameError, match=r"ending: remaining must be a function decorated with @kernel\(REMAINING\)"):
        altered(game, ending=Ending(othello.play))
    with pytest.raises(GameError, match="ending: a solver finds scores, and the game has no score"):
        altered(game, ending=ENDING)
