"""How many stones each player still needs, if bridges count as joined: features for pattern networks.

A bridge joins a cell to another that it does not touch, but with which it has two empty neighbours in common: if the
opponent fills one of them, the player fills the other. A side of the board is a row of the player's stones. The
*distance* of a cell from a side is the number of empty cells on the shortest way there, the cell among them, by
neighbours and bridges. Bridges that share neighbours are not noticed.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features

FEATURES = Features(planes=9, exchanged=((1, 2), (3, 4), (5, 6), (7, 8)))
"""Stones at distance 0 from a side of their player; empty cells on a shortest way of the first player between his
sides, and of the second; then, the same on all cells: whether the way of the first player, and of the second, needs no
more stones; whether that of the first is shorter, of the second; and whether by more than one stone.
"""
_EMPTY, _OWN, _CLOSED = 0, 1, 2
_RING = 2
"""Cells around the board: a side, then cells that nobody has, so that neighbours need no checks."""
_MOST = (19 + 2 * _RING) ** 2
_FAR = 1000


@rules.helper
def _read(planes, side, player, cells):
    """Writes what the cells are for a player; the corners of his sides are his."""
    width, area = side + 2, side * side
    for place in range(width * width):
        cells[place] = _CLOSED
    for row in range(side):
        for column in range(side):
            place = row * side + column
            if planes[player * area + place]:
                kind = _OWN
            else:
                kind = _CLOSED if planes[(1 - player) * area + place] else _EMPTY
            cells[(row + 1) * width + column + 1] = kind


@rules.helper
def _reach(cells, cell, distances, distance, near, nears, next_, nexts):
    """Comes to a cell from one at `distance`: a stone is as near, an empty cell is one further."""
    if cells[cell] == _OWN and distances[cell] > distance:
        distances[cell] = distance
        near[nears] = cell
        return nears + 1, nexts
    if cells[cell] == _EMPTY and distances[cell] > distance + 1:
        distances[cell] = distance + 1
        next_[nexts] = cell
        return nears, nexts + 1
    return nears, nexts


@rules.helper
def _measure(cells, width, start, step, distances):
    """Writes the distances from the side whose cells are `start`, `start` + `step` and so on."""
    near, next_ = rules.scratch(_MOST, np.int32), rules.scratch(_MOST, np.int32)
    around = rules.scratch(7, np.int64)
    around[0], around[1], around[2] = -width, 1 - width, 1
    around[3], around[4], around[5] = width, width - 1, -1
    around[6] = around[0]
    for place in range(width * width):
        distances[place] = _FAR
    nears, distance = width - 2, 0
    for number in range(nears):
        near[number] = start + number * step
        distances[near[number]] = 0
    while nears:
        nexts = 0
        while nears:
            nears -= 1
            cell = np.int64(near[nears])
            for direction in range(6):
                one, other = cell + around[direction], cell + around[direction + 1]
                nears, nexts = _reach(cells, one, distances, distance, near, nears, next_, nexts)
                if cells[one] == _EMPTY and cells[other] == _EMPTY:
                    bridged = one + other - cell
                    nears, nexts = _reach(cells, bridged, distances, distance, near, nears, next_, nexts)
        near, next_, nears, distance = next_, near, nexts, distance + 1


@rules.helper
def _mark(cells, side, player, one, other, features):
    """Writes what the distances from both sides say of each cell; returns how many stones the player needs."""
    width, area = side + 2, side * side
    needed = other[width + 1]  # the corner of the one side
    for row in range(side):
        for column in range(side):
            place, cell = row * side + column, (row + 1) * width + column + 1
            inside = 0 < row < side - 1 and 0 < column < side - 1
            if inside and cells[cell] == _OWN:
                features[place] |= one[cell] == 0 or other[cell] == 0
            shortest = cells[cell] == _EMPTY and one[cell] + other[cell] - 1 == needed
            features[(1 + player) * area + place] = shortest
    return needed


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    side = params[0] + 2
    width, area = side + 2, side * side
    cells = rules.scratch(_MOST, np.int8)
    one, other = rules.scratch(_MOST, np.int64), rules.scratch(_MOST, np.int64)
    needed = rules.scratch(2, np.int64)
    for place in range(area):
        features[place] = 0
    for player in range(2):
        step, across = (1, width) if player == 0 else (width, 1)
        _read(planes, side, player, cells)
        _measure(cells, width, width + 1, step, one)
        _measure(cells, width, width + 1 + (side - 1) * across, step, other)
        needed[player] = _mark(cells, side, player, one, other, features)
    for player in range(2):
        own, others = needed[player], needed[1 - player]
        for place in range(area):
            features[(3 + player) * area + place] = own == 0
            features[(5 + player) * area + place] = own < others
            features[(7 + player) * area + place] = own + 1 < others
