"""Boards as words of bits against sets of cells."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numba.core.errors import TypingError

from athenan.rules.arrays import ACTION_LIST, STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.bits import bit_of_rank, equal_bytes, shift_down, shift_up
from athenan.rules.geometry.words import (
    any_of,
    beside,
    beside_at_least,
    both,
    cell_of_rank,
    count_of,
    either,
    highest_of,
    last_64,
    load_words,
    lowest_of,
    moved_down,
    moved_up,
    single,
    store_words,
    without,
)

WORDS, STRIDE = 3, 14
NONE = (np.uint64(0),) * WORDS
CELLS = st.sets(st.integers(0, 64 * WORDS - 1))


def stored(*boards: set[int]) -> np.ndarray:
    bits = np.zeros((len(boards), 64 * WORDS), np.uint8)
    for row, cells in zip(bits, boards, strict=True):
        row[list(cells)] = 1
    return np.packbits(bits, bitorder="little").view(np.int8)


@kernel(types.void(STATE, types.int64, STATE))
def combine(state, cell, results):
    one, other = load_words(state, 0, NONE), load_words(state, 8 * len(NONE), NONE)
    store_words(results, 0, both(one, other))
    store_words(results, 8 * len(NONE), either(one, other))
    store_words(results, 16 * len(NONE), without(one, other))
    store_words(results, 24 * len(NONE), single(cell, one))
    store_words(results, 32 * len(NONE), beside(one, STRIDE))


@given(CELLS, CELLS, st.integers(0, 64 * WORDS - 1))
def test_boards_combine_as_sets(one: set[int], other: set[int], cell: int) -> None:
    results = np.empty(5 * 8 * WORDS, np.int8)
    combine(stored(one, other), cell, results)
    near = {to + step for to in one for step in (-STRIDE, -1, 1, STRIDE)} & set(range(64 * WORDS))
    assert np.array_equal(results, stored(one & other, one | other, one - other, {cell}, near))


@kernel(types.void(STATE, types.int64, STATE))
def move(state, distance, results):
    board = load_words(state, 0, NONE)
    store_words(results, 0, moved_up(board, distance))
    store_words(results, 8 * len(NONE), moved_down(board, distance))


@given(CELLS, st.integers(1, 63))
def test_cells_move_up_and_down(cells: set[int], distance: int) -> None:
    results = np.empty(2 * 8 * WORDS, np.int8)
    move(stored(cells), distance, results)
    moved = [{to + step for to in cells} & set(range(64 * WORDS)) for step in (distance, -distance)]
    assert np.array_equal(results, stored(*moved))


@kernel(types.uint64(STATE, types.int64))
def last_cells(state, cells):
    return last_64(load_words(state, 0, NONE), cells)


@given(CELLS, st.integers(64 * WORDS - 63, 64 * WORDS))
def test_the_last_64_cells(cells: set[int], count: int) -> None:
    assert last_cells(stored(cells), count) == sum(
        1 << cell - count + 64 for cell in cells if 0 <= cell - count + 64 < 64
    )


@kernel(types.void(STATE, STATE))
def count_beside(state, results):
    for number, found in enumerate(beside_at_least(load_words(state, 0, NONE), STRIDE)):
        store_words(results, 8 * number * len(NONE), found)


@given(CELLS)
def test_cells_beside_are_counted(cells: set[int]) -> None:
    results = np.empty(3 * 8 * WORDS, np.int8)
    count_beside(stored(cells), results)
    near = Counter(cell + step for cell in cells for step in (-STRIDE, -1, 1, STRIDE))
    counts = [{cell for cell in range(64 * WORDS) if near[cell] >= least} for least in (1, 2, 3)]
    assert np.array_equal(results, stored(*counts))


@kernel(types.int64(STATE, ACTION_LIST))
def list_cells(state, cells):
    board = load_words(state, 0, NONE)
    for rank in range(count_of(board)):
        cells[rank] = cell_of_rank(board, rank)
    if any_of(board):
        cells[len(cells) - 2], cells[len(cells) - 1] = highest_of(board), lowest_of(board)
    return count_of(board)


@given(CELLS)
def test_cells_are_counted_and_found_by_rank(cells: set[int]) -> None:
    found = np.full(64 * WORDS + 2, -1, np.int32)
    assert list_cells(stored(cells), found) == len(cells)
    assert list(found[: len(cells)]) == sorted(cells)
    assert found[-2:].tolist() == [max(cells, default=-1), min(cells, default=-1)]


@kernel(types.int64(types.uint64, types.int64))
def bit_found(word, rank):
    return bit_of_rank(word, rank)


@given(st.sets(st.integers(0, 63), min_size=1))
def test_bits_are_found_by_rank(bits: set[int]) -> None:
    word = np.uint64(sum(1 << bit for bit in bits))
    assert [bit_found(word, rank) for rank in range(len(bits))] == sorted(bits)


@kernel(types.uint64(STATE, types.int64, types.int8))
def bytes_found(state, offset, value):
    return equal_bytes(state, offset, value)


@given(st.lists(st.integers(-2, 2), min_size=67, max_size=67), st.integers(-2, 2))
def test_equal_bytes(values: list[int], value: int) -> None:
    found = bytes_found(np.array(values, np.int8), 3, value)
    assert found == sum(1 << place for place in range(64) if values[3 + place] == value)


@kernel(types.uint64(types.uint64, types.uint64, types.uint64))
def shifted_up(word, below, count):
    return shift_up(word, below, count)


@kernel(types.uint64(types.uint64, types.uint64, types.uint64))
def shifted_down(word, above, count):
    return shift_down(word, above, count)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 63))
def test_words_are_shifted_with_the_bits_beside_them(low: int, high: int, count: int) -> None:
    both = high << 64 | low
    assert shifted_up(np.uint64(high), np.uint64(low), np.uint64(count)) == (both << count) >> 64 & 2**64 - 1
    assert shifted_down(np.uint64(low), np.uint64(high), np.uint64(count)) == both >> count & 2**64 - 1


def test_boards_of_different_lengths_do_not_combine() -> None:
    short = NONE[1:]

    @kernel(types.boolean(STATE))
    def mixed(state):
        return any_of(both(load_words(state, 0, NONE), load_words(state, 0, short)))

    with pytest.raises(TypingError, match="tuples of uint64 of one length"):
        mixed(np.zeros(8 * WORDS, np.int8))
