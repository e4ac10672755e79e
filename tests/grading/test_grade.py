"""Grading players: value kept, the commands `grade` and `positions`, and what they refuse."""

import re
import sys
from statistics import fmean
from time import monotonic

import pytest
from clocks import count_time
from full_disk import room_for
from sizes import size
from small_trainings import quiet, small

from athenan.arena.roster import make_player
from athenan.games.catalogue import make
from athenan.grading.grades import Grade, answers
from athenan.grading.positions import PositionsError, Recipe, Solved, packaged, read_positions
from athenan.grading.solving import OutOfTime, Question, solve
from athenan.learning.training import train
from athenan.play.player import Forfeit, Move, RandomPlayer
from athenan.search.budget import Budget
from athenan.statistics import wilson_interval

RECIPE = Recipe("tictactoe", (1, 6), rollouts=100, evaluations=10_000)


@pytest.fixture(scope="module")
def positions():
    """Twenty positions of tic-tac-toe."""
    return [solve(Question(RECIPE, number)) for number in range(20)]


def test_a_perfect_player_keeps_every_value_and_a_random_one_does_not(positions):
    game = make("tictactoe")
    perfect, chance = (
        Grade(name, answers(make_player(name, game), game, positions, Budget(seconds=1)))
        for name in ("mcts:20000", "random")
    )
    assert perfect.share == 1 > chance.share
    assert perfect.interval == wilson_interval(1, 20)
    assert perfect.of_value(1).kept + perfect.of_value(0).kept == 20
    assert chance.as_json()["lost"] == [answer.number for answer in chance.answers if not answer.kept]


def test_the_expectation_that_is_lost():
    solved = [Solved(0, "roll 2", {0: 0.25, 1: 0.5}), Solved(1, "roll 3", {0: 0.25, 1: -0.5})]

    class Rolling(RandomPlayer):
        def select(self, state, limit):
            return Move(0)

    grade = Grade("rolling", answers(Rolling(), make("pig"), solved, Budget(seconds=1)))
    assert [answer.loss for answer in grade.answers] == [0.25, 0]
    assert (grade.kept, grade.loss, grade.as_json()["loss"]) == (1, 0.125, 0.125)
    assert grade.loss_interval == pytest.approx((0, 0.125 + 0.125 * 12.7062), abs=1e-4)  # t of one degree of freedom
    assert Grade("rolling", grade.answers[:1]).loss_interval is None


class Failing(RandomPlayer):
    """A program that gives up."""

    def select(self, state, limit):
        raise Forfeit("it has ended")


def test_a_program_that_fails_loses_the_value(positions):
    grade = Grade("failing", answers(Failing(), make("tictactoe"), positions[:3], Budget(seconds=1)))
    assert grade.kept == 0
    assert grade.loss == fmean(position.value - min(position.gains.values()) for position in positions[:3])
    assert grade.as_json()["forfeits"] == ["it has ended"] * 3


def test_players_are_told_the_moves_before_a_position(positions):
    told = []

    class Listening(RandomPlayer):
        def observe(self, action, following):
            told.append(action)

    game = make("tictactoe")
    answers(Listening(), game, positions[:1], Budget(seconds=1))
    assert game.moves(told) == positions[0].moves


def test_the_command(command, as_json):
    count = size(24, 60)
    arguments = ("grade", "connect_four", "mcts:300", "random", "--count", str(count))
    found = as_json(*arguments)
    assert found["positions"] == count and found["recipe"]["solver"] == "bitbully"
    strong, weak = found["players"]
    assert (strong["player"], weak["player"]) == ("mcts:300", "random")
    assert strong["value_kept"] == strong["kept"] / count > weak["value_kept"]
    assert strong["interval"][0] < strong["value_kept"] < strong["interval"][1]
    together = as_json(*arguments, "--workers", "2")
    assert [one["lost"] for one in together["players"]] == [one["lost"] for one in found["players"]]
    status, output, errors = command(*arguments)
    assert status == 0
    assert f"{strong['value_kept']:.1%}" in output and "value kept" in output
    assert f"mcts:300: {count} of {count} positions" in errors


