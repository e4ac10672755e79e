"""Gomoku and Connect6 against slow rules that read every line of the board as a text."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rules import Slow, agree, cell, name

from athenan import Game, make


class SlowLinesOfText(Slow):
    def __init__(self, size: int, pattern: str) -> None:
        """`pattern`: what a line of the mover's stones (#) and other cells (.) must contain to win."""
        self.board, self.pattern, self.ply = np.zeros((size, size), int), pattern, 0

    def names(self) -> set[str]:
        return {name(*at) for at in self.cells() if not self.board[at]}

    def put(self, text: str) -> None:
        self.board[cell(text)] = self.player
        self.ply += 1
        if any(re.search(self.pattern, line) for line in self.lines()):
            self.won()
        elif self.board.all():
            self.over = 0

    def lines(self) -> list[str]:
        marks, size = np.where(self.board == self.player, "#", "."), len(self.board)
        lines = [*marks, *marks.T]
        for board in (marks, marks[::-1]):
            lines += [board.diagonal(offset) for offset in range(1 - size, size)]
        return ["".join(line) for line in lines]


class SlowGomoku(SlowLinesOfText):
    def __init__(self, size: int, opening: str, exact: bool) -> None:
        super().__init__(size, "(?<!#)#{5}(?!#)" if exact else "#####")
        self.opening = opening

    def names(self) -> set[str]:
        inner = range(2, len(self.board) - 2)
        restricted = self.ply == 0 and self.opening == "outer"
        return super().names() - {name(row, column) for row in inner for column in inner if restricted}


class SlowConnect6(SlowLinesOfText):
    def __init__(self, size: int) -> None:
        super().__init__(size, "######")

    def play(self, text: str) -> None:
        self.put(text)
        if self.ply % 2:  # after the first turn's stone, and the second stones of the others
            self.player = 3 - self.player


seeds = st.integers(0, 2**32)
many = settings(max_examples=25)


@many
@given(st.integers(5, 9), st.sampled_from(["outer", "free"]), st.booleans(), seeds)
def test_gomoku(size: int, opening: str, exact: bool, seed: int) -> None:
    agree(make(f"gomoku:{size},opening={opening},exact={exact}"), SlowGomoku(size, opening, exact), seed)


@many
@given(st.integers(6, 10), seeds)
def test_connect6(size: int, seed: int) -> None:
    agree(make(f"connect6:{size}"), SlowConnect6(size), seed)


@pytest.mark.parametrize(("size", "seed"), [(11, 0), (15, 1), (19, 2)])
def test_large_boards(size: int, seed: int) -> None:
    agree(make(f"gomoku:{size}"), SlowGomoku(size, "outer", False), seed)
    agree(make(f"connect6:{size}"), SlowConnect6(size), seed)


def gomoku(moves: str, exact: bool = False) -> int | None:
    game: Game = make(f"gomoku:15,exact={exact}")
    return game.outcome(game.after(moves))


def test_overlines_of_gomoku() -> None:
    """The stone that joins two and three stones makes six."""
    overline = "a1 a9 b1 b9 d1 d9 e1 e9 f1 g9 c1"
    assert gomoku(overline) == 1
    assert gomoku(overline, exact=True) is None
    assert gomoku("a1 a9 b1 b9 d1 d9 e1 e9 c1", exact=True) == 1


def test_a_line_of_five_counts_beside_an_overline() -> None:
    row, column = ["a1", "b1", "d1", "e1", "f1"], ["c2", "c3", "c4", "c5"]
    replies = ["n1", "n3", "n5", "n7", "n9", "o11", "o13", "m2", "m4"]
    moves = " ".join(f"{first} {second}" for first, second in zip(row + column, replies, strict=True)) + " c1"
    assert gomoku(moves, exact=True) == 1


def test_lines_do_not_run_over_the_border() -> None:
    assert gomoku("m2 a10 n2 a12 o2 c10 a3 c12 b3") is None
    assert gomoku("n1 a10 o2 a12 a4 c10 b5 c12 c6") is None


def test_a_full_board_draws() -> None:
    """Rows of the pattern xxoo, shifted by two in every second row, have no three in a line."""
    game = make("gomoku:5,opening=free")
    wanted = [[(column // 2 + row) % 2 for column in range(5)] for row in range(5)]
    places = [[name(row, column) for row in range(5) for column in range(5) if wanted[row][column] == player]
              for player in (0, 1)]  # fmt: skip
    order = [places[ply % 2].pop() if places[ply % 2] else places[1 - ply % 2].pop() for ply in range(25)]
    state = game.after(" ".join(order))
    assert game.outcome(state) == 0
    assert len(game.actions(state)) == 0


def test_the_first_stone_of_a_turn_can_win() -> None:
    game = make("connect6:19")
    state = game.after("a1 s1 s3 b1 c1 s5 s7 d1 e1 s9 s11")
    assert [game.player(state), game.outcome(state)] == [0, None]
    state = game.play(state, game.parse_action(state, "f1"))
    assert game.outcome(state) == 1


def test_turns_of_connect6() -> None:
    game, state, seen = make("connect6:6"), make("connect6:6").initial(), []
    for move in ["a1", "b2", "c3", "d4", "e5", "f6"]:
        planes = game.encode(state)
        seen.append((game.player(state), int(planes[3].max())))
        assert planes[3].min() == planes[3].max()
        state = game.play(state, game.parse_action(state, move))
    assert seen == [(0, 0), (1, 1), (1, 0), (0, 1), (0, 0), (1, 1)]
    assert np.array_equal(game.after("a1 b2 c3"), game.after("a1 c3 b2"))


def test_both_names_of_gomoku_make_one_game() -> None:
    assert make("outer_open_gomoku").name == make("gomoku").name == "gomoku:15"
