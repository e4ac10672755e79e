"""Reinforcement heuristics, against hand computation and the ends of random matches."""

import json
from functools import reduce
from typing import Any

import numpy as np
import pytest
from game_sizes import SPECIFICATIONS
from hypothesis import given
from hypothesis import strategies as st

from athenan import rules
from athenan.evaluation.heuristics import (
    HEURISTICS,
    Definition,
    Numbers,
    default_heuristic,
    heuristics_of,
    make_heuristic,
    restored_heuristic,
)
from athenan.games.catalogue import make
from athenan.rules.compiler import kernel
from athenan.rules.conformance import check_game
from athenan.rules.declared import OwnHeuristic
from athenan.rules.facts import altered
from athenan.rules.game import Game, GameError
from athenan.rules.kernels import TERMINAL_VALUE
from athenan.rules.playouts import random_ends, random_match
from athenan.rules.state import length
from athenan.rules.terminal import terminal_value, value_of_end


def value(name: str, game: Game, length: int, outcome: int) -> float:
    """The heuristic's value of a match that ends after so many actions (where the board does not matter)."""
    heuristic, state = make_heuristic(name, game), game.initial()
    state[2:4] = np.array([length], np.uint16).view(np.int8)
    return float(terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants))


@pytest.mark.parametrize(
    ("name", "game", "length", "outcome", "expected"),
    [
        ("classic", "hex:7", 20, -1, -1.0),
        # 003, section 6.2.2: in Hex, the number of empty cells plus 1 (the swap is one more action)
        ("additive_depth", "hex:7,swap=false", 20, 1, 30.0),
        ("additive_depth", "hex:7,swap=false", 49, -1, -1.0),
        ("additive_depth", "hex:7", 20, 1, 31.0),
        ("additive_depth", "hex:7", 300, 1, 1.0),
        ("multiplicative_depth", "hex:7", 12, -1, -2.0),
        ("multiplicative_depth", "hex:7", 48, 1, 0.5),
    ],
)
def test_values_computed_by_hand(name, game, length, outcome, expected):
    assert value(name, make(game), length, outcome) == expected


def test_the_score_is_that_of_the_game():
    game = make("othello:4")
    heuristic, random = make_heuristic("score", game), np.random.default_rng(3)
    state = game.initial()
    while (outcome := game.outcome(state)) is None:
        state = game.play(state, int(random.choice(game.actions(state))))
    cells = state[rules.HEADER :].tobytes()
    found = terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants)
    assert found == game.score(state), cells
    assert heuristic.scale == 8
    assert not heuristic.bounded


@pytest.mark.parametrize(("seed", "expected"), [(0, -2.0), (1, -1.0), (2, 3.0), (4, 2.0)])
def test_presence_counts_the_pieces(seed: int, expected: float) -> None:
    """003, section 6.2.4; random matches that end 8 to 10, 7 to 7, 10 to 7 and 10 to 8."""
    game = make("breakthrough:5x5")
    heuristic = make_heuristic("presence", game)
    state = reduce(game.play, random_match(game, seed), game.initial())
    outcome = game.outcome(state)
    found = terminal_value(heuristic.address, game.rules, state, outcome, heuristic.constants)
    assert found == expected
    assert heuristic.scale == 5


@given(
    st.sampled_from([name for name in HEURISTICS if name not in ("score", "presence", "cumulative_mobility")]),
    *[st.integers(1, 4000)] * 2,
    *[st.sampled_from([-1, 0, 1])] * 2,
)
def test_heuristics_preserve_the_order_of_the_gain(name, length, other_length, gain, other_gain):
    """003, Definition 21."""
    game = make("hex:5")
    one, other = value(name, game, length, gain), value(name, game, other_length, other_gain)
    if gain < other_gain:
        assert one < other
    assert value(name, game, length, -gain) == -one
    if "depth" in name and gain == other_gain == 1 and length < other_length:
        assert one >= other


@pytest.mark.parametrize("specification", SPECIFICATIONS)
def test_every_heuristic_of_every_game_preserves_the_order_of_the_gain(specification):
    """003, Definition 21, over the ends of random matches."""
    plain = make(specification)
    for name in heuristics_of(plain):
        if (name, plain.players) == ("score", 1):
            continue  # one player learns the score, and has no gain to preserve
        heuristic = make_heuristic(name, plain)
        game = heuristic.tracked(plain)
        ends = random_ends(game, 100, seed=7)
        gains = np.array([game.outcome(end) for end in ends])
        values = np.array([
            terminal_value(heuristic.address, game.rules, end, gain, heuristic.constants)
            for end, gain in zip(ends, gains, strict=True)
        ])  # fmt: skip
        lost, drawn, won = (values[gains == gain] for gain in (-1, 0, 1))
        assert max(lost, default=-1) < min(drawn, default=0), name
        assert max(drawn, default=0) < min(won, default=1), name
        assert (np.sign(values) == gains).all(), name


