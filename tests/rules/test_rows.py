"""Rows and boards as bits, compared with NumPy's packing."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numba.core.errors import TypingError
from numpy.typing import NDArray

from athenan.rules.arrays import STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.packing import (
    fill,
    pack_board,
    pack_row,
    read_bits,
    unpack_board,
    unpack_row,
    unpack_rows,
    unpack_words,
)
from athenan.rules.geometry.words import load_words, store_words

CELLS = st.lists(st.integers(0, 1), min_size=1, max_size=64).map(lambda cells: np.array(cells, np.int8))
BOARDS = st.lists(st.integers(0, 1), min_size=1, max_size=200).map(lambda cells: np.array(cells, np.int8))


@kernel(types.uint64(STATE, types.int64, types.int64))
def packed(planes, begin, cells):
    return pack_row(planes, begin, cells)


@kernel(types.void(types.uint64, STATE, types.int64, types.int64))
def unpacked(row, planes, begin, cells):
    unpack_row(row, planes, begin, cells)


@kernel(types.void(STATE, types.int64, types.int64, types.int64))
def filled(planes, begin, cells, value):
    fill(planes, begin, cells, value)


@cache
def on_boards(words: int):
    """Kernels that pack and unpack boards of some words, which they store as bytes."""
    none = (np.uint64(0),) * words

    @kernel(types.void(STATE, types.int64, types.int64, STATE))
    def pack(planes, begin, cells, stored):
        store_words(stored, 0, pack_board(planes, begin, cells, none))

    @kernel(types.void(STATE, STATE, types.int64, types.int64))
    def unpack(stored, planes, begin, cells):
        unpack_board(load_words(stored, 0, none), planes, begin, cells)

    return pack, unpack


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


@pytest.mark.parametrize("cells", [1, 3, 4, 7, 8, 9, 16, 19, 32, 63, 64])
def test_a_row_may_be_all_there_is(cells):
    planes = np.ones(cells, np.int8)
    assert packed(planes, 0, cells) == 2**cells - 1
    unpacked(np.uint64(0), planes, 0, cells)
    assert not planes.any()


@given(BOARDS, st.integers(0, 20), st.integers(0, 2**64 - 1))
def test_boards_are_packed_and_unpacked_between_others(cells, begin, other):
    """Cells of the last word that no plane has are ignored."""
    pack, unpack = on_boards(-(-len(cells) // 64))
    planes = np.concatenate([np.ones(begin, np.int8), cells, np.ones(3, np.int8)])
    stored = np.zeros(-(-len(cells) // 64) * 8, np.int8)
    pack(planes, begin, len(cells), stored)
    bits = np.unpackbits(stored.view(np.uint8), bitorder="little")
    assert bits.tolist() == cells.tolist() + [0] * (len(bits) - len(cells))
    bits[len(cells) :] = [other >> place & 1 for place in range(len(bits) - len(cells))]
    found = np.full(len(planes), 5, np.int8)
    unpack(np.packbits(bits, bitorder="little").view(np.int8), found, begin, len(cells))
    assert found.tolist() == [5] * begin + cells.tolist() + [5] * 3


@kernel(types.void(STATE, types.int64, STATE, types.int64, types.int64))
def unpacked_words(state, words, planes, begin, cells):
    unpack_words(state, words, planes, begin, cells)


@given(BOARDS, st.integers(0, 9))
def test_words_are_unpacked_to_a_plane(cells, begin):
    bits = np.ones(8 + -(-len(cells) // 64) * 64, np.int8)
    bits[8 : 8 + len(cells)] = cells
    planes = np.full(begin + len(cells) + 3, 5, np.int8)
    unpacked_words(np.packbits(bits, bitorder="little").view(np.int8), 1, planes, begin, len(cells))
    assert planes.tolist() == [5] * begin + cells.tolist() + [5] * 3


@kernel(types.void(STATE, types.int64, STATE, types.int64, types.int64, types.int64))
def unpacked_rows(state, rows, planes, begin, width, height):
    unpack_rows(state, rows, planes, begin, width, height)


@given(st.integers(1, 16), st.integers(1, 16), st.integers(0, 9), st.randoms(use_true_random=False))
def test_rows_of_16_bits_are_unpacked_to_a_plane(width, height, begin, random):
    numbers = [random.getrandbits(width) for _ in range(height)]
    state = np.array([0, *numbers], np.uint16).view(np.int8)
    planes = np.full(begin + width * height + 3, 5, np.int8)
    unpacked_rows(state, 2, planes, begin, width, height)
    cells = [number >> column & 1 for number in numbers for column in range(width)]
    assert planes.tolist() == [5] * begin + cells + [5] * 3


@given(st.integers(0, 20), st.integers(1, 300), st.integers(0, 1))
def test_cells_are_filled_between_others(begin, cells, value):
    planes = np.full(begin + cells + 3, 5, np.int8)
    filled(planes, begin, cells, value)
    assert planes.tolist() == [5] * begin + [value] * cells + [5] * 3


def test_a_vector_has_a_constant_number_of_cells():
    @kernel(types.uint64(STATE, types.int64))
    def of_any_length(planes, cells):
        return read_bits(planes, 0, cells)

    with pytest.raises(TypingError, match="4, 8, 16, 32 or 64 cells"):
        of_any_length(np.zeros(8, np.int8), 8)
