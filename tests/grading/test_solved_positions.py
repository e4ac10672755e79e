"""Solved positions: how they are made, what the package has, and damaged files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exhaustive_search import exhaustive
from packaged_positions import packaged_positions
from plain_alpha_beta import PlainSolver
from sizes import size

from athenan.games.catalogue import make
from athenan.grading.equations import win_chances
from athenan.grading.positions import (
    PositionsError,
    Recipe,
    Solved,
    packaged,
    packaged_games,
    position_line,
    read_positions,
    recipe_line,
)
from athenan.grading.solvers import make_solver
from athenan.grading.solving import Question, solve, usual_recipe
from athenan.rules.state import CHANCE, HEADER, sign
from athenan.search.budget import Budget

TICTACTOE = Recipe("tictactoe", (1, 6), rollouts=100, evaluations=10_000)
CONNECT_FOUR = "connect_four:7x6"


def certain_games():
    return [name for name in packaged_games() if not make(name).stochastic]


def actions_of(game, moves):
    state, actions = game.initial(), []
    for text in moves.split():
        actions.append(game.parse_action(state, text))
        state = game.play(state, actions[-1])
    return actions


def test_gains_are_those_of_exhaustive_search():
    game = make("tictactoe")
    value = exhaustive(game)
    for number in range(6):
        position = solve(Question(TICTACTOE, number))
        state = game.after(position.moves)
        assert dict(position.gains) == {
            int(action): sign(game.player(state)) * value(game.play(state, int(action)))
            for action in game.actions(state)
        }
        assert position.value == max(position.gains.values())
        assert min(position.gains.values()) < position.value


DICE = Recipe("pig:6,sides=3,length=16", (2, 8), rollouts=100, evaluations=100_000)


@pytest.mark.parametrize("solver", ["ubfm", "descent", "alphabeta"])
def test_gains_of_games_of_chance_are_expectations(solver):
    game = make(DICE.game)
    value = exhaustive(game)
    for number in range(6):
        position = solve(Question(replace(DICE, solver=solver), number))
        state = game.after(position.moves)
        assert game.player(state) != CHANCE
        assert position.gains == {
            int(action): pytest.approx(sign(game.player(state)) * value(game.play(state, int(action))), abs=1e-6)
            for action in game.actions(state)
        }
        assert max(position.gains.values()) - min(position.gains.values()) >= 0.01


@pytest.mark.parametrize(("target", "sides"), [(6, 3), (5, 4)])
def test_the_equations_of_pig_are_the_limit_of_long_matches(target, sides):
    value = exhaustive(make(f"pig:{target},sides={sides},length=70"))
    game = make(f"pig:{target},sides={sides},length=70")
    for moves, place in (("", (0, 0, 0)), ("roll 2", (0, 0, 2)), ("roll 3 hold", (0, 3, 0)), ("roll 1", (0, 0, 0))):
        state = game.after(moves)
        gain = sign(game.player(state)) * value(state)
        assert gain == pytest.approx(2 * win_chances(target, sides)[place] - 1, abs=1e-6)


@pytest.mark.parametrize(("target", "sides"), size([(4, 3)], [(6, 3), (5, 4)]))
def test_gains_by_the_equations_of_a_small_pig(target, sides):
    """The gains are expectations over all that can follow, and near the limit of the length there are none."""
    game = make(f"pig:{target},sides={sides},length=240")
    value, solver = exhaustive(game), make_solver("equations", game, Budget(evaluations=1))
    for moves in ("", "roll 2", "roll 3 hold", "roll 2 hold roll 3"):
        state = game.after(moves)
        gains = {int(a): sign(game.player(state)) * value(game.play(state, int(a))) for a in game.actions(state)}
        assert solver(actions_of(game, moves)) == pytest.approx(gains, abs=1e-6)
    assert solver([1] * 110) is None


def test_the_gains_of_pig_follow_from_its_equations():
    """The value of a position is the greater of its gains, and the equations give it as well."""
    game, wins = make("pig"), win_chances(100, 6)
    for position in packaged_positions(game.name).positions[::20]:
        state = game.after(position.moves)
        mover = game.player(state)
        own, other, points = state[HEADER + mover], state[HEADER + 1 - mover], state[HEADER + 2]
        assert position.value == pytest.approx(2 * wins[own, other, points] - 1, abs=1e-6)


@pytest.mark.parametrize("name", packaged_games())
def test_the_positions_of_the_package_are_as_their_recipe_says(name):
    game, file = make(name), packaged_positions(name)
    assert file.recipe == usual_recipe(game)
    least, most = file.recipe.plies
    states = [game.after(position.moves) for position in file.positions]
    assert 40 <= len(states) <= 1000
    assert len({state.tobytes() for state in states}) == len(states)
    assert {game.length(state) for state in states} <= set(
        range(least, most + 1 + game.stochastic)
    )  # the dice may follow
    assert [position.number for position in file.positions] == sorted({one.number for one in file.positions})
    for state in states[:: size(10, 1)]:  # nobody wins at once
        following = [game.play(state, int(action)) for action in game.actions(state)]
        assert sign(game.player(state)) not in [game.outcome(one) for one in following]


def test_the_package_has_connect_four_of_every_length():
    game, file = make(CONNECT_FOUR), packaged_positions(CONNECT_FOUR)
    assert len(file.positions) == 1000
    lengths = np.bincount([len(position.moves.split()) for position in file.positions], minlength=31)
    assert lengths[8:].min() > 30
    path = packaged(CONNECT_FOUR)
    assert path and path.stat().st_size < 300_000
    for state in (game.after(position.moves) for position in file.positions):
        other = state.copy()
        other[0] = 1 - state[0]  # the other side could not win either, if it were to move
        assert all(game.outcome(game.play(other, int(a))) in (None, 0) for a in game.actions(other))


def test_bitbully_agrees_with_the_positions_of_the_package():
    pytest.importorskip("bitbully", reason="bitbully is not installed: pip install bitbully")
    game = make(CONNECT_FOUR)
    solver = make_solver("bitbully", game, Budget(evaluations=1))
    for position in packaged_positions(CONNECT_FOUR).positions[:: size(50, 10)]:
        assert dict(position.gains) == solver(actions_of(game, position.moves))


def test_proof_search_agrees_with_bitbully_on_late_positions():
    game = make(CONNECT_FOUR)
    late = [one for one in packaged_positions(CONNECT_FOUR).positions if len(one.moves.split()) >= 26][: size(10, 40)]
    solver = make_solver("ubfm", game, Budget(evaluations=1_000_000))
    assert [solver(actions_of(game, position.moves)) for position in late] == [dict(one.gains) for one in late]


@pytest.mark.parametrize("name", certain_games())
def test_a_plain_alpha_beta_agrees(name):
    compare_with_plain_alpha_beta(name, size(2, 6))


@pytest.mark.slow
@pytest.mark.parametrize("name", certain_games())
def test_a_plain_alpha_beta_agrees_everywhere(name):
    compare_with_plain_alpha_beta(name, 240 if name == CONNECT_FOUR else 1000)


def compare_with_plain_alpha_beta(name, count):
    """The latest positions take the least time."""
    game = make(name)
    solver = PlainSolver(game)
    for position in sorted(packaged_positions(name).positions, key=lambda one: -len(one.moves.split()))[:count]:
        assert dict(position.gains) == solver.gains(game.after(position.moves)), position


def test_plain_expectations_agree_at_einstein():
    """In the positions with the fewest pieces, which take the least time."""
    game = make("einstein")
    value = exhaustive(game)
    states = [(game.after(position.moves), position) for position in packaged_positions(game.name).positions]
    for state, position in sorted(states, key=lambda one: np.count_nonzero(one[0]))[:4]:
        assert position.gains == {
            int(action): pytest.approx(sign(game.player(state)) * value(game.play(state, int(action))), abs=2e-6)
            for action in game.actions(state)
        }


@pytest.mark.parametrize("name", packaged_games())
@pytest.mark.parametrize("place", [-1, *(pytest.param(place, marks=pytest.mark.slow) for place in (0, 11))])
def test_the_recipe_makes_the_positions_of_the_package_again(name, place):
    if name == CONNECT_FOUR:
        pytest.importorskip("bitbully", reason="bitbully is not installed: pip install bitbully")
    file = packaged_positions(name)
    position = sorted(file.positions, key=lambda one: len(one.moves))[place]  # the last is solved soonest
    assert solve(Question(file.recipe, position.number)) == position


def test_a_position_that_takes_too_long_is_not_solved():
    game = make("hex:5")
    assert make_solver("ubfm", game, Budget(evaluations=5))([]) is None
    with pytest.raises(PositionsError, match=r"no position after .* was found"):
        solve(Question(Recipe("hex:5", (2, 2), evaluations=1), 0))


GOOD = recipe_line(TICTACTOE) + position_line(
    Solved(0, "a1", {action: 0 if action == 4 else -1 for action in range(1, 9)}), make("tictactoe")
)


OF_CHANCE = recipe_line(DICE) + position_line(Solved(0, "roll 2", {0: -0.25, 1: 0.5}), make(DICE.game))


def with_line(**changes):
    lines = [json.loads(line) for line in GOOD.splitlines()]
    lines[1] |= changes
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a recipe of solved positions was expected"),
        ("chess\n", "line 1: a recipe of solved positions was expected: this is not JSON: 'chess'"),
        (GOOD.replace("tictactoe", "chess"), "line 1: a recipe of solved positions was expected"),
        (GOOD.replace("[1, 6]", "[6, 1]"), "the least ply must not be above the greatest"),
        (GOOD[:-20], "line 2: this is not JSON"),
        (GOOD + "7\n", "line 3: a position must have number, moves, gains"),
        (with_line(moves="a1 a1"), "line 2: move 2: 'a1' is not a legal action"),
        (with_line(gains={"b1": 1}), "line 2: gains must give each legal action"),
        (with_line(moves="a1 b1 c1 a2 b2 c2 a3"), "line 2: nobody is to move after 'a1 b1 c1 a2 b2 c2 a3'"),
        (with_line(number=-1), "line 2: number must be 0 or more, not -1"),
        (OF_CHANCE.replace("roll 2", "roll 2 roll"), "line 2: nobody is to move after 'roll 2 roll'"),
        (GOOD.replace("-1", "0"), "line 2: no action loses value"),
        (
            GOOD.replace("-1", "0.5"),
            "line 2: gains must give each legal action (b1, c1, a2, b2, c2, a3, b3, c3) -1, 0 or 1",
        ),
        (
            OF_CHANCE.replace("-0.25", "-1.5"),
            "line 2: gains must give each legal action (roll, hold) a number from -1 to 1",
        ),
        (OF_CHANCE.replace("-0.25", "NaN"), "(NaN is not a JSON number)"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, text, message):
    path = tmp_path / "positions.jsonl"
    path.write_text(text)
    with pytest.raises(PositionsError) as error:
        read_positions(path)
    assert message in str(error.value) and str(error.value).startswith(str(path))


def test_a_file_is_read_as_it_was_written(tmp_path):
    path = Path(tmp_path / "positions.jsonl")
    path.write_text(GOOD)
    file = read_positions(path)
    assert file.recipe == TICTACTOE
    assert recipe_line(file.recipe) + position_line(file.positions[0], make("tictactoe")) == GOOD
