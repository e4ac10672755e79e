"""Matches that begin from a position which a file sets up: by a FEN in PDN and JSON lines, by stones in SGF."""

import json

import numpy as np
import pytest
from file_matches import moves_of, read_pdn, read_sgf

from athenan import make
from athenan.cli import main
from athenan.files.file_match import FileMatch
from athenan.files.formats import FORMATS, as_text, matches_in
from athenan.play.records import RecordError, plies_of

PDN = '[Event "a problem"]\n[SetUp "1"]\n[FEN "B:W31-35,K2:B16,20.:H0:F1"]\n[Result "*"]\n\n1... 20-24 *\n'
HEX = "(;FF[4]GM[11]SZ[4]AP[HexGui:0.9]AB[a1][b2][c3]AW[d1]PL[W]C[find it];W[a4];B[d4])"


def test_a_position_of_draughts_is_read_and_comes_back():
    match, game = read_pdn(PDN), make("draughts")
    assert match.fen == "B:WK2,31,32,33,34,35:B16,20" and match.plies[0].side == 1
    assert game.moves(match.actions, match.start(game)) == "20-24"
    text = as_text([match], ".pdn")
    assert '[SetUp "1"]\n[FEN "B:WK2,31,32,33,34,35:B16,20"]' in text and "1... 20-24" in text
    assert read_pdn(text) == match
    alone = read_pdn('[FEN "W:WK5:B8"]')
    assert (alone.fen, alone.actions) == ("W:WK5:B8", ())
    assert read_pdn(as_text([alone], ".pdn")) == alone


def test_the_initial_position_as_fen_is_no_other():
    game = make("draughts")
    match = read_pdn(f'[FEN "{game.write_fen(game.initial())}"]\n1. 32-28')
    assert match.fen == "" and moves_of(match) == "32-28"


def test_stones_that_hex_cannot_reach_are_a_position():
    match, game = read_sgf(HEX), make("hex:4")
    assert (match.fen, match.comment) == ("x2o/1x2/2x1/4 o", "find it")
    assert game.moves(match.actions, match.start(game)) == "a4 d4"
    text = as_text([match], ".sgf")
    assert "AB[a1][b2][c3]AW[d1]PL[W]" in text
    assert read_sgf(text) == match


@pytest.mark.parametrize(
    ("stones", "fen"),
    [
        ("AB[a1]AW[b2]", ""),  # moves lead there
        ("AB[a1]AW[b2]PL[W]", "x2/1o1/3 o"),
        ("AB[a1]AW[b2];W[c3]", "x2/1o1/3 o"),
        ("AB[a1][c3]", "x2/3/2x o"),
        ("AW[aa]", "o2/3/3 x"),
        (";C[empty];AB[a1]AW[b2][c3];B[c1]", ""),  # later stones are moves, or an error
    ],
)
def test_who_is_to_move_decides_whether_stones_are_moves(stones, fen):
    if stones.startswith(";"):
        with pytest.raises(ValueError, match="cannot put the stones"):
            read_sgf(f"(;GM[11]SZ[3]{stones})")
    else:
        assert read_sgf(f"(;GM[11]SZ[3]{stones})").fen == fen


@pytest.mark.parametrize("size", [2, 4, 7])
def test_positions_of_hex_as_fen_are_the_states_of_their_moves(size):
    """In all bytes where nobody has swapped: the stones, their borders, the side to move, the length and the end."""
    game, random = make(f"hex:{size},swap=false"), np.random.default_rng(size)
    for _ in range(5):
        state = game.initial()
        while game.outcome(state) is None:
            state = game.play(state, game.draw(state, random))
            assert game.read_fen(game.write_fen(state)).tobytes() == state.tobytes()
    swapping = make(f"hex:{size}")
    one = swapping.after("a1")
    assert swapping.read_fen(swapping.write_fen(one)).tobytes() == one.tobytes()
    for fen in (f"{'/'.join(['x' + str(size - 1)] + [str(size)] * (size - 1))} x",):
        state = swapping.read_fen(fen)
        for action in swapping.actions(state):
            following = swapping.play(state, int(action))
            names = [swapping.action_name(following, int(one)) for one in swapping.actions(following)]
            assert "swap" not in names


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("x1/x1 x", "the side to move has won"),
        ("2/2 o", "the first player begins"),
        ("3/3 x", "is not a board: it needs 2 ranks of 2 places"),
        ("2/2", "is not a FEN: it needs a board and x or o for the side to move"),
        ("2/1z x", "is not a board"),
    ],
)
def test_what_is_no_position_of_hex_is_refused(fen, message):
    with pytest.raises(ValueError, match=message):
        make("hex:2").read_fen(fen)


def test_all_formats_with_positions_hold_a_match_that_begins_from_one():
    """And the others refuse it, in a sentence that names them."""
    game, fen = make("hex:4"), "x2o/1x2/2x1/4 o"
    start = game.read_fen(fen)
    match = FileMatch("hex:4", ("", ""), plies_of(game, game.parse_moves("a4 d4", start), start), fen=fen)
    for kind, form in FORMATS.items():
        if not form.positions or kind == ".pdn":
            with pytest.raises(ValueError, match=r"only matches from the initial|PDN is for draughts"):
                as_text([match], kind)
            continue
        [again] = matches_in(as_text([match], kind).encode(), kind)
        assert (again.fen, again.actions) == (fen, match.actions)
    with pytest.raises(RecordError, match="begins from the initial position"):
        match.as_record(game)
    with pytest.raises(ValueError, match="SGF has no place for the first position"):
        as_text([FileMatch("backgammon", ("", ""), (), fen="4HPwATDgc/ABMA o")], ".sgf")


def test_the_command_analyses_a_match_from_a_position_and_a_position_alone(tmp_path, capsys):
    source, alone = tmp_path / "a.sgf", tmp_path / "b.sgf"
    source.write_text(HEX.replace(";W[a4];B[d4]", ";W[d2];B[d3]"))
    alone.write_text("(;GM[11]SZ[3]AB[a1][a2]AW[c1][c2]PL[W])")
    output = tmp_path / "c.sgf"
    arguments = ["--network", "none", "--iterations", "2000", "--json"]
    assert main(["analyze", "hex:4", "--match", str(source), "--output", str(output), *arguments]) == 0
    plies = json.loads(capsys.readouterr().out)["plies"]
    assert [(ply["action"], ply["player"]) for ply in plies] == [("d2", 1), ("d3", 0)]
    assert read_sgf(output.read_text()).fen == "x2o/1x2/2x1/4 o"
    assert main(["analyze", "hex:3", "--match", str(alone), *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["player"] == "second"
    assert main(["convert", str(source), str(tmp_path / "d.html")]) == 0
