"""Xiangqi, Chinese chess, on 9 x 10 points.

Goal: checkmate the opponent's general, or leave the opponent without a legal move.

Play: Red begins. Chariots move like rooks, cannons as well, but they capture over exactly one piece. Horses move one
point along a line and one on diagonally, and can be blocked. Soldiers go one point ahead, beyond the river also
sideways. Generals and advisors stay in the palace, elephants on their side of the river. The two generals may not face
each other on an open file.

Red, the first player, is at the bottom. The general moves one point along a line, the advisor one diagonally, the
elephant exactly two diagonally if the point between is empty. The first point of a horse's move must be empty. The
piece that a cannon leaps over may be of either side. A move must not leave the mover's general attacked, nor the two
generals on one file with nothing between. A player without a legal move loses, in check or not.

A position (pieces, their points and the side to move) that occurs for the third time ends the match. If only one side
gave check with each of its moves since the first of these three times, that side loses; otherwise, even if both did,
the match is a draw. Other threats have no effect (tournament rules also forbid chasing pieces). The match is also drawn
after `limit` moves in a row without a capture, counted over both sides: 120 by default, the sixty moves of each side
after which the engine Pikafish calls a draw. If the last of these moves ends the match in another way, that result
counts. Files are a to i from red's left, ranks 0 to 9 from red's side; a move is written as in UCI, the point it leaves
and the point it goes to: `h2e2`.

Actions: 50 * (9 * row + column) + way: left 1-8, right 1-8, down 1-9, up 1-9, the four diagonal steps, the four
double ones, the eight of a horse.

State: a word and a half with a bit for each cell of the first player's pieces, the same for the second's; the board
with a border, a byte a place; and the moves since the last that cannot be undone (captures, soldiers' steps ahead), as
bytes from (negative if it gave check) and to. The moves stand for the earlier positions that can come back: taking them
back compares each position exactly. Header byte 1: 0, or 1 in check, or 3 plus the gain when the match is over, and
then no moves are kept. Bytes 4 and 5: the places of the generals. Byte 6: moves without a capture. Byte 7: moves kept.

Planes 9 x 10, row 0 first: first player's pieces, second player's pieces, the side to move (1 everywhere for the first
player, 0 for the second), the first player's generals, advisors, elephants, horses, chariots, cannons, soldiers, the
same for the second player, and, 1 everywhere: the side to move is in check; the position has occurred before; since
then the first player has given check with each move; the second has; a quarter, half, three quarters of the limit are
over. The only feature is an estimate: `material`.
"""

from typing import Annotated

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan import rules
from athenan.games.xiangqi import attacks, layout, moves
from athenan.games.xiangqi.board import board_of
from athenan.games.xiangqi.layout import (
    BOARD,
    GENERALS,
    HISTORY,
    OFFSET,
    PLACE,
    PLACES,
    QUIET,
    REMEMBERED,
    STATUS,
    WAYS,
    WORDS,
)
from athenan.games.xiangqi.material import KINDS, MATERIAL, material
from athenan.games.xiangqi.notation import START, action_name, letters_of, read_board, text
from athenan.rules import VECTORS, Advice, Decision, Fen, Forms, Game, GameError, Ruleset, State, UciVariant
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.packing import fill, unpack_board
from athenan.rules.geometry.places import by_step
from athenan.rules.geometry.ranks import move_number, read_number, split_fen, write_ranks
from athenan.rules.geometry.rectangle import Rectangle, steps
from athenan.rules.geometry.words import load_words
from athenan.settings import Between

_OVER = 3  # STATUS, plus the gain
_PLANES, _CELLS = 24, 90
_MOST_ACTIONS = 4 * 17 + 2 * 8 + 2 * 4 + 2 * 4 + 4 + 5 * 3  # more than all pieces of a side have together
_CHECK, _QUARTERS = 17, 21  # the first planes of check and repetition, of the limit
_BITS = CellBits(9, 10, stride=9, size=16, begin=WORDS)
_NO_CELLS = (np.uint64(0), np.uint64(0))
_KEYS = np.random.default_rng(1).integers(1, 1 << 63, layout.PLACES).astype(np.uint64)
"""The change of the board's key by emptying or filling a place; keys only tell where to compare."""
_SET_UP = types.boolean(*rules.INITIAL.args, types.Array(types.int8, 1, "C", readonly=True))


_START_BOARD = read_board(START.split(maxsplit=1)[0])


@rules.helper
def _unsigned(state, byte):
    return np.int64(np.uint8(state[byte]))


@rules.helper
def _same(state, back):
    """Whether the board is the same as `back` moves ago."""
    board, last = rules.scratch(PLACES, np.int8), HISTORY + 2 * _unsigned(state, REMEMBERED) - 2
    for place in range(PLACES):
        board[place] = state[BOARD + place]
    for move in range(last, last - 2 * back, -2):
        start, to = state[move] & 127, state[move + 1]
        board[start], board[to] = board[to], 0  # no captures are kept
    for place in range(PLACES):
        if board[place] != state[BOARD + place]:
            return False
    return True


