"""Rows as bits, compared with NumPy's packing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.packing import LONGEST_ROW, pack_row, pack_word, row_of, unpack_row, unpack_word

CELLS = st.lists(st.integers(0, 1), min_size=1, max_size=64).map(lambda cells: np.array(cells, np.int8))


@kernel(types.uint64(STATE, types.int64, types.int64))
def packed(planes, begin, cells):
    return pack_row(planes, begin, cells)


@kernel(types.void(types.uint64, STATE, types.int64, types.int64))
def unpacked(row, planes, begin, cells):
    unpack_row(row, planes, begin, cells)


@kernel(types.uint64(STATE, types.int64, types.int64))
def packed_word(planes, begin, cells):
    return pack_word(planes, begin, cells)


@kernel(types.void(types.uint64, STATE, types.int64, types.int64))
def unpacked_word(word, planes, begin, cells):
    unpack_word(word, planes, begin, cells)


@kernel(types.uint64(STATE, types.int64, types.int64))
def row(bits, begin, cells):
    return row_of(bits, begin, cells)


def word(cells: NDArray[np.int8]) -> int:
    return sum(int(cell) << place for place, cell in enumerate(cells))


@given(CELLS, st.integers(0, 20), st.integers(0, 2**64 - 1))
def test_rows_are_packed_and_unpacked_between_others(cells, begin, other):
    """Nothing beside the row is read or written: what stands there would show in the word or in the plane."""
    planes = np.concatenate([np.ones(begin, np.int8), cells, np.ones(3, np.int8)])
    assert packed(planes, begin, len(cells)) == word(cells)
    found = np.full(len(planes), 5, np.int8)
    rest = other >> len(cells) << len(cells)
    unpacked(np.uint64(word(cells) | rest), found, begin, len(cells))
    assert found.tolist() == [5] * begin + cells.tolist() + [5] * 3


@pytest.mark.parametrize("cells", [1, 7, 8, 9, 16, 19, 64])
def test_a_row_may_be_all_there_is(cells):
    planes = np.ones(cells, np.int8)
    assert packed(planes, 0, cells) == 2**cells - 1
    unpacked(np.uint64(0), planes, 0, cells)
    assert not planes.any()


@given(st.lists(st.integers(0, 1), min_size=64, max_size=64), st.sampled_from((7, 41, 64)))
def test_words_are_packed_and_unpacked_as_rows_are(numbers, cells):
    planes = np.array([1, *numbers, 1], np.int8)
    assert packed_word(planes, 1, cells) == packed(planes, 1, cells)
    found, expected = np.full((2, 66), 5, np.int8)
    unpacked_word(packed(planes, 1, 64), found, 1, cells)
    unpacked(packed(planes, 1, 64), expected, 1, cells)
    assert found.tolist() == expected.tolist()


@given(st.lists(st.integers(0, 1), min_size=1, max_size=300), st.data())
def test_a_row_of_bits_begins_anywhere(cells, data):
    bits = np.packbits(np.array(cells, np.uint8), bitorder="little").view(np.int8)
    begin = data.draw(st.integers(0, len(cells) - 1))
    length = data.draw(st.integers(1, min(LONGEST_ROW, len(cells) - begin)))
    behind = np.full(8, -1, np.int8)
    assert row(np.concatenate([bits, behind]), begin, length) == word(np.array(cells[begin : begin + length], np.int8))
