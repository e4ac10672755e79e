"""The rules against slow ones, written cell by cell: random matches on boards of random sizes agree at every ply."""

import random
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rules import ALL_DIRECTIONS, Cell, Slow, agree, cell, name, seeds

from athenan import make


class SlowHex(Slow):
    def __init__(self, size: int, swap: bool) -> None:
        self.board, self.swap, self.ply = np.zeros((size, size), int), swap, 0

    def names(self) -> set[str]:
        empty = {name(*at) for at in self.cells() if not self.board[at]}
        return empty | ({"swap"} if self.swap and self.ply == 1 else set())

    def put(self, text: str) -> None:
        self.ply += 1
        if text == "swap":
            self.board = 2 * self.board.T.copy()
        else:
            self.board[cell(text)] = self.player
        if self.connected():
            self.won()

    def connected(self) -> bool:
        """Flood fill from the top (first player) or the left (second)."""
        board = self.board if self.player == 1 else self.board.T  # neighbourhood is symmetric under transposition
        last = len(board) - 1
        seen = {(0, column) for column in range(last + 1) if board[0, column] == self.player}
        queue = list(seen)
        while queue:
            row, column = queue.pop()
            for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
                at = row + down, column + right
                if self.on(*at) and board[at] == self.player and at not in seen:
                    seen.add(at)
                    queue.append(at)
        return any(row == last for row, _ in seen)


class SlowLines(Slow):
    """Tic-tac-toe, and with `drop` Connect Four: who has `connect` in a line wins."""

    def __init__(self, rows: int, columns: int, connect: int, drop: bool) -> None:
        self.board, self.connect, self.drop = np.zeros((rows, columns), int), connect, drop

    def names(self) -> set[str]:
        if self.drop:
            return {str(column + 1) for column, stones in enumerate(self.board.T) if not stones.all()}
        return {name(*at) for at in self.cells() if not self.board[at]}

    def put(self, text: str) -> None:
        at = (int(np.argmin(self.board[:, int(text) - 1])), int(text) - 1) if self.drop else cell(text)
        self.board[at] = self.player
        if self.line():
            self.won()
        elif self.board.all():
            self.over = 0

    def line(self) -> bool:
        for (row, column), (down, right) in product(self.cells(), ALL_DIRECTIONS):
            line = [(row + step * down, column + step * right) for step in range(self.connect)]
            if all(self.on(*at) and self.board[at] == self.player for at in line):
                return True
        return False


class SlowOthello(Slow):
    def __init__(self, size: int) -> None:
        self.board, low = np.zeros((size, size), int), size // 2 - 1
        self.board[low : low + 2, low : low + 2] = [[2, 1], [1, 2]]

    def captures(self, row: int, column: int, player: int) -> list[Cell]:
        captured: list[Cell] = []
        for down, right in ALL_DIRECTIONS:
            at, run = (row + down, column + right), []
            while self.on(*at) and self.board[at] == 3 - player:
                run.append(at)
                at = at[0] + down, at[1] + right
            if self.on(*at) and self.board[at] == player:
                captured += run
        return captured

    def moves(self, player: int) -> set[str]:
        return {name(*at) for at in self.cells() if not self.board[at] and self.captures(*at, player)}

    def names(self) -> set[str]:
        return self.moves(self.player) or {"pass"}

    def put(self, text: str) -> None:
        if text != "pass":
            for at in [*self.captures(*cell(text), self.player), cell(text)]:
                self.board[at] = self.player
        if not self.moves(1) and not self.moves(2):
            self.over = int(np.sign(self.score()))

    def score(self) -> int:
        return int((self.board == 1).sum() - (self.board == 2).sum())


class SlowBreakthrough(Slow):
    def __init__(self, width: int, height: int, piece_rows: int) -> None:
        self.board = np.zeros((height, width), int)
        self.board[:piece_rows], self.board[height - piece_rows :] = 1, 2

    def names(self) -> set[str]:
        found, forward = set(), 3 - 2 * self.player
        for row, column in self.cells():
            for right in (-1, 0, 1):
                to = row + forward, column + right
                if self.board[row, column] != self.player or not self.on(*to) or self.board[to] == self.player:
                    continue
                if self.board[to] == 0:
                    found.add(f"{name(row, column)}-{name(*to)}")
                elif right:
                    found.add(f"{name(row, column)}x{name(*to)}")
        return found

    def put(self, text: str) -> None:
        start, to = (cell(part) for part in text.replace("x", "-").split("-"))
        self.board[start], self.board[to] = 0, self.player
        goal = len(self.board) - 1 if self.player == 1 else 0
        if to[0] == goal or not (self.board == 3 - self.player).any():
            self.won()


