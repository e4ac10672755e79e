"""`athenan games` and `athenan perft`: what they know of the rules."""

import json
import re

import pytest

import athenan
from athenan import make, perft


def test_games(command, as_json):
    status, output, _ = command("games")
    assert status == 0
    listed = as_json("games")
    assert [game["name"] for game in listed] == sorted(athenan.GAMES)
    for game in listed:
        assert game["name"] in output
        options = ",".join(f"{key}={value}" for key, value in game["options"].items())
        assert make(f"{game['name']}:{options}").name == game["default"] == make(game["name"]).name


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
