"""The player whose amazons are nearer to each cell: features for pattern networks.

The *territory* of a player is the empty cells that the player's amazons reach in fewer moves than the opponent's, if
they moved like kings and no more arrows were shot. Queen moves, the usual measure (J. Lieberum, "An evaluation function
for the Game of the Amazons", 2005), tell networks hardly more and take a search longer.
"""

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.packing import pack_row, unpack_row

FEATURES = Features(planes=2, exchanged=((0, 1),))
"""The territory of the first player, and of the second."""
_RING = 1
"""Empty rows before and behind the board, so that neighbours need no checks."""
_ROOM = 16
"""Words of bits: the low half of a row is the first player's, and the high half the second player's."""
_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)


@rules.helper
def _read(planes, size, free, near):
    """Writes the empty cells, for either player, and each player's amazons."""
    area = size * size
    for row in range(_ROOM):
        free[row] = near[row] = np.uint64(0)
    for row in range(size):
        first, second = pack_row(planes, row * size, size), pack_row(planes, area + row * size, size)
        empty = pack_row(planes, 3 * area + row * size, size)
        near[_RING + row], free[_RING + row] = first | second << _HALF, empty | empty << _HALF


@rules.helper
def _spread(free, near, owners):
    """Goes on from the cells that either player has just reached, until nobody reaches another one."""
    wide, some = rules.scratch(_ROOM, np.uint64), _ONE
    for row in range(_ROOM):
        owners[row] = np.uint64(0)
    while some:
        some = np.uint64(0)
        for row in range(_ROOM):
            wide[row] = near[row] | near[row] << _ONE | near[row] >> _ONE
        for row in range(_RING, _ROOM - _RING):
            reached = (wide[row - 1] | wide[row] | wide[row + 1]) & free[row]
            near[row] = reached
            owners[row] |= reached
            free[row] &= ~(reached | reached << _HALF | reached >> _HALF)
            some |= reached


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    size = params[0]
    free, near = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    owners = rules.scratch(_ROOM, np.uint64)
    _read(planes, size, free, near)
    _spread(free, near, owners)
    for row in range(size):
        first, second = owners[_RING + row] & _LOW, owners[_RING + row] >> _HALF
        unpack_row(first & ~second, features, row * size, size)
        unpack_row(second & ~first, features, (size + row) * size, size)
