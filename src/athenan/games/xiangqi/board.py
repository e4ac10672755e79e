"""The board of Xiangqi as data to draw."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.rules import Board, Label, Line, Piece, Scene, State
from athenan.rules.board import LOOKS, Shape
from athenan.rules.geometry import boards

_KINDS: dict[str, tuple[Shape, str]] = {
    "k": ("general", "帥將"), "a": ("advisor", "仕士"), "b": ("elephant", "相象"), "n": ("horse", "傌馬"),
    "r": ("chariot", "俥車"), "c": ("cannon", "炮砲"), "p": ("soldier", "兵卒"),
}  # fmt: skip
"""Letter of FEN -> the piece, and its signs for the first and the second player."""


def board_of(letters: Callable[[State], NDArray[np.str_]]) -> Board:
    """Points on lines, with the river and the palaces; `letters` gives the pieces as in FEN, the top row first."""

    def scene(state: State) -> Scene:
        pieces = []
        for point, letter in enumerate(map(str, letters(state)[::-1].flat)):
            if letter != ".":
                owner = int(letter.islower())
                shape, signs = _KINDS[letter.lower()]
                pieces.append(Piece(point, owner, shape, letter.upper(), size=0.88, sign=signs[owner]))
        return Scene(pieces=tuple(pieces))

    lattice = boards.lattice(9, 10)
    across = [line for line in lattice.lines if line.points[0][1] == line.points[1][1]]
    banks = [Line(((x, top), (x, top + 4))) for x in range(9) for top in (0, 5)]
    sides = [Line(((x, 4), (x, 5))) for x in (0, 8)]
    palaces = [Line(((x, top), (8 - x, top + 2))) for x in (3, 5) for top in (0, 7)]
    river = [Label(2, 4.5, "楚 河", 0.5), Label(6, 4.5, "漢 界", 0.5)]
    names = boards.frame("abcdefghi", [str(row) for row in range(9, -1, -1)])
    return Board(
        boards.points(9, 10, boards.names(9, 10, first_row=0)),
        scene,
        lattice._replace(lines=(*across, *banks, *sides, *palaces), labels=(*names, *river)),
        ("red", "black"),
        counted="pieces",
        looks=LOOKS,
        facing=True,
    )