class SlowClobber(Slow):
    def __init__(self, width: int, height: int) -> None:
        self.board = np.array([[1 + (row + column) % 2 for column in range(width)] for row in range(height)])

    def names(self) -> set[str]:
        return {
            f"{name(row, column)}-{name(row + down, column + right)}"
            for (row, column), (down, right) in product(self.cells(), ALL_DIRECTIONS)
            if not (down and right)
            and self.board[row, column] == self.player
            and self.on(row + down, column + right)
            and self.board[row + down, column + right] == 3 - self.player
        }

    def put(self, text: str) -> None:
        start, to = (cell(part) for part in text.split("-"))
        self.board[start], self.board[to] = 0, self.player
        self.player = 3 - self.player
        stuck = not self.names()
        self.player = 3 - self.player
        if stuck:
            self.won()


class SlowAmazons(Slow):
    def __init__(self, size: int, first: str, second: str) -> None:
        self.board, self.arrows = np.zeros((size, size), int), np.zeros((size, size), int)
        for player, cells in ((1, first), (2, second)):
            for text in cells.split():
                self.board[cell(text)] = player
        self.shooter: Cell | None = None

    def queen_moves(self, row: int, column: int) -> set[Cell]:
        found = set()
        for down, right in ALL_DIRECTIONS:
            at = row + down, column + right
            while self.on(*at) and not self.board[at] and not self.arrows[at]:
                found.add(at)
                at = at[0] + down, at[1] + right
        return found

    def names(self) -> set[str]:
        if self.shooter:
            return {name(*to) for to in self.queen_moves(*self.shooter)}
        own = [at for at in self.cells() if self.board[at] == self.player]
        return {f"{name(*at)}-{name(*to)}" for at in own for to in self.queen_moves(*at)}

    def play(self, text: str) -> None:
        if self.shooter is None:
            start, self.shooter = (cell(part) for part in text.split("-"))
            self.board[start], self.board[self.shooter] = 0, self.player
            return
        self.arrows[cell(text)], self.shooter = 1, None
        self.player = 3 - self.player
        if not self.names():
            self.over = 2 * self.player - 3

    def score(self) -> int:
        """The empty cells which the winner's amazons reach in any number of queen's moves, and 1 for the win."""
        winner, seen = 3 - self.player, set[Cell]()
        queue = [at for at in self.cells() if self.board[at] == winner]
        while queue:
            new = self.queen_moves(*queue.pop()) - seen
            seen |= new
            queue += new
        return (len(seen) + 1) * (3 - 2 * winner)


class SlowSantorini(Slow):
    def __init__(self) -> None:
        self.board, self.levels = np.zeros((5, 5), int), np.zeros((5, 5), int)
        self.puts, self.builder = 0, (-1, -1)

    def free(self, at: Cell) -> bool:
        return self.on(*at) and not self.board[at] and self.levels[at] < 4

    def around(self, at: Cell) -> list[Cell]:
        return [to for down, right in ALL_DIRECTIONS if self.free(to := (at[0] + down, at[1] + right))]

    def moves(self) -> set[str]:
        return {
            f"{name(*at)}-{name(*to)}"
            for at in self.cells()
            for to in self.around(at)
            if self.board[at] == self.player and self.levels[to] <= self.levels[at] + 1
        }

    def names(self) -> set[str]:
        if self.puts < 4:
            return {name(*at) for at in self.cells() if not self.board[at]}
        return {name(*to) for to in self.around(self.builder)} if self.on(*self.builder) else self.moves()

    def play(self, text: str) -> None:
        if self.puts < 4:
            self.board[cell(text)] = self.player
            self.puts += 1
            self.player = 2 if self.puts in (2, 3) else 1
        elif "-" in text:
            start, self.builder = (cell(part) for part in text.split("-"))
            self.board[start], self.board[self.builder] = 0, self.player
            if self.levels[self.builder] == 3:
                self.won()
                self.player = 3 - self.player
        else:
            self.levels[cell(text)] += 1
            self.player, self.builder = 3 - self.player, (-1, -1)
            if not self.moves():
                self.over = 2 * self.player - 3


few = settings(max_examples=12, deadline=None)
many = settings(max_examples=40, deadline=None)


@many
@given(st.integers(2, 9), st.booleans(), seeds)
def test_hex(size: int, swap: bool, seed: int) -> None:
    agree(make(f"hex:{size},swap={swap}"), SlowHex(size, swap), seed)


@many
@given(seeds)
def test_tictactoe(seed: int) -> None:
    agree(make("tictactoe"), SlowLines(3, 3, 3, drop=False), seed)