def test_the_command_at_a_game_of_chance(command, as_json):
    arguments = ("grade", "pig", "mcts:300", "random", "--count", "60")
    strong, weak = as_json(*arguments)["players"]
    assert strong["value_kept"] > weak["value_kept"] and 0 < strong["loss"] < weak["loss"]
    status, output, _ = command(*arguments)
    assert status == 0 and f"{strong['loss']:.4f}" in output
    assert "interval of loss" in output and "drawn" not in output


def test_seconds_may_be_of_the_processor(as_json):
    """A search that has 0.05 s of it takes them, however busy the machine is."""
    found = as_json("grade", "connect_four", "athenan", "--count", "3", "--seconds", "0.05", "--time", "processor")
    assert found["time"] == "processor" and found["players"][0]["processor_seconds_per_action"] >= 0.05


def test_positions_are_made_continued_and_used(command, as_json, tmp_path, positions):
    path = tmp_path / "some.jsonl"
    recipe = "--plies 1 6 --rollouts 100 --evaluations 10000"
    make_some = ("positions", "tictactoe", str(path), *recipe.split(), "--count")
    assert command(*make_some, "5")[0] == 0
    assert list(read_positions(path).positions) == positions[:5]
    assert command(*make_some, "20", "--workers", "2")[0] == 0
    made = read_positions(path)
    assert made.recipe == RECIPE
    assert len(made.positions) == 20 and list(made.positions[:5]) == positions[:5]
    assert all(one == solve(Question(RECIPE, one.number)) for one in made.positions[5::5])
    assert as_json("grade", "tictactoe", "mcts:20000", "--positions", str(path))["players"][0]["value_kept"] == 1
    before = path.read_bytes()
    assert command(*make_some, "21", "--minutes", "0.0001")[0] == 0
    assert path.read_bytes().startswith(before)


def test_the_positions_of_a_file_are_made_with_the_same_options(command, tmp_path):
    path = tmp_path / "some.jsonl"
    make_some = ("positions", "tictactoe", str(path), "--count", "2", "--plies", "1", "6")
    assert command(*make_some, "--rollouts", "100")[0] == 0
    before = path.read_bytes()
    status, output, errors = command(*make_some[:-1], "5", "--rollouts", "200", "--seed", "1")
    assert (status, output, path.read_bytes()) == (2, "", before)
    assert errors == (
        f"athenan: error: {path} was made with other options, plies 1 to 6 instead of 1 to 5, rollouts 100 instead of "
        "200, seed 0 instead of 1: name a new file\n"
    )


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (PositionsError("none was found"), 2)])
def test_a_search_that_finds_no_position_leaves_files_as_they_were(command, tmp_path, monkeypatch, error, status):
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    options = ("--rollouts", "100", "--count")
    assert command("positions", "tictactoe", str(old), *options, "1")[1] == f"{old}: 1 solved position of tictactoe\n"
    before = old.read_bytes()

    def fail(question):
        raise error

    monkeypatch.setattr("athenan.cli.positions.solve", fail)
    for path in (new, old):
        assert command("positions", "tictactoe", str(path), *options, "2")[:2] == (status, "")
    assert (new.exists(), old.read_bytes()) == (False, before)


def test_no_position_in_the_given_time_is_an_error_without_a_file(command, tmp_path, monkeypatch):
    path = tmp_path / "some.jsonl"
    monkeypatch.setattr("athenan.cli.positions.monotonic", lambda: monotonic() - 60)  # it began a minute ago
    status, output, errors = command("positions", "tictactoe", str(path), "--minutes", "0.001")
    assert (status, output, path.exists()) == (2, "", False)
    assert errors == "athenan: error: no solved position of tictactoe was found in the time: give more --minutes\n"


def test_a_hard_position_ends_with_the_time():
    """Its proof would last for days."""
    hard = Recipe("breakthrough:8x8", (4, 4), rollouts=1, solver="alphabeta", evaluations=10**12)
    with pytest.raises(OutOfTime):
        solve(Question(hard, 0, until=monotonic() + 0.1))


