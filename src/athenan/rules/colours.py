"""The exchange of the players: a symmetry of games whose rules are the same for both.

In the image of a state each player has the other's pieces and the other is to move. The board is turned where
necessary, for example to exchange the goals of Hex. The image's value is the negative of the state's.
The rules can play on from an image, but many images occur in no match: in Gomoku the second player is never to move
after an even number of stones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.rules.geometry.grid import IDENTITY, Transform, plane_symmetries
from athenan.rules.state import CHANCE, HEADER

Bytes = NDArray[np.int8]


class PlaneExchange(NamedTuple):
    """What the exchange of the players does to planes and actions."""

    planes: NDArray[np.int32]
    """int32[planes * rows * columns]: planes of the image = planes[this], except for the side to move."""
    actions: NDArray[np.int32]
    """int32[action_count]: the image of an action."""
    side: int = 2
    """The plane that is 1 everywhere if the first player, or chance for the first player, is to move, else 0."""


@dataclass(frozen=True, eq=False)
class ColourSymmetry:
    """What the exchange of the players does to states, planes and actions."""

    state: Callable[[Bytes], Bytes]
    """The image of a state; the same number of actions has been played. The image of the image is the state."""
    planes: NDArray[np.int32]
    """int32[planes * rows * columns]: planes of the image = planes[this], except for the side to move."""
    actions: NDArray[np.int32]
    """int32[action_count]: the image of an action."""
    side: int = 2
    """The plane that is 1 everywhere if the first player, or chance for the first player, is to move, else 0."""
    begins: int = 0
    """Number of actions after which the rules are symmetric; earlier states have no image."""

    @property
    def of_planes(self) -> PlaneExchange:
        """What it does to planes and actions."""
        return PlaneExchange(self.planes, self.actions, self.side)


def exchanged_planes(
    planes: int,
    height: int,
    width: int,
    transform: Transform = IDENTITY,
    pairs: Sequence[tuple[int, int]] = ((0, 1),),
) -> NDArray[np.int32]:
    """`ColourSymmetry.planes` for exchanged pairs of planes, all turned by a symmetry of the board."""
    order = np.arange(planes)
    for first, second in pairs:
        order[[first, second]] = second, first
    turned = plane_symmetries(planes, height, width, (transform,))
    return np.ascontiguousarray(turned.reshape(planes, -1)[order].reshape(-1))


def other_side(state: Bytes) -> Bytes:
    """A copy of the state with the other side to move. If chance is to move, it still is."""
    image = state.copy()
    if state[0] != CHANCE:
        image[0] = 1 - state[0]
    return image


def exchange(state: Bytes, size: int, start: int = HEADER) -> None:
    """Exchanges two adjacent blocks of `size` bytes in place."""
    state[start : start + 2 * size] = np.roll(state[start : start + 2 * size], size)
