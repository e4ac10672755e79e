"""SGF: the stones of matches of Go, also as another program has them, and stones that a file sets up."""

import subprocess
from pathlib import Path

import pytest
from file_matches import moves_of, random_file_match, read_sgf

from athenan import make
from athenan.engines.process import find_program
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, write_matches
from athenan.rules.state import FIRST

sgfmill = pytest.importorskip("sgfmill.sgf", reason="the package sgfmill is not installed")
sgf_moves = pytest.importorskip("sgfmill.sgf_moves")


def stones(name: str, match: FileMatch) -> set[tuple[str, str]]:
    """The colours and places of the stones at the end of a match of Go."""
    game = make(name)
    state = game.after(moves_of(match))
    assert game.board
    return {
        ("b" if piece.owner == FIRST else "w", game.board.places[piece.place].name)
        for piece in game.board.scene(state).pieces
    }


def test_another_program_plays_our_go() -> None:
    match = random_file_match(make("go:5"), 4)
    theirs = sgfmill.Sgf_game.from_string(as_text([match], ".sgf"))
    board, plays = sgf_moves.get_setup_and_moves(theirs)
    for colour, move in plays:
        if move:
            board.play(*move, colour)
    found = {(colour, f"{'abcde'[column]}{row + 1}") for colour, (row, column) in board.list_occupied_points()}
    assert found == stones("go:5", match)
    assert (theirs.get_komi(), theirs.get_size(), theirs.get_player_name("b")) == (7, 5, match.players[0])


def test_go_of_another_program_is_read() -> None:
    game = sgfmill.Sgf_game(size=9)
    game.root.set("KM", 6.5)
    game.root.set("PB", "A ] b")
    game.root.set("RE", "B+R")
    for colour, move in (("b", (2, 2)), ("w", (8, 0)), ("b", None), ("w", (0, 8))):
        node = game.extend_main_sequence()
        node.set_move(colour, move)
    node.set("C", "the end: ]")
    match = read_sgf(game.serialise().decode())
    assert (match.game, moves_of(match)) == ("go:9,komi=6.5,superko=simple", "c3 a9 pass j1")
    assert (match.players, match.outcome, match.ending) == (("A ] b", ""), 1, "resigned")
    assert match.plies[-1].comment == "the end: ]"


def test_stones_of_a_handicap_are_moves() -> None:
    match = read_sgf("(;GM[1]SZ[9]KM[0.5]HA[2]AB[gc][cg];W[ee];B[cc])")
    assert moves_of(match) == "c3 pass g7 e5 c7"
    assert read_sgf("(;GM[1]SZ[9];B[ee];B[cc];W[gg])").actions[1] == 81  # the other has passed
    assert moves_of(read_sgf("(;SZ[5];B[tt];W[])")) == "pass pass"


@pytest.mark.parametrize("seed", range(3))
def test_any_position_of_go_is_set_up_before_the_moves(seed: int) -> None:
    """The stones at the end of a random match, in the first node or in later ones."""
    wanted = stones("go:5", random_file_match(make("go:5"), seed, 14))
    points = {side: [f"{name[0]}{'edcba'[int(name[1]) - 1]}" for one, name in wanted if one == side] for side in "bw"}
    black, white = (f"A{side.upper()}[{']['.join(points[side])}]" for side in "bw")
    for text in (f"(;SZ[5]{black}{white})", f"(;SZ[5];C[a];{black}{white}PL[W])", f"(;SZ[5]AE[aa:ee]{white};{black})"):
        match = read_sgf(text)
        assert match.game.startswith("go:5")
        assert stones(match.game, match) == wanted


def test_stones_set_up_are_moves_that_others_follow() -> None:
    assert moves_of(read_sgf("(;GM[1]SZ[9];AW[ee]C[one];B[cc];W[gg])")) == "pass e5 c7 g3"
    assert moves_of(read_sgf("(;GM[1]SZ[9];AB[ee]AW[gg]W[cc])")) == "e5 g3 pass c7"
    match = read_sgf("(;GM[1]SZ[9]HA[2];AB[cg][gc]C[two](;W[ee])(;W[cc]))")
    assert (moves_of(match), match.plies[2].comment, len(match.plies[3].variations)) == ("c3 pass g7 e5", "two", 1)
    assert moves_of(read_sgf("(;GM[1]SZ[9];B[cc];W[gg];AB[ee][cc];W[ce])")) == "c7 g3 e5 c5"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[1]SZ[9]AB[cg][gc]AW[ee];AE[gc];W[cc])", "c3 e5 pass c7"),
        ("(;GM[1]SZ[9];B[gg];AB[cg][gc];AE[gc]C[one off]AW[ee];B[cc])", "g3 pass c3 e5 c7"),
        ("(;GM[1]SZ[9]AB[aa:ii];AE[aa:ii]AB[cg];AE[aa:ic]W[cc])", "c3 c7"),
        ("(;GM[1]SZ[9]AB[cg];AE[cg];B[cc])", "c7"),
    ],
)
def test_stones_set_up_may_be_taken_off_again_before_anything_is_played(text: str, moves: str) -> None:
    assert moves_of(read_sgf(text)) == moves


def test_comments_of_nodes_that_set_stones_up_together_are_kept() -> None:
    match = read_sgf("(;GM[1]SZ[9];AB[cg]C[two];AE[cg]AB[ee]C[one];W[cc](;B[gg])(;B[aa]))")
    assert (moves_of(match), match.plies[0].comment) == ("e5 c7 g3", "two\none")
    assert len(match.plies[2].variations) == 1


def test_games_without_passes_have_stones_set_up_in_turn() -> None:
    assert moves_of(read_sgf("(;GM[11]SZ[3]AB[a1][c2]AW[b2];W[c3])")) == "a1 b2 c2 c3"
    assert moves_of(read_sgf("(;GM[4]SZ[9];AB[aa]AW[bb];B[cc])")) == "a9 b8 c7"
    start = "AB[e4][d5]AW[d4][e5]"
    assert moves_of(read_sgf(f"(;GM[2];{start};B[f5])")) == moves_of(read_sgf(f"(;GM[2]{start};B[f5])")) == "f5"


def test_gnugo_reads_our_matches(tmp_path: Path) -> None:

    program = find_program("gnugo")
    if program is None:
        pytest.skip("GNU Go is not installed")
    match = random_file_match(make("go:5"), 3)
    write_matches(tmp_path / "match.sgf", [match])
    commands = f"loadsgf {tmp_path / 'match.sgf'}\nlist_stones black\nlist_stones white\nquit\n"
    done = subprocess.run([program, "--mode", "gtp"], input=commands, text=True, capture_output=True, check=True)
    answers = [line.removeprefix("=").split() for line in done.stdout.splitlines() if line.startswith("=")][1:3]
    found = {(colour, place.lower()) for colour, places in zip("bw", answers, strict=True) for place in places}
    assert found == stones("go:5", match)
