"""Geometry shared by games on rectangular boards: coordinates, neighbours and symmetries.

A cell of a board of `width` columns and `height` rows is row * width + column.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Transform = Callable[[NDArray[np.int32]], NDArray[np.int32]]

IDENTITY: Transform = lambda cells: cells
ROTATE_90: Transform = np.rot90
ROTATE_180: Transform = lambda cells: np.rot90(cells, 2)
ROTATE_270: Transform = lambda cells: np.rot90(cells, 3)
MIRROR: Transform = lambda cells: cells[:, ::-1]
FLIP: Transform = lambda cells: cells[::-1]
TRANSPOSE: Transform = lambda cells: cells.T
ANTITRANSPOSE: Transform = lambda cells: np.rot90(cells, 2).T

SQUARE = (IDENTITY, ROTATE_90, ROTATE_180, ROTATE_270, MIRROR, FLIP, TRANSPOSE, ANTITRANSPOSE)
"""The eight symmetries of a square."""
OBLONG = (IDENTITY, ROTATE_180, MIRROR, FLIP)
"""The four symmetries of a rectangle."""
DIAGONAL = (IDENTITY, ROTATE_180, TRANSPOSE, ANTITRANSPOSE)
"""The four symmetries of a square that map each of its diagonals to itself."""

ORTHOGONAL = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""Steps (rows, columns) to the neighbours of a cell, in the order of the neighbours' numbers."""
ALL_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Steps to the neighbours of a cell, diagonal ones included."""


def symmetries(height: int, width: int) -> tuple[Transform, ...]:
    """The symmetries of a board without its pieces."""
    return SQUARE if height == width else OBLONG


def plane_symmetries(planes: int, height: int, width: int, transforms: Sequence[Transform]) -> NDArray[np.int32]:
    """The board symmetries applied to every plane: int32[transforms, planes * height * width]."""
    cells = np.arange(height * width, dtype=np.int32).reshape(height, width)
    images = np.stack([transform(cells).reshape(-1) for transform in transforms])
    offsets = np.arange(planes, dtype=np.int32)[None, :, None] * (height * width)
    return np.ascontiguousarray((offsets + images[:, None, :]).reshape(len(transforms), -1))


def cell_symmetries(height: int, width: int, transforms: Sequence[Transform]) -> NDArray[np.int32]:
    """The image of each cell: int32[transforms, height * width]."""
    cells = np.arange(height * width, dtype=np.int32).reshape(height, width)
    images = np.empty((len(transforms), height * width), np.int32)
    for image, transform in zip(images, transforms, strict=True):
        image[transform(cells).reshape(-1)] = np.arange(height * width)
    return images


def step_symmetries(
    height: int, width: int, transforms: Sequence[Transform], steps: Sequence[tuple[int, int]]
) -> NDArray[np.int32]:
    """The images of the actions cell * len(steps) + step: int32[transforms, height * width * len(steps)].

    The transforms must map the set of steps (rows, columns) to itself. They move the steps like the cells around the
    centre of a 3 x 3 board.
    """
    around = cell_symmetries(3, 3, transforms)
    numbers = {3 * (1 + down) + 1 + right: number for number, (down, right) in enumerate(steps)}
    turned = np.array([[numbers[int(image[cell])] for cell in numbers] for image in around], np.int32)
    cells = cell_symmetries(height, width, transforms)
    return np.ascontiguousarray((cells[:, :, None] * len(steps) + turned[:, None, :]).reshape(len(transforms), -1))


def column_name(column: int) -> str:
    """a, b, c, ... for columns from 0; at most 26."""
    return chr(ord("a") + column)


def stones(planes: NDArray[np.int8]) -> NDArray[np.str_]:
    """The pieces of planes 0 (x) and 1 (o), and "." for an empty cell; str[rows, columns]."""
    shown: NDArray[np.str_] = np.array([".", "x", "o"])[planes[0] + 2 * planes[1]]
    return shown


def framed(cells: NDArray[np.str_], columns: Sequence[str], rows: Sequence[str]) -> str:
    """Any cells, top row first, with the names of columns above and of rows on the left."""
    margin, width = max(map(len, rows)), max(map(len, [*columns, *cells.flat]))
    lines = [" ".join([" " * margin, *(name.rjust(width) for name in columns)])]
    for name, line in zip(rows, cells, strict=True):
        lines.append(" ".join([name.rjust(margin), *(cell.rjust(width) for cell in line)]))
    return "\n".join(line.rstrip() for line in lines)
