"""The annotation of whole matches, compared with exhaustive values."""

import json
from dataclasses import replace

import pytest

from athenan import Budget, Search, Session, make
from athenan.cli import main
from athenan.evaluation.chances import Chances
from athenan.files import annotation
from athenan.files.file_match import FileMatch
from athenan.files.typed import actions_of
from athenan.play.records import plies_of
from athenan.search.monte_carlo.mcts import Mcts

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
        assert [ply["lost"] for ply in plies] == [0, 0.5, 0, 0, 0, 0, 0]
        assert [ply["mark"] for ply in plies] == ["", "blunder", *[""] * 5]
        assert json.loads(output)["accuracy"] == {"first": 1, "second": pytest.approx(0.70, abs=0.01)}
    shown = annotated(LOST_AT_PLY_2)[1]
    assert "proven win for the first player" in shown
    assert "50%  blunder     b2" in shown
    assert "second player: accuracy 70%, inaccuracies 0, mistakes 0, blunders 1" in shown


def test_bad_matches_get_one_line(annotated):
    for content, arguments, message in (
        ("a1 a1", (), "move 2: 'a1' is not a legal action"),
        ("{}", (), "line 1: this is not a match as written by `athenan match --records`"),
        ('{"game": "hex:3", "moves": "a1"}', (), "a match of tictactoe was expected, not one of 'hex:3'"),
        ('{"game": "tictactoe", "moves": "a1"}', ("--number", "2"), "there is no match 2: the file has 1 match"),
        ("a1", ("--moves", "a1"), "give a position"),
    ):
        status, output, errors = annotated(content, *arguments)
        assert (status, output, errors.count("\n")) == (2, "", 1)
        assert message in errors


@pytest.mark.parametrize(("again", "marks"), [(0.0, 0), (0.07, 1), (1.0, 1)])
def test_a_mark_needs_a_second_comparison_that_agrees(monkeypatch, again, marks):
    """Five rollouts tell almost nothing: without the second comparison many actions would look like mistakes."""
    game = make("connect_four")
    actions = actions_of(game, "4 4 4 4 4 4 1 2 1 2 7 6")
    session = Session(Mcts(game), Chances((-1.0, 1.0), (0.001, 0.999), 100))
    monkeypatch.setattr(annotation, "_lost_again", lambda ply, session, limit: again)
    plies = list(annotation.annotate(session, actions, Budget(iterations=5)))
    noisy = [ply for ply in plies if ply.loss and ply.loss > 0.2 and ply.best != ply.action]
    assert noisy
    lost = [ply.lost for ply in plies if ply.lost is not None]
    assert len(lost) == len(plies)
    assert (max(lost) >= 0.05) == bool(marks)
    assert max(lost) <= max(again, 0.05)
    assert {ply.mark for ply in plies if again == 0.07} <= {"", "inaccuracy"}


def test_the_second_comparison_is_of_the_two_positions_after_the_actions():
    game = make("tictactoe")
    session = Session(Search(game), Chances((-1.0, 1.0), (0.001, 0.999), 100))
    plies = list(annotation.annotate(session, actions_of(game, "a1 b1"), Budget(iterations=100_000)))
    session.position("a1 b1")
    wrong = replace(plies[1], proven=None)
    assert annotation._lost_again(wrong, session, Budget(iterations=100_000)) == 0.5
    assert annotation._lost_again(replace(wrong, best="b1"), session, Budget(iterations=100_000)) == 0


def test_marks_and_chances_are_written_as_comments():
    game = make("hex:3,swap=false")
    plies = FileMatch(game.name, ("", ""), plies_of(game, actions_of(game, "a1 b2")))
    found = [
        annotation.AnnotatedPly(1, "black", "a1", 1.5, None, "b2", 1.0, ("b2", "c1"), 0, 0.7, 0.12),
        annotation.AnnotatedPly(2, "white", "b2", 0.5, None, "c1", 0.1, ("c1",), 1, 0.58, 0.02),
    ]
    noted = annotation.annotated(game, plies, found).plies
    assert [ply.comment for ply in noted] == ["first player 70%; mistake: 12% lost", "first player 58%"]
    assert [[len(line) for line in ply.variations] for ply in noted] == [[2], []]


def test_another_annotation_replaces_the_remarks_of_an_earlier_one():
    game = make("hex:3,swap=false")
    own = plies_of(game, actions_of(game, "a1 b2"))
    match = FileMatch(game.name, ("", ""), (replace(own[0], comment="first player 50% is what I think"), own[1]))
    found = [
        annotation.AnnotatedPly(1, "black", "a1", 1.5, None, "b2", 1.0, ("b2", "c1"), 0, 0.7, 0.12),
        annotation.AnnotatedPly(2, "white", "b2", 0.5, None, "c1", 0.1, ("c1",), 1, 0.58, 0.02),
    ]
    once = annotation.annotated(game, match, found)
    assert once.plies[0].comment == "first player 70%; mistake: 12% lost; first player 50% is what I think"
    assert annotation.annotated(game, once, found) == once
    unknown = [replace(ply, win_chance=None, lost=None) for ply in found]
    twice = annotation.annotated(game, annotation.annotated(game, once, unknown), unknown)
    comments = [ply.comment for ply in twice.plies]
    assert comments == ["loss 1.000; first player 50% is what I think", "loss 0.100"]
    assert annotation.annotated(game, twice, found).plies[0].comment == once.plies[0].comment


def test_the_match_of_the_test_is_won():
    assert make("tictactoe").outcome(make("tictactoe").after(LOST_AT_PLY_2)) == 1
