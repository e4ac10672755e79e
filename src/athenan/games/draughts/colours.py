"""Draughts: the exchange of the players, which turns the board by half a turn.

A half turn reverses the order of the squares, and of their bits.
"""

import numpy as np
from numpy.typing import NDArray

from athenan.games.draughts import moves as m
from athenan.rules import State
from athenan.rules.colours import other_side
from athenan.rules.geometry import grid


def turned_actions(half: int, transform: grid.Transform) -> NDArray[np.int32]:
    """The image of each action on a board with `half` dark squares in a row, which stays or makes a half turn."""
    squares = 2 * half * half
    order = np.arange(squares)[:: 1 if transform is grid.IDENTITY else -1]
    answers = squares * squares + order
    return np.concatenate([(squares * order[:, None] + order).reshape(-1), answers, squares + answers]).astype(np.int32)


def image_of(half: int, state: State) -> State:
    """The image of a state: header byte 1 is 2 plus the gain, and 0 stays 0: no bit, no gain."""
    image = other_side(state)
    if state[1]:
        image[1] = 4 - state[1]
    for place in (m.PIECES, m.PIECES + 16, m.KINGS, m.TAKEN, m.LEFT):
        image[place : place + 16] = _turned(half, state[place : place + 16])
    image[m.PIECES : m.PIECES + 32] = np.roll(image[m.PIECES : m.PIECES + 32], 16)
    bits = [m.FROM, m.TO, *range(m.HISTORY, m.HISTORY + 2 * int(state[m.COUNT]))]
    image[bits] = np.where(state[bits], _last(half) - state[bits], 0)
    return image


def _turned(half: int, words: State) -> State:
    """A set of squares after half a turn, as 16 bytes."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    squares = np.flatnonzero(bits)
    bits[:] = 0
    bits[_last(half) - squares] = 1
    return np.packbits(bits, bitorder="little").view(np.int8)


def _last(half: int) -> int:
    """The sum of the bits of two squares that a half turn exchanges."""
    return m.bit_of(half, 0) + m.bit_of(half, 2 * half * half - 1)
