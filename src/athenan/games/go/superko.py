"""Boards of Go that must not come back: ko, and the superko rules with the history that a state keeps for them.

With superko the board in a state is followed by: a bit for each point on which a stone has ever been put; a key of 32
bits for each board so far, the current one last; two bytes for each move: its point, and bits 9 to 12 for the
neighbours (down, left, right, up) from which a captured group is filled again when the move is undone. Captured points
are a whole empty region, and everything beside them is the captor's stones. So undoing shows all earlier boards
exactly; the keys only tell which are worth looking at. Situational superko has passes among the moves, as 0.
"""

import numpy as np

from athenan import rules
from athenan.games.go.board import BOARD, POINTS, board_end, board_size, fill_region, load16, neighbour, put, store16

SUPERKO = ("positional", "situational", "simple")
POSITIONAL, SITUATIONAL, SIMPLE = range(3)
EXTRA = 4
"""Header bytes 4 and 5: the point that ko forbids (`simple`), or the number of moves kept."""
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def history_size(size: int, rule: int) -> int:
    """Bytes of the rule's history behind the board."""
    if rule == SIMPLE:
        return 0
    return (board_size(size) + 63) // 64 * 8 + 8 * size**2 + 8 + (4 * size**2 + 7) // 8 * 8


@rules.helper
def _keys(params):
    """The byte of a state at which the keys of the boards begin."""
    end = board_end(params)
    return end + (end - rules.HEADER + 63) // 64 * 8


@rules.helper
def _moves(params):
    """The byte at which the moves begin, after 2 n^2 keys and room for one."""
    return _keys(params) + 8 * params[0] * params[0] + 8


@rules.helper
def _key(state, keys, number):
    return rules.load64(state, keys + 4 * number) & _LOW


@rules.helper
def keep_move(params, state, bits, change):
    """Adds a move, or a pass (0), and the key of the board after it, which differs by `change`."""
    keys, kept, point = _keys(params), load16(state, EXTRA), bits & 511
    rules.store64(state, keys + 4 * (kept + 1), (_key(state, keys, kept) ^ change) & _LOW)
    store16(state, _moves(params) + 2 * kept, bits)
    store16(state, EXTRA, kept + 1)
    if bits:
        state[board_end(params) + (point >> 3)] |= 1 << (point & 7)


@rules.helper
def forget_moves(params, state):
    state[board_end(params) :] = 0


@rules.helper
def _any_board_has(state, keys, kept, key):
    """Whether a key is among the kept ones or just behind them; it compares pairs, which the compiler gathers."""
    pair, found = key | key << _HALF, False
    for number in range(0, kept, 2):
        different = rules.load64(state, keys + 4 * number) ^ pair
        found |= (different & _LOW == 0) | (different >> _HALF == 0)
    return found


@rules.helper
def _is_board(params, state, number, wanted):
    """Whether the board before a kept move, found by undoing, is the wanted one, point by point."""
    end, moves = board_end(params), _moves(params)
    board, stack = rules.scratch(BOARD, np.int8), rules.scratch(POINTS, np.int16)
    for place in range(0, end, 8):
        rules.store64(board, place, rules.load64(state, place))
    for later in range(load16(state, EXTRA) - 1, number - 1, -1):
        bits = load16(state, moves + 2 * later)
        undone = rules.HEADER + (bits & 511)
        for direction in range(4):
            if bits & (512 << direction):
                fill_region(params, board, neighbour(params, undone, direction), 3 - board[undone], stack)
        if bits:
            board[undone] = 0
    different = np.uint64(0)
    for place in range(rules.HEADER, end, 8):
        different |= rules.load64(board, place) ^ rules.load64(wanted, place)
    return different == 0


@rules.helper
def forbidden(params, state, point):
    """Whether ko or superko forbids the side to move a stone on this empty point.

    An earlier board has a stone there only if one was put there and captured.
    """
    end, extra, at = board_end(params), load16(state, EXTRA), point - rules.HEADER
    if params[2] == SIMPLE:
        return extra != 0 and at == extra
    if not (state[end + (at >> 3)] >> (at & 7)) & 1:
        return False
    after, keys = rules.scratch(BOARD, np.int8), _keys(params)
    for place in range(0, end, 8):
        rules.store64(after, place, rules.load64(state, place))
    _, _, change = put(params, after, point, state[0] + 1)
    key = (_key(state, keys, extra) ^ change) & _LOW
    if not _any_board_has(state, keys, extra, key):
        return False
    for number in range(extra - 1, -1, -(1 + (params[2] == SITUATIONAL))):
        if _key(state, keys, number) == key and _is_board(params, state, number, after):
            return True
    return False