@pytest.mark.parametrize(
    "specification", ["breakthrough:3x5", "othello:6", "amazons:6", "clobber:4x5", "go:5", "santorini", "arimaa:200"]
)
def test_cumulative_mobility(specification):
    """003, section 6.2.3, against a count of the actions of random matches."""
    plain = make(specification)
    heuristic = make_heuristic("cumulative_mobility", plain)
    game = heuristic.tracked(plain)
    check_game(game, matches=2)
    assert (heuristic.scale, heuristic.bounded, game.name) == (1, False, plain.name)
    for seed in range(5):
        state, rules_state, counts = game.initial(), plain.initial(), (list[int](), list[int]())
        for action in random_match(plain, seed):
            assert state[: plain.state_size].tobytes() == rules_state.tobytes()
            counts[plain.player(rules_state)].append(len(plain.actions(rules_state)))
            state, rules_state = game.play(state, action), plain.play(rules_state, action)
        first, second = map(np.mean, counts)
        gain = plain.outcome(rules_state)
        assert gain is not None
        expected = {1: first / second, 0: 0.0, -1: -second / first}[gain]
        assert value_of_end(game, heuristic, state) == pytest.approx(expected, rel=1e-12)
        assert value_of_end(plain, heuristic, rules_state) == gain  # a state alone does not tell how it came about


def test_cumulative_mobility_before_both_have_played():
    """A match that the first action decides says nothing of the other's mobility: 1, as if it were the same."""
    game = make("breakthrough:3x5")
    heuristic = make_heuristic("cumulative_mobility", game)
    tracked = heuristic.tracked(game)
    state = tracked.play(tracked.initial(), int(tracked.actions(tracked.initial())[0]))
    args = (heuristic.address, tracked.rules, state)
    assert [terminal_value(*args, gain, heuristic.constants) for gain in (1, 0, -1)] == [1.0, 0.0, -1.0]


@kernel(TERMINAL_VALUE)
def stones_left(own, state, outcome, constants):
    return outcome * (100.0 - length(state))


@kernel(TERMINAL_VALUE)
def upside_down(own, state, outcome, constants):
    return -1.0 * outcome


def with_own(**heuristics):
    return altered(make("hex:3"), heuristics=heuristics)


def test_a_heuristic_of_the_games_own():
    game = with_own(stones_left=OwnHeuristic(stones_left, 100))
    assert heuristics_of(game)[-1] == default_heuristic(game) == "stones_left"
    assert default_heuristic(make("hex:3")) == "additive_depth"
    heuristic = make_heuristic("stones_left", game)
    assert (heuristic.scale, heuristic.bounded) == (50, False)
    (end,) = random_ends(game, 1)
    expected = game.outcome(end) * (100 - game.length(end))
    assert value_of_end(game, heuristic, end) == expected
    saved = json.loads(json.dumps({**heuristic.as_json(), "scale": 20}))
    assert restored_heuristic("stones_left", game, saved).scale == 20
    with pytest.raises(ValueError, match="damaged"):
        restored_heuristic("stones_left", game, {"constants": [1], "scale": 20})
    check_game(game)


@pytest.mark.parametrize(
    ("own", "message"),
    [(OwnHeuristic(upside_down, 1), "the heuristic luck does not keep the order of the gain"),
     (OwnHeuristic(stones_left, 50), "the heuristic luck is larger than its largest value")],
)  # fmt: skip
def test_a_wrong_heuristic_of_the_games_own_is_refused(own, message):
    with pytest.raises(GameError, match=message):
        check_game(with_own(luck=own))


def undecorated(*given: object) -> Any:
    """No kernel."""
    return 1.0


NO_KERNEL: Any = undecorated


@pytest.mark.parametrize(
    ("own", "message"),
    [(OwnHeuristic(NO_KERNEL, 1), r"luck must be a function decorated with @kernel\(TERMINAL_VALUE\)"),
     (OwnHeuristic(stones_left, 0), "the largest value of the heuristic luck must be above 0, .*, not 0"),
     (OwnHeuristic(stones_left, 1e16), "luck must be above 0, and at most 1e.15, not 1e.16")],
)  # fmt: skip
def test_what_is_no_heuristic_is_refused(own, message):
    with pytest.raises(GameError, match=message):
        with_own(luck=own)


