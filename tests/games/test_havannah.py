"""Havannah against slow rules, and what its states promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rules import Cell, Slow, agree, cell, name

from athenan import make
from athenan.rules.playouts import random_match
from athenan.rules.state import HEADER

AROUND = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]


class SlowHavannah(Slow):
    """`board` is the array of rows and columns of which the hexagon is a part."""

    def __init__(self, side: int, swap: bool) -> None:
        self.side, self.swap, self.ply = side, swap, 0
        self.board = np.zeros((2 * side - 1, 2 * side - 1), int)

    def on(self, row: int, column: int) -> bool:
        return super().on(row, column) and abs(row - column) < self.side

    def around(self, at: Cell) -> list[Cell]:
        return [(at[0] + down, at[1] + right) for down, right in AROUND]

    def names(self) -> set[str]:
        empty = {name(*at) for at in self.cells() if self.on(*at) and not self.board[at]}
        return empty | ({"swap"} if self.swap and self.ply == 1 else set())

    def put(self, text: str) -> None:
        self.ply += 1
        if text == "swap":
            self.board *= 2
            return
        self.board[cell(text)] = self.player
        if self.joins_border(self.group(cell(text))) or self.ring():
            self.won()
        elif not self.names():
            self.over = 0

    def flood(self, start: Cell, through: set[Cell]) -> set[Cell]:
        seen, queue = {start}, [start]
        while queue:
            for at in self.around(queue.pop()):
                if at in through and at not in seen:
                    seen.add(at)
                    queue.append(at)
        return seen

    def group(self, at: Cell) -> set[Cell]:
        return self.flood(at, {to for to in self.cells() if self.board[to] == self.board[at]})

    def joins_border(self, group: set[Cell]) -> bool:
        """A corner has three neighbours; the cells of a side have two off the board in the same two directions."""
        missing = [[not self.on(*to) for to in self.around(at)] for at in group]
        corners = sum(sum(off) == 3 for off in missing)
        sides = {tuple(off) for off in missing if sum(off) == 2}
        return corners >= 2 or len(sides) >= 3

    def ring(self) -> bool:
        """Whether the mover's stones cut some cell, whatever it holds, off from the border."""
        others = {at for at in self.cells() if self.on(*at) and self.board[at] != self.player}
        own = [at for at in self.cells() if self.board[at] == self.player]
        free: set[Cell] = set()
        for at in [*others, *own]:
            if at in free or not free.isdisjoint(self.around(at)):
                continue
            reached = self.flood(at, others)
            if all(self.on(*to) for there in reached for to in self.around(there)):
                return True
            if at in others:
                free |= reached
        return False


seeds = st.integers(0, 2**32)


@settings(max_examples=25)
@given(st.integers(4, 6), st.booleans(), seeds)
def test_havannah(side: int, swap: bool, seed: int) -> None:
    agree(make(f"havannah:{side},swap={swap}"), SlowHavannah(side, swap), seed)


@pytest.mark.parametrize("side", [7, 10])
def test_large_boards(side: int) -> None:
    agree(make(f"havannah:{side}"), SlowHavannah(side, True), seed=side)


@settings(max_examples=40)
@given(seeds)
def test_rings_in_crowds(seed: int) -> None:
    """Stones beside own stones make rings, filled ones too, where random ones make bridges and forks."""
    game, slow, choose = make("havannah:5,swap=false"), SlowHavannah(5, False), np.random.default_rng(seed)
    state = game.initial()
    while slow.over is None:
        weights = {
            move: 1 + 20 * sum(slow.on(*to) and slow.board[to] == slow.player for to in slow.around(cell(move))) ** 2
            for move in sorted(slow.names())
        }
        total = sum(weights.values())
        move = str(choose.choice(list(weights), p=[weight / total for weight in weights.values()]))
        slow.play(move)
        state = game.play(state, game.parse_action(state, move))
        assert game.outcome(state) == slow.over


@pytest.mark.parametrize(
    ("stones", "wins"),
    [
        ("d3 e4 e5 d5 c4 c3", True),  # a ring around an empty cell
        ("d4 d3 e4 e5 d5 c4 c3", True),  # around an own stone, the filled hexagon
        ("d3 e4 e5 d5 c4 d4 c3", True),  # its last stone on the rim
        ("d3 e4 e5 d4 d5 c4", False),  # a hexagon with a gap
        ("a1 b1 c1 d1", True),  # a bridge
        ("b1 c1 a2 a3 b2", False),  # two sides, without the corner between them
        ("b1 c2 c3 c4 b4 b5 d5 d6 e6 e7", True),  # a fork
        ("a1 b2 c3 d4 e5 f6 g7", True),  # a bridge through the middle
        ("a1 b1 c1 a2 a3", False),  # one corner and two sides
    ],
)
def test_shapes(stones: str, wins: bool) -> None:
    """The second player's stones, on the far side, are in nobody's way."""
    game = make("havannah:4,swap=false")
    first = stones.split()
    free = [move for move in ("g4", "f4", "g5", "e3", "f7", "d2", "f3", "b3", "c6", "f6", "g6", "e4", "d7")
            if move not in first]  # fmt: skip
    moves = [move for pair in zip(first, free, strict=False) for move in pair][:-1]
    assert game.outcome(game.after(" ".join(moves))) == (1 if wins else None)


def test_a_ring_around_opposing_stones() -> None:
    game = make("havannah:4,swap=false")
    assert game.outcome(game.after("d3 d4 e4 g4 e5 a1 d5 g5 c4 b1 c3")) == 1


@pytest.mark.parametrize("side", [4, 7, 10])
def test_names_of_groups(side: int) -> None:
    """They follow from the board, and groups of one colour have different ones."""
    game = make(f"havannah:{side}")
    cells = [at for at in SlowHavannah(side, True).cells() if abs(at[0] - at[1]) < side]
    for seed in range(3):
        state, slow = game.initial(), SlowHavannah(side, True)
        for action in random_match(game, seed):
            state = game.play(state, action)
        planes = game.encode(state)[:, 1:-1, 1:-1]
        slow.board = planes[0] + 2 * planes[1].astype(int)
        labels = dict(zip(cells, state[HEADER:].tolist(), strict=False))
        groups = {frozenset(slow.group(at)) for at in cells if slow.board[at]}
        assert all(len({labels[at] for at in group}) == 1 for group in groups)
        assert len({labels[next(iter(group))] for group in groups}) == len(groups)


def test_the_order_of_moves_leaves_no_trace() -> None:
    game, choose = make("havannah:8,swap=false"), np.random.default_rng(1)
    for seed in range(5):
        played = random_match(game, seed)[:60]
        first, second = played[0::2], played[1::2]
        other = [int(action) for pair in zip(choose.permutation(first), choose.permutation(second), strict=True)
                 for action in pair]  # fmt: skip
        one, two = game.initial(), game.initial()
        for action, reply in zip(played, other, strict=True):
            assert game.outcome(one) is None
            if game.outcome(two) is not None:  # the other order may win earlier
                break
            one, two = game.play(one, action), game.play(two, reply)
        else:
            assert np.array_equal(one, two)


def test_swap_changes_the_colour() -> None:
    game = make("havannah:4")
    swapped = game.after("b2 swap")
    assert game.player(swapped) == 0
    assert [int(plane.sum()) for plane in game.encode(swapped)[:2]] == [0, 1]
    assert "swap" not in [game.action_name(swapped, int(action)) for action in game.actions(swapped)]
    assert game.player(game.after("b2 b3")) == 0
