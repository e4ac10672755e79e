"""Whose stones live, and who holds each point: features and an estimate for pattern networks.

A point is *held* by the player whose stones are nearer along empty points. What a player holds falls into parts that
hang together. A part is *strong* if it has room, or two eyes: two groups of empty points that touch nothing of others.
It is *weak* if it has hardly any room and no two eyes. Weak stones are taken for dead: they are taken off, and what is
left is looked at once more. So stones that die in a player's corner do not take its room from that player.

This is a guess that sees no move ahead. Captures, ladders and races are left to the search and to the tuples.
"""

from functools import cache

import numpy as np

from athenan import rules
from athenan.games.go.board import UNIT
from athenan.rules import Features
from athenan.rules.geometry.packing import pack_board, unpack_board
from athenan.rules.geometry.pairs import any_in, around, exchanged, first_of, load_edge_pairs, pair, second_of
from athenan.rules.geometry.words import any_of, count_of, lowest_of, single

_FAR = 4
"""Points farther from all stones are nobody's."""
_ROOM, _LITTLE_ROOM = 8, 3
"""Empty points of a part that is strong, and the most of one that is weak."""


@rules.helper
def _flooded(start, region, width, edges):
    """The points that are connected with `start` through a region, `start` among them."""
    while True:
        grown = start | around(start, width, edges) & region
        if not any_in(grown & ~start):
            return grown
        start = grown


@rules.helper
def _held(stones, empty, width, edges):
    """The stones of each player, and the empty points that are nearer to them than to the opponent's."""
    held = near = stones
    for _ in range(_FAR):
        near = around(near, width, edges) & empty
        if not any_in(near):
            break
        empty &= ~(near | exchanged(near))
        near &= ~exchanged(near)
        held |= near
    return held


@rules.helper
def _one_of(boards, none):
    """A point of each board that has one."""
    first, second = first_of(boards), second_of(boards)
    return pair(
        single(lowest_of(first), none) if any_of(first) else none,
        single(lowest_of(second), none) if any_of(second) else none,
    )


@rules.helper
def _where(first, second, boards, none):
    """Each player's board where the player's condition holds, and otherwise none."""
    return pair(first_of(boards) if first else none, second_of(boards) if second else none)


@rules.helper
def _strength(held, empty, points, width, edges, none):
    """Of what each player holds, the strong parts and the weak ones."""
    room = held & empty
    eyes = room & ~_flooded(room & around(points & ~held, width, edges), room, width, edges)
    strong, weak, left = held ^ held, held ^ held, held
    while any_in(left):
        part = _flooded(_one_of(left, none), held, width, edges)
        left &= ~part
        first, second = count_of(first_of(part & room)), count_of(second_of(part & room))
        other_eyes = part & eyes
        other_eyes &= ~_flooded(_one_of(other_eyes, none), eyes, width, edges)
        first_lives, second_lives = any_of(first_of(other_eyes)), any_of(second_of(other_eyes))
        strong |= _where(first_lives or first >= _ROOM, second_lives or second >= _ROOM, part, none)
        weak |= _where(
            not first_lives and first <= _LITTLE_ROOM, not second_lives and second <= _LITTLE_ROOM, part, none
        )
    return strong, weak


@rules.helper
def _write_features(params, planes, features, none):
    width, komi = params[0], params[1] / params[UNIT]
    area, edges = width * width, load_edge_pairs(params, len(params) - 2 * len(none), none)
    points = edges[0] | edges[1]
    stones = pair(pack_board(planes, 0, area, none), pack_board(planes, area, area, none))
    empty = points & ~(stones | exchanged(stones))
    held = _held(stones, empty, width, edges)
    stones &= ~_strength(held, empty, points, width, edges, none)[1]
    empty = points & ~(stones | exchanged(stones))
    held = _held(stones, empty, width, edges)
    strong = _strength(held, empty, points, width, edges, none)[0]
    unsettled = held & ~strong
    unpack_board(first_of(strong), features, 0, area)
    unpack_board(second_of(strong), features, area, area)
    unpack_board(first_of(unsettled), features, 2 * area, area)
    unpack_board(second_of(unsettled), features, 3 * area, area)
    lead = count_of(first_of(held)) - count_of(second_of(held)) - komi
    features[4 * area :] = np.int8(np.rint(100 * lead / (area + abs(komi))))


@cache
def features_of(words: int) -> Features:
    """The features of boards of a number of words; `params` end with their edges.

    The strong parts of the first player and of the second, the other parts of the first player and of the second, and
    the lead as a share of the largest score.
    """
    none = (np.uint64(0),) * words

    @rules.kernel(rules.FEATURES)
    def features(params, planes, features):
        _write_features(params, planes, features, none)

    return Features(5, ((0, 1), (2, 3)), features, estimate=True)
