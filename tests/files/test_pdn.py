"""PDN: matches of draughts, compared with pydraughts, and whatever else may come."""

import random as python_random
import re
from pathlib import Path
from typing import Any

import pytest
from file_matches import moves_of, only, random_file_match, read_pdn

from athenan import make
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in
from athenan.files.pdn import text as pdn_text
from athenan.files.pdn.text import PdnMatch
from athenan.games.draughts import read_fen
from athenan.games.draughts.notation import read_move, write_fen, write_move
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer

draughts = pytest.importorskip("draughts", reason="the package pydraughts is not installed")
PDN = pytest.importorskip("draughts.PDN")

VARIANTS = {"draughts:international": "standard", "draughts:brazilian": "brazilian"}
GAME = make("draughts")


def pieces(fen: str) -> tuple[str, set[str], set[str]]:
    turn, white, black = fen.split(":")
    return turn, set(white[1:].split(",")), set(black[1:].split(","))


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_read_as_they_are_written(seed: int) -> None:
    match = random_file_match(GAME, seed)
    text = as_text([match, match], ".pdn")
    again, _ = matches_in(text.encode(), ".pdn")
    plain = [entry.comment.replace("\n", " ") for entry in match.plies]
    assert [entry.comment for entry in again.plies] == plain
    assert again == match
    assert as_text([again, again], ".pdn") == text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["draughts:international", "draughts:brazilian", "draughts:canadian"])
def test_finished_matches_stay_records(name: str) -> None:
    game = make(name)
    for seed in range(4):
        record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=seed)
        again = read_pdn(as_text([FileMatch.of_record(record)], ".pdn")).as_record(game)
        assert (again.actions, again.outcome) == (record.actions, record.outcome)


def theirs(variant: str, seed: int, most: int = 60) -> Any:
    """A random match by the rules of pydraughts."""
    board, random = draughts.Board(variant), python_random.Random(seed)
    while not board.is_over() and len(board.move_stack) < most:
        board.push(random.choice(list(board.legal_moves())))
    return board


def compare_with_theirs(name: str, seed: int, most: int) -> None:
    board = theirs(VARIANTS[name], seed, most)
    match = read_pdn(PDN.PDNWriter("", board=board).pdn_text)
    assert match.game == name
    game = make(name)
    state = game.initial()
    for action in match.actions:
        state = game.play(state, action)
    assert pieces(write_fen(game, state)) == pieces(board.fen)


def test_a_match_of_another_program_is_read() -> None:
    compare_with_theirs("draughts:international", 1, 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_matches_of_another_program_are_read(name: str) -> None:
    for seed in range(5):
        compare_with_theirs(name, seed, 200)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "corner"),
    [
        ("26", 0),
        ("26", 2),
        ("26,W,8,8,A0,0", 0),
        ("26,W,8,8,A0,0", 2),
        *((f"26, W, 8, 8, N{one}, 0", one) for one in range(4)),
    ],
)
def test_numbered_squares_of_brazilian_draughts_are_read(kind: str, corner: int) -> None:
    """pydraughts has both: the squares of a match by letters in its file, and numbered from a1."""
    board = theirs("brazilian", 4, 40)
    named = read_pdn(PDN.PDNWriter("", board=board).pdn_text)
    moves = [
        re.sub(r"\d+", lambda number: str(seen_from(corner, int(number[0]))), move.pdn_move)
        for move in board.move_stack
    ]
    assert read_pdn(f'[GameType "{kind}"]\n{" ".join(moves)}') == named
    assert len(named.actions) >= 20


def seen_from(corner: int, number: int) -> int:
    """The number, from a corner, of the square of 8 x 8 that has this number from a1."""
    row, column = divmod(number - 1, 4)
    return 4 * (row if corner < 2 else 7 - row) + (3 - column if corner % 2 else column) + 1


def test_numbered_squares_of_brazilian_draughts_by_hand() -> None:
    text = '[GameType "26"] [FEN "W:W21-32:B1-12"] 1. 22-17 (1. 21-17 9-14) 09-14'
    match = read_pdn(text)
    assert moves_of(match) == "c3-b4 b6-c5"
    assert make(match.game).moves(ply.action for ply in match.plies[0].variations[0]) == "a3-b4 b6-c5"
    assert moves_of(read_pdn("1. 21-17 f6-e5", "draughts:brazilian")) == "a3-b4 f6-e5"


def test_the_corner_of_square_1_is_followed_on_other_boards() -> None:
    """32-28 is the move of a man in the fourth row, the second from the left."""
    for notation, move in (("N0", "17-23"), ("N1", "19-23"), ("N2", "32-28"), ("N3", "34-28")):
        assert moves_of(read_pdn(f'[GameType "20,W,10,10,{notation},0"] 1. {move}')) == "32-28"


@pytest.mark.parametrize("seed", range(2))
def test_another_program_reads_our_matches(seed: int) -> None:
    """The moves with their numbers, without comments and variations."""
    match = random_file_match(GAME, seed)
    [other] = PDN.PDNReader(as_text([match], ".pdn")).games
    wanted = [move.text for move in only(PdnMatch, pdn_text.split(as_text([match], ".pdn"))).moves]
    assert (other.variant, other.moves) == ("standard", wanted)
    assert other.game_ending in pdn_text.RESULTS


