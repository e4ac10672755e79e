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
    empty_points,
    flooded,
    has_liberty,
    point_of,
    stones_of,
    store_stones,
)
from athenan.games.go.superko import (
    EXTRA,
    SIMPLE,
    SITUATIONAL,
    forbidden,
    forbidden_points,
    forget_moves,
    keep_move,
)
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.packing import fill, row_of, unpack_row
from athenan.rules.geometry.words import (
    any_of,
    beside,
    beside_at_least,
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
_BOARD_ROOM = _BOARD + 8  # words are read from any of its bytes on


@inlined
def _legal(params, state, point, empty, none):
    player, near = np.int64(state[0]), beside(single(point, none), params[0] + 1)
    own, other = stones_of(state, player, none), stones_of(state, 1 - player, none)
    alive = has_liberty(params[0] + 1, near, own, other, without(empty, single(point, none)))
    return alive and not forbidden(params, state, point, none)


@rules.helper
def _list_actions(params, state, actions, none):
    if state[1] & _OVER:
        return 0
    empty, count, room = empty_points(params, state, none), 0, rules.scratch(_BOARD, np.int8)
    store_words(room, 0, empty)
    for word in range(len(none)):
        left = rules.load64(room, 8 * word)
        while left:
            point = 64 * word + lowest(left)
            actions[count] = action_of(params, point)
            count += _legal(params, state, point, empty, none)
            left &= left - ONE
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
        if _legal(params, state, point, empty, none):
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
def _few_liberties(params, state, none):
    """The stones of groups with one liberty, and with two.

    Most groups have a stone with three liberties, or are a single stone. They are found all at once.
    """
    empty, stride = empty_points(params, state, none), params[0] + 1
    some, several, many = beside_at_least(empty, stride)
    one = two = none
    for player in range(2):
        stones = stones_of(state, player, none)
        left = without(stones, flooded(stride, both(stones, many), stones))
        alone = without(left, beside(left, stride))
        one = either(one, both(alone, without(some, several)))
        two = either(two, both(alone, several))
        left = without(left, alone)
        while any_of(left):
            group = flooded(stride, single(lowest_of(left), none), left)
            liberties = count_of(both(beside(group, stride), empty))
            one = either(one, group) if liberties == 1 else one
            two = either(two, group) if liberties == 2 else two
            left = without(left, group)
    return one, two


@rules.helper
def _write_plane(params, board, plane, planes):
    """Writes a board, whose rows have one bit more than the plane's."""
    size, room = params[0], rules.scratch(_BOARD_ROOM, np.int8)
    store_words(room, 0, board)
    for row in range(size):
        unpack_row(row_of(room, row * (size + 1), size), planes, (plane * size + row) * size, size)


@rules.helper
def _encode(params, state, planes, none):
    area = params[0] * params[0]
    one, two = _few_liberties(params, state, none)
    not_allowed = none if state[1] & _OVER else forbidden_points(params, state, one, none)
    _write_plane(params, stones_of(state, 0, none), 0, planes)
    _write_plane(params, stones_of(state, 1, none), 1, planes)
    fill(planes, 2 * area, area, 1 - state[0])
    _write_plane(params, not_allowed, 3, planes)
    fill(planes, 4 * area, area, state[1] & _PASSED)
    _write_plane(params, one, 5, planes)
    _write_plane(params, two, 6, planes)


@rules.kernel(rules.INITIAL)
def _initial(params, state):
    state[:] = 0


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
        initial=_initial, actions=actions, play=play, outcome=_outcome, encode=encode, score=_score, pieces=pieces,
        sample=sample,
    )  # fmt: skip
