"""The notation of Arimaa's actions and boards, and the places of actions on the board."""

import numpy as np
from numpy.typing import NDArray

from athenan.games.arimaa.board import after_step
from athenan.games.arimaa.memory import BOARD
from athenan.games.arimaa.moves import TRAPS
from athenan.rules import State
from athenan.rules.geometry import grid

END, PUT, FROM_LAST = 256, 257, 6
"""The action that ends a turn, the first action that puts a piece, and the number of kinds of pieces."""
_SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]
LETTERS = ".RCDHME??rcdhme"


def piece_code(state: State, square: int) -> int:
    row, column = divmod(square, 8)
    return sum((int(state[BOARD + 8 * word + row]) >> column & 1) << word for word in range(4))


def action_name(state: State, action: int) -> str:
    if action == END:
        return "end"
    if action < END:
        return f"{LETTERS[piece_code(state, action >> 2)]}{_SQUARES[action >> 2]}{'swen'[action & 3]}"
    kind = (action - PUT) % FROM_LAST
    return f"{LETTERS[1 + kind + 8 * int(state[0])]}{_SQUARES[_put_on(state, action)]}"


def _put_on(state: State, action: int) -> int:
    """The square where an action puts a piece."""
    side, length = (action - PUT) // FROM_LAST, int(state[2])
    first = 8 * (length // 8 + (4 if length >= 16 else 0))  # square of the row
    empty = [square for square in range(first, first + 8) if not piece_code(state, square)]
    return empty[-side]


def path(state: State, action: int) -> tuple[int, ...]:
    if action == END:
        return ()
    if action > END:
        return (_put_on(state, action),)
    square, direction = divmod(action, 4)
    return square, after_step(square, direction)


def text(state: State) -> str:
    """Capitals are the first player's pieces, an x is an empty trap."""
    letters = [LETTERS[piece_code(state, square)] for square in range(64)]
    shown = ["x" if letter == "." and int(TRAPS) >> square & 1 else letter for square, letter in enumerate(letters)]
    return grid.framed(np.array(shown).reshape(8, 8)[::-1], list("abcdefgh"), list("87654321"))


def turned_actions(transform: grid.Transform) -> NDArray[np.int32]:
    """The image of each action when the board stays or is mirrored."""
    steps, puts = grid.step_symmetries(8, 8, (transform,), grid.ORTHOGONAL)[0], np.arange(2 * FROM_LAST)
    rest = END + np.append(0, 1 + np.roll(puts, FROM_LAST * (transform is grid.MIRROR)))
    return np.concatenate([steps, rest]).astype(np.int32)
