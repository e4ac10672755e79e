"""Codes: what stands on each cell of an encoded state, as a small number.

A plane of 0 and 1 that is the same on all cells in every state, such as the side to move, is *shared*: the shared
planes of a state choose one of several tables. The other planes of 0 and 1 are *local*: those that are 1 at a cell are
its code. Planes with other numbers are left out. Which is which, and which codes occur, is found by random play, so
that the same seed gives the same codes; what random play has not met gets the code that differs in the fewest planes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_states

STATES = 20_000
"""States of random play in which codes are looked for."""
MOST_PLANES = 16
"""Local planes that codes can tell apart."""


class NoPatternsError(ValueError):
    """A game whose states have no cells that can be coded."""


@dataclass(frozen=True, eq=False)
class Codes:
    """From the planes of a state to the codes of its cells and the number of its table."""

    planes: tuple[int, int, int]
    """Planes, rows, columns."""
    local: NDArray[np.int64]
    """The local planes, ascending."""
    shared: NDArray[np.int64]
    """The shared planes, ascending."""
    code_of: NDArray[np.uint8]
    """uint8[2^local]: the code of a cell, by its local planes as bits."""
    table_of: NDArray[np.uint8]
    """uint8[2^shared]: the number of the table of a state, by its shared planes as bits."""
    varying: NDArray[np.bool_]
    """bool[rows * columns]: whether a cell has not always the same code."""

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return int(self.code_of.max()) + 1

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return int(self.table_of.max()) + 1

    def of(self, planes: NDArray[np.int8]) -> tuple[NDArray[np.uint8], int]:
        """The codes of the cells, uint8[rows * columns], and the number of the table, of one encoded state."""
        cells = planes.reshape(self.planes[0], -1)
        return self.code_of[_bits(cells[self.local])], int(self.table_of[_bits(cells[self.shared, 0])])


def codes_of(game: Game, seed: int = 0) -> Codes:
    """The codes of a game. Raises NoPatternsError if no cell can be coded."""
    flat = encoded_states(game, random_states(game, STATES, seed)).reshape(STATES, game.planes[0], -1)
    binary = ((flat == 0) | (flat == 1)).all(axis=(0, 2))
    same = (flat == flat[:, :, :1]).all(axis=(0, 2))
    shared = np.flatnonzero(binary & same & (flat[:, :, 0] != flat[0, :, 0]).any(axis=0))
    local = np.flatnonzero(binary & ~same & (flat != flat[:1]).any(axis=(0, 2)))
    if not local.size:
        raise NoPatternsError(f"{game.name} has no planes of 0 and 1 that tell what stands on a cell")
    if max(len(local), len(shared)) > MOST_PLANES:
        raise NoPatternsError(f"{game.name} has {len(local)} planes for each cell; patterns take at most {MOST_PLANES}")
    masks = _bits(flat[:, local].swapaxes(0, 1).reshape(len(local), -1)).reshape(STATES, -1)
    return Codes(
        game.planes, local, shared, _numbered(masks, len(local)),
        _numbered(_bits(flat[:, shared, 0].T), len(shared)), (masks != masks[:1]).any(axis=0),
    )  # fmt: skip


def _bits(planes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Numbers from planes of 0 and 1, [planes, ...]: the first plane is the lowest bit."""
    weights = (1 << np.arange(len(planes))).reshape(-1, *[1] * (planes.ndim - 1))
    found: NDArray[np.int64] = ((planes != 0) * weights).sum(axis=0).astype(np.int64)
    return found


def _numbered(masks: NDArray[np.int64], bits: int) -> NDArray[np.uint8]:
    """Numbers from 0 on for the masks that occur, ascending; others get that of the nearest one."""
    seen = np.unique(masks)
    if len(seen) > 256:
        raise NoPatternsError(f"its cells have {len(seen)} different codes; patterns take at most 256")
    distance = np.bitwise_count(np.arange(1 << bits)[:, None] ^ seen[None, :])
    numbers: NDArray[np.uint8] = distance.argmin(axis=1).astype(np.uint8)
    return numbers
