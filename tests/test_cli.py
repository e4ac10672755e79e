"""The command: what it prints, and that bad input gets one line that says what is right."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from training import quiet, small

import athenan
from athenan import make, perft
from athenan.cli import COMMANDS, main
from athenan.evaluation.networks import Network
from athenan.learning.config import TrainingConfig
from athenan.learning.trainer import train
from athenan.runs.checkpoint import CHECKPOINT, load
from athenan.search.search import search_names

TINY = [
    "--network", "c:filters=8,dense=16", "--action.evaluations", "50", "--memory", "16",
    "--strength.seconds", "0",
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The directory of a little training."""
    return str(train(small("tictactoe", matches=3), tmp_path_factory.mktemp("runs") / "little", quiet()))


@pytest.fixture
def command(capsys):
    """Runs the command; returns the exit status, standard output and standard error."""

    def call(*arguments):
        status = main(list(arguments))
        output, errors = capsys.readouterr()
        return status, output, without_compiling(errors)

    return call


def without_compiling(errors):
    """Standard error without the line that a command prints when it is the first that compiles."""
    return "".join(line for line in errors.splitlines(True) if not line.startswith("athenan: compiling "))


@pytest.fixture
def as_json(command):
    """Runs the command with --json; returns what it prints."""

    def call(*arguments):
        status, output, errors = command(*arguments, "--json")
        assert (status, errors) == (0, "")
        return json.loads(output)

    return call


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
    assert as_json("perft", "othello:8", "--depth", "6")["counts"] == [4, 12, 56, 244, 1396, 8200]
    game = make("hex:5")
    assert as_json("perft", "hex:5", "-d", "3", "--moves", "c3 swap")["counts"] == perft(game, 3, game.after("c3 swap"))
    status, output, _ = command("perft", "tictactoe", "--depth", "2")
    assert (status, output.split()[:4]) == (0, ["1", "9", "2", "72"])


def test_match(command, as_json, run):
    found = as_json("match", "tictactoe", "mcts:300", "random", "--games", "10")
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 10
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 10 > 0.5
    assert found["interval"][0] < found["score"] <= found["interval"][1]
    arguments = ("match", "tictactoe", run, "random", "--games", "4", "--evaluations", "60")
    alone, together = as_json(*arguments), as_json(*arguments, "--workers", "2")
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


def test_playing_waited_for_cores_that_others_had_taken(command, run, tmp_path, monkeypatch):
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
        ("bench", "tictactoe", "--seconds", "0.01"),
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
    assert as_json("analyze", "tictactoe", "--algorithm", "descent")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--algorithm", "alphabeta")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--algorithm", "alphabeta", "--depth", "2")["iterations"] == 2
    won = as_json("analyze", "tictactoe", "--algorithm", "uct", "--exploration", "1.4", "--moves", "a1 b1 a2 b2")
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
    for game, fen, said in (("tictactoe", "x", "has no FEN"), ("draughts", "x", "is no FEN of draughts")):
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
        (["tictactoe", "--second", "random"], "?\nb2\nhelp\nnonsense\nundo\nresign\n", "The first player resigns"),
        (["tictactoe", "--second", "random"], "b2\n", "You left: the match has no result"),
        (["tictactoe", "--first", "random"], "quit\n", "random (first player, x) plays"),
        (["tictactoe", "--first", "random", "--second", "mcts:50"], "", "player wins after"),
        (["tictactoe", "--moves", "a1 b1 a2 b2", "--seed", "1"], "a3\n", "The first player wins after 5 actions"),
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
    assert "(second player, o) plays" in output
    assert "value for the first player" in output


def test_expert_iteration_was_refused(command, tmp_path, monkeypatch):
    """As if neither minutes nor matches were given."""
    monkeypatch.chdir(tmp_path)
    few = ["--matches", "2", "--phase-matches", "1", "--parallel-matches", "1", "--exit.rollouts", "10"]
    assert command("train", "tictactoe", "--algorithm", "exit", *few, "--strength.seconds", "0")[0] == 0
    status, _, errors = command("train", "tictactoe", "--algorithm", "exit")
    assert (status, "need minutes or matches" in errors) == (2, True)