def test_the_way_is_written_where_captures_differ() -> None:
    """A king reaches 3 by two ways, which take different pieces; another one has three answers to give."""
    kings = ("international", "W:WK25:B8,33,34,38", 2), ("canadian", "W:WK36:B52,38,56,7,18,26,24", 3)
    for name, fen, count in kings:
        game = make(f"draughts:{name}")
        start = read_fen(game, fen)
        unfinished, written = [(start, [int(action)]) for action in game.actions(start)], list[str]()
        while unfinished:
            state, actions = unfinished.pop()
            following = game.play(state, actions[-1])
            if game.player(following) == game.player(start) and game.outcome(following) is None:
                unfinished += [(following, [*actions, int(action)]) for action in game.actions(following)]
                continue
            written.append(write_move(game, start, actions))
            assert read_move(game, start, written[-1]) == actions
        assert len(set(written)) == len(written) >= count
        assert any(move.count("x") > 2 for move in written)


def test_players_who_are_not_known_have_no_name() -> None:
    match = FileMatch(GAME.name, ("", "Ben"), ())
    assert '[White "?"]' in as_text([match], ".pdn")
    assert read_pdn(as_text([match], ".pdn")) == match


def test_what_people_write_is_read() -> None:
    text = """
[Event "Cup"] [White "Sijbrands, T."]
[Black "W\\"B"]
[GameType "20,W,10,10,N2,0"] [Result "1-1"]
{before} 1. 32-28! {good} (1. 33-29 {no} 19-23 2. 35-30) 19-23?! $4 2. 28x19 14:23 ; a comment
3... 37-32 1-1
"""
    match = read_pdn(text)
    assert moves_of(match) == "32-28 19-23 28x19 14x23 37-32"
    assert (match.players, match.about, match.outcome) == (("Sijbrands, T.", 'W"B'), {"event": "Cup"}, 0)
    assert (match.comment, match.plies[0].comment, match.plies[2].comment) == ("before", "good", "")
    [variation] = match.plies[0].variations
    assert variation[0].comment == "no"
    assert GAME.moves(entry.action for entry in variation) == "33-29 19-23 35-30"


def test_what_the_grammars_of_pdn_allow_is_read() -> None:
    text = """% a comment
[White "a"] [Result "0-2"]
[GameType "20"] [FEN "W:W31-50:B1-20."]
1. 32-28 {good} 1. ... 19-23 *
"""
    match = read_pdn(text)
    assert (moves_of(match), match.outcome, match.plies[0].comment) == ("32-28 19-23", -1, "good")
    assert read_fen(GAME, "W:W31-50:B1-20").tobytes() == GAME.initial().tobytes()
    assert write_fen(GAME, read_fen(GAME, "B:WK46-48,50:B1,3-4")) == "B:WK46,K47,K48,50:B1,3,4"
    for wrong in ("W:W50-31:B1", "W:W45-51:B1", "W:W31-:B1", "W:W31-33-35:B1"):
        with pytest.raises(ValueError, match="has no square"):
            read_fen(GAME, wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has neither tags nor moves"),
        ("hello", "'hello' is out of place"),
        ("1. 32-28 (", "a variation has no end"),
        ("1. 32-28 )", "a variation ends that has not begun"),
        ("(1. 32-28)", "a variation follows no move"),
        ("1. 32-28 " + "(1. 32-28 " * 60, "nested more than 50 deep"),
        ("1. 32-27 32-28", "move 2: '32-28' is not a legal action"),
        ("1. 99-98", "move 1: '99-98' is not a legal action"),
        ('[GameType "21"] 1. 11-15', "its game, GameType 21, is unknown: expected 20 draughts"),
        ('[GameType "26"] 1. c3-d4', "it is a match of draughts:brazilian, not of draughts:international"),
        ('[FEN "W:WK6,60:B8"] 1. 6-1', "has no square '60'"),
        ('[FEN "x"] 1. 32-28', "'x' is not a FEN of draughts"),
        ("1. 32-28 {a", "is out of place"),
        ("1. 32" + "x28" * 10_000, "is not a legal action"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_pdn(text, "draughts")
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="it is a match of draughts, not of hex:5"):
        read_pdn("1. 32-28", "hex:5")
    with pytest.raises(ValueError, match="PDN is for draughts, not for tictactoe"):
        as_text([FileMatch("tictactoe", ("", ""), ())], ".pdn")


def test_a_file_of_several_matches(tmp_path: Path) -> None:
    text = '[White "a"]\n\n1. 32-28 2-0\n\n[White "b"]\n\n1. 31-27 *\n[White "c"]\n0-2'
    matches = list(matches_in(text.encode(), ".pdn"))
    assert [(match.players[0], len(match.plies), match.outcome) for match in matches] == [
        ("a", 1, 1), ("b", 1, None), ("c", 0, -1),
    ]  # fmt: skip
