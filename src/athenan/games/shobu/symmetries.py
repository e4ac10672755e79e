"""The symmetries of Shobu's four boards: what they do to cells, vectors, planes and actions."""

import numpy as np
from numpy.typing import NDArray

from athenan.rules.geometry import grid

_TURNS_OF_START = grid.IDENTITY, grid.MIRROR
OF_START = [(turn, boards) for boards in (0, 1) for turn in _TURNS_OF_START]
"""The symmetries that also keep the start, as in `SYMMETRIES`."""
SYMMETRIES = [*OF_START, *((turn, boards) for boards in (0, 1) for turn in grid.SQUARE if turn not in _TURNS_OF_START)]
"""How each board is turned, and whether the dark and the light boards are exchanged: their numbers differ by 1."""


def image_of_cells(transform: grid.Transform, boards: int) -> NDArray[np.int64]:
    """The image of each cell when every board is turned and the boards whose numbers differ by `boards` exchanged."""
    turned, cells = grid.cell_symmetries(4, 4, (transform,))[0], np.arange(64)
    return np.asarray(turned[cells % 16] + 16 * (cells // 16 ^ boards))


def image_of_vectors(transform: grid.Transform) -> NDArray[np.int64]:
    """The image of each vector when the boards are turned."""
    around = np.delete(np.arange(9), 4)  # the eight cells around the centre of a 3 x 3 board
    directions = np.searchsorted(around, grid.cell_symmetries(3, 3, (transform,))[0][around])
    return np.asarray(2 * directions[:, None] + np.arange(2)).reshape(-1)


def plane_symmetry(transform: grid.Transform, boards: int, of_boards: int, planes: int) -> NDArray[np.int32]:
    """Exchanges boards only among the first `of_boards` planes, which are one a board."""
    turned = grid.plane_symmetries(planes, 4, 4, (transform,))[0]
    return np.asarray(np.where(turned < 16 * of_boards, turned ^ 16 * boards, turned), np.int32)


def turned_actions(transform: grid.Transform, boards: int) -> NDArray[np.int32]:
    """The image of each action: int32[actions]."""
    images = 64 * image_of_vectors(transform)[:, None] + image_of_cells(transform, boards)
    return images.reshape(-1).astype(np.int32)
