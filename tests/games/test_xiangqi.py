"""Xiangqi against slow rules that try every move and keep every position, and against published counts."""

import random
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rules import seeds
from plain_xiangqi import KINDS, SlowXiangqi
from sizes import size

from athenan import Game, GameError, make, perft
from athenan.games.xiangqi import fen, position
from athenan.games.xiangqi.notation import START
from athenan.rules.game import State


def legal(game: Game, state: State) -> set[str]:
    names = [game.action_name(state, int(action)) for action in game.actions(state)]
    assert len(names) == len(set(names))
    return set(names)


def compare(game: Game, state: State, slow: SlowXiangqi) -> None:
    assert game.outcome(state) == slow.over
    assert game.player(state) == slow.player - 1
    assert legal(game, state) == (slow.names() if slow.over is None else set())
    assert np.array_equal(game.encode(state), slow.planes())
    assert position_of(state) == position_of(slow)


def position_of(match: State | SlowXiangqi) -> str:
    """The board and the side to move, as a FEN has them."""
    if not isinstance(match, SlowXiangqi):
        return " ".join(fen(match).split()[:2])
    rows = ["".join(match.pieces.get((row, column), ".") for column in range(9)) for row in range(9, -1, -1)]
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows)) + " " + "wb"[match.player - 1]


def follow(game: Game, slow: SlowXiangqi, seed: int, again: float, most: int = 1000) -> SlowXiangqi:
    """Plays a random match of both, comparing them at every ply.

    `again` is how often one side gives check if it can, and the other takes back its last move if it can.
    """
    choose, state = random.Random(seed), position(game, f"{position_of(slow)} - - {slow.quiet} 1")
    played: list[str] = []
    compare(game, state, slow)
    while slow.over is None and len(played) < most:
        moves = sorted(slow.names())
        following = {move: game.play(state, game.parse_action(state, move)) for move in moves}
        checking = [move for move in moves if game.encode(following[move])[17].any()]
        back = [move for move in moves if played[-2:-1] == [move[2:] + move[:2]]]
        wanted = checking if slow.player == 1 + seed % 2 else back
        move = choose.choice((choose.random() < again and (wanted or back)) or moves)
        played.append(move)
        slow.play(move)
        state = following[move]
        compare(game, state, slow)
    return slow


@settings(max_examples=size(1, 3))
@given(st.integers(40, 250), seeds)
def test_xiangqi(limit: int, seed: int) -> None:
    follow(make(f"xiangqi:{limit}"), SlowXiangqi(limit=limit), seed, again=0.0, most=60)


def scattered(seed: int, most: int) -> str:
    """A FEN with few pieces anywhere, often no possible position."""
    choose, board = random.Random(seed), dict[tuple[int, int], str]()
    own = {
        "K": list(product(range(3), (3, 4, 5))),
        "A": [(0, 3), (0, 5), (1, 4), (2, 3), (2, 5)],
        "B": [(0, 2), (0, 6), (2, 0), (2, 4), (2, 8), (4, 2), (4, 6)],
        "P": [*product((3, 4), range(0, 9, 2)), *product(range(5, 10), range(9))],
    }
    anywhere = list(product(range(10), range(9)))
    letters = ["K", "k", *(choose.choice(KINDS[1:] + KINDS[1:].lower()) for _ in range(choose.randrange(most)))]
    for letter in letters:
        row, column = choose.choice(own.get(letter.upper(), anywhere))
        board.setdefault((row if letter.isupper() else 9 - row, column), letter)
    rows = ["".join(board.get((row, column), ".") for column in range(9)) for row in range(9, -1, -1)]
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows)) + " " + choose.choice("wb") + " - - 0 1"


def playable(game: Game, text: str) -> bool:
    try:
        position(game, text)
    except GameError:
        return False
    return True


def test_scattered_pieces() -> None:
    """Checks, pins, screens and blocked horses that opening positions do not have."""
    game, texts = make("xiangqi"), [scattered(seed, 18) for seed in range(400)]
    texts = [text for text in texts if playable(game, text)]
    in_check = 0
    for text in texts:
        slow = SlowXiangqi(text)
        in_check += slow.attacked(slow.pieces, slow.player)
        compare(game, position(game, text), slow)
    assert len(texts) > 150
    assert in_check > 20


def test_matches_that_repeat() -> None:
    """Few pieces, moves taken back and many checks: draws and losses by repetition."""
    ended: dict[tuple[bool, int | None], int] = {}
    for seed in range(size(100, 200)):
        game, text = make("xiangqi:40"), scattered(seed, 6)
        if playable(game, text):
            slow = follow(game, SlowXiangqi(text, 40), seed, again=0.95)
            repeated = slow.seen.count(slow.seen[-1]) == 3
            ended[repeated, slow.over] = ended.get((repeated, slow.over), 0) + 1
    assert ended[True, 0] > 3
    assert ended[True, 1] > 0
    assert ended[True, -1] > 0


