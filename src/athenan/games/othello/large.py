"""The kernels of Othello on boards beyond 8 x 8, up to 16 x 16; rules and planes are described in `othello`.

State: rows of 16 bits, column a the lowest, from the top: the first player's discs, the second's, and the legal moves
of the side to move. Header byte 1: 0, or 1 when the side to move must pass, or 2 when the match is over.
"""

import numpy as np

from athenan import rules
from athenan.games.othello.squares import LARGE, weight
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.packing import fill, unpack_rows

_MUST_PASS, _OVER = 1, 2  # header byte 1


def state_size(size: int) -> int:
    """Bytes of a state."""
    return rules.HEADER + (6 * size + 7) // 8 * 8


@rules.helper
def _row(size, state, board, row):
    """A row of a board: 0 the first player's discs, 1 the second's, 2 the moves."""
    return np.uint64(rules.load16(state, rules.HEADER + 2 * (board * size + row)))


@rules.helper
def _set_row(size, state, board, row, bits):
    rules.store16(state, rules.HEADER + 2 * (board * size + row), np.int64(bits))


@rules.helper
def _ends_in_row(own, other):
    """The cells just behind the runs of `other`, within one row, that begin beside own discs."""
    right, left = other & (own << ONE), other & (own >> ONE)
    while True:
        more_right, more_left = right | (other & (right << ONE)), left | (other & (left >> ONE))
        if more_right == right and more_left == left:
            return (right << ONE) | (left >> ONE)
        right, left = more_right, more_left


@rules.helper
def _mark_moves(size, state, player):
    """Writes the player's legal moves into the state; returns whether there are any.

    A sweep down and a sweep up carry along, for each of three directions, the opposing discs of the previous row that
    end a run beginning beside a disc of the player.
    """
    full, none = (ONE << np.uint64(size)) - ONE, np.uint64(0)
    found = none
    for sweep in range(2):
        own_before = straight = left = right = none
        for step in range(size):
            row = step if sweep == 0 else size - 1 - step
            own, other = _row(size, state, player, row), _row(size, state, 1 - player, row)
            moves = straight | (left >> ONE) | (right << ONE)
            moves |= _ends_in_row(own, other) if sweep == 0 else _row(size, state, 2, row)
            moves &= full & ~(own | other)
            _set_row(size, state, 2, row, moves)
            found |= moves
            straight = other & (own_before | straight)
            left = other & ((own_before | left) >> ONE)
            right = other & ((own_before | right) << ONE)
            own_before = own
    return found != none


@rules.helper
def _finish(size, state, player):
    """Writes the moves of the side to move, and whether it must pass or the match is over."""
    if not _mark_moves(size, state, player):
        state[1] = _MUST_PASS if _mark_moves(size, state, 1 - player) else _OVER
        for row in range(size):
            _set_row(size, state, 2, row, np.uint64(0))


@rules.helper
def _has(size, state, board, row, column):
    if not (0 <= row < size and 0 <= column < size):
        return False
    return (_row(size, state, board, row) >> np.uint64(column)) & ONE != 0


@rules.helper
def _flip(size, state, board, row, column):
    _set_row(size, state, board, row, _row(size, state, board, row) ^ (ONE << np.uint64(column)))


@rules.helper
def _put(size, state, player, row, column):
    """Puts a disc and turns over the runs that it captures."""
    for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        run = 1
        while _has(size, state, 1 - player, row + run * down, column + run * right):
            run += 1
        if _has(size, state, player, row + run * down, column + run * right):
            for step in range(1, run):
                _flip(size, state, player, row + step * down, column + step * right)
                _flip(size, state, 1 - player, row + step * down, column + step * right)
    _flip(size, state, player, row, column)


@rules.kernel(rules.INITIAL)
def initial(params, state):
    size = params[0]
    state[:] = 0
    for row in range(2):
        for column in range(2):
            _flip(size, state, row == column, size // 2 - 1 + row, size // 2 - 1 + column)
    _finish(size, state, 0)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    size, count = params[0], 0
    if state[1] == _MUST_PASS:
        actions[0] = size * size
        return 1
    for row in range(size):
        moves = _row(size, state, 2, row)
        while moves:
            actions[count] = row * size + lowest(moves)
            moves &= moves - ONE
            count += 1
    return count


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, player = params[0], state[0]
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    if action != size * size:
        _put(size, following, player, action // size, action % size)
    _finish(size, following, 1 - player)


@rules.helper
def _discs(size, state, player):
    count = 0
    for row in range(size):
        count += popcount(_row(size, state, player, row))
    return count


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return _discs(params[0], state, player)


@rules.kernel(rules.SCORE)
def score(params, state):
    return _discs(params[0], state, 0) - _discs(params[0], state, 1)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1] != _OVER:
        return rules.ONGOING
    difference = _discs(params[0], state, 0) - _discs(params[0], state, 1)
    return (difference > 0) - (difference < 0)


@rules.kernel(rules.STATE_VALUE)
def squares(game, state):
    """Discs by a table of positions: corners are good, the squares beside them bad; about two corners are worth 1/2."""
    size, lead = game.params[0], 0
    for player in range(2):
        for row in range(size):
            discs = _row(size, state, player, row)
            while discs:
                lead += rules.sign(player) * weight(size, row, lowest(discs))
                discs &= discs - ONE
    return rules.advantage(lead, LARGE)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    size = params[0]
    area = size * size
    for player in range(2):
        unpack_rows(state, rules.HEADER + 2 * player * size, planes, player * area, size, size)
    fill(planes, 2 * area, area, 1 - state[0])


KERNELS = rules.table(initial, actions, play, outcome, encode, score, pieces)