def test_positions_of_a_short_pig_are_made_by_its_equations(command, tmp_path):
    path = tmp_path / "some.jsonl"
    assert command("positions", "pig:20", str(path), "--count", "3")[1] == f"{path}: 3 solved positions of pig:20\n"
    made = read_positions(path)
    assert made.recipe.solver == "equations"
    assert list(made.positions) == [solve(Question(made.recipe, one.number)) for one in made.positions]


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_slow_search_for_positions_says_how_far_it_is(command, tmp_path, monkeypatch, workers):
    """Also if it has found none, or waits for its workers."""
    monkeypatch.setattr("athenan.cli.progress.SECONDS_BETWEEN_LINES", 0.05)
    options = ("--rollouts", "100", "--count", "1", "--workers", workers)
    errors = command("positions", "othello:4", str(tmp_path / "some.jsonl"), *options)[2].splitlines()
    assert errors[0] == "after 0 minutes: 0 of 1 solved position of othello:4"
    assert all(re.fullmatch(r"after \d+ minutes?: [01] of 1 solved position of othello:4", line) for line in errors)


def test_positions_on_a_full_disk_can_be_continued(command, tmp_path):
    path = tmp_path / "some.jsonl"
    options = "positions", "tictactoe", str(path), "--rollouts", "100"
    assert command(*options, "--count", "2")[0] == 0
    before = path.read_bytes()
    with room_for(len(before) + 20):
        status, _, errors = command(*options, "--count", "3")
    assert (status, errors) == (2, f"athenan: error: {path}: File too large\n")
    assert path.read_bytes() == before
    assert command(*options, "--count", "3")[1] == f"{path}: 3 solved positions of tictactoe\n"


def test_the_networks_that_a_run_has_kept(as_json, tmp_path, command, monkeypatch):
    count_time(monkeypatch, 0.01)
    path = tmp_path / "some.jsonl"
    assert command("positions", "tictactoe", str(path), "--rollouts", "100", "--count", "5")[0] == 0
    run = train(small("tictactoe", minutes=0.01, keep=0.004), tmp_path / "run", quiet())
    found = as_json(
        "grade", "tictactoe", f"{run},search=ubfm", "--along", "--positions", str(path), "--evaluations", "20"
    )
    names = [one["player"] for one in found["players"]]
    assert names[-1].startswith(f"{run},") and len(names) >= 3
    assert all(name.startswith(f"{run}@") and name.endswith(",search=ubfm") for name in names[:-1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grade", "hex:5", "random"], "the package has no solved positions of hex:5, only of "),
        (["grade", "connect_four"], "which players? For example: athenan grade connect_four mcts:1000 runs/x"),
        (["grade", "connect_four", "nobody"], "there is no player 'nobody'"),
        (["grade", "connect_four", "random", "--positions", "none.jsonl"], "none.jsonl: No such file"),
        (["grade", "connect_four", "random", "--positions", "/dev/zero"], "/dev/zero has more than 256 MiB"),
        (["positions", "connect_four", "/dev/zero"], "/dev/zero is not a regular file"),
        (["grade", "tictactoe", "random", "--positions", str(packaged("connect_four:7x6"))], "not of tictactoe"),
        (["positions", "morpion", "x.jsonl"], "morpion:5D has no solved positions: only two-player games have a game"),
        (
            ["positions", "pig:9,length=10", "x.jsonl", "--solver", "equations"],
            "such as pig:100, not pig:9,length=10: choose a",
        ),
        (
            ["positions", "pig:50,sides=10", "x.jsonl", "--solver", "equations"],
            "equations solve pig with dice of up to 6 sides",
        ),
        (["positions", "othello", "x.jsonl", "--solver", "bitbully"], "bitbully solves Connect Four of 7x6 cells"),
        (["positions", "othello", "x.jsonl", "--solver", "proofs"], "search 'proofs' does not exist: choose one of"),
        (["positions", "othello", "x.jsonl", "--solver", "puct"], "search puct asks for policies"),
        (["positions", "connect_four", "no/x.jsonl"], "no/x.jsonl: No such file"),
        (["positions", "connect_four", "x.jsonl", "--plies", "9", "8"], "the least ply must not be above the greatest"),
        (
            ["positions", "connect_four", str(packaged("connect_four:7x6")), "--seed", "3"],
            "was made with other options",
        ),
    ],
)
def test_bad_input_gets_one_sentence(command, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, errors = command(*arguments)
    assert (status, output) == (2, "")
    assert message in errors and errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_solver_that_is_not_installed(command, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    path = tmp_path / "x.jsonl"
    status, _, errors = command("positions", "connect_four", str(path), "--seed", "7")
    assert (status, path.exists()) == (2, False)
    assert errors == "athenan: error: the solver bitbully is not installed: pip install bitbully\n"
