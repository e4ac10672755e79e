"""Go on an n x n board, n from 2 to 19, with area scoring.

The first player (x, black) begins; a stone is put on an empty point, then opposing groups without liberties are taken
off. Suicide is not legal. A move must not recreate an earlier board (`superko=positional`, the default), or an earlier
board with the same side to move (`superko=situational`); with `superko=simple` it must only not take back the single
stone that has just taken a single stone and could be taken by that alone, and boards may come back. `pass` is always
legal. Two passes in a row end the match, and so does its 2 * n * n-th action; then, as the board stands, a player's
area is the stones and the empty regions that touch stones of that player only. The score is the first player's area
less the second's less `komi`; who is ahead wins, and 0 is a draw. A point is a letter for its column from the left,
without i, and a number for its row from the bottom. Sources: 003, section 6; the rules of J. Tromp and B. Taylor
(1995), but without suicide; simple ko, the limit and the notation are those of OpenSpiel.

Actions: n * row + column, n * n is `pass`.

State: a byte a point: 0 empty, 1 first player's stone, 2 second player's, 3 border; the point of a row and a column
is byte (n + 1) * (row + 1) + column. With superko the match follows, six bytes a move: a key of 32 bits of the board
before it, then its point, and bits 9 to 12 for the neighbours (down, left, right, up) from each of which one captured
group is filled again when the move is undone; last the key of the board itself. Captured points are a whole empty
region, everything beside them being the captor's stones, so that undoing shows all earlier boards exactly; the keys
only tell which are worth looking at. Situational superko has passes among the moves, as 0. Header byte 1: bit 0 the
last action was a pass, bit 1 the match is over, bit 2 stones have been captured. Header bytes 4 and 5: the point that
ko forbids (`simple`) or the number of moves kept; once the match is over, the difference of the areas, and the moves
are forgotten.

Planes n x n, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the first
player, 0 for the second), points that ko or superko forbids, 1 everywhere after a pass, stones of groups with one
liberty, stones of groups with two.
"""

import numpy as np

from athenan.games import grid
from athenan.games import kernels as k
from athenan.games.bits import ONE, lowest
from athenan.games.game import Game, GameError, State, require
from athenan.games.randomness import streams

SUPERKO = ("positional", "situational", "simple")
_POSITIONAL, _SITUATIONAL, _SIMPLE = range(3)
_PASSED, _OVER, _CAPTURED = 1, 2, 4  # bits of header byte 1
_EXTRA = 4  # header bytes 4 and 5
_VISITED, _FORBIDDEN = 64, 65  # marks
_STEPS = 3  # params[3] to params[6]: to the neighbours below, left, right and above
_ENTRY = 6  # bytes of a kept move
_KEYS = (streams(0, 2 * 512) & np.uint64(0xFFFFFE00)).reshape(2, 512) | np.arange(512, dtype=np.uint64)
"""By player and point, 32 bits; the lowest 9 are the point."""
_BYTES = np.uint64(0x0101010101010101)
_COLUMNS = "abcdefghjklmnopqrst"


@k.helper
def _load16(state, place):  # type: ignore[no-untyped-def]
    return np.int64(np.uint8(state[place])) | (np.int64(state[place + 1]) << 8)


@k.helper
def _store16(state, place, value):  # type: ignore[no-untyped-def]
    state[place], state[place + 1] = value & 0xFF, value >> 8


@k.helper
def _key(state, entry):  # type: ignore[no-untyped-def]
    return k.load64(state, entry) & np.uint64(0xFFFFFFFF)


@k.helper
def _moves(params):  # type: ignore[no-untyped-def]
    """Where the kept moves begin in a state."""
    return k.HEADER + (((params[0] + 1) * (params[0] + 2) + 16) & ~7)


@k.helper
def _liberties(params, state, start, enough, marks, stack):  # type: ignore[no-untyped-def]
    """The liberties of a group, at most `enough` (2 or 3), one of them, and the number of stones if not broken off.

    Leaves the number of liberties as the mark of the stones, and the stones on the stack.
    """
    stone, count, at, found, last, before = state[start], 1, 0, 0, 0, 0
    stack[0], marks[start] = start, _VISITED
    while at < count and found < enough:
        point = np.int64(stack[at])
        at += 1
        for direction in range(4):
            near = point + params[_STEPS + direction]
            if state[near] == 0:
                if near not in (last, before):
                    found, last, before = found + 1, near, last
            elif state[near] == stone and marks[near] != _VISITED:
                if marks[near] == enough:
                    found = enough  # an earlier visit of this group was broken off here
                marks[near], stack[count] = _VISITED, near
                count += 1
    found = min(found, enough)
    for number in range(count):
        marks[stack[number]] = found
    return found, last, count


