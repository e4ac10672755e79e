"""The kernels of Go for boards of one number of words; the package describes states and planes."""

from functools import cache

import numpy as np

from athenan import rules
from athenan.games.go.board import (
    UNIT,
    action_of,
    area_difference,
    captures,
    change,
    compact,
    empty_points,
    point_of,
    stones_of,
    store_stones,
)
from athenan.games.go.groups import is_legal, legal_points, weak_groups
from athenan.games.go.rollouts import sensible_action
from athenan.games.go.superko import EXTRA, SIMPLE, SITUATIONAL, forbidden_points, forget_moves, keep_move
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import list_bits
from athenan.rules.geometry.packing import fill, unpack_words
from athenan.rules.geometry.words import (
    any_of,
    beside,
    both,
    cell_of_rank,
    count_of,
    either,
    lowest_of,
    single,
    store_words,
    without,
)
from athenan.rules.randomness import random_below

_PASSED, _OVER = 1, 2  # bits of header byte 1
_BOARD = 48  # bytes of the largest board


@rules.helper
def _list_actions(params, state, actions, none):
    if state[1] & _OVER:
        return 0
    count, room = 0, rules.scratch(_BOARD, np.int8)
    store_words(room, 0, compact(params, legal_points(params, state, none)))
    for word in range(len(none)):
        count = list_bits(rules.load64(room, 8 * word), 64 * word, actions, count)
    actions[count] = params[0] * params[0]
    return count + 1


@inlined
def _random_action(params, state, random, none):
    """A random empty point, or a pass, drawn again among the others until it is legal."""
    empty = left = empty_points(params, state, none)
    count = count_of(left)
    while True:
        rank = random_below(random, 0, count + 1)
        if rank == count:
            return params[0] * params[0]
        point = cell_of_rank(left, rank)
        if is_legal(params, state, point, empty, none):
            return action_of(params, point)
        left, count = without(left, single(point, none)), count - 1


@inlined
def _put(params, state, following, point, none):
    """Puts a stone and takes off its captures; keeps what the superko rule needs."""
    player, stride, stone = np.int64(state[0]), params[0] + 1, single(point, none)
    own, other = stones_of(state, player, none), stones_of(state, 1 - player, none)
    free = without(empty_points(params, state, none), stone)
    captured, bits = captures(stride, point, other, free, none)
    store_stones(following, player, either(own, stone))
    store_stones(following, 1 - player, without(other, captured))
    if params[2] != SIMPLE:
        keep_move(params, following, bits, change(player, point, captured), none)
    elif count_of(captured) == 1:
        near = beside(stone, stride)
        alone = not any_of(either(both(near, own), both(near, free)))
        rules.store16(following, EXTRA, 1 + lowest_of(captured) if alone else 0)


@inlined
def _play(params, state, action, following, none):
    size, superko = params[0], params[2]
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - state[0])
    if superko != SIMPLE:
        rules.store16(following, EXTRA, rules.load16(state, EXTRA))
    if action != size * size:
        _put(params, state, following, point_of(params, action), none)
    else:
        following[1] = _OVER if state[1] & _PASSED else _PASSED
        if superko == SITUATIONAL:
            keep_move(params, following, 0, 0, none)
    if following[1] & _OVER or rules.length(following) == 2 * size * size:
        following[1] = _OVER
        forget_moves(following, none)
        rules.store16(following, EXTRA, area_difference(params, following, none))


@rules.helper
def _write_plane(params, board, plane, planes):
    area, room = params[0] * params[0], rules.scratch(_BOARD, np.int8)
    store_words(room, 0, compact(params, board))
    unpack_words(room, 0, planes, plane * area, area)


@rules.helper
def _encode(params, state, planes, none):
    area, empty = params[0] * params[0], empty_points(params, state, none)
    first, second = stones_of(state, 0, none), stones_of(state, 1, none)
    one, two = weak_groups(params[0] + 1, empty, first, second, 2, none)
    not_allowed = none if state[1] & _OVER else forbidden_points(params, state, empty, empty, one, none)
    _write_plane(params, first, 0, planes)
    _write_plane(params, second, 1, planes)
    fill(planes, 2 * area, area, 1 - state[0])
    _write_plane(params, not_allowed, 3, planes)
    fill(planes, 4 * area, area, state[1] & _PASSED)
    _write_plane(params, one, 5, planes)
    _write_plane(params, two, 6, planes)


@rules.helper
def _lead(params, state):
    """The score of a finished match."""
    difference = (rules.load16(state, EXTRA) ^ 0x8000) - 0x8000  # stored with its sign
    return params[UNIT] * difference - params[1]


@rules.kernel(rules.SCORE)
def _score(params, state):
    return _lead(params, state)


@rules.kernel(rules.OUTCOME)
def _outcome(params, state):
    if not state[1] & _OVER:
        return rules.ONGOING
    lead = _lead(params, state)
    return (lead > 0) - (lead < 0)


@cache
def kernels_of(words: int) -> rules.KernelTable:
    """The kernels for boards of a number of words."""
    none = (np.uint64(0),) * words

    @rules.kernel(rules.ACTIONS)
    def actions(params, state, actions):
        return _list_actions(params, state, actions, none)

    @rules.kernel(rules.SAMPLE)
    def sample(params, state, random):
        return _random_action(params, state, random, none)

    @rules.kernel(rules.ROLLOUT)
    def rollout(params, state, last, random):
        return sensible_action(params, state, last, random, none)

    @rules.kernel(rules.PLAY)
    def play(params, state, action, following):
        _play(params, state, action, following, none)

    @rules.kernel(rules.PIECES)
    def pieces(params, state, player):
        return count_of(stones_of(state, player, none))

    @rules.kernel(rules.ENCODE)
    def encode(params, state, planes):
        _encode(params, state, planes, none)

    return rules.table(
        actions, play, encode, pieces, sample, rollout, initial=rules.empty_board, outcome=_outcome, score=_score
    )
