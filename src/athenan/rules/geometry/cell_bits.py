"""Sets of cells that a state keeps as bits, and the images of a state that follow.

>>> bits = CellBits(width=3, height=2, stride=8, size=8)
>>> state = np.zeros(HEADER + 16, np.int8)
>>> state[HEADER] = 0b001
>>> bits.image(state, grid.FLIP)[HEADER + 8 :].tolist()
[0, 1, 0, 0, 0, 0, 0, 0]
"""

from typing import NamedTuple

import numpy as np

from athenan.rules.board import Bytes
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import grid
from athenan.rules.state import HEADER


class CellBits(NamedTuple):
    """Sets of cells in a state, one after another: the first player's pieces, the second player's, perhaps others.

    The cell of a row and a column is bit stride * row + column of each set.
    """

    width: int
    """Number of columns."""
    height: int
    """Number of rows."""
    stride: int
    """Bits from a row to the next: 8, 16, or the width."""
    size: int
    """Bytes of a set."""
    sets: int = 2
    """Number of sets."""
    begin: int = HEADER
    """The byte at which the first set begins."""

    def turned(self, state: Bytes, transform: grid.Transform) -> Bytes:
        """A copy of a state with its sets turned by a symmetry of the board."""
        image = state.copy()
        if transform is grid.IDENTITY:
            return image
        own = image[self.begin : self.begin + self.sets * self.size].reshape(self.sets, self.size)
        bits = np.unpackbits(own.view(np.uint8), axis=1, bitorder="little")
        for one in bits:
            board = one[: self.stride * self.height].reshape(self.height, self.stride)
            board[:, : self.width] = transform(board[:, : self.width].astype(np.int32))
        own[:] = np.packbits(bits, axis=1, bitorder="little").view(np.int8)
        return image

    def image(self, state: Bytes, transform: grid.Transform = grid.IDENTITY) -> Bytes:
        """A copy of a state with the players exchanged, turned by a symmetry of the board."""
        image = other_side(state)
        exchange(image, self.size, self.begin)
        return self.turned(image, transform)
