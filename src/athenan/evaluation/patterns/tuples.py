"""Tuples of cells whose codes together are the index of a weight.

Windows see every neighbourhood of the board, lines its rows, columns and diagonals; random walks (Thill, Koch and
Konen 2012) also see longer shapes. The images of a tuple under the symmetries of the game read the same weights.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import Codes
from athenan.rules.features import input_symmetry
from athenan.rules.game import Game

_SHAPES = ((3, 3), (2, 4), (4, 2), (2, 3), (3, 2), (2, 2))
_CHECKERED = ((4, 4), (3, 4), (4, 3), (3, 3), (2, 4), (4, 2), (2, 3), (3, 2))
"""Windows where only the cells of one colour of a chessboard vary: half of their cells."""
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


class _Room:
    """How many cells a tuple may have."""

    def __init__(self, sizes: NDArray[np.int64], settings: Patterns) -> None:
        self._settings, self._least = settings, int(sizes.min())

    def has(self, cells: int, codes: int, more: int = 1) -> bool:
        """Whether a tuple of so many cells, with so many combinations of codes, is short enough.

        Also if another cell with `more` codes is added.
        """
        number = cells + (more > 1)
        if self._settings.length:
            return number <= self._settings.length
        return number == 1 or more * codes <= self._settings.entries

    def full(self, cells: int, codes: int) -> bool:
        """Whether there is no room for another cell beside so many, with so many combinations of codes."""
        return not self.has(cells, codes, self._least)

    def length(self, size: int, most: int) -> int:
        """The cells that a tuple may have if each has `size` codes; at most `most`."""
        if self._settings.length:
            return min(self._settings.length, most)
        length = 1
        while length < most and size ** (length + 1) <= self._settings.entries:
            length += 1
        return length


def combinations(sizes: NDArray[np.int64], cells: Sequence[int]) -> int:
    """How many combinations of codes a tuple of cells has."""
    return math.prod(sizes[list(cells)].tolist())


def tuples_of(game: Game, codes: Codes, settings: Patterns) -> Tuples:
    """The tuples of a game: windows, lines and random walks, of which no two have the same cells, and their images.

    Raises ValueError if the board has no place for any, or their codes have too many combinations.
    """
    sizes, places = codes.sizes, int(np.prod(game.planes[1:]))
    room, boards = _Room(sizes, settings), codes.varying.reshape(-1, *game.planes[1:])
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

    for layer, board in enumerate(boards):
        if not board.any():
            continue
        first = layer * places
        length = room.length(int(sizes[first]), int(board.sum()))
        for cells in _windows(board, length) if settings.windows else ():
            add(tuple(first + cell for cell in cells))
        for cells in _lines(board, length) if settings.lines else ():
            add(tuple(first + cell for cell in cells))
    left, walks = settings.walks, _Walks(boards, sizes, room)
    for _ in range(_TRIES + 10 * left):
        if left and add(walks.walk(random)):
            left -= 1
    if not found.cells:
        raise ValueError(f"{game.name} has no place for a window or a line: a pattern network needs walks")
    if max(combinations(sizes, cells) for cells in found.cells) >= _MOST_COMBINATIONS:
        raise ValueError(f"length {settings.length} is too long for {game.name}, whose cells have {sizes.max()} codes")
    return found


def restored_tuples(game: Game, codes: Codes, arrays: Mapping[str, NDArray[Any]]) -> Tuples:
    """The tuples that `Tuples.as_arrays` gave, among other arrays. Raises ValueError if they are not of this game."""
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
    counts = [combinations(codes.sizes, one) for one in found]
    unlike = [counts[number] != counts[number + 1] for number in np.flatnonzero(steps == 0)]
    if (lengths[1:] != lengths[:-1])[steps == 0].any() or any(unlike) or max(counts) >= _MOST_COMBINATIONS:
        raise ValueError(f"its tuples are not of {game.name}")
    return Tuples(found, [int(number) for number in family])


def cell_images(game: Game, codes: Codes) -> NDArray[np.int64]:
    """The cells that the codes of an image come from; int64[symmetries, layers * rows * columns], the identity first.

    Symmetries that exchange kinds of planes are left out.
    """
    found, own = list[NDArray[np.int64]](), np.arange(codes.local.shape[1])
    for symmetry in game.plane_symmetries:
        source = source_of(codes, input_symmetry(game, symmetry))
        if source is not None and ((source[1] == own) | (source[1] < 0)).all():
            found.append(source[0])
    return np.stack(found)


def source_of(codes: Codes, image: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The cells and bits that an image takes its bits from; its planes are the planes at `image`.

    Returns the cell whose bits stand at each cell, int64[layers * rows * columns], and the bits that become each bit
    there, int64[groups, local planes], -1 for none. None if the bits of a cell come from several cells.
    """
    places = len(codes.varying) // len(codes.local)
    planes, cells = np.divmod(image.reshape(-1, places), places)
    layer_of, kind_of = np.full((2, len(planes)), -1)
    for layer, kind in np.argwhere(codes.local >= 0):
        layer_of[codes.local[layer, kind]], kind_of[codes.local[layer, kind]] = layer, kind
    found = np.zeros((len(codes.local), places), np.int64)
    kinds = np.full((int(codes.group[-1]) + 1, codes.local.shape[1]), -1)
    for layer, (group, local) in enumerate(zip(codes.group, codes.local, strict=True)):
        row = local[local >= 0]
        source, bits = layer_of[planes[row]], kind_of[planes[row, 0]]
        alike = (source == source[0]).all() and (cells[row] == cells[row[0]]).all()
        if not alike or source[0, 0] < 0 or codes.group[source[0, 0]] != group:
            return None
        if (kinds[group, : len(row)] >= 0).any() and (kinds[group, : len(row)] != bits).any():
            return None
        kinds[group, : len(row)] = bits
        found[layer] = source[0] * places + cells[row[0]]
    return found.reshape(-1), kinds


