"""The command: what it does and prints."""

import errno
import io
import json
import os
import re
import sys
from dataclasses import fields

import pytest
import torch
from training import quiet, small

import athenan
from athenan import make, perft
from athenan.cli import COMMANDS
from athenan.evaluation.networks import Network
from athenan.learning.config import TrainingConfig
from athenan.learning.training import train
from athenan.runs.checkpoint import CHECKPOINT, load
from athenan.search.named import SEARCHES

TINY = [
    "--network", "c:filters=8,dense=16", "--action.evaluations", "50", "--memory", "16",
    "--strength.seconds", "0",
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The directory of a little training."""
    return str(train(small("tictactoe", matches=3), tmp_path_factory.mktemp("runs") / "little", quiet()))


def test_games(command, as_json):
    status, output, _ = command("games")
    assert status == 0
    listed = as_json("games")
    assert [game["name"] for game in listed] == sorted(athenan.GAMES)
    for game in listed:
        assert game["name"] in output
        options = ",".join(f"{key}={value}" for key, value in game["options"].items())
        assert make(f"{game['name']}:{options}").name == game["default"] == make(game["name"]).name


def test_perft(command, as_json):
    assert as_json("perft", "tictactoe", "--depth", "1000")["counts"][8:] == [127_872, *[0] * 991]
    assert as_json("perft", "othello:8", "--depth", "6")["counts"] == [4, 12, 56, 244, 1396, 8200]
    game = make("hex:5")
    assert as_json("perft", "hex:5", "-d", "3", "--moves", "c3 swap")["counts"] == perft(game, 3, game.after("c3 swap"))
    status, output, _ = command("perft", "tictactoe", "--depth", "2")
    assert (status, output.split()[:4]) == (0, ["1", "9", "2", "72"])


def test_perft_reports_how_far_it_has_come():
    reports = []
    counts = perft(make("othello:8"), 8, report=lambda begun, so_far: reports.append((begun, so_far)))
    assert counts[-1] == 390216 and len(reports) > 1
    assert reports == sorted(reports) and reports[-1] == (4, counts)


def test_one_of_a_kind_is_singular(command):
    assert ", 1 iteration, " in command("analyze", "tictactoe", "--network", "none", "--iterations", "1")[1]
    analysed = command("analyze", "tictactoe", "--network", "none", "--iterations", "1", "--rows", "8")[1]
    assert "and 1 more action (--rows 0 shows all)" in analysed
    graded = command("grade", "connect_four", "random", "--iterations", "1", "--count", "1")
    assert "connect_four:7x6, 1 iteration an action" in graded[1] and "1 of 1 position, " in graded[2]


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("analyze othello:8 --threads 2 --iterations 10", True),
        ("analyze othello:8 --threads 2 --seconds 0.01", False),
        ("analyze othello:8 --iterations 10", False),
        ("match othello:6 evaluation:squares random --threads 2 -g 2 --iterations 1", False),  # one thread in any case
        ("match othello:8 athenan,evaluations=1 random --threads 2 -g 2", True),
        ("match othello:8 athenan,evaluations=1 athenan --threads 2 -g 2 --seconds 0.001", False),
        ("tournament othello:8 athenan,evaluations=1 random --threads 2 -g 2", True),
        ("grade connect_four athenan,evaluations=1 --threads 2 --count 1", True),
    ],
)
def test_threads_that_would_be_idle_are_told(command, line, idle):
    status, _, errors = command(*line.split())
    said = "athenan: --threads 2 has no effect: several threads search only within a limit in seconds\n"
    assert (status, said in errors, "no effect" in errors) == (0, idle, idle)


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("analyze pig --threads 2 --iterations 10", True),
        ("analyze pig --threads 2 --seconds 0.01", True),
        ("analyze pig --iterations 10", False),
        ("match pig athenan,evaluations=1 mcts:1 --threads 2 -g 2", True),
        ("match pig mcts:1 random --threads 2 -g 2", False),
    ],
)
def test_threads_that_are_idle_because_of_chance_are_told(command, line, idle):
    status, _, errors = command(*line.split())
    said = "--threads 2 has no effect: at games of chance only alpha-beta searches with several threads\n"
    assert (status, errors) == (0, f"athenan: {said}" if idle else "")


def test_match(command, as_json, run, tmp_path):
    found = as_json("match", "tictactoe", "mcts:300", "random", "--games", "10")
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 10
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 10 > 0.5
    assert found["interval"][0] < found["score"] <= found["interval"][1]
    arguments = ("match", "tictactoe", run, "random", "--games", "4", "--evaluations", "60")
    assert as_json(*arguments)["games"] == 4
    patterns = str(train(small("tictactoe", matches=1, network="patterns"), tmp_path / "run", quiet()))
    arguments = ("match", "tictactoe", patterns, "random", "--games", "4", "--evaluations", "60")
    alone, together = as_json(*arguments), as_json(*arguments, "--workers", "2")  # workers that need no PyTorch
    assert all(alone[name] == together[name] for name in ("wins", "draws", "losses", "length"))
    status, output, errors = command("match", "tictactoe", "random", "random", "--games", "2")
    assert (status, errors) == (0, "")
    assert "95% interval" in output


def test_a_match_ends_when_it_is_clear_who_is_stronger(command, as_json):
    line = ("match", "tictactoe", "mcts:300", "random", "--sprt", "0", "200", "--openings", "every")
    found = as_json(*line, "--games", "400")
    assert found["sprt"]["accepted"] == "elo1"
    assert found["sprt"]["log_likelihood_ratio"] > found["sprt"]["bounds"][1] == pytest.approx(2.944, abs=1e-3)
    assert found["games"] < 200
    assert found["openings"] == min(9, found["games"] // 2)
    assert "SPRT accepted: Elo difference 200 rather than 0" in command(*line, "--games", "400")[1]
    assert "SPRT undecided between 0 and 200" in command(*line, "--games", "2")[1]


def test_a_match_continues_from_its_records(as_json, tmp_path):
    openings, file = tmp_path / "openings", str(tmp_path / "records")
    openings.write_text("a1\nb2 # the middle\n")
    line = ("match", "tictactoe", "mcts:5", "random", "--openings", str(openings), "--records", file)
    assert as_json(*line)["games"] == 4
    found = as_json(*line, "--games", "10", "--workers", "2")
    assert (found["games"], found["openings"]) == (10, 2)
    assert as_json(*line, "--games", "10") == found
    lines = [json.loads(one) for one in (tmp_path / "records").read_text().splitlines()]
    assert sorted((one["pair"], one["part"]) for one in lines) == [(pair, part) for pair in range(5) for part in (0, 1)]
    assert all(one["moves"].startswith(("a1", "b2")[one["pair"] % 2]) for one in lines)


@pytest.mark.slow
def test_every_command_evaluates_with_one_thread_unless_told_otherwise(command, run, tmp_path, monkeypatch):
    """Every command evaluates with one thread, whatever PyTorch would take, unless --threads says more."""
    answers, used = Network.answers, set()

    def recording(self, planes, names):
        used.add(torch.get_num_threads())
        return answers(self, planes, names)

    monkeypatch.setattr(Network, "answers", recording)
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ("match", "tictactoe", run, "random", "--games", "2", "--iterations", "2"),
        ("match", "tictactoe", run, "random", "--games", "4", "--iterations", "2", "--workers", "2"),
        ("play", run, "--first", "random", "--second", run, "--iterations", "2"),
        ("analyze", run, "--iterations", "2"),
        ("bench", "tictactoe", "--seconds", "0.01", "--network", "c"),
        ("train", "tictactoe", "--matches", "1", *TINY),
    ):
        for threads, given in ((1, ()), (3, ("--threads", "3"))):
            torch.set_num_threads(2)
            used.clear()
            assert command(*arguments, *given)[0] == 0
            assert used == {threads}, arguments
    torch.set_num_threads(1)


def test_analyze_without_a_network(command, as_json):
    found = as_json("analyze", "hex:3,swap=false", "--moves", "b2")
    assert (found["proven"], found["value"], found["best"]) == ("win", 1, found["pv"][0])
    assert [set(one) for one in found["actions"]] == [{"action", "value", "proven", "exact", "visits"}] * 8
    assert as_json("analyze", "tictactoe", "--search", "descent")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--search", "alphabeta")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--search", "alphabeta:depth=2")["iterations"] == 2
    won = as_json("analyze", "tictactoe", "--search", "uct:exploration=1.4", "--moves", "a1 b1 a2 b2")
    assert (won["proven"], won["best"]) == ("win", "a3")
    score = as_json("analyze", "othello:4", "--heuristic", "score")
    assert (score["proven"], score["value"], score["exact"]) == ("loss", -8, True)
    status, output, errors = command("analyze", "othello:4", "--heuristic", "score", "--rows", "2")
    assert (status, errors) == (0, "")
    assert "proven win for the second player; value -8, proven" in output
    assert "and 2 more actions" in output


def test_analyze_without_a_proof(command, as_json):
    found = as_json("analyze", "hex:9", "--iterations", "20")
    assert (found["proven"], found["iterations"], len(found["actions"])) == (None, 20, 81)
    assert "nothing is proven" in command("analyze", "hex:9", "--iterations", "20")[1]
    assert "The tree is full (1 MiB)" in command("analyze", "hex:9", "--memory", "1")[1]


def test_analyze_a_fen(as_json):
    """The first player takes the last piece, after a move that leaves it there."""
    found = as_json("analyze", "draughts", "--fen", "B:W28:B18", "--moves", "18-23", "--seconds", "30")
    assert (found["proven"], found["best"], found["player"]) == ("win", "28x19", "first")


def test_analyze_needs_fen_of_the_game(command):
    for game, fen, said in (("tictactoe", "x", "has no FEN"), ("draughts", "x", "is not a FEN of draughts")):
        status, _, errors = command("analyze", game, "--fen", fen)
        assert status == 2 and said in errors


def test_analyze_a_finished_match(command, as_json):
    moves = ("--moves", "a1 a2 b1 b2 c1")
    found = as_json("analyze", "tictactoe", *moves)
    assert (found["over"], found["proven"], found["best"], found["pv"]) == (True, "win", None, [])
    assert "The match is over: the first player wins" in command("analyze", "tictactoe", *moves)[1]


def test_analyze_a_run(command, as_json, run):
    found = as_json("analyze", run, "--moves", "b2 a1", "--evaluations", "20")
    assert found["game"] == "tictactoe"
    assert len(found["actions"]) == 7
    assert "first player to move" in command("analyze", run, "--iterations", "3")[1]


@pytest.mark.parametrize(
    ("arguments", "typed", "expected"),
    [
        (["tictactoe", "--second", "random"], "?\nb2\nhelp\nnonsense\nundo\nresign\n", "Blue resigns"),
        (["tictactoe", "--second", "random"], "b2\n", "You left: the match has no result"),
        (["tictactoe", "--first", "random"], "quit\n", "random (Blue, x) plays"),
        (["tictactoe", "--first", "random", "--second", "mcts:50"], "", " wins after"),
        (["tictactoe", "--moves", "a1 b1 a2 b2", "--seed", "1"], "a3\n", "Blue wins after 5 actions"),
        (["othello:4", "--first", "random", "--second", "random"], "", "score"),
    ],
)
def test_play(command, monkeypatch, arguments, typed, expected):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    status, output, errors = command("play", *arguments)
    assert (status, errors) == (0, "")
    assert expected in output


def test_play_a_run(command, monkeypatch, run):
    monkeypatch.setattr(sys, "stdin", io.StringIO("b2\n"))
    status, output, _ = command("play", run, "--evaluations", "30", "--show-values")
    assert status == 0
    assert "(Red, o) plays" in output
    assert "value for Blue" in output


def test_expert_iteration_trains_for_given_matches_or_minutes(command, tmp_path, monkeypatch):
    """As if neither minutes nor matches were given."""
    monkeypatch.chdir(tmp_path)
    few = ["--matches", "2", "--phase-matches", "1", "--parallel-matches", "1", "--exit.rollouts", "10"]
    assert command("train", "tictactoe", "--algorithm", "exit", *few, "--strength.seconds", "0")[0] == 0
    status, _, errors = command("train", "tictactoe", "--algorithm", "exit")
    assert (status, "give minutes or matches" in errors) == (2, True)


def test_train_and_resume(command, tmp_path, monkeypatch, files_read):
    monkeypatch.chdir(tmp_path)
    status, output, _ = command("train", "hex:3", "--matches", "2", *TINY)
    assert status == 0
    assert "athenan play runs/hex-3" in output
    assert command("train", "hex:3", "--matches", "1", *TINY)[0] == 0
    assert (tmp_path / "runs" / "hex-3-2" / CHECKPOINT).exists()
    files_read.clear()
    assert command("train", "--resume", "runs/hex-3", "--matches", "3")[0] == 0
    assert [file.name for file in files_read].count(CHECKPOINT) == 1
    for others in (["--seed", "3"], ["--seed=0"], ["--strength.games", "20"]):  # the last two are defaults
        status, _, errors = command("train", "--resume", "runs/hex-3", *others)
        assert (status, "only --minutes, --matches, --salvage" in errors) == (2, True)
    assert command("train", "hex:3", "--resume", "runs/hex-3")[0] == 0
    status, _, errors = command("train", "hex:4", "--resume", "runs/hex-3")
    assert (status, "runs/hex-3 is a run of hex:3, not of hex:4" in errors) == (2, True)
    status, _, errors = command("train", "hex:3", "--run", "runs/hex-3", *TINY)
    assert (status, "holds another run" in errors) == (2, True)


def test_the_help_of_train_shows_the_recipe(command):
    for minutes in (5.0, 1440.0):
        status, output, _ = command("train", "othello:6", "--minutes", str(minutes), "--help")
        recipe = athenan.recommended("othello:6", minutes)
        assert status == 0
        shown = " ".join(output.replace("│", " ").split())
        assert f"(default: {recipe.action.seconds})" in shown
        assert f"(default: {recipe.run.heuristic})" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_help(command, name):
    status, output, errors = command(name, "--help")
    assert (status, errors) == (0, "")
    assert f"usage: athenan {name}" in output
    assert name in command()[1]


def test_version(command):
    assert command("--version") == (0, f"athenan {athenan.__version__}\n", "")


@pytest.mark.parametrize("name", athenan.GAMES)
def test_games_tells_players_the_goal_and_programs_the_encoding_if_asked(command, name):
    told = command("games", name)[1]
    assert told.split("\n\n")[2].startswith("Goal: ")
    assert not re.search(r"\bbytes?\b|\bbits?\b|\bheader\b|\bplanes\b", told, re.IGNORECASE)
    assert "\nPlanes" in command("games", name, "--encoding")[1]
    assert "Planes" in json.loads(command("games", name, "--json")[1])["encoding"]


def test_games_lists_the_heuristics(command):
    assert "Heuristics: classic, additive_depth, multiplicative_depth, cumulative_mobility, presence, arimaa" in (
        shown := command("games", "arimaa")[1]
    )
    assert "(default of Descent: arimaa)" in shown
    found = json.loads(command("games", "hex:3", "--json")[1])
    assert found["default_heuristic"] == "additive_depth"
    assert found["heuristics"] == ["classic", "additive_depth", "multiplicative_depth", "cumulative_mobility"]


def test_names_of_games_are_read_in_any_case(command, as_json):
    assert as_json("perft", "HEX:3,Swap=FALSE", "-d", "1")["game"] == "hex:3,swap=false"
    assert as_json("analyze", "TicTacToe", "--iterations", "3")["game"] == "tictactoe"
    assert make("Draughts:BRAZILIAN").name == "draughts:brazilian"


PREFIXED = ("action", "replay", "losses", "exit", "strength")


def test_the_help_of_train_fits_two_screens_and_help_all_has_every_setting(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for line in ("train --help", "train othello:6 --minutes 5 --help"):
        output = command(*line.split())[1]
        assert sum(max(1, -(-len(line) // 80)) for line in output.splitlines()) <= 2 * 24
    everything = command("train", "hex:3", "--help-all")[1]
    config = TrainingConfig()
    assert re.search(r"--search\b", everything)
    for component in fields(config):
        if component.name == "search":
            continue
        prefix = f"{component.name}." if component.name in PREFIXED else ""
        for setting in fields(getattr(config, component.name)):
            option = f"--{prefix}{setting.name.replace('_', '-')}"
            shown = {"--initial": "--from"}.get(option, option)
            assert option == "--game" or re.search(rf"{shown}\b", everything), option


def test_limits_of_an_action_are_written_with_their_component(command, tmp_path):
    options = [option.replace("--action.evaluations", "--action.iterations") for option in TINY]
    assert command("train", "hex:3", "--matches", "1", "--run", str(tmp_path / "run"), *options)[0] == 0
    configuration = load(tmp_path / "run").document["configuration"]
    assert configuration["action"] == {"seconds": None, "iterations": 50, "evaluations": None}
    for option in ("--seconds", "--iterations", "--evaluations"):
        assert "there is no option" in command("train", "hex:3", option, "5")[2]


def test_a_tournament_is_reported_if_its_page_cannot_be_written(command, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "page.html")

    monkeypatch.setattr("athenan.cli.tournament.write", full)
    line = ("tournament", "tictactoe", "random", "mcts:1", "--games", "2", "--html", str(tmp_path / "page.html"))
    status, output, errors = command(*line)
    assert (status, errors) == (2, "athenan: error: page.html: No space left on device\n")
    assert "Ratings" in output


def test_train_takes_another_search(command, tmp_path):
    options = ("--matches", "1", "--action.evaluations", "1", "--strength.seconds", "0", "--run", str(tmp_path / "run"))
    assert command("train", "tictactoe", "--search", "(descent:action_values,refining=2)", *options)[0] == 0
    text = load(tmp_path / "run").document["configuration"]["search"]
    assert text == "descent:evaluate=action_values,refining=2"


def test_train_refines_where_action_values_are_the_default(command, tmp_path):
    options = ("--matches", "1", "--action.evaluations", "1", "--strength.seconds", "0")
    values = ("--evaluate", "action_values", "--run", str(tmp_path / "run"))
    assert command("train", "gomoku:15", *values, *options)[0] == 0
    text = load(tmp_path / "run").document["configuration"]["search"]
    assert text == "descent:evaluate=action_values,refining=16,refining_random=4"
    status, _, error = command("train", "tictactoe", *options, "--search", "ubfm:refining=2")
    wanted = "--search 'ubfm:refining=2': refining must be 0 unless evaluate is action_values\n"
    assert (status, error) == (2, f"athenan: error: {wanted}")


@pytest.mark.parametrize("search", SEARCHES)
def test_bench(search, command, as_json):
    games = ["tictactoe", "connect_four:4x4"] if search == "descent" else ["connect_four:4x4"]
    found = as_json("bench", *games, "--seconds", "0.01", "--search", search)
    assert found["machine"]["cores"] >= 1 and len(found["games"]) == len(games)
    for speed in found["games"]:
        assert speed["random_steps"] > 0
        assert speed["perft_nodes"] > 0
        assert speed["mcts_rollouts"] > 0
        for kind in ("search", "network"):
            assert speed[kind]["expansions"] > 0
        share = speed["network"]["evaluator_share"]
        assert speed["architecture"].startswith("patterns") and share is None
        assert 0 <= speed["search"]["evaluator_share"] <= 1


def test_bench_measures_the_network_that_trainings_have(command, as_json):
    (speed,) = as_json("bench", "hex:3", "--seconds", "0.01")["games"]
    assert speed["architecture"] == "patterns:entries=512,vector=16"
    printed = command("bench", "hex:3", "--seconds", "0.01")[1]
    assert "inside" in printed and "networks in float32" in printed
    (speed,) = as_json("bench", "hex:3", "--seconds", "0.01", "--network", "c")["games"]
    assert speed["architecture"] == "c" and 0 < speed["network"]["evaluator_share"] <= 1
