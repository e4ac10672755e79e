"""Where a stone would complete a line, and whom the end of the columns favours: features for pattern networks.

A *threat* is an empty cell that completes a player's line. Most of them cannot be filled yet, and a player who may not
play beneath the opponent's threat runs out of other columns in the end: *zugzwang*, which decides most matches between
good players (J. D. Allis, A Knowledge-based Approach of Connect-Four, 1988). It depends on parity over the whole board.
Here it is played out with the existing threats. Both fill the cells with no threat above. Then the player to move has
to play beneath a threat: beneath one of the player's own, where the opponent takes the cell, and the column goes on;
or, without one, beneath the opponent's, and loses. New threats are left to the tuples.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.bits import ONE, lowest, popcount

FEATURES = Features(planes=4, exchanged=((0, 1), (2, 3)))
"""The threats of the first and of the second player; then, the same on all cells: whether zugzwang wins for the first
player, and for the second."""
_COLUMNS = 20
"""The most columns of a board; a word of bits has the rows of each."""


@rules.helper
def _read(planes, width, height, player, stones):
    """Writes a player's stones, a word for each column, bit 0 for the lowest cell."""
    for column in range(width):
        stones[column] = np.uint64(0)
    for row in range(height):
        for column in range(width):
            stone = np.uint64(planes[(player * height + row) * width + column])
            stones[column] |= stone << np.uint64(row)


@rules.helper
def _shifted(stones, rows):
    """A column whose cell in row 0 comes from `rows` above, or below if that is negative."""
    return stones >> np.uint64(rows) if rows >= 0 else stones << np.uint64(-rows)


@rules.helper
def _threaten(stones, free, width, connect, threats):
    """Writes the free cells with which a player's stones make a line."""
    for column in range(width):
        threats[column] = stones[column] << ONE
        for below in range(2, connect):
            threats[column] &= stones[column] << np.uint64(below)
    for up in range(-1, 2):
        for first in range(width - connect + 1):
            for missing in range(connect):
                line = free[first + missing]
                for place in range(connect):
                    if place != missing:
                        line &= _shifted(stones[first + place], up * (place - missing))
                threats[first + missing] |= line
    for column in range(width):
        threats[column] &= free[column]


@rules.helper
def _released(threats, height, filled):
    """The number of cells of a column that can be filled before the next threat; the cell beneath it is left."""
    above = threats >> np.uint64(filled + 1)
    return lowest(above) if above else height - filled


@rules.helper
def _fill(first, second, width, height, filled):
    """Fills the cells with no threat above; returns their number."""
    moves = 0
    for column in range(width):
        cells = _released(first[column] | second[column], height, filled[column])
        filled[column] += cells
        moves += cells
    return moves


@rules.helper
def _sacrifice(own, other, width, height, filled):
    """The column in which to play beneath one's own threat: -1 with only the opponent's above, -2 if all are full.

    The choice depends on what the columns hold, not on their places, so that images of a state have the same winner.
    A column that changes who runs out of columns is preferred.
    """
    chosen, greatest = -2, -1
    for column in range(width):
        row = filled[column] + 1
        if row > height:
            continue
        if other[column] >> np.uint64(row) & ONE:
            chosen = max(chosen, -1)
            continue
        odd = _released(own[column] | other[column], height, row + 1) & 1
        key = np.int64(own[column] >> np.uint64(row) << np.uint64(_COLUMNS) | other[column] >> np.uint64(row))
        key = (odd << 2 * _COLUMNS | key) << 5 | row
        if key > greatest:
            chosen, greatest = column, key
    return chosen


@rules.helper
def _at_once(threats, width, filled):
    """A column whose next cell is a threat, or -1."""
    for column in range(width):
        if threats[column] >> np.uint64(filled[column]) & ONE:
            return column
    return -1


@rules.helper
def _winner(first, second, width, height, filled, player):
    """Who wins with these threats if `player` is to move: 0, 1, or 2 for nobody. Changes `filled`."""
    while True:
        own, other = (first, second) if player == 0 else (second, first)
        if _at_once(own, width, filled) >= 0:
            return player
        column = _at_once(other, width, filled)
        if column >= 0:
            filled[column] += 1
            player = 1 - player
            continue
        if _fill(first, second, width, height, filled) & 1:
            player = 1 - player
            own, other = other, own
        column = _sacrifice(own, other, width, height, filled)
        if column < 0:
            return 1 - player if column == -1 else 2
        filled[column] += 2


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width, height, connect = params[0], params[1], params[2]
    area = width * height
    first, second = rules.scratch(_COLUMNS, np.uint64), rules.scratch(_COLUMNS, np.uint64)
    free, filled = rules.scratch(_COLUMNS, np.uint64), rules.scratch(_COLUMNS, np.int64)
    by_first, by_second = rules.scratch(_COLUMNS, np.uint64), rules.scratch(_COLUMNS, np.uint64)
    _read(planes, width, height, 0, first)
    _read(planes, width, height, 1, second)
    for column in range(width):
        stones = first[column] | second[column]
        filled[column] = popcount(stones)
        free[column] = ~stones & ((ONE << np.uint64(height)) - ONE)
    _threaten(first, free, width, connect, by_first)
    _threaten(second, free, width, connect, by_second)
    for column in range(width):
        for row in range(height):
            cell, bit = row * width + column, np.uint64(row)
            features[cell] = by_first[column] >> bit & ONE
            features[area + cell] = by_second[column] >> bit & ONE
    winner = _winner(by_first, by_second, width, height, filled, 1 - planes[2 * area])
    for cell in range(area):
        features[2 * area + cell] = winner == 0
        features[3 * area + cell] = winner == 1