def _windows(board: NDArray[np.bool_], length: int) -> Iterator[Cells]:
    """The cells of every place of the two largest shapes that fit, where all cells vary.

    On a chessboard the cells of one colour must vary. A board that is a line has lines.
    """
    rows, columns = board.shape
    neighbours = (board[1:] & board[:-1]).any() or (board[:, 1:] & board[:, :-1]).any()
    shapes, share = (_SHAPES, 1) if neighbours else (_CHECKERED, 2)
    fitting = [(h, w) for h, w in shapes if -(-h * w // share) <= length and h <= rows and w <= columns]
    if min(rows, columns) == 1:
        fitting, share = [(min(rows, length), min(columns, length))], 1
    area = max((height * width for height, width in fitting), default=0)
    for height, width in fitting:
        if height * width < area - 1:
            continue
        for row in range(rows - height + 1):
            for column in range(columns - width + 1):
                cells = np.argwhere(board[row : row + height, column : column + width])
                if len(cells) >= height * width // share:
                    yield tuple(int((row + down) * columns + column + right) for down, right in cells)


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


class _Walks:
    """Random walks over the cells that vary."""

    def __init__(self, boards: NDArray[np.bool_], sizes: NDArray[np.int64], room: _Room) -> None:
        self._layers, self._cells, self._room = len(boards), boards[0].size, room
        self._sizes, self._vary = sizes.tolist(), boards.reshape(-1).tolist()
        self._first = np.flatnonzero(boards)
        self._near = [_neighbours(boards, number) for number in range(boards.size)]

    def walk(self, random: np.random.Generator) -> Cells:
        """Cells that a random walk over the varying neighbours of cells comes to; fewer if it is caught.

        The same cell of a random other layer is one more neighbour.
        """
        place = int(random.choice(self._first))
        found, codes = [place], self._sizes[place]
        for _ in range(_TRIES):
            if len(found) == len(self._first) or self._room.full(len(found), codes):
                break
            near = self._near[place]
            if self._layers > 1:
                layers = int(random.integers(1, self._layers))
                other = (place + layers * self._cells) % len(self._vary)
                near = [*near, other] if self._vary[other] else near
            if not near:
                break
            place = near[random.integers(len(near))]
            if place not in found and self._room.has(len(found) + 1, codes * self._sizes[place]):
                found.append(place)
                codes *= self._sizes[place]
        return tuple(found)


def _neighbours(boards: NDArray[np.bool_], number: int) -> list[int]:
    """The varying neighbours of a cell, which is given by its number in all layers."""
    _, rows, columns = boards.shape
    layer, row, column = map(int, np.unravel_index(number, boards.shape))
    near = [(row + down, column + right) for down, right in _NEIGHBOURS]
    near = [(r, c) for r, c in near if 0 <= r < rows and 0 <= c < columns and boards[layer, r, c]]
    return [(layer * rows + r) * columns + c for r, c in near]