@k.helper
def _remove(params, state, start):  # type: ignore[no-untyped-def]
    """Takes a group off the board if it has no liberty; returns its number of stones, or 0, and their key."""
    none = np.uint64(0)
    for direction in range(4):
        if state[start + params[_STEPS + direction]] == 0:
            return 0, none
    stone, count, at, key = state[start], 1, 0, none
    group, alive = np.empty(361, np.int16), False
    group[0], state[start] = start, _VISITED
    while at < count and not alive:
        point = np.int64(group[at])
        at += 1
        for direction in range(4):
            near = point + params[_STEPS + direction]
            if state[near] == stone:
                group[count], state[near] = near, _VISITED
                count += 1
            alive |= state[near] == 0
    for number in range(count):
        state[group[number]] = stone if alive else 0
        key ^= _KEYS[stone - 1, group[number] - k.HEADER]
    return (0, none) if alive else (count, key)


@k.helper
def _put(params, state, point, stone):  # type: ignore[no-untyped-def]
    """Puts a stone and takes off what it captures: the number of stones, the bits of a kept move, the key of all."""
    state[point] = stone
    captured, bits, key = 0, point - k.HEADER, _KEYS[stone - 1, point - k.HEADER]
    for direction in range(4):
        near = point + params[_STEPS + direction]
        if state[near] == 3 - stone:
            removed, removed_key = _remove(params, state, near)
            if removed:
                captured, bits, key = captured + removed, bits | (512 << direction), key ^ removed_key
    return captured, bits, key


@k.helper
def _fill(params, board, start, stone, stack):  # type: ignore[no-untyped-def]
    """Fills an empty region with stones, which stay on the stack; returns their number."""
    count, at = 1, 0
    stack[0], board[start] = start, stone
    while at < count:
        point = np.int64(stack[at])
        at += 1
        for direction in range(4):
            near = point + params[_STEPS + direction]
            if board[near] == 0:
                board[near], stack[count] = stone, near
                count += 1
    return count


@k.helper
def _recreates(params, state, point, number):  # type: ignore[no-untyped-def]
    """Whether a stone of the side to move on this point makes the board before a kept move, compared point by point."""
    start, stack = _moves(params), np.empty(361, np.int16)
    board, after = state[:start].copy(), state[:start].copy()
    _put(params, after, point, state[0] + 1)
    for later in range(_load16(state, _EXTRA) - 1, number - 1, -1):
        bits = _load16(state, start + _ENTRY * later + 4)
        undone = k.HEADER + (bits & 511)
        for direction in range(4):
            if bits & (512 << direction):
                _fill(params, board, undone + params[_STEPS + direction], 3 - board[undone], stack)
        if bits:
            board[undone] = 0
    return np.array_equal(board[k.HEADER :], after[k.HEADER :])


@k.helper
def _forbid_boards(params, state, point, key, marks):  # type: ignore[no-untyped-def]
    """Marks a point if the stone put there makes an earlier board; `key` is that of all points it changes."""
    start, kept = _moves(params), _load16(state, _EXTRA)
    key ^= _key(state, start + _ENTRY * kept)
    for number in range(kept - 1, -1, -(1 + (params[2] == _SITUATIONAL))):
        if _key(state, start + _ENTRY * number) == key and _recreates(params, state, point, number):
            marks[point] = _FORBIDDEN


@k.helper
def _forbid(params, state, enough, marks, stack):  # type: ignore[no-untyped-def]
    """Marks the points that ko or superko forbids to the side to move.

    Without a capture there was never more on the board than now. Otherwise an earlier board, with situational superko
    every second one, is recreated either by a stone that captures nothing, which its key tells, or by taking groups
    with one liberty.
    """
    start, extra, own = _moves(params), _load16(state, _EXTRA), state[0] + 1
    if params[2] == _SIMPLE:
        marks[k.HEADER + extra] = _FORBIDDEN  # the border, if it is 0
        return
    if not state[1] & _CAPTURED:
        return
    now = _key(state, start + _ENTRY * extra)
    for number in range(extra - 1, -1, -(1 + (params[2] == _SITUATIONAL))):
        key = _key(state, start + _ENTRY * number) ^ now
        point = np.int64(key & np.uint64(511))
        if key == _KEYS[own - 1, point] and state[k.HEADER + point] == 0:
            _forbid_boards(params, state, k.HEADER + point, key, marks)
    for place in range(k.HEADER, start, 8):
        word = k.load64(state, place)
        stones = (word >> np.uint64(2 - own)) & ~(word >> np.uint64(own - 1)) & _BYTES  # opposing ones
        while stones:
            point = place + (lowest(stones) >> 3)
            stones &= stones - ONE
            if marks[point] == 0:
                found, liberty, count = _liberties(params, state, point, enough, marks, stack)
                if found == 1:
                    key = _KEYS[own - 1, liberty - k.HEADER]
                    for number in range(count):
                        key ^= _KEYS[2 - own, stack[number] - k.HEADER]
                    _forbid_boards(params, state, liberty, key, marks)


