"""Boards of Go that must not come back: ko, and the superko rules with the history that a state keeps for them.

With superko the board in a state is followed by: the points on which a stone has ever been put; a key of 16 bits for
each board so far, the current one last; two bytes for each move: one more than its point, and bits 9 to 12 for the
neighbours (down, left, right, up) from which a captured group is filled again when the move is undone. Captured points
are a whole empty region, and everything beside them is the captor's stones. So undoing shows all earlier boards
exactly; the keys only tell which are worth looking at. Situational superko has passes among the moves, as 0.
"""

import numpy as np

from athenan import rules
from athenan.games.go.board import captures, change, empty_points, flooded, points_of, stones_of, words_of
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE, equal_bytes
from athenan.rules.geometry.words import (
    any_of,
    beside,
    both,
    either,
    load_words,
    lowest_of,
    single,
    store_words,
    without,
)

SUPERKO = ("positional", "situational", "simple")
POSITIONAL, SITUATIONAL, SIMPLE = range(3)
EXTRA = 4
"""Header bytes 4 and 5: one more than the point that ko forbids (`simple`), or the number of moves kept."""
_LOW_BYTES = np.uint64(0x5555555555555555)


def history_size(size: int, rule: int) -> int:
    """Bytes of the rule's history behind the board."""
    return 0 if rule == SIMPLE else 8 * words_of(size) + 8 * size**2 + 8


@rules.helper
def _ever(none):
    """The byte of a state at which the points on which a stone has ever been put begin."""
    return rules.HEADER + 16 * len(none)


@rules.helper
def _keys(none):
    """The byte at which the keys of the boards begin."""
    return rules.HEADER + 24 * len(none)


@rules.helper
def _moves(params, none):
    """The byte at which the moves begin, after 2 n^2 keys and room for four."""
    return _keys(none) + 4 * params[0] * params[0] + 8


@inlined
def keep_move(params, state, bits, changed, none):
    """Adds a move, or a pass (0), and the key of the board after it, which differs by `changed`."""
    keys, kept = _keys(none), rules.load16(state, EXTRA)
    rules.store16(state, keys + 2 * kept + 2, rules.load16(state, keys + 2 * kept) ^ changed)
    rules.store16(state, _moves(params, none) + 2 * kept, bits)
    rules.store16(state, EXTRA, kept + 1)
    if bits:
        place = _ever(none)
        store_words(state, place, either(load_words(state, place, none), single((bits & 511) - 1, none)))


@rules.helper
def forget_moves(state, none):
    for place in range(_ever(none), len(state), 8):
        rules.store64(state, place, np.uint64(0))


@rules.helper
def _any_board_has(state, keys, kept, key):
    """Whether a key is among the kept ones, or by chance in what lies around them; it compares 32 keys at once."""
    low, high, found = np.int8(key), np.int8(key >> 8), np.uint64(0)
    for begin in range(keys, keys + 2 * kept, 64):
        place = min(begin, len(state) - 64)  # which is less only on the smallest board
        found |= equal_bytes(state, place, low) & equal_bytes(state, place, high) >> ONE & _LOW_BYTES
    return found != 0


@rules.helper
def _board_before(params, state, number, none):
    """The stones of both players before a kept move, found by undoing."""
    points, moves, stride = points_of(params, none), _moves(params, none), params[0] + 1
    first, second = stones_of(state, 0, none), stones_of(state, 1, none)
    for later in range(rules.load16(state, EXTRA) - 1, number - 1, -1):
        bits = rules.load16(state, moves + 2 * later)
        if bits:
            point, at, inside = single((bits & 511) - 1, none), (bits & 511) - 1, none
            for direction in range(4):
                if bits & (512 << direction):
                    inside = either(inside, single(at + (-stride, -1, 1, stride)[direction], none))
            filled = flooded(stride, inside, without(points, either(first, second)))
            if any_of(both(point, first)):
                first, second = without(first, point), either(second, filled)
            else:
                first, second = either(first, filled), without(second, point)
    return first, second


@rules.helper
def _different(one, other):
    return any_of(either(without(one, other), without(other, one)))


@inlined
def _comes_back(params, state, point, captured, none):
    """Whether a stone of the side to move that captures these stones recreates a board that superko forbids."""
    player, keys, kept = np.int64(state[0]), _keys(none), rules.load16(state, EXTRA)
    key = (rules.load16(state, keys + 2 * kept) ^ change(player, point, captured)) & 0xFFFF
    if not _any_board_has(state, keys, kept, key):
        return False
    own = either(stones_of(state, player, none), single(point, none))
    other = without(stones_of(state, 1 - player, none), captured)
    for number in range(kept - 1, -1, -(1 + (params[2] == SITUATIONAL))):
        if rules.load16(state, keys + 2 * number) & 0xFFFF == key:
            first, second = _board_before(params, state, number, none)
            before_own, before_other = (second, first) if player else (first, second)
            if not (_different(before_own, own) or _different(before_other, other)):
                return True
    return False


@inlined
def forbidden(params, state, point, none):
    """Whether ko or superko forbids the side to move a stone on this empty point.

    An earlier board has a stone there only if one was put there and captured.
    """
    if params[2] == SIMPLE:
        return rules.load16(state, EXTRA) == 1 + point
    if not (rules.load64(state, _ever(none) + 8 * (point >> 6)) >> np.uint64(point & 63)) & ONE:
        return False
    other, stone = stones_of(state, 1 - np.int64(state[0]), none), single(point, none)
    free = without(empty_points(params, state, none), stone)
    captured, _ = captures(params[0] + 1, point, other, free, none)
    return _comes_back(params, state, point, captured, none)


@rules.helper
def forbidden_points(params, state, points, empty, weak, none):
    """Which of some empty points ko or superko forbids the side to move; `weak` has all groups with one liberty."""
    if params[2] == SIMPLE:
        ko = rules.load16(state, EXTRA)
        return both(points, single(ko - 1, none)) if ko else none
    left, found, stride = both(points, load_words(state, _ever(none), none)), none, params[0] + 1
    weak = both(weak, stones_of(state, 1 - np.int64(state[0]), none))
    capturing = beside(weak, stride)
    while any_of(left):
        point, captured = lowest_of(left), none
        stone = single(point, none)
        if any_of(both(stone, capturing)):
            captured, _ = captures(stride, point, weak, without(empty, stone), none)
        if _comes_back(params, state, point, captured, none):
            found = either(found, stone)
        left = without(left, stone)
    return found
