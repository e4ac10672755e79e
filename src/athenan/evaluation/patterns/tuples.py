"""Tuples of cells whose codes together are the index of a weight.

Windows see every neighbourhood of the board; random walks (Thill, Koch and Konen 2012) also see longer shapes. The
images of a tuple under the symmetries of the game read the same weights.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.codes import Codes
from athenan.rules.game import Game

_SHAPES = ((3, 3), (2, 4), (4, 2), (2, 3), (3, 2), (2, 2))
_NEIGHBOURS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]
_TRIES = 1000

Cells = tuple[int, ...]


class Tuples(NamedTuple):
    """Tuples of cells, the images of one tuple behind each other."""

    cells: list[Cells]
    family: list[int]
    """The number of the family of each tuple, ascending: a family reads the same weights."""


def longest(codes: int, entries: int) -> int:
    """The length of the tuples whose weights are no more than `entries`; at least 1."""
    length = 1
    while codes ** (length + 1) <= entries:
        length += 1
    return length


def tuples_of(game: Game, codes: Codes, walks: int, windows: bool, entries: int, seed: int) -> Tuples:
    """The tuples of a game: its windows, random walks of which no two have the same cells, and the images of both."""
    _, rows, columns = codes.planes
    length = min(longest(codes.codes, entries), int(codes.varying.sum()))
    board = codes.varying.reshape(rows, columns)
    images = cell_images(game, codes)
    found, known = Tuples([], []), set[Cells]()
    random = np.random.default_rng(seed)

    def add(cells: Cells) -> bool:
        if tuple(sorted(cells)) in known:
            return False
        family = dict.fromkeys(tuple(int(image[cell]) for cell in cells) for image in images)
        found.cells.extend(family)
        found.family.extend([found.family[-1] + 1 if found.family else 0] * len(family))
        known.update(tuple(sorted(one)) for one in family)
        return True

    for cells in _windows(board, length) if windows else ():
        add(cells)
    left = walks
    for _ in range(_TRIES + 10 * walks):
        if left and add(_walk(board, length, random)):
            left -= 1
    return found


def cell_images(game: Game, codes: Codes) -> NDArray[np.int64]:
    """Where the code of each cell of an image comes from; int64[symmetries, rows * columns], the identity first.

    Symmetries that exchange planes are left out.
    """
    cells = codes.planes[1] * codes.planes[2]
    images = game.plane_symmetries.astype(np.int64).reshape(-1, codes.planes[0], cells)[:, codes.local]
    kept = (images // cells == codes.local[:, None]).all(axis=(1, 2))
    same = (images % cells == images[:, :1] % cells).all(axis=(1, 2))
    found: NDArray[np.int64] = images[kept & same][:, 0] % cells
    return found


def _windows(board: NDArray[np.bool_], length: int) -> Iterator[Cells]:
    """Every place of the two largest shapes that fit, where all cells vary; lines where the board is one."""
    rows, columns = board.shape
    fitting = [(h, w) for h, w in _SHAPES if h * w <= length and h <= rows and w <= columns]
    if min(rows, columns) == 1:
        fitting = [(min(rows, length), min(columns, length))]
    area = max((height * width for height, width in fitting), default=0)
    for height, width in fitting:
        if height * width < area - 1:
            continue
        for row in range(rows - height + 1):
            for column in range(columns - width + 1):
                if board[row : row + height, column : column + width].all():
                    yield tuple(
                        (row + down) * columns + column + right for down in range(height) for right in range(width)
                    )


def _walk(board: NDArray[np.bool_], length: int, random: np.random.Generator) -> Cells:
    """Cells that a random walk over the varying neighbours of cells comes to; fewer if it is caught."""
    columns = board.shape[1]
    place = tuple(random.choice(np.argwhere(board)))
    cells = [place]
    for _ in range(_TRIES):
        if len(cells) == length:
            break
        near = [(place[0] + row, place[1] + column) for row, column in _NEIGHBOURS]
        near = [one for one in near if 0 <= one[0] < board.shape[0] and 0 <= one[1] < columns and board[one]]
        if not near:
            break
        place = near[random.integers(len(near))]
        if place not in cells:
            cells.append(place)
    return tuple(int(row * columns + column) for row, column in cells)