@many
@given(st.data(), st.integers(2, 9), st.integers(2, 9), seeds)
def test_connect_four(data: Any, width: int, height: int, seed: int) -> None:
    connect = data.draw(st.integers(2, max(width, height)))
    agree(make(f"connect_four:{width}x{height},connect={connect}"), SlowLines(height, width, connect, True), seed)


@pytest.mark.parametrize("size", ["7x8", "8x7", "9x6", "13x4", "20x2", "2x20", "10x10"])
def test_connect_four_around_the_size_of_a_word(size: str) -> None:
    width, height = map(int, size.split("x"))
    for seed in range(2):
        agree(make(f"connect_four:{size}"), SlowLines(height, width, 4, drop=True), seed)


@few
@given(st.sampled_from([4, 6, 8]), seeds)
def test_othello(size: int, seed: int) -> None:
    agree(make(f"othello:{size}"), SlowOthello(size), seed)


@pytest.mark.parametrize("size", [10, 12, 14, 16])
def test_othello_on_large_boards(size: int) -> None:
    agree(make(f"othello:{size}"), SlowOthello(size), seed=size)


@many
@given(st.integers(1, 9), st.integers(2, 9), seeds)
def test_clobber(width: int, height: int, seed: int) -> None:
    agree(make(f"clobber:{width}x{height}"), SlowClobber(width, height), seed)


@pytest.mark.parametrize(("width", "height"), [(9, 1), (16, 16), (16, 3), (15, 4), (4, 13)])
def test_clobber_on_more_boards(width: int, height: int) -> None:
    agree(make(f"clobber:{width}x{height}"), SlowClobber(width, height), seed=width)


AMAZONS = {
    6: ("a2 b1 e1 f2", "a5 b6 e6 f5"),
    8: ("a3 c1 f1 h3", "a6 c8 f8 h6"),
    10: ("a4 d1 g1 j4", "a7 d10 g10 j7"),
}


@few
@given(st.sampled_from(list(AMAZONS)), seeds)
def test_amazons(size: int, seed: int) -> None:
    game, slow = make(f"amazons:{size}"), SlowAmazons(size, *AMAZONS[size])
    state = agree(game, slow, seed)
    assert game.score(state) == slow.score()


@many
@given(seeds)
def test_santorini(seed: int) -> None:
    agree(make("santorini"), SlowSantorini(), seed)


@many
@given(st.data(), st.integers(2, 9), st.integers(2, 9), seeds)
def test_breakthrough(data: Any, width: int, height: int, seed: int) -> None:
    rows = data.draw(st.integers(1, height // 2))
    agree(make(f"breakthrough:{width}x{height},piece_rows={rows}"), SlowBreakthrough(width, height, rows), seed)


def test_breakthrough_on_the_largest_board() -> None:
    agree(make("breakthrough:16x16,piece_rows=8"), SlowBreakthrough(16, 16, 8), seed=1)


def test_a_player_without_pieces_loses() -> None:
    """On a narrow board all pieces can be captured before any arrives."""
    game = make("breakthrough:2x6,piece_rows=1")
    for seed in range(200):
        slow, choose, state = SlowBreakthrough(2, 6, 1), random.Random(seed), game.initial()
        while slow.over is None:
            captures = [move for move in sorted(slow.names()) if "x" in move]
            move = choose.choice(captures or sorted(slow.names()))
            slow.play(move)
            state = game.play(state, game.parse_action(state, move))
            assert game.outcome(state) == slow.over
        if not (slow.board == 1).any() or not (slow.board == 2).any():
            return
    pytest.fail("no match ended so")


def test_othello_on_4x4_is_a_loss_by_eight_discs() -> None:
    """Exhaustive search over the states of all lengths, the last first; the value is that of another implementation."""
    game = make("othello:4")
    levels: list[dict[bytes, list[bytes]]] = [{game.initial().tobytes(): []}]
    while levels[-1]:
        following: dict[bytes, list[bytes]] = {}
        for data, children in levels[-1].items():
            state = np.frombuffer(data, np.int8).copy()
            children += [game.play(state, int(action)).tobytes() for action in game.actions(state)]
            following.update((child, []) for child in children)
        levels.append(following)
    values: dict[bytes, int] = {}
    for _, level in pairwise([levels[-1], *levels[::-1]]):
        for data, children in level.items():
            state = np.frombuffer(data, np.int8).copy()
            best = max if game.player(state) == 0 else min
            values[data] = best(values[child] for child in children) if children else game.score(state)
    assert values[game.initial().tobytes()] == -8
