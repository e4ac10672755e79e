"""Draughts against slow rules that try every way of every capture, and its special rules, notation and positions."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_draughts import SIZES, Move, SlowDraughts
from plain_rules import Cell, seeds

from athenan import Game, GameError, make, perft
from athenan.games.draughts import read_fen
from athenan.games.draughts.moves import ENDING
from athenan.games.draughts.notation import read_move, write_fen
from athenan.rules.game import State


def occupied(game: Game, state: State, plane: int) -> frozenset[str]:
    slow = SlowDraughts(game.name.partition(":")[2])
    planes = game.encode(state)
    return frozenset(slow.name(at) for at in slow.cells if planes[plane, slow.size - 1 - at[0], at[1]])


def turns(game: Game, state: State) -> dict[Move, State]:
    """The whole moves of the side to move and the states after them; fails if two ways lead to one."""
    found: dict[Move, State] = {}
    before = occupied(game, state, 1 - game.player(state))
    for first in game.actions(state):
        start, to = game.action_name(state, int(first)).replace("-", "x").split("x")
        unfinished = [game.play(state, int(first))]
        while unfinished:
            following = unfinished.pop()
            if game.player(following) == game.player(state):
                assert game.outcome(following) is None
                unfinished += [game.play(following, int(action)) for action in game.actions(following)]
                continue
            move = start, to, before - occupied(game, following, 1 - game.player(state))
            assert move not in found
            found[move] = following
    return found


def check_planes(game: Game, state: State, slow: SlowDraughts) -> None:
    planes, moves = game.encode(state), slow.moves()
    for plane, letters in enumerate(("xX", "oO", "X", "O")):
        expected = {slow.name(at) for at, piece in slow.board.items() if piece in letters}
        assert occupied(game, state, plane) == expected
    assert (planes[4] == (slow.player == 0)).all()
    taken = [move[2] for move in moves if slow.over is None]
    assert occupied(game, state, 5) == (frozenset.intersection(*taken) if taken else set())
    assert occupied(game, state, 6) == frozenset().union(*taken)
    assert not planes[7].any()
    assert (planes[8] == (slow.over is None and slow.seen[slow.key()] > 1)).all()
    for plane, soon in enumerate((32, 16, 8, 4, 2), 9):
        assert (planes[plane] == (slow.over is None and slow.left() <= soon)).all()


def agree(game: Game, slow: SlowDraughts, state: State, seed: int, plies: int = 1000) -> None:
    """Plays one random match of both, at most so many moves."""
    choose = random.Random(seed)
    for _ in range(plies):
        check_planes(game, state, slow)
        assert game.outcome(state) == slow.over
        assert game.player(state) == slow.player
        if slow.over is not None:
            return
        following = turns(game, state)
        assert set(following) == slow.moves()
        move = choose.choice(sorted(following, key=str))
        slow.play(move)
        state = following[move]


def scattered(variant: str, seed: int, most: int, kings: float) -> SlowDraughts:
    """A random position of 1 to `most` pieces a side, a part of them kings."""
    choose, size = random.Random(seed), SIZES[variant]
    cells = list(SlowDraughts(variant).cells)
    choose.shuffle(cells)
    board: dict[Cell, str] = {}
    for letter, last in (("x", size - 1), ("o", 0)):
        for _ in range(choose.randint(1, most)):
            at = cells.pop()
            board[at] = letter.upper() if at[0] == last or choose.random() < kings else letter
    return SlowDraughts(variant, board, choose.randint(0, 1))


variants = st.sampled_from(sorted(SIZES))


@settings(max_examples=6)
@given(variants, seeds)
def test_matches(variant: str, seed: int) -> None:
    game = make(f"draughts:{variant}")
    agree(game, SlowDraughts(variant), game.initial(), seed)


@settings(max_examples=40)
@given(variants, seeds, st.sampled_from([(2, 0.9), (3, 0.6), (6, 0.3)]))
def test_endings(variant: str, seed: int, few: tuple[int, float]) -> None:
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, *few)
    agree(game, slow, read_fen(game, slow.fen()), seed, plies=60)


@settings(max_examples=40)
@given(variants, seeds)
def test_captures_of_many_kings(variant: str, seed: int) -> None:
    """One move each from full boards: that is where captures are long and differ in what they take only."""
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, SIZES[variant], 0.5)
    agree(game, slow, read_fen(game, slow.fen()), seed, plies=2)


@settings(max_examples=40)
@given(variants, seeds)
def test_the_exchange_of_the_players_turns_the_board(variant: str, seed: int) -> None:
    """Two actions each from full boards: the second may tell captures apart."""
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, SIZES[variant], 0.5)
    colours, last = game.colour_symmetry, SIZES[variant] - 1
    assert colours is not None
    other = dict(zip("xXoO", "oOxX", strict=True))
    turned = {(last - row, last - column): other[piece] for (row, column), piece in slow.board.items()}
    state = read_fen(game, slow.fen())
    image = read_fen(game, SlowDraughts(variant, turned, 1 - slow.player).fen())
    assert np.array_equal(colours.state(state), image)
    pairs = [(state, image)]
    for _ in range(2):
        for one, other_one in pairs:
            assert sorted(colours.actions[game.actions(one)]) == list(game.actions(other_one))
        pairs = [
            (game.play(one, int(action)), game.play(other_one, int(colours.actions[action])))
            for one, other_one in pairs
            for action in game.actions(one)
        ]
        assert all(np.array_equal(colours.state(one), other_one) for one, other_one in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("variant", sorted(SIZES))
def test_many_positions(variant: str) -> None:
    game = make(f"draughts:{variant}")
    for seed in range(1000):
        slow = scattered(variant, seed, SIZES[variant], 0.4)
        agree(game, slow, read_fen(game, slow.fen()), seed, plies=3)


def names(game: Game, state: State) -> list[str]:
    return [game.action_name(state, int(action)) for action in game.actions(state)]


def played(game: Game, fen: str, moves: str) -> State:
    state = read_fen(game, fen)
    for text in moves.split():
        for action in read_move(game, state, text):
            state = game.play(state, action)
    return state


INTERNATIONAL = make("draughts:international")
SQUARES = 50


@pytest.mark.parametrize(
    ("fen", "legal", "move", "after"),
    [
        # The longest capture only, by whichever piece; it may also go backward.
        ("W:W32,37:B28,19,27", ["32x14"], "32x14", "B:W14,37:B27"),
        ("B:W32,33:B28", ["28x37", "28x39"], "28x39", "W:W32:B39"),
        # A man that passes through the last row stays a man; one that ends there is a king.
        ("W:W12:B8,30", ["12x3"], "12x3", "B:WK3:B30"),
        ("W:W12:B8,9,30", ["12x14"], "12x14", "B:W14:B30"),
        # A king lands wherever it likes behind the last piece, but must take the most.
        ("W:WK46:B28", ["46x23", "46x19", "46x14", "46x10", "46x5"], "46x5", "B:WK5:B"),
        ("W:WK46:B32,19", ["46x14", "46x10", "46x5"], "46x10", "B:WK10:B"),
        # Round a square and back to its own.
        ("W:W38:B32,22,23,33,1", ["38x38"], "38x38", "B:W38:B1"),
        # The taken pieces stay until the end: 37 keeps the king from going on along 31, 37, 42 (coup turc).
        ("W:WK46:B21,22,37,42", ["46x26"], "46x26", "B:WK26:B42"),
    ],
)
def test_moves(fen: str, legal: list[str], move: str, after: str) -> None:
    state = read_fen(INTERNATIONAL, fen)
    assert sorted(names(INTERNATIONAL, state)) == sorted(legal)
    assert write_fen(INTERNATIONAL, played(INTERNATIONAL, fen, move)) == after


def test_captures_that_differ_in_what_they_take() -> None:
    """The king reaches 3 over 34 and 8, or over 38, 33 and 8: the whole way says which."""
    fen = "W:WK25:B8,33,34,38"
    state = read_fen(INTERNATIONAL, fen)
    assert names(INTERNATIONAL, state) == ["25x3"]
    asked = INTERNATIONAL.play(state, INTERNATIONAL.parse_action(state, "25x3"))
    assert INTERNATIONAL.player(asked) == 0
    assert INTERNATIONAL.outcome(asked) is None
    assert names(INTERNATIONAL, asked) == ["25x39x17x3", "25x43x21x3"]
    assert occupied(INTERNATIONAL, asked, 5) == {"34", "8"}
    assert occupied(INTERNATIONAL, asked, 6) == {"34", "8", "33", "38"}
    assert occupied(INTERNATIONAL, asked, 7) == {"25", "3"}
    assert write_fen(INTERNATIONAL, played(INTERNATIONAL, fen, "25x39x17x3")) == "B:WK3:B38"
    assert write_fen(INTERNATIONAL, played(INTERNATIONAL, fen, "25x43x21x3")) == "B:WK3:B33"
    first = SQUARES * SQUARES + 33 - 1  # takes the piece on 33
    assert list(INTERNATIONAL.actions(asked)) == [first, first + SQUARES]
    assert read_move(INTERNATIONAL, state, "25x43x21x3") == [SQUARES * 24 + 2, first + SQUARES]
    assert read_move(INTERNATIONAL, asked, "25x43x21x3") == [first + SQUARES]


def test_a_capture_may_be_told_apart_in_several_steps() -> None:
    """Five captures in eleven actions at most: from 36 to 30 there are three, the first of them told by 26."""
    game = make("draughts:canadian")
    state = read_fen(game, "W:WK36:B52,38,56,7,18,26,24")
    asked = game.play(state, game.parse_action(state, "36x30"))
    assert names(game, asked) == ["36x30[26]", "36x69x49x11x30"]
    asked = game.play(asked, game.parse_action(asked, "36x30[26]"))
    assert all(name.count("x") == 4 for name in names(game, asked))
    assert len(turns(game, state)) == 5
    assert len(read_move(game, state, names(game, asked)[0])) == 3


def test_moves_that_cannot_be_read_are_refused() -> None:
    state = read_fen(INTERNATIONAL, "W:WK25:B8,33,34,38")
    for text, message in (
        ("25x3", "'25x3' does not say which pieces are taken; the whole way does, such as 25x39x17x3 or 25x43x21x3"),
        ("25x40x3", "'25x40x3' is not the way of a legal capture here; one is 25x39x17x3"),
        ("25-3", "'25-3' is not a legal action of draughts:international here; legal are 25x3"),
        ("25x2x4", "'25x4' is not a legal action of draughts:international here; legal are 25x3"),
    ):
        with pytest.raises(GameError) as error:
            read_move(INTERNATIONAL, state, text)
        assert str(error.value) == message


@pytest.mark.parametrize(
    ("variant", "fen", "left"),
    [
        ("international", "W:WK46,K47,K48:BK3", 32),
        ("international", "W:WK3:BK46,38,43", 32),
        ("international", "W:W46,47,48:BK3", 0),
        ("international", "W:WK46,K47,K48:B13", 0),
        ("international", "W:WK46,K47,K48,K49:BK3", 0),
        ("international", "W:WK46,48:BK3", 10),
        ("international", "W:WK46:BK3", 10),
        ("international", "W:WK46,K47:BK3,K2", 0),
        ("canadian", "W:WK67,K68,69:BK3", 32),
        ("brazilian", "W:WKa1,Kc1,Ke1:BKh8", 0),
        ("brazilian", "W:WKa1,Kc1:BKf8,Kd8", 10),
        ("brazilian", "W:WKa1,Kc1:BKf8,d6", 10),
        ("brazilian", "W:WKa1,c1:BKf8,d6", 0),
        ("brazilian", "W:WKa1,c1:BKf8", 10),
        ("brazilian", "W:WKa1:BKf8", 10),
    ],
)
def test_moves_left_in_endings(variant: str, fen: str, left: int) -> None:
    assert read_fen(make(f"draughts:{variant}"), fen)[ENDING] == left


def test_a_capture_in_an_ending_gives_no_new_moves() -> None:
    state = read_fen(INTERNATIONAL, "B:WK50,K47,K33:BK28")
    assert state[ENDING] == 32
    assert INTERNATIONAL.play(state, INTERNATIONAL.parse_action(state, "28x39"))[ENDING] == 10
    state[ENDING] = 5  # as if 27 moves had been played in this ending
    assert INTERNATIONAL.play(state, INTERNATIONAL.parse_action(state, "28x39"))[ENDING] == 4


@pytest.mark.parametrize(
    ("variant", "fen", "limit"),
    [
        ("international", "W:WK46,K47,K48:BK3", 32),
        ("international", "W:WK46,K48:BK3", 10),
        ("international", "W:WK46,K47:BK3,K4", 50),
        ("canadian", "W:WK67,K68:BK3,K4", 50),
        ("brazilian", "W:WKa1,Kc1,Ke1:BKb8", 40),
        ("brazilian", "W:WKa1,Kc1:BKb8,Kd8", 10),
    ],
)
def test_the_longest_matches_without_a_capture(variant: str, fen: str, limit: int) -> None:
    """Random matches of kings: none without a capture is longer than the limit, some are as long and drawn."""
    game, longest = make(f"draughts:{variant}"), 0
    for seed in range(300):
        state, choose = read_fen(game, fen), random.Random(seed)
        while game.outcome(state) is None and occupied(game, state, 6) == frozenset():
            actions = list(game.actions(state))
            safe = [action for action in actions if not game.encode(game.play(state, int(action)))[6].any()]
            state = game.play(state, int(choose.choice(safe or actions)))
        if game.outcome(state) == 0:
            assert game.length(state) <= limit
            longest = max(longest, game.length(state))
        if longest == limit:
            return
    pytest.fail(f"the longest match took {longest} moves")


def to_and_fro(game: Game, state: State) -> list[int | None]:
    """The outcomes while both sides move a king to and fro twice, by the first moves that allow it."""
    for white in names(game, state):
        for black in names(game, game.play(state, game.parse_action(state, white))):
            back = ["-".join(reversed(move.split("-"))) for move in (white, black)]
            following, outcomes = state, []
            for move in [white, black, *back] * 2:
                if move in names(game, following):
                    following = game.play(following, game.parse_action(following, move))
                    outcomes.append(game.outcome(following))
            if len(outcomes) == 8:
                return outcomes
    return []


@pytest.mark.parametrize("variant", sorted(SIZES))
def test_the_third_occurrence_of_a_position_draws(variant: str) -> None:
    game, top = make(f"draughts:{variant}"), SIZES[variant] - 1
    slow = SlowDraughts(variant, {(0, 0): "X", (0, 2): "X", (0, 4): "X", (top, 1): "O", (top, 3): "O"})
    assert to_and_fro(game, read_fen(game, slow.fen())) == [None] * 7 + [0]


@settings(max_examples=30)
@given(variants, seeds)
def test_positions_are_written_and_read(variant: str, seed: int) -> None:
    game, slow = make(f"draughts:{variant}"), scattered(variant, seed, SIZES[variant], 0.3)
    state = read_fen(game, slow.fen())
    assert np.array_equal(read_fen(game, write_fen(game, state)), state)
    first, second, third = write_fen(game, state).split(":")
    assert np.array_equal(read_fen(game, f"{first}:{third}:{second}."), state)


def test_the_start_as_fen() -> None:
    numbers = [",".join(map(str, range(first, first + 20))) for first in (31, 1)]
    assert write_fen(INTERNATIONAL, INTERNATIONAL.initial()) == f"W:W{numbers[0]}:B{numbers[1]}"
    for variant in SIZES:
        game = make(f"draughts:{variant}")
        assert np.array_equal(read_fen(game, write_fen(game, game.initial())), game.initial())


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("", "'' is not a FEN of draughts; one is W:WK50:B1"),
        ("W:W31,32", "'W:W31,32' is not a FEN of draughts; one is W:WK50:B1"),
        ("W:W31:W32", "'W:W31:W32' is not a FEN of draughts; one is W:WK50:B1"),
        ("W:W51:B1", "draughts:international has no square '51'; they are 1 to 50"),
        ("W:Wa1:B1", "draughts:international has no square 'a1'; they are 1 to 50"),
        ("W:W31:BK31", "draughts:international: there are two pieces on 31"),
        ("W:W31,K31:B1", "draughts:international: there are two pieces on 31"),
        ("W:W3:B1", "draughts:international: a man cannot stand on 3, its last row"),
        ("W:W31:B50", "draughts:international: a man cannot stand on 50, its last row"),
        (f"W:W{','.join(map(str, range(10, 31)))}:B1", "draughts:international: a side has at most 20 pieces, not 21"),
    ],
)
def test_bad_positions_are_refused(fen: str, message: str) -> None:
    with pytest.raises(GameError) as error:
        read_fen(INTERNATIONAL, fen)
    assert str(error.value) == message


def test_a_position_without_a_move_is_over() -> None:
    assert INTERNATIONAL.outcome(read_fen(INTERNATIONAL, "W:W:B1")) == -1
    assert INTERNATIONAL.outcome(read_fen(INTERNATIONAL, "B:W31:B")) == 1
    assert INTERNATIONAL.outcome(read_fen(INTERNATIONAL, "B:W41,47:B36")) == 1
    assert INTERNATIONAL.outcome(read_fen(INTERNATIONAL, "B:W41,46:B36")) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "depth", "count"),
    [("international", 9, 41022423), ("brazilian", 10, 21560022), ("canadian", 8, 31839056)],
)
def test_deep_perft(variant: str, depth: int, count: int) -> None:
    """Equal captures count once; A. Bik published the first count, the others are a reference generator's."""
    assert perft(make(f"draughts:{variant}"), depth)[-1] == count
