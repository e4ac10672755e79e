"""Boards of both players in one vector against sets of cells."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

from athenan.rules.arrays import PARAMS, STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.edges import edge_words
from athenan.rules.geometry.pairs import (
    any_in,
    down,
    exchanged,
    first_of,
    load_edge_pairs,
    neighbours,
    pair,
    second_of,
    up,
)
from athenan.rules.geometry.words import load_words, store_words


@cache
def combining(words: int):
    """A kernel that writes what functions make of two boards; it returns whether there is a cell."""
    none = (np.uint64(0),) * words

    @kernel(types.boolean(STATE, types.int64, PARAMS, types.int64, STATE))
    def combine(state, distance, params, width, results):
        size = 8 * len(none)
        boards = pair(load_words(state, 0, none), load_words(state, size, none))
        others, edges = exchanged(boards), load_edge_pairs(params, 1, none)
        left, right, below, above = neighbours(boards, width, edges)
        combined = boards | others
        combined &= ~(boards ^ others)
        found = others, ~boards, combined, up(boards, distance), down(boards, distance), left, right, below, above
        for number in range(9):
            store_words(results, 2 * number * size, first_of(found[number]))
            store_words(results, (2 * number + 1) * size, second_of(found[number]))
        return any_in(boards)

    return combine


@pytest.mark.parametrize("words", [1, 2, 3, 4])
@settings(max_examples=30)
@given(st.data())
def test_boards_are_combined_and_moved_as_sets(words, data):
    whole, width = set(range(64 * words)), 8
    first, second = (data.draw(st.sets(st.sampled_from(sorted(whole)))) for _ in range(2))
    distance = data.draw(st.integers(1, 63))
    params = np.array([0, *edge_words(width, 8 * words)], np.int64)
    results = np.empty(9 * 2 * 8 * words, np.int8)
    assert combining(words)(stored(words, first, second), distance, params, width, results) == bool(first | second)
    not_first, not_last = ({cell for cell in whole if cell % width != column} for column in (0, width - 1))

    def moved(cells, step, within=whole):
        return {cell + step for cell in cells} & within

    expected = [second, first, whole - first, whole - second, first & second, first & second]
    steps = (distance, whole), (-distance, whole), (1, not_first), (-1, not_last), (width, whole), (-width, whole)
    expected += [moved(cells, step, within) for step, within in steps for cells in (first, second)]
    assert np.array_equal(results, stored(words, *expected))


def stored(words, *boards):
    bits = np.zeros((len(boards), 64 * words), np.uint8)
    for row, cells in zip(bits, boards, strict=True):
        row[list(cells)] = 1
    return np.packbits(bits, bitorder="little").view(np.int8)


@kernel(types.boolean(STATE))
def has_cell(state):
    none = (np.uint64(0), np.uint64(0))
    return any_in(pair(load_words(state, 0, none), load_words(state, 16, none)))


@pytest.mark.parametrize("byte", [0, 7, 8, 15, 16, 24, 31])
def test_any_cell_is_noticed(byte):
    state = np.zeros(32, np.int8)
    assert not has_cell(state)
    state[byte] = -128
    assert has_cell(state)
