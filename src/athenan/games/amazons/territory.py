"""The player whose amazons are nearer to each cell: features for pattern networks.

The *territory* of a player is the empty cells that the player's amazons reach in fewer moves than the opponent's, if
they moved like kings and no more arrows were shot. Queen moves, the usual measure (J. Lieberum, "An evaluation function
for the Game of the Amazons", 2005), tell networks hardly more and take a search longer.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features

FEATURES = Features(planes=2, exchanged=((0, 1),))
"""The territory of the first player, and of the second."""
_FIRST, _SECOND = 1, 2
_WIDTH = 16
"""Cells in a row with a border around the board, so that neighbours need no checks; a power of 2 makes loops fast."""
_CELLS = 12 * _WIDTH


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    """Goes on from the cells that either player has just reached, until nobody reaches another one."""
    size = params[0]
    area = size * size
    free, owners = rules.scratch(_CELLS, np.int8), rules.scratch(_CELLS, np.int8)
    near, beside = rules.scratch(_CELLS, np.int8), rules.scratch(_CELLS, np.int8)
    for place in range(_CELLS):
        free[place] = owners[place] = near[place] = beside[place] = 0
    for row in range(size):
        for column in range(size):
            cell, place = row * size + column, (row + 1) * _WIDTH + column + 1
            near[place] = _FIRST * planes[cell] + _SECOND * planes[area + cell]
            free[place] = (_FIRST | _SECOND) * planes[3 * area + cell]
    some = _FIRST
    while some:
        some = 0
        for place in range(1, _CELLS - 1):
            beside[place] = near[place - 1] | near[place] | near[place + 1]
        for place in range(_WIDTH, _CELLS - _WIDTH):
            reached = (beside[place - _WIDTH] | beside[place] | beside[place + _WIDTH]) & free[place]
            near[place] = reached
            owners[place] |= reached
            free[place] = 0 if reached else free[place]
            some |= reached
    for row in range(size):
        for column in range(size):
            cell, place = row * size + column, (row + 1) * _WIDTH + column + 1
            features[cell] = owners[place] == _FIRST
            features[area + cell] = owners[place] == _SECOND
