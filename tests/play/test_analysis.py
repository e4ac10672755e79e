"""Analysis: known values are proven, and nothing wrong is ever called proven."""

import numpy as np
import pytest
from clocks import Ticking
from evaluators import hash_values
from exhaustive_search import exhaustive, late
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from athenan import Budget, GameError, Search, analyze, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import points
from athenan.play import words
from athenan.play.analysis import Analysis
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.leaves import Leaves
from athenan.rules.terminal import terminal_value
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.clock import CLOCKS
from athenan.search.walking.walk import WORK

LONG = Budget(seconds=600)
EXACT = Ubfm(exact=True)


@pytest.mark.parametrize(
    ("specification", "value"),
    [("tictactoe", 0), ("connect_four:4x4", 0), ("hex:2,swap=false", 1), ("hex:3,swap=false", 1), ("othello:4", -1),
     pytest.param("connect_four:5x4", 0, marks=pytest.mark.slow),
     pytest.param("hex:4,swap=false", 1, marks=pytest.mark.slow)],
)  # fmt: skip
def test_proves_known_values(specification, value):
    found = analyze(make(specification), budget=LONG)
    assert (found.proven, found.value, found.exact, found.full) == (value, value, True, False)


def test_analyze_takes_a_game_and_a_position_by_name_and_moves():
    found = analyze("tictactoe", "b2 b1", LONG)
    game = make("tictactoe")
    assert (found.game.name, found.proven) == ("tictactoe", 1)
    assert np.array_equal(found.state, game.after("b2 b1"))
    assert analyze(game, "", Budget(iterations=5)).iterations <= 5
    with pytest.raises(GameError, match="move 1: 'd4' is not a legal action of tictactoe here"):
        analyze(game, "d4")
    with pytest.raises(GameError, match="othello: size must be even, not 7"):
        analyze("othello:7")


def test_othello_4_is_lost_by_8_discs():
    game = make("othello:4")
    for searching in (Ubfm(exact=True), Descent(exact=True)):
        found = analyze(game, budget=LONG, terminal=make_heuristic("score", game), settings=searching)
        assert (found.proven, found.value, found.exact) == (-1, -8, True)
        assert game.score(game.after(" ".join(found.line))) == -8  # the line is perfect play to the end


def test_without_exact_a_proven_win_has_no_proven_score():
    game = make("othello:4")
    found = analyze(game, budget=LONG, terminal=make_heuristic("score", game))
    assert (found.proven, found.exact) == (-1, False)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_proven_is_never_wrong(data):
    """Gains in all searches, and values in exact ones, against minimax from late positions of random matches."""
    specification, left, least = data.draw(  # at most and at least so many actions before the end and after the start
        st.sampled_from([("tictactoe", 7, 0), ("hex:3", 6, 0), ("connect_four:4x4", 7, 3), ("othello:4", 6, 0),
                         ("othello:6", 6, 0), ("breakthrough:4x4", 4, 6)])
    )  # fmt: skip
    game = make(specification)
    names = ["classic", "additive_depth", "multiplicative_depth"] + ["score"] * (game.max_score is not None)
    heuristic = make_heuristic(data.draw(st.sampled_from(names)), game)
    state = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(0, left)))
    assume(game.length(state) >= least)
    exact = data.draw(st.booleans())
    found = analyze(
        game, state, Budget(iterations=data.draw(st.sampled_from([1, 10, 100, 3000]))),
        data.draw(st.sampled_from([None, lambda planes: Leaves(hash_values(planes, levels=50))])),
        heuristic, data.draw(st.sampled_from([Ubfm, Descent]))(exact=exact), memory=1 << 28,
    )  # fmt: skip

    def gain_and_worth(end):
        gain = game.outcome(end)
        return gain, terminal_value(heuristic.address, game.rules, end, gain, heuristic.constants)

    value = exhaustive(game, gain_and_worth)
    gain, worth = value(state)
    assert found.proven in (None, gain)
    if found.exact:
        assert np.float32(found.value) == np.float32(worth)
    for one in found.actions:
        child = game.play(state, game.parse_action(state, one.action))
        assert one.proven in (None, value(child)[0])
    if found.proven is not None and found.line:
        after = state
        for text in found.line:
            after = game.play(after, game.parse_action(after, text))
        if game.outcome(after) is not None:  # perfect play of both sides keeps the gain
            assert game.outcome(after) == gain
        if found.exact and exact:
            assert value(after) == (gain, worth)


