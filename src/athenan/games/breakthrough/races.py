"""Pieces that can be taken for nothing, and pieces that nobody can stop: features for pattern networks.

A piece is *weak* if more of the opponent's pieces can take it than its own side's pieces can take back. It is *free* if
no opponent's piece ahead is near enough to meet it: both move one row a turn, so a piece k rows ahead must be within
about k / 2 columns. That is a guess: two pieces may still stop it together. The player whose free piece reaches its
goal first leads the *race*.
"""

from functools import cache

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.edges import load_edges, wider
from athenan.rules.geometry.packing import fill, pack_board, unpack_board
from athenan.rules.geometry.words import any_of, both, either, highest_of, lowest_of, moved_down, moved_up, without

PER_WIDTH, EDGES = 3, 4
"""The indices in `params` of 2^16 / width, rounded up, which divides numbers below 256, and of the edges."""
_NEVER = 1000


@rules.helper
def _weak(pieces, attacked, defended):
    """The pieces that more of the opponent's can take than pieces of their own side can take back."""
    undefended = without(either(attacked[0], attacked[1]), either(defended[0], defended[1]))
    outnumbered = without(both(attacked[0], attacked[1]), both(defended[0], defended[1]))
    return both(pieces, either(undefended, outnumbered))


@rules.helper
def _free(pieces, other, width, height, edges, moved):
    """The pieces that no opponent's piece ahead is near enough to meet; `moved` moves boards as the opponent moves.

    Opponent's pieces 1, 2 and 3 rows ahead must be within as many columns. After that two more rows allow one more
    column, so what is met two rows further by pieces at least 2 rows ahead is met a column wider.
    """
    one = wider(moved(other, width), edges)
    near = wider(wider(moved(either(other, one), 2 * width), edges), edges)  # by pieces 2 and 3 rows ahead
    met = near
    for _ in range((height - 3) // 2):
        met = either(near, wider(moved(met, 2 * width), edges))
    return without(pieces, either(one, met))


@rules.helper
def _write_features(params, planes, features, none):
    width, height, area, edges = params[0], params[1], params[0] * params[1], load_edges(params, EDGES, none)
    first, second = pack_board(planes, 0, area, none), pack_board(planes, area, area, none)
    by_first = moved_up(both(first, edges[1]), width + 1), moved_up(both(first, edges[0]), width - 1)
    by_second = moved_down(both(second, edges[0]), width + 1), moved_down(both(second, edges[1]), width - 1)
    weak = either(_weak(first, by_second, by_first), _weak(second, by_first, by_second))
    free_first = _free(first, second, width, height, edges, moved_down)
    free_second = _free(second, first, width, height, edges, moved_up)
    of_first = of_second = _NEVER
    if any_of(free_first):
        of_first = height - 1 - (highest_of(free_first) * params[PER_WIDTH] >> 16)
    if any_of(free_second):
        of_second = lowest_of(free_second) * params[PER_WIDTH] >> 16
    of_second += planes[2 * area] != 0
    unpack_board(weak, features, 0, area)
    unpack_board(either(free_first, free_second), features, area, area)
    fill(features, 2 * area, area, of_first < min(of_second, _NEVER))
    fill(features, 3 * area, area, of_second <= of_first and of_second < _NEVER)


@cache
def features_of(words: int) -> Features:
    """The features of boards of a number of words.

    Weak pieces; free pieces; then, the same on all cells: whether the first player, and the second, leads the race.
    """
    none = (np.uint64(0),) * words

    @rules.kernel(rules.FEATURES)
    def features(params, planes, features):
        _write_features(params, planes, features, none)

    return Features(4, ((2, 3),), features)
