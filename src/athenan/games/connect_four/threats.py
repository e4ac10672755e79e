"""Where a stone would complete a line, and whom the end of the columns favours: features for pattern networks.

A *threat* is an empty cell that completes a player's line. Most of them cannot be filled yet, and a player who may not
play beneath the opponent's threat runs out of other columns in the end: *zugzwang*, which decides most matches between
good players (J. D. Allis, A Knowledge-based Approach of Connect-Four, 1988). It depends on parity over the whole board.
Here it is played out with the existing threats. Both fill the cells with no threat above. Then the player to move has
to play beneath a threat: beneath one of the player's own, where the opponent takes the cell, and the column goes on;
or, without one, beneath the opponent's, and loses. New threats are left to the tuples.
"""

from functools import cache

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.edges import load_edges
from athenan.rules.geometry.packing import fill, pack_board, unpack_board
from athenan.rules.geometry.words import (
    any_of,
    both,
    cell_of_rank,
    count_of,
    either,
    load_words,
    lowest_of,
    moved_down,
    moved_up,
    single,
    store_words,
    without,
)

EDGES = 3
"""The index in `params` of the edges."""
_ROWS = 20
"""The most rows of a board."""
_RUNS_ROOM = 20 * 56
"""Bytes for a board of each number of stones in a line."""
_NOBODY = 2


@rules.helper
def _in_line(upward, downward, step, connect, none):
    """The cells that lines of `connect` cells reach with stones on all their other cells.

    The cells of a line are `step` apart. `upward` are the stones from which it goes on to a higher cell within the
    board, and `downward` those from which it goes on to a lower one.
    """
    runs = rules.scratch(_RUNS_ROOM, np.int8)
    size, run = 8 * len(none), moved_up(upward, step)
    for length in range(1, connect - 1):
        store_words(runs, length * size, run)
        run = moved_up(both(run, upward), step)
    found, run = run, moved_down(downward, step)
    for length in range(1, connect - 1):
        found = either(found, both(run, load_words(runs, (connect - 1 - length) * size, none)))
        run = moved_down(both(run, downward), step)
    return either(found, run)


@rules.helper
def _threats(stones, empty, width, connect, edges, none):
    """The empty cells with which a player's stones make a line."""
    left, right = both(stones, edges[0]), both(stones, edges[1])  # those from which lines go on to the left and right
    found = moved_up(stones, width)
    for _ in range(connect - 2):
        found = moved_up(both(found, stones), width)
    found = either(found, _in_line(right, left, 1, connect, none))
    found = either(found, _in_line(right, left, width + 1, connect, none))
    return both(empty, either(found, _in_line(left, right, width - 1, connect, none)))


@rules.helper
def _above(cells, width, height):
    """Some cells and all cells above them."""
    done, more = 1, 1
    while done < height:
        cells = either(cells, moved_up(cells, more * width))
        done += more
        more = 2 * more if 2 * more * width < 64 else more
    return cells


@rules.helper
def _column(cells, cell, width, area):
    """The cells of a column from one of them on as bits, the lowest cell first."""
    column, bit = np.uint64(0), ONE
    for place in range(cell, area, width):
        column |= bit if any_of(both(cells, single(place, cells))) else np.uint64(0)
        bit <<= ONE
    return column


@rules.helper
def _preferred(cells, own, other, width, area):
    """The cell, of several beneath one's own threats, where to play.

    The choice depends on what the columns hold, not on their places, so that images of a state have the same winner.
    A column that changes who runs out of columns is preferred.
    """
    chosen, greatest = -1, -1
    for rank in range(count_of(cells)):
        cell = cell_of_rank(cells, rank)
        threat = cell + width
        by_own, by_other, row = _column(own, threat, width, area), _column(other, threat, width, area), threat // width
        above = (by_own | by_other) >> np.uint64(2)
        odd = (lowest(above) if above else (area - threat - 1) // width) & 1
        key = (odd << 2 * _ROWS | np.int64(by_own << np.uint64(_ROWS) | by_other)) << 5 | row
        if key > greatest:
            chosen, greatest = cell, key
    return chosen


@rules.helper
def _winner(own, other, empty, width, height, player, none):
    """Who wins with these threats if `player`, whose threats are `own`, is to move."""
    while True:
        playable = without(empty, moved_up(empty, width))
        if any_of(both(own, playable)):
            return player
        forced = both(other, playable)
        if any_of(forced):
            empty = without(empty, single(lowest_of(forced), none))
            own, other, player = other, own, 1 - player
            continue
        beneath = moved_down(both(either(own, other), empty), width)
        left = both(empty, _above(beneath, width, height))
        if count_of(empty) - count_of(left) & 1:
            own, other, player = other, own, 1 - player
        if not any_of(left):
            return _NOBODY
        beneath = without(left, moved_up(left, width))
        beneath = without(both(beneath, moved_down(own, width)), moved_down(other, width))
        if not any_of(beneath):
            return 1 - player
        cell = lowest_of(beneath)
        if count_of(beneath) > 1:
            cell = _preferred(beneath, own, other, width, width * height)
        filled = single(cell, none)
        empty = without(left, either(filled, moved_up(filled, width)))


@rules.helper
def _write_features(params, planes, features, none):
    width, height, connect, area = params[0], params[1], params[2], params[0] * params[1]
    edges = load_edges(params, EDGES, none)
    first, second = pack_board(planes, 0, area, none), pack_board(planes, area, area, none)
    empty = without(either(edges[0], edges[1]), either(first, second))
    by_first = _threats(first, empty, width, connect, edges, none)
    by_second = _threats(second, empty, width, connect, edges, none)
    unpack_board(by_first, features, 0, area)
    unpack_board(by_second, features, area, area)
    winner = _NOBODY
    if any_of(either(by_first, by_second)):
        if planes[2 * area]:
            winner = _winner(by_first, by_second, empty, width, height, 0, none)
        else:
            winner = _winner(by_second, by_first, empty, width, height, 1, none)
    fill(features, 2 * area, area, winner == 0)
    fill(features, 3 * area, area, winner == 1)


@cache
def features_of(words: int) -> Features:
    """The features of boards of a number of words.

    The threats of the first and of the second player; then, the same on all cells: whether zugzwang wins for the first
    player, and for the second.
    """
    none = (np.uint64(0),) * words

    @rules.kernel(rules.FEATURES)
    def features(params, planes, features):
        _write_features(params, planes, features, none)

    return Features(4, ((0, 1), (2, 3)), features)