@rules.helper
def _moves_since(state, times):
    """The moves since the position's occurrence `times` times ago; 0 if it did not occur."""
    count, key = _unsigned(state, REMEMBERED), np.uint64(0)
    for back in range(2, count + 1, 2):
        for move in (HISTORY + 2 * (count - back), HISTORY + 2 * (count - back) + 2):
            key ^= _KEYS[state[move] & 127] ^ _KEYS[state[move + 1]]
        if key == 0 and _same(state, back):
            times -= 1
            if times == 0:
                return back
    return 0


@rules.helper
def _always_checked(state, player, back):
    """Whether all of the player's moves among the last `back` gave check."""
    count = _unsigned(state, REMEMBERED)
    for number in range(count - 1 - (player == state[0]), count - 1 - back, -2):
        if state[HISTORY + 2 * number] >= 0:
            return False
    return True


@rules.helper
def _forget(state):
    for word in range((_unsigned(state, REMEMBERED) + 3) // 4):
        rules.store64(state, HISTORY + 8 * word, np.uint64(0))
    state[REMEMBERED] = 0


@rules.helper
def _gain(params, state):
    """The first player's gain in a state after a move, or ONGOING."""
    if not moves.can_move(state):
        return rules.mover_lost(state)
    back = _moves_since(state, 2)
    if back:
        return np.int64(_always_checked(state, 1, back)) - np.int64(_always_checked(state, 0, back))
    return 0 if _unsigned(state, QUIET) == params[0] else rules.ONGOING


@rules.helper
def _settle(params, state, check):
    """Completes a state after a move with or without check, and finds whether the match is over."""
    state[STATUS] = layout.CHECK if check else 0
    gain = _gain(params, state)
    if gain != rules.ONGOING:
        _forget(state)
        state[STATUS] = _OVER + gain


@rules.helper
def _flip(state, player, place):
    """Adds a piece to the words of a player, or removes it."""
    cell = layout.CELL[place]
    word = WORDS + 16 * player + 8 * (cell >> 6)
    rules.store64(state, word, rules.load64(state, word) ^ (ONE << np.uint64(cell & 63)))


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player, start = np.int64(state[0]), PLACE[action // WAYS]
    to = start + OFFSET[action % WAYS]
    piece, taken = state[BOARD + start], state[BOARD + to]
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    following[BOARD + start], following[BOARD + to] = 0, piece
    _flip(following, player, start)
    _flip(following, player, to)
    if taken:
        _flip(following, 1 - player, to)
    following[GENERALS + player] = to if piece & 7 == layout.GENERAL else state[GENERALS + player]
    following[GENERALS + 1 - player] = state[GENERALS + 1 - player]
    following[QUIET] = 0 if taken else _unsigned(state, QUIET) + 1
    following[REMEMBERED] = count = _unsigned(state, REMEMBERED)
    check = attacks.in_check(following, 1 - player)
    if taken or (piece & 7 == layout.SOLDIER and abs(to - start) == 10):
        _forget(following)
    else:
        following[HISTORY + 2 * count] = start - 128 if check else start
        following[HISTORY + 2 * count + 1] = to
        following[REMEMBERED] = count + 1
    _settle(params, following, check)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return 0 if state[STATUS] > layout.CHECK else moves.list_moves(state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    return moves.random_move(state, random)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return state[STATUS] - _OVER if state[STATUS] > layout.CHECK else rules.ONGOING


@rules.kernel(rules.OUTCOME)
def checked(params, state):
    """Whether the side to move is in check; the status of a finished match does not tell."""
    return attacks.in_check(state, np.int64(state[0]))


def _decided(params: NDArray[np.int64], state: State, winner: int) -> Decision:
    played_on = state.copy()
    played_on[STATUS] = 0
    if state[0] == winner or actions(params, played_on, np.empty(_MOST_ACTIONS, np.int32)):
        return "checks"
    return "checkmate" if checked(params, state) else "stalemate"


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return popcount(rules.load64(state, WORDS + 16 * player)) + popcount(rules.load64(state, WORDS + 16 * player + 8))


@rules.kernel(_SET_UP)
def set_up(params, state, board):
    """Puts the pieces of `board`, int8[90], into a state that holds only the side to move and the count QUIET.

    Returns whether the general of the other side is attacked, which no match can reach.
    """
    player = np.int64(state[0])
    state[BOARD:HISTORY] = layout.BORDER
    for cell in range(_CELLS):
        piece = board[cell]
        state[BOARD + PLACE[cell]] = piece
        if piece:
            owner = 0 if piece & layout.FIRST else 1
            _flip(state, owner, PLACE[cell])
            if piece & 7 == layout.GENERAL:
                state[GENERALS + owner] = PLACE[cell]
    _settle(params, state, attacks.in_check(state, player))
    return attacks.in_check(state, 1 - player)


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    set_up(params, state, _START_BOARD)


@rules.helper
def _write_pieces(state, planes, player):
    """Marks a player's pieces, and each kind in a plane of 0."""
    words = load_words(state, WORDS + 16 * player, _NO_CELLS)
    unpack_board(words, planes, _CELLS * player, _CELLS)
    for word in range(2):
        left = words[word]
        while left:
            cell = 64 * word + lowest(left)
            left &= left - ONE
            kind = state[BOARD + PLACE[cell]] & 7
            planes[_CELLS * (KINDS + 7 * player + kind - 1) + cell] = 1


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    fill(planes, 2 * _CELLS, _CELLS, 1 - state[0])
    fill(planes, KINDS * _CELLS, (_CHECK - KINDS) * _CELLS, 0)
    _write_pieces(state, planes, 0)
    _write_pieces(state, planes, 1)
    back = _moves_since(state, 1)
    fill(planes, _CHECK * _CELLS, _CELLS, state[STATUS] == layout.CHECK)
    fill(planes, (_CHECK + 1) * _CELLS, _CELLS, back > 0)
    for player in range(2):
        checked = _always_checked(state, player, back) if back else False
        fill(planes, (_CHECK + 2 + player) * _CELLS, _CELLS, checked)
    for quarter in range(1, 4):
        late = 4 * _unsigned(state, QUIET) >= quarter * params[0]
        fill(planes, (_QUARTERS + quarter - 1) * _CELLS, _CELLS, late)


KERNELS = rules.table(initial, actions, play, outcome, encode, pieces, sample)


def fen(state: State) -> str:
    """A position as FEN: pieces, side to move, two unused fields, moves without capture, number of move.

    The number counts pairs of moves since the first state of the match, from 1.
    """
    board = write_ranks("".join(line) for line in letters_of(state))
    return f"{board} {'wb'[state[0]]} - - {state[QUIET].view(np.uint8)} {move_number(state)}"


def position(game: Game, fen: str) -> State:
    """The state of Xiangqi that a FEN describes, with no earlier positions and no actions played.

    Horses and elephants may be written N or H and B or E, the first player w or r. The fields after the side to move
    may be left out. The moves without a capture are kept, the number of the move is not. Raises GameError if the FEN is
    not a position.
    """
    if game.table.kernels["play"] is not play:
        raise GameError(f"this FEN is for xiangqi only, not for {game.name}")
    fields, limit = split_fen(fen, "wbr", "- - 0 1"), int(game.params[0])
    quiet = read_number(fields[4], limit - 1, "the number of moves without a capture") if fields[4:] else 0
    state = np.zeros(game.state_size, np.int8)
    state[0], state[QUIET] = fields[1] == "b", np.uint8(quiet).view(np.int8)
    if set_up(game.params, state, read_board(fields[0])):
        raise GameError(f"{fen!r} is not a position: the general of the side that does not move is attacked")
    return state


def _image(state: State) -> State:
    """The state with the players exchanged, upside down."""
    image, board = _BITS.image(state, grid.FLIP), state[BOARD:HISTORY]
    flipped = np.arange(PLACES)
    flipped[PLACE] = PLACE[grid.cell_symmetries(10, 9, (grid.FLIP,))[0]]
    pieces = board[flipped]
    owned = (pieces & (layout.FIRST | layout.SECOND)) > 0
    image[BOARD:HISTORY] = np.where(owned, pieces ^ (layout.FIRST | layout.SECOND), pieces)
    image[GENERALS : GENERALS + 2] = flipped[state[GENERALS : GENERALS + 2]][::-1]
    history = slice(HISTORY, HISTORY + 2 * int(np.uint8(state[REMEMBERED])))
    image[history] = flipped[state[history] & 127] | (state[history] & -128)
    image[STATUS] = 2 * _OVER - state[STATUS] if state[STATUS] > layout.CHECK else state[STATUS]
    return image


def make(limit: Annotated[int, Between(40, 250)] = 120) -> Game:
    """Xiangqi, drawn after `limit` moves in a row without a capture."""
    params, ways = np.array([limit], np.int64), steps(10, 9, layout.STEPS)
    points = Rectangle(9, 10, _PLANES, encode, params, [ways], symmetries=(grid.IDENTITY, grid.MIRROR))
    kinds = ((KINDS + kind, KINDS + 7 + kind) for kind in range(7))
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=(HISTORY + 2 * limit + 7) // 8 * 8,
            max_actions=_MOST_ACTIONS,
            max_length=31 * limit,  # 30 captures leave the generals
            typical_length=200,
            features=MATERIAL,
            evaluations={"material": material},
        ),
        points.layout(
            board_of(letters_of, lambda state, winner: _decided(params, state, winner)),
            points.exchange(_image, grid.FLIP, [(0, 1), *kinds, (_CHECK + 2, _CHECK + 3)]),
            action_name=action_name,
            text=text,
            marks=("capital letters", "small letters"),
            places=by_step(10, 9, WAYS),
        ),
        forms=Forms(
            Fen(position, lambda _, state: fen(state)),
            uci=UciVariant("xiangqi", first_rank=1) if limit == 120 else None,
        ),
        advice=Advice(f"{VECTORS},layers=true,estimate=true", long_network="patterns", search="alphabeta"),
    )
