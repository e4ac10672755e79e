"""Planes as bits: eight cells at a time from bytes to bits and back, and rows of any length among the bits.

Kernels that look at whole rows pack a plane, take its rows, put their answers together in the same way and unpack them.
"""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.geometry.bits import ONE
from athenan.rules.memory import load64, store64

LONGEST_ROW = 57
"""A row may begin at any bit of a byte, and lies in the eight bytes from there."""
_SEVEN = np.uint64(7)
_GATHER = np.uint64(0x0102040810204080)
"""Times eight bytes of 0 or 1, it has them as the bits of the highest byte."""
_REPEAT, _EACH = np.uint64(0x0101010101010101), np.uint64(0x8040201008040201)
"""Times a byte, and then with a mask, these leave one of its bits in each of eight bytes."""
_CARRY = np.uint64(0x7F7F7F7F7F7F7F7F)


def room_for(cells: int) -> int:
    """The bytes of int8 scratch for this many cells as bits: rows are read and written in words of eight bytes."""
    return (cells + 7) // 8 + 8


@helper
def pack(planes, begin, cells, bits):
    """Packs `cells` numbers of a plane from `begin` on, each 0 or 1, into `bits`, the first into the lowest bit."""
    whole = cells >> 3
    for byte in range(whole):
        bits[byte] = (load64(planes, begin + 8 * byte) * _GATHER) >> np.uint64(56)
    last = np.uint64(0)
    for number in range(cells & 7):
        last |= np.uint64(planes[begin + 8 * whole + number] != 0) << np.uint64(number)
    bits[whole] = last


@helper
def unpack(bits, cells, planes, begin):
    """Writes the first `cells` bits as numbers 0 and 1 into a plane, from `begin` on."""
    whole = cells >> 3
    for byte in range(whole):
        apart = (np.uint64(np.uint8(bits[byte])) * _REPEAT) & _EACH
        store64(planes, begin + 8 * byte, (apart + _CARRY) >> _SEVEN & _REPEAT)
    for number in range(cells & 7):
        planes[begin + 8 * whole + number] = np.uint64(np.uint8(bits[whole])) >> np.uint64(number) & ONE


@helper
def clear(bits, cells):
    """Empties the bits of this many cells."""
    for byte in range(0, (cells + 7) // 8, 8):
        store64(bits, byte, np.uint64(0))


@helper
def row_of(bits, begin, cells):
    """A row of up to `LONGEST_ROW` cells from bit `begin` on, as the lowest bits of a word."""
    return load64(bits, begin >> 3) >> np.uint64(begin & 7) & (ONE << np.uint64(cells)) - ONE


@helper
def put_row(bits, begin, row):
    """Adds a row to the bits from `begin` on."""
    store64(bits, begin >> 3, load64(bits, begin >> 3) | row << np.uint64(begin & 7))