@k.helper
def _area(params, state):  # type: ignore[no-untyped-def]
    """The first player's area less the second's."""
    size, stack = params[0], np.empty(361, np.int16)
    board = state[: _moves(params)].copy()
    difference = 0
    for row in range(size):
        for column in range(size):
            point = k.HEADER + (size + 1) * (row + 1) + column
            difference += (state[point] == 1) - (state[point] == 2)
            if board[point] == 0:
                count, touched = _fill(params, board, point, _VISITED, stack), 0
                for number in range(count):
                    for direction in range(4):
                        near = state[stack[number] + params[_STEPS + direction]]
                        touched |= near if near != 3 else 0
                difference += count * ((touched == 1) - (touched == 2))
    return difference


@k.kernel(k.INITIAL)
def initial(params, state):  # type: ignore[no-untyped-def]
    size = params[0]
    state[:] = 0
    state[k.HEADER : _moves(params)] = 3
    for row in range(size):
        for column in range(size):
            state[k.HEADER + (size + 1) * (row + 1) + column] = 0


@k.helper
def _legal(params, state, point, marks, stack):  # type: ignore[no-untyped-def]
    """Whether a stone on an empty point with no empty one beside it would have a liberty."""
    own = state[0] + 1
    for direction in range(4):
        near = point + params[_STEPS + direction]
        if state[near] != 3:
            if not marks[near]:
                _liberties(params, state, near, 2, marks, stack)
            if (marks[near] == 1) == (state[near] != own):
                return True
    return False


@k.helper
def _empty(state, place):  # type: ignore[no-untyped-def]
    """One in the lowest bit of each of eight bytes that is an empty point."""
    word = k.load64(state, place)
    return ~(word | (word >> ONE)) & _BYTES


@k.kernel(k.ACTIONS)
def actions(params, state, actions):  # type: ignore[no-untyped-def]
    if state[1] & _OVER:
        return 0
    stride, count = params[0] + 1, 0
    marks, stack = np.zeros(_moves(params), np.int8), np.empty(361, np.int16)
    _forbid(params, state, 2, marks, stack)
    row_end, borders = k.HEADER + 2 * stride, k.HEADER + stride
    for place in range(k.HEADER + (stride & ~7), k.HEADER + stride * stride, 8):
        empty = _empty(state, place)
        free = _empty(state, place - 1) | _empty(state, place + 1)
        free |= _empty(state, place - stride) | _empty(state, place + stride)
        while empty:
            bit = lowest(empty)
            point = place + (bit >> 3)
            while point >= row_end:
                row_end, borders = row_end + stride, borders + 1
            actions[count] = point - borders
            if marks[point] != _FORBIDDEN:
                count += (free >> np.uint64(bit)) & ONE != 0 or _legal(params, state, point, marks, stack)
            empty &= empty - ONE
    actions[count] = params[0] * params[0]
    return count + 1


@k.helper
def _ko(params, state, point, stone):  # type: ignore[no-untyped-def]
    """What simple ko forbids after a stone captured one: taking it back, if it stands alone with one liberty."""
    empty, liberty = 0, 0
    for direction in range(4):
        near = point + params[_STEPS + direction]
        if state[near] == stone:
            return 0
        if state[near] == 0:
            empty, liberty = empty + 1, near - k.HEADER
    return liberty if empty == 1 else 0


