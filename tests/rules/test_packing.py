"""Planes as bits, compared with NumPy's packing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import types

from athenan.rules.arrays import STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.packing import LONGEST_ROW, clear, pack, put_row, room_for, row_of, unpack

PLANES = st.lists(st.integers(0, 1), min_size=1, max_size=400).map(lambda cells: np.array(cells, np.int8))


@kernel(types.void(STATE, types.int64, types.int64, STATE))
def packed(planes, begin, cells, bits):
    pack(planes, begin, cells, bits)


@kernel(types.void(STATE, types.int64, STATE, types.int64))
def unpacked(bits, cells, planes, begin):
    unpack(bits, cells, planes, begin)


@kernel(types.uint64(STATE, types.int64, types.int64))
def row(bits, begin, cells):
    return row_of(bits, begin, cells)


@kernel(types.void(STATE, types.int64, types.int64, STATE))
def rows_again(bits, width, height, found):
    clear(found, width * height)
    for number in range(height):
        put_row(found, number * width, row_of(bits, number * width, width))


def bits_of(cells: np.ndarray) -> np.ndarray:
    """The cells as bits, with room, and with ones behind them as scratch may have."""
    bits = np.full(room_for(len(cells)), -1, np.int8)
    packed(cells, 0, len(cells), bits)
    return bits


@given(PLANES, st.integers(0, 20))
def test_packs_like_numpy_and_back(cells, begin):
    planes = np.concatenate([np.ones(begin, np.int8), cells])
    bits = np.full(room_for(len(cells)), -1, np.int8)
    packed(planes, begin, len(cells), bits)
    expected = np.packbits(cells, bitorder="little")
    assert np.array_equal(bits[: len(expected)].view(np.uint8), expected)
    again = np.full(begin + len(cells) + 3, 7, np.int8)
    unpacked(bits, len(cells), again, begin)
    assert np.array_equal(again, [7] * begin + cells.tolist() + [7] * 3)


@given(PLANES, st.data())
def test_a_row_begins_anywhere(cells, data):
    begin = data.draw(st.integers(0, len(cells) - 1))
    length = data.draw(st.integers(1, min(LONGEST_ROW, len(cells) - begin)))
    expected = sum(int(cell) << place for place, cell in enumerate(cells[begin : begin + length]))
    assert row(bits_of(cells), begin, length) == expected


@given(st.integers(1, LONGEST_ROW), st.integers(1, 20), st.randoms(use_true_random=False))
def test_rows_are_put_together(width, height, random):
    cells = np.array([random.randrange(2) for _ in range(width * height)], np.int8)
    bits, found = bits_of(cells), np.full(room_for(len(cells)), -1, np.int8)
    rows_again(bits, width, height, found)
    again = np.zeros_like(cells)
    unpacked(found, len(cells), again, 0)
    assert np.array_equal(again, cells)
