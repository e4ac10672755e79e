"""Xiangqi by its written rules, slowly."""

import re
from itertools import product

import numpy as np
from numpy.typing import NDArray
from plain_rules import Cell, Slow

from athenan.games.xiangqi.notation import START

KINDS = "KABNRCP"
LINES = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONALS = list(product((1, -1), repeat=2))
Pieces = dict[Cell, str]


def cell(name: str) -> Cell:
    return int(name[1]), "abcdefghi".index(name[0])


def name(at: Cell) -> str:
    return "abcdefghi"[at[1]] + str(at[0])


class SlowXiangqi(Slow):
    """`pieces` has the letters of a FEN, capitals for the first player."""

    def __init__(self, text: str = START, limit: int = 120) -> None:
        ranks, side, *_, quiet, _ = text.split()
        ranks = re.sub(r"\d", lambda empty: "." * int(empty[0]), ranks)
        points = product(range(9, -1, -1), range(9))
        letters = zip(points, ranks.replace("/", ""), strict=True)
        self.pieces = {point: letter for point, letter in letters if letter != "."}
        self.player, self.quiet, self.limit = "wb".index(side) + 1, int(quiet), limit
        self.seen, self.checks = [self.key()], [False]
        if not self.names():
            self.over = 2 * self.player - 3

    def key(self) -> tuple[frozenset[tuple[Cell, str]], int]:
        return frozenset(self.pieces.items()), self.player

    def on(self, row: int, column: int) -> bool:
        return row in range(10) and column in range(9)

    def owner(self, pieces: Pieces, at: Cell) -> int:
        """0 where no piece stands."""
        return 0 if at not in pieces else 1 if pieces[at].isupper() else 2

    def reached(self, pieces: Pieces, start: Cell) -> list[Cell]:
        """Where a piece could go if only its own way mattered."""
        (row, column), kind, player = start, pieces[start].upper(), self.owner(pieces, start)
        ahead, own_rows = (1, range(5)) if player == 1 else (-1, range(5, 10))
        palace = list(product(range(3) if player == 1 else range(7, 10), range(3, 6)))
        found = []
        if kind == "K":
            found = [to for down, right in LINES if (to := (row + down, column + right)) in palace]
        if kind == "A":
            found = [to for down, right in DIAGONALS if (to := (row + down, column + right)) in palace]
        if kind == "B":
            for down, right in DIAGONALS:
                if (row + down, column + right) not in pieces and row + 2 * down in own_rows:
                    found.append((row + 2 * down, column + 2 * right))
        if kind == "N":
            for down, right in LINES:
                if (row + down, column + right) not in pieces:
                    for aside in (1, -1):
                        found.append((row + 2 * down + aside * right, column + 2 * right + aside * down))
        if kind == "P":
            found = [(row + ahead, column)]
            if row not in own_rows:
                found += [(row, column + 1), (row, column - 1)]
        if kind in "RC":
            found = [to for line in LINES for to in self.slides(pieces, start, line, kind == "C")]
        return [to for to in found if self.on(*to) and self.owner(pieces, to) != player]

    def slides(self, pieces: Pieces, start: Cell, line: Cell, cannon: bool) -> list[Cell]:
        way = [(start[0] + step * line[0], start[1] + step * line[1]) for step in range(1, 10)]
        way = [to for to in way if self.on(*to)]
        met = [to for to in way if to in pieces]
        return way[: way.index(met[0]) if met else None] + (met[1:2] if cannon else met[:1])

    def attacked(self, pieces: Pieces, player: int) -> bool:
        points = {letter: at for at, letter in pieces.items()}
        general, other = (points["K"], points["k"]) if player == 1 else (points["k"], points["K"])
        between = [row for row, column in pieces if column == general[1] and general[0] < row < other[0]]
        between += [row for row, column in pieces if column == general[1] and general[0] > row > other[0]]
        if general[1] == other[1] and not between:
            return True
        return any(general in self.reached(pieces, at) for at in pieces if self.owner(pieces, at) == 3 - player)

    def names(self) -> set[str]:
        found = set()
        for start in [at for at in self.pieces if self.owner(self.pieces, at) == self.player]:
            for to in self.reached(self.pieces, start):
                after = dict(self.pieces)
                after[to] = after.pop(start)
                if not self.attacked(after, self.player):
                    found.add(name(start) + name(to))
        return found

    def put(self, text: str) -> None:
        start, to = cell(text[:2]), cell(text[2:])
        self.quiet = 0 if to in self.pieces else self.quiet + 1
        self.pieces[to] = self.pieces.pop(start)
        self.player = 3 - self.player
        self.checks.append(self.attacked(self.pieces, self.player))
        self.seen.append(self.key())
        stuck = not self.names()
        self.player = 3 - self.player
        if stuck:
            self.won()
        elif self.seen.count(self.seen[-1]) == 3:
            mine, theirs = self.always_checked(self.seen.index(self.seen[-1]))
            self.over = (2 * self.player - 3) * (int(mine) - int(theirs))
        elif self.quiet == self.limit:
            self.over = 0

    def always_checked(self, earlier: int) -> tuple[bool, bool]:
        """Whether the side that has just moved, and the other, gave check with each move since a position."""
        since = self.checks[earlier + 1 :]
        return all(since[-1::-2]), all(since[-2::-2])

    def planes(self) -> NDArray[np.int8]:
        planes = np.zeros((24, 10, 9), np.int8)
        for at, letter in self.pieces.items():
            player = self.owner(self.pieces, at) - 1
            planes[player][at] = planes[3 + 7 * player + KINDS.index(letter.upper())][at] = 1
        planes[2] = self.player == 1
        planes[21:] = np.array([4 * self.quiet >= quarter * self.limit for quarter in (1, 2, 3)])[:, None, None]
        if self.over is None:
            planes[17] = self.attacked(self.pieces, self.player)
            if self.seen.count(self.seen[-1]) > 1:
                earlier = max(at for at, key in enumerate(self.seen[:-1]) if key == self.seen[-1])
                checked = self.always_checked(earlier)
                planes[18], planes[19], planes[20] = 1, checked[self.player == 1], checked[self.player == 2]
        return planes
