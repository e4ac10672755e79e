"""The annotation of whole matches, compared with exhaustive values."""

import json

import pytest

from athenan import make
from athenan.cli import main

LOST_AT_PLY_2 = "a1 b1 b2 c3 a3 a2 c1"
"""Tic-tac-toe: b1 loses against the corner."""


@pytest.fixture
def annotated(tmp_path, capsys):
    def call(content, *arguments):
        file = tmp_path / "match"
        file.write_text(content)
        status = main(["analyze", "tictactoe", "--match", str(file), "--iterations", "100000", *arguments])
        output, errors = capsys.readouterr()
        return status, output, errors

    return call


def test_the_losing_action_is_found(annotated):
    for content in (
        f"# tictactoe\n{LOST_AT_PLY_2}\n",
        json.dumps({"game": "tictactoe", "moves": LOST_AT_PLY_2}) + "\n",
    ):
        status, output, _ = annotated(content, "--json")
        plies = json.loads(output)["plies"]
        assert status == 0
        assert [ply["action"] for ply in plies] == LOST_AT_PLY_2.split()
        assert [ply["loss"] for ply in plies] == [0, 1, 0, 0, 0, 0, 0]
        assert [ply["proven"] for ply in plies] == ["draw", "draw", *["win"] * 5]
        assert plies[1]["best"] == "b2"  # the only answer to the corner
    assert "proven win for the first player" in annotated(LOST_AT_PLY_2)[1]


def test_bad_matches_get_one_line(annotated):
    for content, arguments, message in (
        ("a1 a1", (), "move 2: 'a1' is not a legal action"),
        ("{}", (), "line 1: this is not a match as written by `athenan match --records`"),
        ('{"game": "hex:3", "moves": "a1"}', (), "a match of tictactoe was expected, not one of 'hex:3'"),
        ('{"game": "tictactoe", "moves": "a1"}', ("--number", "2"), "has matches 1 to 1, and no match 2"),
        ("a1", ("--moves", "a1"), "give a position"),
    ):
        status, output, errors = annotated(content, *arguments)
        assert (status, output, errors.count("\n")) == (2, "", 1)
        assert message in errors


def test_the_match_of_the_test_is_won():
    assert make("tictactoe").outcome(make("tictactoe").after(LOST_AT_PLY_2)) == 1
