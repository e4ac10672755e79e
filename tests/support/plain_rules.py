"""What slow rules of games share, and how they are compared with ours.

A slow game holds `board`, int[rows, columns] with 0 empty, 1 first, 2 second player's piece, in the order of the
planes, so that the cell "b3" is always board[2, 1]; `player`, 1 or 2; and `over`, None or the first player's gain.
"""

import random
from itertools import product

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from athenan import Game
from athenan.rules.game import State

ALL_DIRECTIONS = [(down, right) for down, right in product((-1, 0, 1), repeat=2) if (down, right) != (0, 0)]
Cell = tuple[int, int]


class Slow:
    board: NDArray[np.int64]
    player = 1
    over: int | None = None

    def cells(self) -> list[Cell]:
        rows, columns = self.board.shape
        return list(product(range(rows), range(columns)))

    def on(self, row: int, column: int) -> bool:
        return row in range(self.board.shape[0]) and column in range(self.board.shape[1])

    def names(self) -> set[str]:
        raise NotImplementedError

    def put(self, name: str) -> None:
        raise NotImplementedError

    def play(self, name: str) -> None:
        self.put(name)
        self.player = 3 - self.player

    def won(self) -> None:
        self.over = 3 - 2 * self.player

    def score(self) -> int | None:
        """The score of the end, where the game has one."""
        return None


def cell(name: str) -> Cell:
    return int(name[1:]) - 1, ord(name[0]) - ord("a")


def name(row: int, column: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"


def agree(game: Game, slow: Slow, seed: int) -> State:
    """Plays one random match of both, and returns its last state."""
    choose, state = random.Random(seed), game.initial()
    while True:
        planes = game.encode(state)
        rows, columns = slow.board.shape
        frame = (planes.shape[1] - rows) // 2
        inner = planes[:, frame : frame + rows, frame : frame + columns]
        assert np.array_equal(inner[0] + 2 * inner[1], slow.board)
        assert (planes[2] == (game.player(state) == 0)).all()
        assert game.outcome(state) == slow.over
        assert game.player(state) == slow.player - 1
        if slow.over is not None:
            break
        names = [game.action_name(state, int(action)) for action in game.actions(state)]
        assert len(names) == len(set(names))
        assert set(names) == slow.names()
        move = choose.choice(names)
        slow.play(move)
        state = game.play(state, game.parse_action(state, move))
    if (score := slow.score()) is not None:
        assert game.score(state) == score
    return state


seeds = st.integers(0, 2**32)
