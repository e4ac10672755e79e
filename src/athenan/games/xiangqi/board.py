"""The board of Xiangqi as data to draw."""

from collections.abc import Callable
from math import pi, sin

import numpy as np
from numpy.typing import NDArray

from athenan.games.xiangqi.layout import CHECK, STATUS
from athenan.rules import Board, Line, Piece, Scene, State
from athenan.rules.board import LOOKS, Awaited, Decision, Outline, Shape
from athenan.rules.geometry import boards

_KINDS: dict[str, tuple[Shape, str]] = {
    "k": ("general", "帥將"), "a": ("advisor", "仕士"), "b": ("elephant", "相象"), "n": ("horse", "傌馬"),
    "r": ("chariot", "俥車"), "c": ("cannon", "炮砲"), "p": ("soldier", "兵卒"),
}  # fmt: skip
"""Letter of FEN -> the piece, and its signs for the first and the second player."""


def _in_check(state: State) -> bool:
    return bool(state[STATUS] == CHECK)


def _wave(left: float, y: float) -> Outline:
    """A wave of the river, of two cells: drawn, as the characters on a usual board need a font that has them."""
    return tuple((left + step / 12, y + 0.09 * sin(pi * step / 6)) for step in range(25))


def board_of(letters: Callable[[State], NDArray[np.str_]], decided: Callable[[State, int], Decision]) -> Board:
    """Points on lines, with the river and the palaces; `letters` gives the pieces as in FEN, the top row first."""

    def scene(state: State) -> Scene:
        pieces, checked = [], int(state[0]) if _in_check(state) else None
        for point, letter in enumerate(map(str, letters(state)[::-1].flat)):
            if letter != ".":
                owner = int(letter.islower())
                shape, signs = _KINDS[letter.lower()]
                marked = shape == "general" and owner == checked
                pieces.append(
                    Piece(point, owner, shape, letter.upper(), size=0.88, sign=signs[owner], marked=marked)
                )  # fmt: skip
        return Scene(pieces=tuple(pieces))

    lattice = boards.lattice(9, 10)
    across = [line for line in lattice.lines if line.points[0][1] == line.points[1][1]]
    banks = [Line(((x, top), (x, top + 4))) for x in range(9) for top in (0, 5)]
    sides = [Line(((x, 4), (x, 5))) for x in (0, 8)]
    palaces = [Line(((x, top), (8 - x, top + 2))) for x in (3, 5) for top in (0, 7)]
    river = [Line(_wave(left, y)) for left in (0.75, 5.25) for y in (4.36, 4.64)]
    names = boards.frame("abcdefghi", [str(row) for row in range(9, -1, -1)])
    return Board(
        boards.points(9, 10, boards.names(9, 10, first_row=0)),
        scene,
        lattice._replace(lines=(*across, *banks, *sides, *palaces, *river), labels=tuple(names)),
        ("red", "black"),
        counted="pieces",
        looks=LOOKS,
        facing=True,
        awaited=lambda state: Awaited("check") if _in_check(state) else None,
        decided=decided,
    )