def test_with_one_player_a_win_that_was_found_proves_no_value():
    """More may be reached than the score that wins."""
    game = make("morpion:4D,size=9,win=1")
    found = analyze(game, budget=Budget(iterations=20), terminal=make_heuristic("score", game), memory=1 << 26)
    assert (found.exact, found.proven) == (False, None)
    assert {one.proven for one in found.actions if not one.exact} == {None}


@pytest.mark.parametrize("play", ["default", "safest"])
def test_what_is_played_is_what_is_shown(play):
    """With `exact`, too, where the visits of resolved actions mean nothing: the default is then played by the value."""
    game, exact = make("othello:4"), 0
    heuristic, chosen = make_heuristic("score", game), Ubfm(exact=True, play=play)
    for seed in range(20):
        state = late(game, seed, 6)
        for budget in (Budget(iterations=10), Budget(iterations=5000)):
            found = analyze(game, state, budget, terminal=heuristic, settings=chosen, memory=1 << 26)
            player = SearchPlayer("exact", Search(game, None, heuristic, chosen, memory=1 << 26))
            player.new_match(game, 0)
            played = game.action_name(state, player.select(state, budget).action)
            worth = {one.action: (one.proven, one.value) for one in found.actions}
            assert found.best and worth[played] == worth[found.best]
            if found.exact and play == "default":
                exact += 1
                assert worth[played] == (found.proven, found.value)
    assert play == "safest" or exact > 10


def test_lines_and_actions_agree_with_the_rules():
    game = make("connect_four")
    found = analyze(
        game, game.after("4 4"), Budget(iterations=500), lambda planes: Leaves(np.zeros(len(planes), np.float32))
    )
    game.after("4 4 " + " ".join(found.line))
    assert {one.action for one in found.actions} == set("1234567")
    assert sum(one.visits for one in found.actions) == found.iterations - 1
    assert found.best == found.line[0]
    assert found.proven is None
    assert not found.exact


def test_a_finished_match_is_said_to_be_over():
    game = make("tictactoe")
    found = analyze(game, game.after("a1 a2 b1 b2 c1"))
    assert (found.over, found.proven, found.value, found.best, found.line, found.actions) == (True, 1, 1, None, [], [])


def test_a_full_tree_is_said_to_be_full():
    assert analyze(make("hex:5"), memory=1 << 20, budget=LONG).full


def test_without_a_network_seconds_are_kept(monkeypatch):
    """The clock is read after every round, which is of a limited number of children."""
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.01))
    game = make("havannah:8")
    found = analyze(game, budget=Budget(seconds=0.1), settings=Descent())
    assert 0.1 <= found.seconds < 0.16  # a round looks at the clock up to four times
    assert 0 < found.states <= 12 * (WORK + game.max_actions)


def test_progress_is_reported(monkeypatch):
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.1))
    seen = list[Analysis]()
    analyze(make("hex:7"), budget=Budget(seconds=1), progress=seen.append)
    assert len(seen) == 3
    assert all(one.actions for one in seen)


def test_bad_input_is_explained():
    with pytest.raises(ValueError, match="too little"):
        analyze(make("hex:11"), memory=1000)
    with pytest.raises(GameError, match="is an int8 vector"):
        analyze(make("hex:11"), make("hex:3").initial())


def test_values_that_are_scores_are_given_in_points():
    """Exact ones, and estimates of a network that has learnt scores; not gains, nor values that nobody estimates."""
    game = make("othello:4")
    scores = Search(game, terminal=make_heuristic("score", game), settings=EXACT)
    found = Session(scores).think(LONG)
    assert (found.points, found.exact, found.as_json()["points"]) == (-8.0, True, -8.0)
    assert words.lead(-8.0, game.sides) == "White by 8"
    assert analyze(game, budget=LONG).points is None and "points" not in analyze(game, budget=LONG).as_json()
    begun = Session(Search(game, terminal=make_heuristic("score", game), settings=EXACT)).think(Budget(iterations=1))
    assert begun.points is None and not begun.exact


def test_half_points_of_go_are_points():
    game = make("go:2,komi=1.5")
    terminal = make_heuristic("score", game)
    search = Search(game, lambda planes: Leaves(hash_values(planes)), terminal, Ubfm())
    found = Session(search).think(Budget(iterations=1))
    assert found.points == found.value / 2
    end = game.after("a1 pass pass")
    assert Session(search).game.ruleset.unit == 0.5
    session = Session(search)
    session.position(end)
    assert session.think().points == points(game, end) == 2.5


def test_a_lead_in_words():
    assert [words.lead(one, ("Black", "White")) for one in (4.5, -0.04, -12)] == ["Black by 4.5", "even", "White by 12"]
