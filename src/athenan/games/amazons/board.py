"""The board of the Amazons as data to draw."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.rules import Board, Piece, Scene, State
from athenan.rules.board import FIRST, NOBODY, SECOND, Awaited
from athenan.rules.geometry import boards


def board_of(size: int, planes_of: Callable[[State], NDArray[np.int8]]) -> Board:
    """A chessboard with queens and arrows; `planes_of` gives the planes of a state, int8[5, size, size]."""

    def scene(state: State) -> Scene:
        first, second, _, empty, shooter = planes_of(state).reshape(5, -1)
        pieces = [
            Piece(int(cell), owner, "queen", marked=bool(shooter[cell]))
            for owner, amazons in ((FIRST, first), (SECOND, second))
            for cell in np.flatnonzero(amazons)
        ]
        arrows = np.flatnonzero((first | second | empty) == 0)
        return Scene(pieces=(*pieces, *(Piece(int(cell), NOBODY, "arrow") for cell in arrows)))

    return Board(
        boards.squares(size, size, boards.names(size, size)),
        scene,
        ground=Scene(labels=boards.lettered(size, size)),
        colours=("white", "black"),
        facing=True,
        awaited=lambda state: Awaited("arrow" if planes_of(state)[4].any() else "queen"),
    )
