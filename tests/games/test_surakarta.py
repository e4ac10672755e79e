"""Surakarta against slow rules."""

import numpy as np
from hypothesis import given, settings
from plain_rules import ALL_DIRECTIONS, Cell, Slow, agree, cell, name, seeds

from athenan import make


class SlowSurakarta(Slow):
    """Captures walk along the lines of the board and, where they leave it, through the loops."""

    def __init__(self) -> None:
        self.board = np.zeros((6, 6), int)
        self.board[:2], self.board[4:] = 1, 2
        self.quiet, self.seen = 0, {self.position()}

    def position(self) -> tuple[bytes, int]:
        return self.board.tobytes(), self.player

    def through_loop(self, row: int, column: int) -> tuple[Cell, Cell] | None:
        """Where a piece that leaves the board there comes back, and in which direction; None beside a corner."""
        if self.on(row, 0):
            turned = self.through_loop(column, row)
            return turned and (turned[0][::-1], turned[1][::-1])
        radius = min(column, 5 - column)
        to_row = radius if row < 0 else 5 - radius
        to = ((to_row, 0), (0, 1)) if column < 3 else ((to_row, 5), (0, -1))
        return to if radius else None

    def captures(self, start: Cell) -> set[Cell]:
        found = set()
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            at, direction, loops = start, (down, right), 0
            for _ in range(30):
                at = at[0] + direction[0], at[1] + direction[1]
                if not self.on(*at):
                    turned = self.through_loop(*at)
                    if turned is None:
                        break
                    (at, direction), loops = turned, loops + 1
                if at != start and self.board[at]:
                    if loops and self.board[at] == 3 - self.player:
                        found.add(at)
                    break
        return found

    def names(self) -> set[str]:
        found = set()
        for at in self.cells():
            if self.board[at] == self.player:
                found |= {f"{name(*at)}x{name(*to)}" for to in self.captures(at)}
                around = [(at[0] + down, at[1] + right) for down, right in ALL_DIRECTIONS]
                found |= {f"{name(*at)}-{name(*to)}" for to in around if self.on(*to) and not self.board[to]}
        return found

    def play(self, text: str) -> None:
        start, to = (cell(part) for part in text.replace("x", "-").split("-"))
        self.board[start], self.board[to] = 0, self.player
        self.player = 3 - self.player
        self.quiet += 1
        if "x" in text:
            self.quiet, self.seen = 0, set()
        repeated = self.position() in self.seen
        self.seen.add(self.position())
        if repeated or self.quiet == 50 or not (self.board == self.player).any() or not self.names():
            self.over = int(np.sign((self.board == 1).sum() - (self.board == 2).sum()))


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_surakarta(seed: int) -> None:
    agree(make("surakarta"), SlowSurakarta(), seed)
