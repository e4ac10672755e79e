"""The player whose amazons are nearer to each cell: features for pattern networks.

The *territory* of a player is the empty cells that the player's amazons reach in fewer moves than the opponent's, if
they moved like kings and no more arrows were shot. Queen moves, the usual measure (J. Lieberum, "An evaluation function
for the Game of the Amazons", 2005), tell networks hardly more and take a search longer.
"""

from functools import cache

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.packing import pack_board, unpack_board
from athenan.rules.geometry.pairs import any_in, down, exchanged, first_of, load_edge_pairs, pair, second_of, up

EDGES = 10
"""The index in `params` of the edges."""


@rules.helper
def _first_reached(near, free, size, edges):
    """The free cells that each player's amazons reach no later than the opponent's; `near` are the amazons."""
    owners = near ^ near
    while any_in(near):
        wide = near | up(near, 1) & edges[0] | down(near, 1) & edges[1]
        near = (wide | up(wide, size) | down(wide, size)) & free
        owners |= near
        free &= ~(near | exchanged(near))
    return owners


@rules.helper
def _write_features(params, planes, features, none):
    size = params[0]
    area, edges = size * size, load_edge_pairs(params, EDGES, none)
    amazons = pair(pack_board(planes, 0, area, none), pack_board(planes, area, area, none))
    empty = pack_board(planes, 3 * area, area, none)
    owners = _first_reached(amazons, pair(empty, empty), size, edges)
    owners &= ~exchanged(owners)
    unpack_board(first_of(owners), features, 0, area)
    unpack_board(second_of(owners), features, area, area)


@cache
def features_of(words: int) -> Features:
    """The features of boards of a number of words.

    The territory of the first player, and of the second.
    """
    none = (np.uint64(0),) * words

    @rules.kernel(rules.FEATURES)
    def features(params, planes, features):
        _write_features(params, planes, features, none)

    return Features(2, ((0, 1),), features)