@pytest.mark.parametrize("specification", ["amazons:6", "amazons:8", "amazons:10"])
def test_a_score_of_amazons_is_the_territory_and_one(specification):
    """A match in which the loser and then the winner is shut in is still won; no score reaches the largest."""
    game = make(specification)
    scores = np.array([game.score(end) for end in random_ends(game, 400)])
    assert 1 <= abs(scores).min() <= 2
    assert abs(scores).max() <= game.max_score


@pytest.mark.parametrize("specification", ["lines_of_action", "shobu", "xiangqi", "draughts", "draughts:brazilian"])
def test_additive_depth_tells_the_lengths_of_real_matches_apart(specification):
    """P is the longest of many random matches, so that few are as long."""
    game = make(specification)
    lengths = [game.length(end) for end in random_ends(game, 1000, seed=99)]
    heuristic = make_heuristic("additive_depth", game)
    (longest,) = heuristic.constants
    assert np.mean(np.array(lengths) >= longest) < 0.02
    assert longest <= 1.2 * max(lengths)
    assert heuristic.scale == longest / 2
    assert value("additive_depth", game, 30, 1) == longest - 30
    assert value("additive_depth", game, int(longest) + 5, -1) == -1


@pytest.mark.parametrize("specification", ["hex:7", "connect_four", "breakthrough:6x6", "amazons:8", "clobber:6x5"])
def test_a_maximum_near_real_matches_is_taken_as_it_is(specification):
    game = make(specification)
    assert make_heuristic("additive_depth", game).constants.tolist() == [game.max_length + 1]


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_restored_heuristic_is_the_one_that_was_saved(name):
    """Whatever the rules say, or would be measured, now."""
    game = make("surakarta")
    saved = json.loads(json.dumps(make_heuristic(name, game).as_json()))
    other = altered(game, max_length=9, typical_length=7, max_score=3)
    one, two = make_heuristic(name, game), restored_heuristic(name, other, saved)
    assert (two.name, two.address, two.scale, two.bounded) == (one.name, one.address, one.scale, one.bounded)
    assert two.constants.tolist() == one.constants.tolist()


@pytest.mark.parametrize(
    "saved",
    [{}, [], 5, "no", {"constants": [1.0]}, {"constants": [], "scale": 1.0}, {"constants": [1.0, 2.0], "scale": 1.0},
     {"constants": [-1.0], "scale": 1.0}, {"constants": [float("nan")], "scale": 1.0}, {"constants": 5, "scale": 1.0},
     {"constants": [1.0], "scale": 0}, {"constants": [1.0], "scale": float("inf")}, {"constants": ["x"], "scale": 1},
     {"constants": [1.0], "scale": None}, {"constants": [10**400], "scale": 1.0}],
)  # fmt: skip
def test_damaged_numbers_of_a_heuristic_are_refused(saved):
    with pytest.raises(ValueError, match="the numbers of its heuristic are damaged"):
        restored_heuristic("additive_depth", make("hex:3"), saved)


def test_the_scale_makes_typical_values_of_order_one():
    for specification in ("hex:7", "hex:11", "connect_four", "othello", "breakthrough"):
        game = make(specification)
        for name in HEURISTICS:
            if name not in ("score", "presence"):
                heuristic = make_heuristic(name, game)
                typical = value(name, game, game.typical_length, 1) / heuristic.scale
                assert 0.25 <= typical <= 1.5, (specification, name)


def test_a_heuristic_of_ones_own_has_a_name(monkeypatch):
    own = Definition(HEURISTICS["classic"].kernel, lambda game: Numbers((2.0,), 5.0), count=1)
    monkeypatch.setitem(HEURISTICS, "own", own)
    game = make("hex:3")
    made = make_heuristic("own", game)
    assert "own" in heuristics_of(game)
    assert (made.name, made.scale, made.constants.tolist()) == ("own", 5.0, [2.0])
    assert restored_heuristic("own", game, made.as_json()).constants.tolist() == [2.0]
    with pytest.raises(ValueError, match="the numbers of its heuristic are damaged"):
        restored_heuristic("own", game, {"constants": [], "scale": 1})


def test_defaults_and_unknown_heuristics():
    assert default_heuristic(make("hex:7")) == "additive_depth"
    assert default_heuristic(make("othello:6")) == "score"
    with pytest.raises(ValueError, match="no heuristic 'deep'; the heuristics of hex:7 are classic, additive_depth"):
        make_heuristic("deep", make("hex:7"))
    with pytest.raises(ValueError, match="hex:7 has no score"):
        make_heuristic("score", make("hex:7"))
    with pytest.raises(ValueError, match="hex:7 does not count pieces"):
        make_heuristic("presence", make("hex:7"))
