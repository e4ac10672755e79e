"""Planes as bits, row by row or in whole words: kernels that look at many cells at once read and write in this way."""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.geometry.bits import ONE, equal_bytes
from athenan.rules.memory import load64, store64

LONGEST_ROW = 57
"""A row of bits may begin at any bit of a byte, and lies in the eight bytes from there."""
_GATHER = np.uint64(0x0102040810204080)
"""Eight bytes of 0 or 1, times this, have their bits in the highest byte."""
_REPEAT, _EACH = np.uint64(0x0101010101010101), np.uint64(0x8040201008040201)
"""A byte, times the first, keeps one of its bits in each of eight bytes by the second."""
_CARRY = np.uint64(0x7F7F7F7F7F7F7F7F)
"""It carries any of these bits to the highest bit of its byte."""
_BYTE = np.uint64(0xFF)


@helper
def _eight_bits(planes, begin):
    return (load64(planes, begin) * _GATHER) >> np.uint64(56)


@helper
def _eight_cells(bits):
    return (((bits & _BYTE) * _REPEAT & _EACH) + _CARRY) >> np.uint64(7) & _REPEAT


@helper
def pack_row(planes, begin, cells):
    """Up to 64 numbers of a plane from `begin` on, each 0 or 1, as the bits of a word, the first one lowest."""
    row = np.uint64(0)
    for cell in range(0, cells - 8, 8):
        row |= _eight_bits(planes, begin + cell) << np.uint64(cell)
    if cells >= 8:
        return row | _eight_bits(planes, begin + cells - 8) << np.uint64(cells - 8)
    for cell in range(cells):
        row |= np.uint64(planes[begin + cell]) << np.uint64(cell)
    return row


@helper
def unpack_row(row, planes, begin, cells):
    """Writes the lowest bits of a word, up to 64, as numbers 0 and 1 of a plane from `begin` on."""
    for cell in range(0, cells - 8, 8):
        store64(planes, begin + cell, _eight_cells(row >> np.uint64(cell)))
    if cells >= 8:
        store64(planes, begin + cells - 8, _eight_cells(row >> np.uint64(cells - 8)))
        return
    for cell in range(cells):
        planes[begin + cell] = row >> np.uint64(cell) & ONE


@helper
def pack_word(planes, begin, cells):
    """As `pack_row`, for planes read 64 cells at a time: whole words are quicker, which costs kernels of rows time."""
    return equal_bytes(planes, begin, np.int8(1)) if cells == 64 else pack_row(planes, begin, cells)


@helper
def unpack_word(word, planes, begin, cells):
    """As `unpack_row`, for planes written 64 cells at a time."""
    if cells == 64:
        for cell in range(0, 64, 8):
            store64(planes, begin + cell, _eight_cells(word >> np.uint64(cell)))
    else:
        unpack_row(word, planes, begin, cells)


@helper
def fill(planes, begin, cells, value):
    """Writes the same number, 0 or 1, into `cells` cells from `begin` on, eight at a time."""
    eight = np.uint64(value) * _REPEAT
    for cell in range(0, cells - 8, 8):
        store64(planes, begin + cell, eight)
    if cells >= 8:
        store64(planes, begin + cells - 8, eight)
        return
    for cell in range(cells):
        planes[begin + cell] = value


@helper
def row_of(bits, begin, cells):
    """Up to `LONGEST_ROW` bits of an int8 vector from bit `begin` on. It reads up to seven bytes more, unchecked."""
    return load64(bits, begin >> 3) >> np.uint64(begin & 7) & (ONE << np.uint64(cells)) - ONE
