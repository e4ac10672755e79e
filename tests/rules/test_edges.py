"""Boards as in planes against sets of cells."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types

from athenan.rules.arrays import PARAMS, STATE
from athenan.rules.compiler import kernel
from athenan.rules.geometry.edges import edge_words, left_of, load_edges, right_of, wider, words_of
from athenan.rules.geometry.words import load_words, store_words


@cache
def stepping(words: int):
    none = (np.uint64(0),) * words

    @kernel(types.void(PARAMS, STATE, STATE))
    def step(params, state, results):
        cells, edges = load_words(state, 0, none), load_edges(params, 1, none)
        store_words(results, 0, left_of(cells, edges))
        store_words(results, 8 * len(none), right_of(cells, edges))
        store_words(results, 16 * len(none), wider(cells, edges))

    return step


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (9, 1), (8, 8), (7, 6), (10, 10), (16, 16), (20, 20)])
@given(st.randoms(use_true_random=False))
def test_steps_stop_at_the_edges(width, height, random):
    words, cells = words_of(width * height), np.zeros((height, width + 2), np.uint8)
    cells[:, 1:-1] = [[random.getrandbits(1) for _ in range(width)] for _ in range(height)]
    board = np.zeros((1, 64 * words), np.uint8)
    board[0, : width * height] = cells[:, 1:-1].reshape(-1)
    results = np.empty(3 * 8 * words, np.int8)
    params = np.array([0, *edge_words(width, height)], np.int64)
    stepping(words)(params, np.packbits(board, bitorder="little").view(np.int8), results)
    found = np.unpackbits(results.view(np.uint8), bitorder="little").reshape(3, -1)[:, : width * height]
    left, right = cells[:, 2:], cells[:, :-2]
    for one, expected in zip(found, (left, right, left | right | cells[:, 1:-1]), strict=True):
        assert np.array_equal(one, expected.reshape(-1))