@k.kernel(k.PLAY)
def play(params, state, action, following):  # type: ignore[no-untyped-def]
    size, superko, stone, start = params[0], params[2], state[0] + 1, _moves(params)
    kept = 0 if superko == _SIMPLE else _load16(state, _EXTRA)
    entry = start + _ENTRY * kept
    for place in range(0, following.shape[0], 8):
        k.store64(following, place, k.load64(state, place) if place < entry + 4 else np.uint64(0))
    k.advance_header(state, following, 2 - stone)
    captured, bits, key = 0, 0, np.uint64(0)
    if action == size * size:
        following[1] = (state[1] & _CAPTURED) | (_OVER if state[1] & _PASSED else _PASSED)
    else:
        point = k.HEADER + (size + 1) * (action // size + 1) + action % size
        captured, bits, key = _put(params, following, point, stone)
        following[1] = (state[1] & _CAPTURED) | (_CAPTURED if captured else 0)
    if following[1] & _OVER or k.length(following) == 2 * size * size:
        following[1] = _OVER
        following[start:] = 0
        _store16(following, _EXTRA, _area(params, following))
    elif superko == _SIMPLE:
        _store16(following, _EXTRA, _ko(params, following, point, stone) if captured == 1 else 0)
    elif bits or superko == _SITUATIONAL:
        key ^= _key(state, entry)
        k.store64(following, entry + 4, np.uint64(bits) | (key << np.uint64(16)))
        _store16(following, _EXTRA, kept + 1)
    else:
        _store16(following, _EXTRA, kept)


@k.kernel(k.PIECES)
def pieces(params, state, player):  # type: ignore[no-untyped-def]
    count = 0
    for place in range(k.HEADER, _moves(params)):
        count += state[place] == player + 1
    return count


@k.kernel(k.SCORE)
def score(params, state):  # type: ignore[no-untyped-def]
    return _load16(state, _EXTRA) - params[1]


@k.kernel(k.OUTCOME)
def outcome(params, state):  # type: ignore[no-untyped-def]
    if not state[1] & _OVER:
        return k.ONGOING
    lead = _load16(state, _EXTRA) - params[1]
    return (lead > 0) - (lead < 0)


@k.kernel(k.ENCODE)
def encode(params, state, planes):  # type: ignore[no-untyped-def]
    size, over = params[0], state[1] & _OVER
    area, marks, stack = size * size, np.zeros(_moves(params), np.int8), np.empty(361, np.int16)
    if not over:
        _forbid(params, state, 3, marks, stack)
    for row in range(size):
        for column in range(size):
            cell, point = size * row + column, k.HEADER + (size + 1) * (row + 1) + column
            stone, mark = state[point], marks[point]
            if stone and not mark:
                mark, _, _ = _liberties(params, state, point, 3, marks, stack)
            planes[cell] = stone == 1
            planes[area + cell] = stone == 2
            planes[2 * area + cell] = 1 - state[0]
            planes[3 * area + cell] = mark == _FORBIDDEN
            planes[4 * area + cell] = state[1] & _PASSED
            planes[5 * area + cell] = mark == 1
            planes[6 * area + cell] = mark == 2


KERNELS = k.table(
    initial=initial, actions=actions, play=play, outcome=outcome, encode=encode, score=score, pieces=pieces
)


def make(size: int = 9, komi: int = 7, superko: str = "positional") -> Game:
    """Go on a size x size board; the second player is given `komi` points."""
    require("go", "size", size, 2, 19)
    area = size * size
    require("go", "komi", komi, -area, max(7, area))
    if superko not in SUPERKO:
        raise GameError(f"go: superko must be {', '.join(SUPERKO[:-1])} or {SUPERKO[-1]}, not {superko!r}")
    rule, stride = SUPERKO.index(superko), size + 1
    board = (stride * (size + 2) + 16) & ~7
    moves = 0 if rule == _SIMPLE else (2 * area * _ENTRY + 15) & ~7

    def action_name(state: State, action: int) -> str:
        return k.PASS_NAME if action == area else f"{_COLUMNS[action % size]}{action // size + 1}"

    def text(state: State) -> str:
        rows = state[k.HEADER + size + 1 : k.HEADER + (size + 1) ** 2].reshape(size, size + 1)[::-1, :size]
        stones = np.array([rows == 1, rows == 2], np.int8)
        return grid.picture(stones, list(_COLUMNS[:size]), [str(size - row) for row in range(size)])

    options = ("" if komi == 7 else f",komi={komi}") + ("" if rule == _POSITIONAL else f",superko={superko}")
    return Game(
        name=f"go:{size}{options}",
        kernels=KERNELS,
        params=np.array([size, komi, rule, -stride, -1, 1, stride], np.int64),
        state_size=k.HEADER + board + moves,
        action_count=area + 1,
        max_actions=area + 1,
        planes=(7, size, size),
        max_length=2 * area,
        typical_length=max(4, 3 * area // 2),
        action_name=action_name,
        text=text,
        plane_symmetries=grid.plane_symmetries(7, size, size, grid.SQUARE),
        action_symmetries=grid.cell_symmetries(size, size, grid.SQUARE, extra=1),
        max_score=area + abs(komi),
    )
