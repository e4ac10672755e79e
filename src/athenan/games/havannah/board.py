"""Havannah's board: its cells, the corners and sides on which they lie, the picture, and what decided a match."""

from functools import reduce
from itertools import product
from operator import or_

import numpy as np

from athenan import rules
from athenan.rules import Board, Decision, Label, Piece, Place, Scene, State
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.deciding import Stones, groups, needed, reached, touching

Cell = tuple[int, int]
"""A column and a row."""
LINES = 12
"""The corners and the sides."""
CORNERS = 0b111111
"""The bits of the corners; the bits of the sides follow."""
_BORDERS_JOINED: tuple[Decision, ...] = ("bridge", "fork")  # by a chain that wins without a ring


def cells_of(side: int) -> list[Cell]:
    """The cells, as columns and rows, row by row."""
    return [(x, y) for y, x in product(range(2 * side - 1), repeat=2) if abs(x - y) < side]


def touched_lines(side: int, x: int, y: int) -> int:
    """The bit of the corner or side on which a cell lies; 0 inside the board."""
    last = 2 * side - 2
    lines = (y == 0, x - y == side - 1, x == last, y == last, y - x == side - 1, x == 0)  # the sides, going around
    on = [number for number, line in enumerate(lines) if line]
    if len(on) == 2:
        return 1 << (on[0] if on[1] == on[0] + 1 else 5)
    return 1 << 6 + on[0] if on else 0


def picture(side: int, state: State) -> str:
    """The board as a hexagon, row 1 at the top; a column runs down to the left from its letter at the upper edge."""
    last, stones = 2 * side - 2, iter(np.sign(state[rules.HEADER :]))
    lines = [" " * (side + 3) + " ".join(map(grid.column_name, range(side)))]
    for y in range(last + 1):
        row = [".xo"[next(stones)] for x in range(last + 1) if abs(x - y) < side]
        letter = [grid.column_name(y + side)] if y + side <= last else []
        lines.append(" " * abs(y - side + 1) + f"{y + 1:<2} " + " ".join(row + letter))
    return "\n".join(lines)


def hexagons(side: int) -> Board:
    """The picture's board: row 1 at the top, a column runs down to the left."""
    places = []
    for column, row in cells_of(side):
        x, y = column - row / 2, row * boards.ROW
        places.append(Place(f"{grid.column_name(column)}{row + 1}", x, y, boards.hexagon(x, y), "plain"))
    tops = {place.name[0]: place for place in reversed(places)}
    labels = [Label(top.x + 0.5, top.y - 0.85, letter) for letter, top in tops.items()]
    lefts = {place.name[1:]: place for place in reversed(places)}
    labels += [Label(left.x - 0.9, left.y, number) for number, left in lefts.items()]

    def scene(state: State) -> Scene:
        stones = state[rules.HEADER : rules.HEADER + len(places)]
        return Scene(pieces=tuple(Piece(int(cell), int(stones[cell] < 0)) for cell in np.flatnonzero(stones)))

    near, every = touching(places), frozenset(range(len(places)))
    touched = [touched_lines(side, *cell) for cell in cells_of(side)]
    edge = [place for place, lines in enumerate(touched) if lines]

    def wins(stones: Stones, how: Decision) -> bool:
        """Whether stones have a bridge, a fork or a ring, which keeps what it surrounds from the edge."""
        if how == "ring":
            outside = reached(edge, every - stones, near)
            surrounded = any(len(near[stone]) == 6 and stones.issuperset(near[stone]) for stone in stones)
            return surrounded or len(stones) + len(outside) < len(every)
        lines, least = (CORNERS, 2) if how == "bridge" else (~CORNERS, 3)
        joined = (reduce(or_, (touched[stone] for stone in group)) for group in groups(stones, near))
        return any((found & lines).bit_count() >= least for found in joined)

    def stones_of(state: State, winner: int) -> Stones:
        cells = state[rules.HEADER : rules.HEADER + len(places)]
        return frozenset(np.flatnonzero(cells * rules.sign(winner) > 0).tolist())

    def decided(state: State, winner: int) -> Decision:
        """A chain that wins in several ways is named after the first of bridge, fork and ring."""
        stones = stones_of(state, winner)
        return next((how for how in _BORDERS_JOINED if wins(stones, how)), "ring")

    def deciding(state: State, winner: int) -> tuple[int, ...]:
        """The stones of a bridge, a fork or a ring."""
        how = decided(state, winner)
        return needed(stones_of(state, winner), lambda stones: wins(stones, how))

    ground = Scene(labels=tuple(labels))
    return Board(tuple(places), scene, ground, ("white", "black"), decided=decided, deciding=deciding)
