"""The notation of Xiangqi's moves and boards: UCI, and the letters of FEN."""

import numpy as np
from numpy.typing import NDArray

from athenan.games.xiangqi import layout
from athenan.games.xiangqi.layout import BOARD, HISTORY, PLACE, WAYS
from athenan.rules import GameError, State
from athenan.rules.geometry import grid
from athenan.rules.geometry.ranks import read_ranks

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
_LETTERS = "kabnrcp"  # the kinds from 1
_OTHER_LETTERS = str.maketrans("ehEH", "bnBN")
_MOST = (1, 2, 2, 2, 2, 2, 5)  # pieces of a kind
_NAMES = [f"{grid.column_name(column)}{row}" for row in range(10) for column in range(9)]


def read_board(text: str) -> NDArray[np.int8]:
    """The pieces of the first field of a FEN, int8[90]. Raises GameError if no match can have them."""
    ranks = read_ranks(text.translate(_OTHER_LETTERS), 9, 10, _LETTERS + _LETTERS.upper())
    letters = "".join(reversed(ranks))
    board = np.array([_LETTERS.find(letter.lower()) + 1 for letter in letters], np.int8)
    for cell, letter in enumerate(letters):
        if letter != ".":
            row, column = divmod(cell, 9)
            if not _may_stand(int(board[cell]), row if letter.isupper() else 9 - row, column):
                raise GameError(f"{text!r} is not a board of Xiangqi: no {letter} can stand on {_NAMES[cell]}")
            board[cell] += layout.FIRST if letter.isupper() else layout.SECOND
    for letter, most in zip(_LETTERS + _LETTERS.upper(), 2 * _MOST, strict=True):
        if letters.count(letter) > most or (most == 1 and letter not in letters):
            raise GameError(f"{text!r} is not a board of Xiangqi: it has {letters.count(letter)} {letter}, not {most}")
    return board


def _may_stand(kind: int, row: int, column: int) -> bool:
    """Whether a piece of a kind can come to a point, seen from its own side."""
    if kind in (layout.GENERAL, layout.ADVISOR):
        return row < 3 and 3 <= column < 6 and (kind == layout.GENERAL or (row + column) % 2 == 1)
    if kind == layout.ELEPHANT:
        return row < 5 and row % 2 == 0 and (row + column) % 4 == 2
    return kind != layout.SOLDIER or row > 4 or (row > 2 and column % 2 == 0)


def letters_of(state: State) -> NDArray[np.str_]:
    """The board in the letters of a FEN, row 9 first; "." is an empty point."""
    letters = np.array(["."] * 64)
    letters[layout.FIRST + 1 : layout.FIRST + 8] = list(_LETTERS.upper())
    letters[layout.SECOND + 1 : layout.SECOND + 8] = list(_LETTERS)
    board: NDArray[np.str_] = letters[state[BOARD:HISTORY][PLACE]].reshape(10, 9)
    return board[::-1]


def action_name(state: State, action: int) -> str:
    cell, way = divmod(action, WAYS)
    row, column = layout.STEPS[way]
    return _NAMES[cell] + _NAMES[cell + 9 * row + column]


def text(state: State) -> str:
    columns = [grid.column_name(column) for column in range(9)]
    return grid.framed(letters_of(state), columns, [str(row) for row in range(9, -1, -1)])