@pytest.mark.slow
def test_many_matches() -> None:
    for seed in range(3):
        follow(make("xiangqi"), SlowXiangqi(), seed, again=0.1)
    for seed in range(250):
        limit = 40 + seed % 100
        game, text = make(f"xiangqi:{limit}"), scattered(seed, 2 + seed % 20)
        if playable(game, text):
            follow(game, SlowXiangqi(text, limit), seed, again=0.2 * (seed % 5), most=60)


PUBLISHED = {
    START: [44, 1920, 79666, 3290240, 133312995],
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w": [38, 1128, 43929, 1339047, 53112976],
    "1cbak4/9/n2a5/2p1p3p/5cp2/2n2N3/6PCP/3AB4/2C6/3A1K1N1 w": [7, 281, 8620, 326201, 10369923],
    "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w": [25, 424, 9850, 202884, 4739553, 100055401],
    "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w": [28, 516, 14808, 395483, 11842230],
    "R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w": [21, 364, 7626, 162837, 3500505, 81195154],
    "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w": [28, 222, 6241, 64971, 1914306, 23496493],
    "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w": [23, 345, 8124, 149272, 3513104, 71287903],
    "2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w": [21, 195, 3883, 48060, 933096, 12250386],
    "1C2ka3/9/C1Nab1n2/p3p3p/6p2/9/P3P3P/3AB4/3p2c2/c1BAK4 w": [30, 830, 22787, 649866, 17920736],
    "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w": [19, 583, 11714, 376467, 8148177],
}
"""The table of chessprogramming.org, Chinese Chess Perft Results."""


@pytest.mark.parametrize("text", PUBLISHED)
def test_published_perft(text: str) -> None:
    game = make("xiangqi")
    assert perft(game, 4, position(game, text)) == PUBLISHED[text][:4]


@pytest.mark.slow
@pytest.mark.parametrize("text", PUBLISHED)
def test_published_perft_to_the_end(text: str) -> None:
    """No position is there for the third time within six moves."""
    game, counts = make("xiangqi"), PUBLISHED[text]
    assert perft(game, len(counts), position(game, text)) == counts


def play(game: Game, state: State, moves: str) -> State:
    for move in moves.split():
        assert game.outcome(state) is None
        state = game.play(state, game.parse_action(state, move))
    return state


CHARIOT = "4k4/9/9/9/9/9/9/9/R8/3K5 w"


def test_perpetual_check_loses() -> None:
    game = make("xiangqi")
    state = play(game, position(game, CHARIOT), "a1a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9")
    assert game.encode(state)[17:21, 0, 0].tolist() == [0, 1, 1, 0]
    assert game.outcome(play(game, state, "a8a9")) == -1


def test_a_cycle_with_a_move_that_gives_no_check_is_a_draw() -> None:
    game = make("xiangqi")
    state = play(game, position(game, CHARIOT), "a1a9 e9e8 a9a1 e8e9 a1a9 e9e8 a9a1")
    assert game.outcome(play(game, state, "e8e9")) == 0


def test_if_both_sides_always_gave_check_it_is_a_draw() -> None:
    """The moves before the last are marked as if all had given check."""
    game = make("xiangqi")
    state = play(game, position(game, CHARIOT), "a1a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9")
    state[168 : 168 + 2 * 8 : 2] |= -128
    assert game.outcome(play(game, state, "a8a9")) == 0


def test_pieces_of_a_kind_may_change_places() -> None:
    around = "a4a5 e9e8 a5i5 e8e9 i4a4 e9e8 i5i4 e8e9"
    game = make("xiangqi")
    state = play(game, position(game, "4k4/9/9/9/9/R7R/9/9/9/3K5 w"), around)
    assert game.encode(state)[18].all()
    assert game.outcome(play(game, state, around)) == 0
    state = play(game, position(game, "4k4/9/9/9/9/R7C/9/9/9/3K5 w"), around)
    assert not game.encode(state)[18].any()
    state = play(game, state, around)
    assert game.encode(state)[18].all()
    assert game.outcome(state) is None


def test_what_cannot_be_undone_is_forgotten() -> None:
    """A soldier beyond the river may come back from a step aside, not from one ahead; a capture clears the count."""
    game = make("xiangqi")
    state = play(game, position(game, "4k4/9/9/4P4/9/9/9/9/r8/R2K5 w - - 7 1"), "e6f6 e9e8")
    assert (state[6], state[7]) == (9, 2)
    state = play(game, state, "f6f7")
    assert (state[6], state[7]) == (10, 0)
    state = play(game, state, "a1b1 a0b0")
    assert (state[6], state[7]) == (12, 2)
    state = play(game, state, "b1b0")
    assert (state[6], state[7]) == (0, 0)
    assert not state[168:].any()


