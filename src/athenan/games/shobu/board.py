"""The four boards of Shobu as data to draw."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.rules import Awaited, Board, Decision, Label, Piece, Place, Scene, State
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.boards import square

_GAP = 0.6
"""The gap between two boards."""


def place_of(cell: int) -> tuple[int, int]:
    """The row and the column of a cell on all boards together."""
    return 4 * (cell // 32) + cell // 4 % 4, 4 * (cell // 16 % 2) + cell % 4


def _place(cell: int) -> Place:
    row, column = place_of(cell)
    x, y = column + _GAP * (column // 4), 7 - row + _GAP * (1 - row // 4)
    return Place(f"{grid.column_name(column)}{row + 1}", x, y, square(x, y), "wood" if column < 4 else "light")


def board_of(planes_of: Callable[[State], NDArray[np.int8]]) -> Board:
    """Boards of four colours of wood; `planes_of` gives the first three planes: stones, stones, attackers; [3, 64]."""
    places = [_place(cell) for cell in range(64)]
    columns, rows = dict[str, float](), dict[str, float]()
    for place in places:
        columns[place.name[0]], rows[place.name[1]] = place.x, place.y
    labels = [Label(x, 8.4, letter) for letter, x in columns.items()]
    labels += [Label(-boards.EDGE, y, number) for number, y in rows.items()]

    def scene(state: State) -> Scene:
        first, second, attackers = planes_of(state)
        stones = first + 2 * second
        cells = np.flatnonzero(stones)
        return Scene(
            pieces=tuple(Piece(int(cell), int(stones[cell]) - 1, marked=bool(attackers[cell])) for cell in cells)
        )

    def awaited(state: State) -> Awaited:
        return Awaited("aggressive" if planes_of(state)[2].any() else "passive")

    def decided(state: State, winner: int) -> Decision:
        left = planes_of(state)[1 - winner].reshape(4, 16).any(axis=1)
        return "stuck" if left.all() else "board"

    return Board(
        tuple(places), scene, ground=Scene(labels=tuple(labels)), facing=True, awaited=awaited, decided=decided
    )
