"""What a page may choose and how long it may think: nothing beyond the lists and the limits of the server."""

import json

import pytest

from athenan.games import catalogue
from athenan.games.catalogue import make
from athenan.rules.game import GameError
from athenan.web.choices import Choices
from athenan.web.files import read_file

ELSEWHERE = "openspiel:hex(board_size=5)"


@pytest.mark.parametrize(
    "name, text",
    [
        ("x.txt", f"# {ELSEWHERE}\n"),
        ("x.jsonl", json.dumps({"game": ELSEWHERE, "moves": ""})),
        ("x", json.dumps({"game": ELSEWHERE, "moves": ""})),
        ("x.jsonl", json.dumps({"game": [ELSEWHERE], "moves": ""})),
        ("x.jsonl", json.dumps([ELSEWHERE])),
        ("x.jsonl", "[" * 10_000),
    ],
)
def test_a_file_could_name_a_game_that_no_page_can_choose(name, text, monkeypatch):
    """A game of OpenSpiel starts a process, which stays, for each of its settings."""
    monkeypatch.setitem(catalogue.MODULES, "openspiel", "no.such.module")  # it would be an ImportError
    choices = Choices("tictactoe")
    with pytest.raises(ValueError, match=r"match of|is of|is no match"):
        read_file(name, text, make("tictactoe"), choices.make_game)
    with pytest.raises(GameError):
        choices.make_game(ELSEWHERE)


def test_games_of_the_table_in_files_are_read():
    choices, shown = Choices("tictactoe"), make("tictactoe")
    for name, text in (("x.txt", "# hex:5\nc3 d4"), ("x.jsonl", json.dumps({"game": "hex:5", "moves": "c3 d4"}))):
        assert read_file(name, text, shown, choices.make_game) == ("hex:5", "c3 d4")
    assert read_file("x.txt", "# Hex:size=5\n", shown, choices.make_game)[0] == "hex:5"