def test_positions_after_a_capture_are_equal_states() -> None:
    game = make("xiangqi")
    one = play(game, game.initial(), "a0a1 a9a8 b2b9 i9i8 a1b1")
    other = play(game, game.initial(), "a0a1 i9i8 b2b9 a9a8 a1b1")
    assert not np.array_equal(one, other)
    one = play(game, game.initial(), "a0a1 a9a8 a1b1 i9i8 b2b9")
    other = play(game, game.initial(), "a0a1 i9i8 a1b1 a9a8 b2b9")
    assert np.array_equal(one, other)


def test_without_a_move_the_side_loses_also_unchecked() -> None:
    game = make("xiangqi")
    state = position(game, "3k5/9/R8/9/9/9/9/9/9/4K4 w")
    assert game.outcome(play(game, state, "a7a8")) == 1
    assert game.outcome(position(game, "3k5/R8/9/9/9/9/9/9/9/4K4 b")) == 1
    assert game.outcome(position(game, "4k4/9/9/9/9/9/9/9/r8/3K5 w")) == -1


def test_the_limit_without_a_capture() -> None:
    game = make("xiangqi")
    text = "3k5/9/R8/9/9/9/9/9/r8/4K4 w - - 119 80"
    assert game.outcome(play(game, position(game, text), "a7a6")) == 0
    assert game.outcome(play(game, position(game, text), "a7a1")) is None
    assert game.outcome(play(game, position(game, "3k5/9/R8/9/9/9/9/9/9/4K4 w - - 119 80"), "a7a8")) == 1


def test_fen() -> None:
    game = make("xiangqi")
    assert np.array_equal(position(game, START), game.initial())
    state = play(game, game.initial(), "h2e2 h9g7")
    assert fen(state) == "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2"
    state = play(game, position(game, fen(state).replace(" w ", " b ")), "b9c7")
    assert fen(state).endswith(" w - - 3 2")
    other = position(game, "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r")
    assert np.array_equal(other, game.initial())
    state = position(make("xiangqi:250"), "4k4/9/9/9/9/9/9/9/9/3K5 b - - 249 130")
    assert fen(state) == "4k4/9/9/9/9/9/9/9/9/3K5 b - - 249 1"


BOARD = "4k4/9/9/9/9/9/9/9/9/3K5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a FEN: it needs a board and w, b or r for the side to move, and perhaps '- - 0 1'"),
        (f"{BOARD} x", f"'{BOARD} x' is not a FEN"),
        (f"{BOARD} w - - -1 1", "the number of moves without a capture must be a number from 0 to 119, not '-1'"),
        (f"{BOARD} w - - 120 61", "the number of moves without a capture must be a number from 0 to 119, not '120'"),
        ("4k4/9/9/9/9/9/9/9/3K5 w", "needs 10 ranks of 9 places, with the letters kabnrcpKABNRCP"),
        (BOARD.replace("4k4", "4k5") + " w", "needs 10 ranks of 9 places"),
        (BOARD.replace("4k4", "4k3x") + " w", "needs 10 ranks of 9 places"),
        (BOARD.replace("4k4", "4k3.") + " w", "needs 10 ranks of 9 places"),
        (BOARD.replace("4k4", "9") + " w", "it has 0 k, not 1"),
        (BOARD.replace("3K5", "3KK4") + " w", "it has 2 K, not 1"),
        (BOARD.replace("/9/9/", "/RRR6/9/", 1) + " w", "it has 3 R, not 2"),
        (BOARD.replace("4k4", "k8") + " w", "no k can stand on a9"),
        (BOARD.replace("4k4", "3ka4") + " w", "no a can stand on e9"),
        (BOARD.replace("3K5", "B2K5") + " w", "no B can stand on a0"),
        (BOARD.replace("3K5", "P2K5") + " w", "no P can stand on a0"),
        (BOARD.replace("3K5", "4K4") + " w", "the general of the side that does not move is attacked"),
        (BOARD.replace("4k4", "R3k4") + " w", "the general of the side that does not move is attacked"),
    ],
)
def test_what_is_no_position_is_refused(text: str, message: str) -> None:
    with pytest.raises(GameError, match=re.escape(message)):
        position(make("xiangqi"), text)


def test_a_fen_is_for_xiangqi() -> None:
    with pytest.raises(GameError, match="this FEN is for xiangqi only, not for tictactoe"):
        position(make("tictactoe"), START)


@pytest.mark.parametrize("limit", [39, 251])
def test_bad_limits_are_refused(limit: int) -> None:
    with pytest.raises(GameError, match=f"xiangqi: limit must be from 40 to 250, not {limit}"):
        make(f"xiangqi:{limit}")
