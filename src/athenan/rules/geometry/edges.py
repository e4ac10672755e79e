"""Boards as in planes, whose rows follow one another without a gap: steps to the left and right stop at the edges.

`edges` are two boards (`words`): all cells but the first column, and all cells but the last one.
"""

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import helper
from athenan.rules.geometry.words import both, either, load_words, moved_down, moved_up


def words_of(cells: int) -> int:
    """The words of a board."""
    return -(-cells // 64)


def edge_words(width: int, height: int) -> NDArray[np.int64]:
    """The edges of a board as int64[2 * words], for `load_edges`."""
    edges = np.zeros((2, 64 * words_of(width * height)), np.uint8)
    cells = edges[:, : width * height].reshape(2, height, width)
    cells[0, :, 1:] = cells[1, :, :-1] = 1
    return np.packbits(edges, bitorder="little").view(np.int64)


@helper
def load_edges(params, begin, like):
    """The edges that begin at an index of params."""
    return load_words(params, 8 * begin, like), load_words(params, 8 * (begin + len(like)), like)


@helper
def right_of(cells, edges):
    """The cells on the right of a board's cells."""
    return both(moved_up(cells, 1), edges[0])


@helper
def left_of(cells, edges):
    """The cells on the left of a board's cells."""
    return both(moved_down(cells, 1), edges[1])


@helper
def wider(cells, edges):
    """A board's cells and the cells beside them in their rows."""
    return either(cells, either(left_of(cells, edges), right_of(cells, edges)))
