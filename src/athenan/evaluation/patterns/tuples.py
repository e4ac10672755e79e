"""Tuples of cells whose codes together are the index of a weight.

Windows see every neighbourhood of the board, lines its rows, columns and diagonals; random walks (Thill, Koch and
Konen 2012) also see longer shapes. The images of a tuple under the symmetries of the game read the same weights.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import Codes
from athenan.rules.game import Game

_SHAPES = ((3, 3), (2, 4), (4, 2), (2, 3), (3, 2), (2, 2))
_NEIGHBOURS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]
_TRIES = 1000
_MOST_COMBINATIONS = 2**62  # of codes, as an index must be a whole number of 64 bits

Cells = tuple[int, ...]


class Tuples(NamedTuple):
    """Tuples of cells, the images of one tuple behind each other."""

    cells: list[Cells]
    family: list[int]
    """The number of the family of each tuple, ascending: a family reads the same weights."""

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """The cells, int16[tuples, most cells] with -1 behind shorter ones, and the families, int32[tuples]."""
        cells = np.full((len(self.cells), max(map(len, self.cells))), -1, np.int16)
        for number, one in enumerate(self.cells):
            cells[number, : len(one)] = one
        return {"cells": cells, "family": np.array(self.family, np.int32)}


def longest(codes: int, entries: int) -> int:
    """The length of the tuples whose weights are no more than `entries`; at least 1."""
    length = 1
    while codes ** (length + 1) <= entries:
        length += 1
    return length


def tuples_of(game: Game, codes: Codes, settings: Patterns) -> Tuples:
    """The tuples of a game: windows, lines and random walks, of which no two have the same cells, and their images.

    Raises ValueError if the board has no place for any, or their codes have too many combinations.
    """
    length = min(settings.length or longest(codes.codes, settings.entries), int(codes.varying.sum()))
    if codes.codes**length >= _MOST_COMBINATIONS:
        raise ValueError(f"length {length} is too long for {game.name}, whose cells have {codes.codes} codes")
    board = codes.varying.reshape(game.planes[1:])
    images = cell_images(game, codes)
    found, known = Tuples([], []), set[Cells]()
    random = np.random.default_rng(settings.seed)

    def add(cells: Cells) -> bool:
        if tuple(sorted(cells)) in known:
            return False
        family = dict.fromkeys(tuple(int(image[cell]) for cell in cells) for image in images)
        found.cells.extend(family)
        found.family.extend([found.family[-1] + 1 if found.family else 0] * len(family))
        known.update(tuple(sorted(one)) for one in family)
        return True

    for cells in _windows(board, length) if settings.windows else ():
        add(cells)
    for cells in _lines(board, length) if settings.lines else ():
        add(cells)
    left = settings.walks
    for _ in range(_TRIES + 10 * left):
        if left and add(_walk(board, length, random)):
            left -= 1
    if not found.cells:
        raise ValueError(f"{game.name} has no place for a window or a line: a pattern network needs walks")
    return found


def restored_tuples(game: Game, codes: Codes, arrays: Mapping[str, NDArray[Any]]) -> Tuples:
    """What `Tuples.as_arrays` gave, among other arrays. Raises ValueError if they are not of this game."""
    cells, family = arrays["cells"], arrays["family"]
    steps = np.diff(family) if family.ndim == 1 else np.array([-1])
    if (
        cells.dtype != np.int16 or cells.ndim != 2 or family.dtype != np.int32 or family.shape != cells.shape[:1]
        or not cells.size or cells.max() >= len(codes.varying) or (cells[:, 0] < 0).any()
        or family[0] != 0 or not np.isin(steps, (0, 1)).all()
    ):  # fmt: skip
        raise ValueError(f"its tuples are not of {game.name}")
    found = [tuple(int(cell) for cell in one if cell >= 0) for one in cells]
    lengths = np.array([len(one) for one in found])
    if (lengths[1:] != lengths[:-1])[steps == 0].any() or codes.codes ** int(lengths.max()) >= _MOST_COMBINATIONS:
        raise ValueError(f"its tuples are not of {game.name}")
    return Tuples(found, [int(number) for number in family])


def cell_images(game: Game, codes: Codes) -> NDArray[np.int64]:
    """Where the code of each cell of an image comes from; int64[symmetries, rows * columns], the identity first.

    Symmetries that exchange planes are left out.
    """
    cells = len(codes.varying)
    images = game.plane_symmetries.astype(np.int64).reshape(-1, game.planes[0], cells)[:, codes.local]
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


def _lines(board: NDArray[np.bool_], length: int) -> Iterator[Cells]:
    """Every place of `length` cells in a row, a column or a diagonal that vary, and of shorter whole ones."""
    rows, columns = board.shape
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in np.ndindex(rows, columns):
            behind = (row - down, column - right)
            path = [(row + step * down, column + step * right) for step in range(max(rows, columns))]
            path = [(r, c) for r, c in path if r < rows and 0 <= c < columns and board[r, c]][:length]
            whole = not (0 <= behind[0] < rows and 0 <= behind[1] < columns)
            if len(path) == length or (whole and len(path) > 2):
                yield tuple(r * columns + c for r, c in path)


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
