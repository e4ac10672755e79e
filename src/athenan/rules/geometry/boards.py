"""Boards of squares, points and hexagons, and the pieces on them (`rules.board`).

A place of a board of `width` columns and `height` rows is row * width + column; row 0 is at the bottom if `up`.
"""

from collections.abc import Callable, Iterable, Sequence
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import Area, Bytes, Label, Line, Outline, Piece, Place, Scene, Tone
from athenan.rules.compiler import Kernel
from athenan.rules.geometry.grid import column_name

EDGE = 0.8
"""Distance from the middle of a place at the edge to the names of columns and rows."""


ROW = 3**0.5 / 2
"""Distance from one row of hexagons to the next."""


def square(x: float, y: float, half: float = 0.5) -> Outline:
    """The corners of a square around a point."""
    return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)


def rectangle(left: float, top: float, right: float, bottom: float) -> Outline:
    """The corners of a rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def hexagon(x: float, y: float) -> Outline:
    """The corners of a hexagon, with one above and one below its middle; hexagons of a row are one unit apart."""
    radius = 1 / 3**0.5
    return tuple((x + radius * sin(turn * pi / 3), y - radius * cos(turn * pi / 3)) for turn in range(6))


def arc(x: float, y: float, radius: float, begin: float, end: float) -> Outline:
    """Points on a circle between two angles, measured in turns clockwise from the right."""
    steps = 24
    angles = [2 * pi * (begin + (end - begin) * step / steps) for step in range(steps + 1)]
    return tuple((x + radius * cos(angle), y + radius * sin(angle)) for angle in angles)


def names(width: int, height: int, columns: Sequence[str] | None = None, first_row: int = 1) -> list[str]:
    """a1, b1, ... row by row, or with the given names of columns."""
    letters = columns or [column_name(column) for column in range(width)]
    return [f"{letter}{row + first_row}" for row in range(height) for letter in letters[:width]]


def squares(
    width: int, height: int, called: Sequence[str], *, up: bool = True, tone: Tone | None = None
) -> tuple[Place, ...]:
    """Square cells, alternately light and dark with a dark one at the lower left, or all of one tone."""
    found = []
    for cell, name in enumerate(called):
        row, x = divmod(cell, width)
        y = height - 1 - row if up else row
        checkered: Tone = "light" if (height - 1 - y + x) % 2 else "dark"
        found.append(Place(name, x, y, square(x, y), checkered if tone is None else tone))
    return tuple(found)


def points(width: int, height: int, called: Sequence[str]) -> tuple[Place, ...]:
    """The intersections of lines."""
    return squares(width, height, called, tone="")


def lattice(width: int, height: int) -> Scene:
    """The lines that cross at points, on a board that reaches half a cell beyond them."""
    right, low = width - 1, height - 1
    lines = [Line(((0, y), (right, y))) for y in range(height)] + [Line(((x, 0), (x, low))) for x in range(width)]
    return Scene(areas=(Area(rectangle(-0.6, -0.6, right + 0.6, low + 0.6), "wood"),), lines=tuple(lines))


def frame(columns: Iterable[str], rows: Iterable[str]) -> tuple[Label, ...]:
    """The names of the columns under the board, from the left, and the names of the rows to its left, from the top."""
    left = [Label(-EDGE, y, name) for y, name in enumerate(rows)]
    below = [Label(x, len(left) - 1 + EDGE, name) for x, name in enumerate(columns)]
    return tuple(label for label in (*below, *left) if label.text)


def lettered(width: int, height: int, *, up: bool = True, columns: Sequence[str] | None = None) -> tuple[Label, ...]:
    """Letters for columns and numbers for rows. Row 1 is at the bottom if `up`, else at the top."""
    rows = [str(row + 1) for row in range(height)]
    return frame(columns or [column_name(column) for column in range(width)], rows[::-1] if up else rows)


def stones(encode: Kernel, params: NDArray[np.int64], planes: int, cells: int) -> Callable[[Bytes], Scene]:
    """Discs on the places where planes 0 and 1 of the encoded state, which has `planes` planes, have stones."""

    def scene(state: Bytes) -> Scene:
        shown = encoded_planes(encode, params, planes, cells, state)[:2]
        return Scene(pieces=tuple(Piece(int(place), int(owner)) for owner, place in np.argwhere(shown)))

    return scene


def encoded_planes(
    encode: Kernel, params: NDArray[np.int64], planes: int, cells: int, state: Bytes
) -> NDArray[np.int8]:
    """The encoded state; int8[planes, cells]."""
    encoded = np.empty((planes, cells), np.int8)
    encode(params, state, encoded.reshape(-1))
    return encoded
