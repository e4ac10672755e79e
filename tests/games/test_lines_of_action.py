"""Lines of Action against slow rules that keep all earlier positions as they are."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from plain_rules import ALL_DIRECTIONS, Cell, Slow, agree, cell, name, seeds

from athenan import Game, make
from athenan.rules.game import State
from athenan.rules.playouts import random_match


class SlowLinesOfAction(Slow):
    def __init__(self, simultaneous: str = "mover") -> None:
        self.board, self.simultaneous = np.zeros((8, 8), int), simultaneous
        self.board[[0, 7], 1:7], self.board[1:7, [0, 7]] = 1, 2
        self.quiet = 0
        self.seen = {self.key()}

    def key(self) -> tuple[bytes, int]:
        return self.board.tobytes(), self.player

    def line(self, row: int, column: int, down: int, right: int) -> list[Cell]:
        """The cells of a whole line."""
        steps = range(-7, 8)
        return [at for step in steps if self.on(*(at := (row + step * down, column + step * right)))]

    def names(self) -> set[str]:
        found = set()
        for row, column in self.cells():
            if self.board[row, column] != self.player:
                continue
            for down, right in ALL_DIRECTIONS:
                count = sum(self.board[at] != 0 for at in self.line(row, column, down, right))
                way = [(row + step * down, column + step * right) for step in range(1, count + 1)]
                if not self.on(*way[-1]) or self.board[way[-1]] == self.player:
                    continue
                if all(self.board[at] != 3 - self.player for at in way[:-1]):
                    found.add(f"{name(row, column)}{'x' if self.board[way[-1]] else '-'}{name(*way[-1])}")
        return found or {"pass"}

    def connected(self, player: int) -> bool:
        pieces = {at for at in self.cells() if self.board[at] == player}
        group = {min(pieces)}
        while True:
            larger = {(row + down, column + right) for row, column in group for down, right in ALL_DIRECTIONS}
            larger = (larger & pieces) | group
            if larger == group:
                return group == pieces
            group = larger

    def put(self, text: str) -> None:
        self.quiet += 1
        if text != "pass":
            start, to = (cell(part) for part in text.replace("x", "-").split("-"))
            self.quiet = 0 if self.board[to] else self.quiet
            self.board[start], self.board[to] = 0, self.player
        own, other = self.connected(self.player), self.connected(3 - self.player)
        if own and other:
            self.over = 0 if self.simultaneous == "draw" else 3 - 2 * self.player
        elif own or other:
            self.over = (3 - 2 * self.player) * (1 if own else -1)
        self.player = 3 - self.player
        if self.over is None and (self.key() in self.seen or self.quiet == 120):
            self.over = 0
        self.seen.add(self.key())
        self.player = 3 - self.player


@settings(max_examples=8)
@given(st.sampled_from(["mover", "draw"]), seeds)
def test_lines_of_action(simultaneous: str, seed: int) -> None:
    agree(make(f"lines_of_action:{simultaneous}"), SlowLinesOfAction(simultaneous), seed)


def from_words(game: Game, first: list[str], second: list[str], player: int) -> tuple[State, SlowLinesOfAction]:
    """A position without history, for both."""
    state, slow = game.initial(), SlowLinesOfAction(game.name.rpartition(":")[2])
    state[0], slow.player, slow.board[:] = player, player + 1, 0
    for number, pieces in enumerate((first, second)):
        cells = [cell(piece) for piece in pieces]
        word = sum(1 << (8 * row + column) for row, column in cells)
        state[8 + 8 * number : 16 + 8 * number] = np.array([word], np.uint64).view(np.int8)
        for at in cells:
            slow.board[at] = number + 1
    slow.seen = {slow.key()}
    return state, slow


@pytest.mark.parametrize(("simultaneous", "gain"), [("mover", 1), ("draw", 0)])
def test_a_move_that_connects_both_sides(simultaneous: str, gain: int) -> None:
    game = make(f"lines_of_action:{simultaneous}")
    state, slow = from_words(game, ["a1", "d3"], ["c3", "h7", "h6"], 0)
    move = "a1xc3"
    assert move in {game.action_name(state, int(action)) for action in game.actions(state)} == slow.names()
    slow.play(move)
    assert game.outcome(game.play(state, game.parse_action(state, move))) == slow.over == gain


def test_capturing_the_stray_piece_connects_the_opponent() -> None:
    game = make("lines_of_action")
    state, slow = from_words(game, ["a1", "h1"], ["c3", "h7", "h6"], 0)
    slow.play("a1xc3")
    assert game.outcome(game.play(state, game.parse_action(state, "a1xc3"))) == slow.over == -1


def test_without_a_move_a_side_passes() -> None:
    """The first player's corner pieces are walled in; the match goes on until the second player's pieces meet."""
    game = make("lines_of_action")
    state, slow = from_words(game, ["a1", "h8"], ["a2", "b1", "b2", "h7", "g8", "g7"], 0)
    assert slow.names() == {"pass"}
    state = game.play(state, game.parse_action(state, "pass"))
    slow.play("pass")
    assert game.outcome(state) is None
    assert slow.over is None
    assert game.player(state) == 1
    assert {game.action_name(state, int(action)) for action in game.actions(state)} == slow.names()


def test_the_limit_without_a_capture() -> None:
    """Random play that avoids captures and the end of the match."""
    game = make("lines_of_action")
    ended: Counter[int] = Counter()
    for seed in range(6):
        slow, state, random = SlowLinesOfAction(), game.initial(), np.random.default_rng(seed)
        while slow.over is None:
            moves = sorted(slow.names())
            quiet = [move for move in moves if "x" not in move]
            move = str(random.choice(quiet or moves))
            slow.play(move)
            state = game.play(state, game.parse_action(state, move))
            assert game.outcome(state) == slow.over
        ended[slow.quiet] += 1
    assert ended[120] > 0


def occupied(game: Game, state: State) -> NDArray[np.bool_]:
    own, other = game.encode(state)[:2]
    return (own | other) != 0


def test_the_plane_of_repeating_moves() -> None:
    game, drawn = make("lines_of_action"), 0
    for seed in range(3):
        state = game.initial()
        for action in random_match(game, seed):
            expected = np.zeros((8, 8), int)
            for other in game.actions(state):
                following = game.play(state, int(other))
                if game.outcome(following) == 0:
                    drawn += 1
                    expected |= occupied(game, state) != occupied(game, following)
            assert np.array_equal(game.encode(state)[3], expected)
            state = game.play(state, action)
    assert drawn > 10