def test_train_and_resume(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, _ = command("train", "hex:3", "--matches", "2", *TINY)
    assert status == 0
    assert "athenan play runs/hex-3" in output
    assert command("train", "hex:3", "--matches", "1", *TINY)[0] == 0
    assert (tmp_path / "runs" / "hex-3-2" / CHECKPOINT).exists()
    assert command("train", "--resume", "runs/hex-3", "--matches", "3")[0] == 0
    status, _, errors = command("train", "--resume", "runs/hex-3", "--seed", "3")
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


BAD = {
    "runs nowhere": "there is no folder nowhere: name the one that holds the runs",
    "info": "which run? For example: athenan info runs/hex-7",
    "info runs/none": "there is no file runs/none: give a run directory, or its checkpoint.safetensors",
    "nonsense": "there is no command 'nonsense'; commands are games, train",
    "perft nogame": "there is no game 'nogame'; the games are ",
    "perft hex:99": "size must be from 2 to 19, not 99",
    "perft hex:x": "size must be a whole number from 2 to 19, not x",
    "perft hex:5,swap=maybe": "swap must be true or false, not 'maybe'",
    "perft hex:5,colour=red": "hex: there is no option 'colour'; its options are size, swap",
    "perft othello:5": "even",
    "perft hex:5 --depth 0": "--depth must be from 1 to 1,000, not 0",
    "perft hex:5 --depth deep": "--depth must be a whole number, not 'deep'",
    "perft hex:5 --dpeth 3": "Unrecognized options: --dpeth",
    "perft": "GAME",
    "perft hex:5 --moves z9": "move 1: 'z9' is not a legal action of hex:5 here; legal are a1, b1",
    "perft tictactoe --moves a1,a1": "move 1: 'a1,a1' is not a legal action",
    "analyze nogame": "there is no game and no run directory or checkpoint 'nogame'",
    "analyze runs/none": "there is no game and no run directory or checkpoint 'runs/none'",
    "analyze hex:3 --seconds 0": "--seconds must be a number from 1e-05 to 1,000,000,000, not 0",
    "analyze hex:3 --seconds nan": "--seconds must be a number from 1e-05 to 1,000,000,000, not nan",
    "analyze hex:3 --seconds x": "--seconds must be a number, not 'x'",
    "analyze hex:3 --iterations -5": "--iterations must be a whole number from 1 to ",
    "analyze hex:3 --algorithm minimax": "--algorithm must be descent or ubfm or korf_chickering or uct",
    "bench hex:3 --algorithm minimax": "--algorithm must be descent or ubfm or korf_chickering or uct",
    "train hex:3 --search.algorithm minimax": "--search.algorithm must be descent or ubfm or ",
    "train hex:3 --search.algorithm alphabeta --search.exact": "--search.exact must be false for alphabeta",
    "train hex:3 --search.depth 3": "--search.depth must be none for descent: it is a setting of alphabeta",
    "analyze hex:3 --algorithm puct": "puct needs a network with policies, and there is no network",
    "analyze hex:3 --exploration 1": "--exploration must be none for ubfm: it is a setting of uct and puct",
    "analyze hex:3 --algorithm alphabeta --exact": "--exact must be false for alphabeta, whose settings",
    "analyze hex:3 --algorithm alphabeta --heuristic score": "--heuristic is not for --algorithm alphabeta, which ends",
    "analyze hex:3 --algorithm alphabeta --exploration 1": "--exploration must be none for alphabeta, whose settings",
    "analyze hex:3 --depth 2": "--depth must be none for ubfm: it is a setting of alphabeta",
    "analyze hex:3 --algorithm uct --exploration -1": "--exploration must be a number from 0 to 1,000, not -1",
    "analyze hex:3 --memory 0": "--memory must be from 1 to 16,777,216, not 0",
    "analyze hex:3 --seed -1": "--seed must be from 0 to ",
    "match hex:3 random nobody": "there is no player 'nobody'; players are random, mcts:",
    "match hex:3 random mcts:many": "'mcts:many': rollouts must be a whole number from 1 to ",
    "match hex:3 random:3 random": "'random:3': there is no option '3'; it has no options",
    "match hex:3 random human": "a person plays with `athenan play`",
    "match hex:3 random random --games 3": "--games must be even",
    "match hex:3 random random --sprt 5 1": "--sprt: elo0 must be below elo1, not 5 and 1",
    "match hex:3 random random --sprt 5 a": "--sprt must be numbers, not '5', 'a'",
    "match hex:3 random random --openings no/file": "no/file: No such file",
    "match hex:3 random random --resign -1": "--resign must be",
    "match hex:3 random random --records no/file": "no/file: No such file",
    "match morpion:4D,size=9 random --sprt 0 5": "--sprt compares two players",
    "match hex:3 random random --random-opening -1": "--random-opening must be from 0 to ",
    "match hex:3 random random --workers 0": "--workers must be from 1 to 1,024, not 0",
    "match hex:3 random random --evaluations 0": "--evaluations must be a whole number from 1 to ",
    "match hex:3 random random --threads 0": "--threads must be from 1 to 1,024, not 0",
    "analyze hex:3 --threads 0": "--threads must be from 1 to 1,024, not 0",
    "play hex:3 --threads -1": "--threads must be from 1 to 1,024, not -1",
    "play tictactoe --moves a1,b1": "not a legal action",
    "play tictactoe --first nobody": "there is no player 'nobody'",
    "train": "which game?",
    "train nogame": "there is no game 'nogame'",
    "train hex:3 --minutes 0": "--minutes must be a number from 1e-06 to 10,000,000, not 0",
    "train hex:3 --minutes -1": "--minutes must be",
    "train hex:3 --minutes nan": "--minutes must be",
    "train hex:3 --seconds 5": "Unrecognized options: --seconds",
    "train hex:3 --network d": "'d'",
    "train hex:3 --heuristic score": "hex:3 has no score",
    "train hex:3 --parallel-matches 0": "--parallel-matches must be",
    "train hex:3 --exploitation warm": "--exploitation must be uniform, annealed or a number from 0 to 1, not 'warm'",
    "train hex:3 --exploitation 2": "--exploitation must be uniform, annealed or a number from 0 to 1, not 2.0",
    "train hex:3 --exploitation annealed": "--exploitation can be annealed only if minutes or matches say",
    "train hex:3 --target leaves": "'leaves'",
    "train hex:3 --strength.games 3": "--strength.games must be even, two for each opening, not 3",
    "train hex:3 --strength.opponent nobody": "there is no player 'nobody'",
    "train hex:3 --replay.batch-size 0": "--replay.batch-size must be ",
    "train hex:3 --action.seconds 0": "--action.seconds must be a number from 1e-06 to 1,000,000, not 0",
    "train --resume runs/none": "runs/none",
    "bench hex:3 --seconds 0": "--seconds must be from 1e-05 to ",
    "bench hex:3 --threads 0": "--threads must be from 1 to 1,024, not 0",
    "bench hex:3 --network d": "'d'",
    "bench nogame": "there is no game 'nogame'",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_gets_one_line(command, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, errors = command(*line.split())
    assert (status, output) == (2, "")
    assert errors.startswith("athenan: error: ")
    assert errors.count("\n") == 1
    assert BAD[line] in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments", [["analyze"], ["info"], ["match", "tictactoe", "random"], ["play"], ["train", "--resume"]]
)
@pytest.mark.parametrize("damage", ["truncated", "tampered", "missing", "emptied"])
def test_damaged_runs_get_one_line(command, arguments, damage, run, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    data = bytearray(Path(run, CHECKPOINT).read_bytes())
    if damage == "truncated":
        data = data[: len(data) // 2]
    elif damage == "tampered":
        data[-3] ^= 1
    elif damage == "emptied":
        data.clear()
    if damage != "missing":
        (directory / CHECKPOINT).write_bytes(data)
    status, output, errors = command(*arguments, str(directory))
    assert (status, output) == (2, "")
    assert errors.startswith("athenan: error: ")
    assert errors.count("\n") == 1
    assert str(directory) in errors
    if damage != "missing":
        assert (directory / CHECKPOINT).read_bytes() == data


def test_a_run_of_another_game_is_refused(command, run):
    status, _, errors = command("match", "hex:3", run, "random")
    assert (status, "tictactoe" in errors, "hex:3" in errors) == (2, True, True)
    assert command("analyze", run, "--heuristic", "score")[0] == 2


def test_games_tells_the_heuristics(command):
    assert "Heuristics: classic, additive_depth, multiplicative_depth, cumulative_mobility, presence, arimaa" in (
        shown := command("games", "arimaa")[1]
    )
    assert "(default arimaa)" in shown
    found = json.loads(command("games", "hex:3", "--json")[1])
    assert found["default_heuristic"] == "additive_depth"
    assert found["heuristics"] == ["classic", "additive_depth", "multiplicative_depth", "cumulative_mobility"]


@pytest.mark.parametrize("name", ["score", "presence"])
def test_an_error_named_heuristics_that_the_game_lacks(command, name):
    errors = command("analyze", "hex:3", "--heuristic", name)[2]
    assert errors.partition("; ")[2] == (
        "the heuristics of hex:3 are classic, additive_depth, multiplicative_depth, cumulative_mobility\n"
    )
    errors = command("analyze", "clobber:4", "--heuristic", "score")[2]
    assert errors.partition("; ")[2].endswith(" multiplicative_depth, cumulative_mobility, presence\n")


def test_a_person_was_taken_as_the_opponent_of_measurements(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, errors = command("train", "hex:3", "--matches", "1", "--strength.opponent", "human")
    assert (status, "a person plays with `athenan play` only; players are random, mcts:" in errors) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("match hex:3 random random --games 0", "--games must be a whole number from 1 to 1,000,000,000, not 0"),
        ("match hex:3 random random --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("play hex:3 --second random --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("train hex:3 --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("analyze hex:3 --memory 99999999999", "--memory must be from 1 to 16,777,216, not 99999999999"),
        ("train hex:3 --memory 99999999999", "--memory must be from 1 to 16,777,216, not 99999999999"),
        ("analyze hex:3 --memory 16777216", "there is no room for search trees of 16,777,216 MiB: give less memory"),
    ],
)
def test_numbers_out_of_bounds_got_errors_of_python_that_named_no_option(command, line, message):
    assert command(*line.split())[::2] == (2, f"athenan: error: {message}\n")


def test_a_nul_in_a_path_got_an_error_of_python(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in ("play runs/\0", "train hex:3 --run \0", "train --resume a\0b", "match hex:3 a\0 random", "perft \0"):
        status, output, errors = command(*line.split(" "))
        assert (status, output) == (2, "")
        assert "there is a NUL character in it" in errors
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_a_folder_got_an_error_of_the_system(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").write_text("mine")
    for line, message in (
        ("train hex:3", "runs/hex-3 cannot be a run directory: runs is a file, not a folder"),
        ("train hex:3 --run runs", "runs cannot be a run directory: runs is a file, not a folder"),
        ("train --resume runs", "--resume needs the directory of a run, and runs is none"),
    ):
        assert command(*line.split()) == (2, "", f"athenan: error: {message}\n")
    assert Path("runs").read_text() == "mine"


def test_games_were_known_in_small_letters_only(command, as_json):
    assert as_json("perft", "HEX:3,Swap=FALSE", "-d", "1")["game"] == "hex:3,swap=false"
    assert as_json("analyze", "TicTacToe", "--iterations", "3")["game"] == "tictactoe"
    assert make("Draughts:BRAZILIAN").name == "draughts:brazilian"


PREFIXED = ("action", "search", "replay", "losses", "exit", "strength")


def test_the_help_of_train_filled_seven_screens(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for line in ("train --help", "train othello:6 --minutes 5 --help"):
        output = command(*line.split())[1]
        assert sum(max(1, -(-len(line) // 80)) for line in output.splitlines()) <= 2 * 24
    everything = command("train", "hex:3", "--help-all")[1]
    config = TrainingConfig()
    for component in fields(config):
        prefix = f"{component.name}." if component.name in PREFIXED else ""
        for setting in fields(getattr(config, component.name)):
            option = f"--{prefix}{setting.name.replace('_', '-')}"
            shown = {"--initial": "--from"}.get(option, option)
            assert option == "--game" or re.search(rf"{shown}\b", everything), option


def test_limits_of_an_action_read_as_if_they_were_the_limits_of_the_run(command, tmp_path):
    options = [option.replace("--action.evaluations", "--action.iterations") for option in TINY]
    assert command("train", "hex:3", "--matches", "1", "--run", str(tmp_path / "run"), *options)[0] == 0
    configuration = load(tmp_path / "run").document["configuration"]
    assert configuration["action"] == {"seconds": None, "iterations": 50, "evaluations": None}
    for option in ("--seconds", "--iterations", "--evaluations"):
        assert "Unrecognized options" in command("train", "hex:3", option, "5")[2]


def test_an_interruption_is_status_130(command, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("athenan.cli.perft.perft", interrupted)
    assert command("perft", "hex:3") == (130, "", "athenan: interrupted\n")


def test_a_reader_that_leaves_is_no_error():
    code = "import sys; from athenan.cli import main; sys.exit(main(['games']))"
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-c", code], check=False, stdout=closed, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "")


def closed(arguments, streams):
    """Runs the command in a process of its own whose streams of these numbers are closed."""
    code = f"""
import os, sys
for stream in {streams!r}:
    os.close(stream)
os.execv(sys.executable, [sys.executable, "-m", "athenan", *{arguments!r}])
"""
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "line", ["games", "games --json", "perft hex:3 -d 2", "analyze hex:2", "match hex:2 random mcts:9 -g 2", "--help"]
)
def test_a_closed_standard_output_ended_in_a_traceback(line):
    done = closed(line.split(), (1,))
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")


def test_other_closed_streams_ended_in_a_traceback():
    assert closed(["nonsense"], (1, 2)).returncode == 2
    done = closed(["play", "hex:2", "--second", "random"], (0,))
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")
    assert "You left" in done.stdout


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("train --help", "Seconds (tau)."),
        ("bench tictactoe --seconds 0.01", " us"),
        ("perft hex:τ", "size must be a whole number from 2 to 19, not 'tau'"),
        ("perft hex:3 --depth deep", "error: --depth must be a whole number, not 'deep'; see athenan perft --help"),
        ("perft", "error: Missing from athenan perft: GAME The game"),
    ],
)
def test_errors_and_help_were_unreadable_in_ascii(line, shown):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "150"}
    command = [sys.executable, "-m", "athenan", *line.split()]
    done = subprocess.run(command, check=False, capture_output=True, env=environment)
    text = (done.stdout + done.stderr).decode("ascii")
    assert done.returncode == 2 * ("error" in shown or "hex:τ" in line)
    assert shown in text
    assert "\\u" not in text and "\\x" not in text


def test_ctrl_c_did_not_end_perft():
    in_a_new_process("from athenan.cli import main; main(['perft', 'hex:11', '-d', '2'])")  # compiles
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where tests run unseen
    code += "from athenan.cli import main; raise SystemExit(main(['perft', 'hex:11', '--depth', '8']))"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(4)  # a signal that comes while libraries are loaded may get lost
            process.send_signal(signal.SIGINT)
        process.kill()
        assert process.stderr.read() == "athenan: interrupted\n"
    assert process.returncode == 130


def in_a_new_process(code):
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")
    return done.stdout


@pytest.mark.parametrize("line", ["games", "perft hex:3", "analyze hex:2", "match hex:3 random mcts:9 --games 2"])
def test_starts_without_torch(line):
    in_a_new_process(
        f"import sys; from athenan.cli import main; status = main({line.split()!r})\n"
        "assert status == 0 and 'torch' not in sys.modules and 'tensorboard' not in sys.modules"
    )


def test_is_a_module_too():
    command = [sys.executable, "-m", "athenan", "perft", "nogame"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_second_start_compiles_nothing():
    code = """
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    import pkgutil, importlib, athenan
    for module in pkgutil.walk_packages(athenan.__path__, "athenan."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in athenan.GAMES:
        game = athenan.make(name)
        athenan.analyze(game, budget=athenan.Budget(iterations=3))
        athenan.perft(game, 2)
        players = [athenan.make_player(name, game) for name in ("mcts:2", "random")]
        athenan.play_series(game, players[: game.players], games=2)
print(len(compiled.buffer))
"""
    in_a_new_process(code)
    assert in_a_new_process(code) == "0\n"


def test_train_refines_action_values(command, tmp_path):
    """`--evaluate` comes before the other options that need it, however it is written."""
    for evaluate in (["--evaluate", "action_values"], ["--evaluate=action_values"]):
        run = tmp_path / str(len(evaluate))
        command("train", "tictactoe", "--matches", "1", "--run", str(run), *evaluate, "--search.refining", "2")
        assert load(run).document["configuration"]["search"]["refining"] == 2


@pytest.mark.parametrize("algorithm", search_names())
def test_bench(algorithm, command, as_json):
    found = as_json("bench", "tictactoe", "connect_four:4x4", "--seconds", "0.01", "--algorithm", algorithm)
    assert found["machine"]["cores"] >= 1
    for speed in found["games"]:
        assert speed["random_steps"] > 0
        assert speed["perft_nodes"] > 0
        assert speed["mcts_rollouts"] > 0
        for kind in ("search", "network"):
            assert speed[kind]["expansions"] > 0
            assert 0 <= speed[kind]["evaluator_share"] <= 1
    assert "network in" in command("bench", "tictactoe", "--seconds", "0.01")[1]
