"""The exchange of the players: a symmetry of games whose rules are the same for both.

The image of a state is what the state would be if each player had the other's pieces and the other were to move, on a
board that is turned if that is needed, such as to exchange the goals of Hex. Its value is the negative of the state's.
Images are states from which the rules play on, but many occur in no match: after an even number of stones the second
player is never to move in Gomoku.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.rules.geometry.grid import IDENTITY, Transform, plane_symmetries
from athenan.rules.state import CHANCE, HEADER

Bytes = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class ColourSymmetry:
    """What the exchange of the players does to states, planes and actions."""

    state: Callable[[Bytes], Bytes]
    """The image of a state; the same number of actions has been played. The image of the image is the state."""
    planes: NDArray[np.int32]
    """int32[planes * rows * columns]: planes of the image = planes[this], but for the side to move."""
    actions: NDArray[np.int32]
    """int32[action_count]: the image of an action."""
    side: int = 2
    """The plane that is 1 everywhere if the first player is to move, or chance for the first player, else 0."""
    begins: int = 0
    """The rules are symmetric only after so many actions: states before have no image."""


def exchanged_planes(
    planes: int,
    height: int,
    width: int,
    transform: Transform = IDENTITY,
    pairs: Sequence[tuple[int, int]] = ((0, 1),),
) -> NDArray[np.int32]:
    """`ColourSymmetry.planes` where pairs of planes are exchanged and all are turned by a symmetry of the board."""
    order = np.arange(planes)
    for first, second in pairs:
        order[[first, second]] = second, first
    turned = plane_symmetries(planes, height, width, (transform,))
    return np.ascontiguousarray(turned.reshape(planes, -1)[order].reshape(-1))


def other_side(state: Bytes) -> Bytes:
    """A copy of the state with the other side to move; where chance is to move, it still is."""
    image = state.copy()
    if state[0] != CHANCE:
        image[0] = 1 - state[0]
    return image


def exchange(state: Bytes, size: int, start: int = HEADER) -> None:
    """Exchanges two blocks of `size` bytes, the second of which follows the first, in place."""
    state[start : start + 2 * size] = np.roll(state[start : start + 2 * size], size)


def turn(cells: Bytes, stride: int, height: int, width: int, transform: Transform) -> None:
    """Turns a set of cells by a symmetry of the board, in place; bit stride * row + column is a cell."""
    bits = np.unpackbits(cells.view(np.uint8), bitorder="little")
    board = bits[: stride * height].reshape(height, stride)
    board[:, :width] = transform(board[:, :width].astype(np.int32))
    cells[:] = np.packbits(bits, bitorder="little").view(np.int8)
