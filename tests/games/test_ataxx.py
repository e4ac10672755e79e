"""Ataxx against slow rules, and its options."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rules import Cell, Slow, agree, cell, name, seeds

from athenan import GameError, make


class SlowAtaxx(Slow):
    """Nobody's cells are blocked."""

    def __init__(self, size: int, blocked: list[Cell]) -> None:
        self.board, self.blocked, self.quiet = np.zeros((size, size), int), blocked, 0
        self.board[[size - 1, 0], [0, size - 1]], self.board[[0, size - 1], [0, size - 1]] = 1, 2

    def around(self, at: Cell, distance: int) -> list[Cell]:
        return [to for to in self.cells() if max(abs(to[0] - at[0]), abs(to[1] - at[1])) == distance]

    def moves(self, player: int) -> set[str]:
        found = set()
        for start, distance in product([at for at in self.cells() if self.board[at] == player], (1, 2)):
            for to in self.around(start, distance):
                if not self.board[to] and to not in self.blocked:
                    found.add(name(*to) if distance == 1 else name(*start) + name(*to))
        return found

    def names(self) -> set[str]:
        return self.moves(self.player) or {"pass"}

    def put(self, text: str) -> None:
        self.quiet += 1
        if text != "pass":
            to = cell(text[-2:])
            self.board[to] = self.player
            if len(text) == 4:
                self.board[cell(text[:2])] = 0
            else:
                self.quiet = 0
            for at in self.around(to, 1):
                if self.board[at]:
                    self.board[at] = self.player
        if not (self.board == 1).any() or not (self.board == 2).any() or not (self.moves(1) or self.moves(2)):
            self.over = int(np.sign(self.difference()))
        elif self.quiet == 100:
            self.over = 0

    def difference(self) -> int:
        return int((self.board == 1).sum() - (self.board == 2).sum())


@settings(max_examples=8)
@given(st.data(), st.integers(3, 8), seeds)
def test_ataxx(data: Any, size: int, seed: int) -> None:
    inner = [at for at in product(range(size), repeat=2) if not set(at) <= {0, size - 1}]
    blocked = data.draw(st.lists(st.sampled_from(inner), max_size=size, unique=True))
    try:
        game = make(f"ataxx:{size},blocked={'+'.join(name(*at) for at in blocked)}")
    except GameError:
        slow = SlowAtaxx(size, blocked)
        assert not slow.moves(1) | slow.moves(2)
        return
    agree(game, SlowAtaxx(size, blocked), seed)
    if blocked:
        assert {(int(row), int(column)) for row, column in np.argwhere(game.encode(game.initial())[4])} == set(blocked)


def test_a_hundred_actions_without_a_clone_are_a_draw() -> None:
    """After one clone only jumps that take nothing; the score of a draw by the limit is 0, whatever the pieces."""
    game, slow, random = make("ataxx:6"), SlowAtaxx(6, []), np.random.default_rng(1)
    slow.play("b5")
    state = game.after("b5")
    while slow.over is None:
        following = {move: game.play(state, game.parse_action(state, move)) for move in slow.names() if len(move) == 4}
        pieces = game.encode(state)[:2].sum(axis=(1, 2))
        calm = [move for move in following if (game.encode(following[move])[:2].sum(axis=(1, 2)) == pieces).all()]
        move = str(random.choice(sorted(calm)))
        state = following[move]
        slow.play(move)
        assert game.outcome(state) == slow.over
        assert (game.encode(state)[3] == (slow.quiet >= 50)).all()
    assert (slow.quiet, slow.over, game.score(state)) == (100, 0, 0)
    assert slow.difference() == 1


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("ataxx:2", "ataxx: size must be from 3 to 8, not 2"),
        ("ataxx:9", "ataxx: size must be from 3 to 8, not 9"),
        ("ataxx:7,blocked=a1", "ataxx: the corner a1 cannot be blocked: a piece starts there"),
        ("ataxx:7,blocked=c3+h1", "ataxx: blocked must be cells such as c3+e5: a 7x7 board has no cell 'h1'"),
        ("ataxx:7,blocked=c03", "ataxx: blocked must be cells such as c3+e5: a 7x7 board has no cell 'c03'"),
        ("ataxx:3,blocked=a2+b1+b2+b3+c2", "ataxx: neither side could move"),
    ],
)
def test_bad_options_are_refused(specification: str, message: str) -> None:
    with pytest.raises(GameError) as error:
        make(specification)
    assert str(error.value) == message


def test_blocked_cells_are_named_row_by_row() -> None:
    assert make("ataxx:7,blocked=c5+E3+a2+b2").name == "ataxx:7,blocked=a2+b2+e3+c5"


def test_blocked_cells_keep_the_symmetries_that_fit() -> None:
    assert len(make("ataxx:7").plane_symmetries) == 8
    assert len(make("ataxx:7,blocked=c3+e5").plane_symmetries) == 4
    assert len(make("ataxx:7,blocked=c4+e4").plane_symmetries) == 4
    assert len(make("ataxx:7,blocked=b3").plane_symmetries) == 1
    assert make("ataxx:7,blocked=E5+c3+c3").name == "ataxx:7,blocked=c3+e5"
