"""Draughts: international on 10 x 10 squares (`international`), Brazilian on 8 x 8, Canadian on 12 x 12.

Goal: capture or block all of the opponent's pieces. Whoever cannot move loses.

Play: White begins. A man steps one square diagonally forward. It captures forward or backward by leaping over an
opposing piece, as often as it can go on. You must capture if you can, and as many pieces as possible. A man that ends
its move on the last row becomes a king, which moves and captures over any distance.

The three differ in the board, the number of men (20, 12, 30 a side, in all rows but the middle two) and the draws.
White, the first player (`x`), is at the bottom. A king captures over any piece on its diagonal with only empty squares
before it, to any empty square behind it up to the next piece. A capture goes on as long as it can, over empty squares
any number of times, over a piece only once. The taken pieces stay where they are until it ends. A man that only passes
through the last row stays a man.

A match is drawn when a position (board and side to move) occurs for the third time, and
- international, Canadian: after 25 moves of each side by kings only and without a capture; 16 moves of each side after
  three pieces, a king among them, are left against one king; 5 moves of each side after at most two, a king among
  them, are left against one king (moves already played of the 16 count: a capture among them adds none);
- Brazilian: after 20 moves of each side by kings only and without a capture; 5 moves of each side after each side
  has a king and at most one other piece, unless each has a king and a man.

Sources: FMJD, Official rules of international draughts, annex 1; Confederação Brasileira de Jogo de Damas, rules 16 and
18, and the same annex for repetition; Association québécoise des joueurs de dames (international rules). Squares are
numbered as in PDN, from 1 at the top left, and row by row; in Brazilian draughts they are named a1 to h8 from the
bottom left.

Actions, with squares s that count from 0 in that order, and with `squares` = 50, 32 or 72: squares * from + to, for a
move or a capture by any path. Only if captures from one square to another differ in the pieces that they take, the same
side then selects one by further actions: squares ** 2 + s takes the piece on s, squares ** 2 + squares + s leaves it,
where s is the first square in which the remaining longest captures differ, the last one for the second player, until
one remains. So every move is one sequence of actions, and equal captures by different paths are one.

State, with sets as pairs of words as in the module `moves`: the first player's pieces, the second player's pieces, the
kings; the pieces that the capture in question is known to take and to leave; the moves of kings since the last other
move, as bytes from and to. Undoing these moves shows exactly all earlier positions that could come back. Header byte 1:
2 plus the gain when the match is over, and then no moves are kept; else 0. Byte 4: the number of moves kept. Byte 5:
the moves left in an ending of few pieces, 0 in other positions. Bytes 6 and 7: the bits from and to of the capture in
question, or 0.

Planes, the top row first: the pieces of the first player and of the second, the kings of the first and of the second,
the side to move (1 everywhere for the first player), the pieces that all its captures take, the pieces that some take,
the ends of the capture in question, whether the position occurs for the second time, and whether at most 32, 16, 8, 4,
2 moves are left before a draw by the number of moves. The only feature is an estimate: `material`.
"""

from functools import partial
from typing import Literal

import numpy as np
from numba import types

from athenan import rules
from athenan.games.draughts import moves as m
from athenan.games.draughts import notation
from athenan.games.draughts import position as p
from athenan.games.draughts.colours import image_of, turned_actions
from athenan.games.draughts.material import MATERIAL, material
from athenan.games.draughts.planes import PLANES, encode
from athenan.rules import VECTORS, Advice, Fen, Forms, Game, Ruleset, State
from athenan.rules.geometry import grid
from athenan.rules.geometry.places import Places, by_move, together
from athenan.rules.geometry.rectangle import Rectangle

_FEW_LIMIT = 10  # both sides' moves


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    half = params[p.HALF]
    squares, men = 2 * half * half, half * (half - 1)
    first, second = m.NOTHING, m.NOTHING
    for square in range(men):
        second = m.either(second, m.single(m.BIT[half - 4, square]))
        first = m.either(first, m.single(m.BIT[half - 4, squares - 1 - square]))
    p.store(state, m.PIECES, first)
    p.store(state, m.PIECES + 16, second)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    half = params[p.HALF]
    if state[1]:
        return 0
    if state[m.FROM]:
        found = p.in_question(half, state)
        open_squares, squares = m.without(found[3], found[2]), 2 * half * half
        square = m.square_at(half, m.first_of(open_squares) if state[0] == 0 else m.last_of(open_squares))
        actions[0], actions[1] = squares * squares + square, squares * squares + squares + square
        return 2
    own, other, kings, empty = p.sides(half, state)
    capturing, most, count = m.to_capture(half, own, kings, empty, other), 0, 0
    if m.some(capturing):
        while m.some(capturing):
            bit = m.first_of(capturing)
            capturing = m.without(capturing, m.single(bit))
            found = m.longest_from(half, kings, empty, other, bit, m.ANYWHERE, m.NOTHING, m.NOTHING)
            if found[0] > most:
                most, count = found[0], 0
            if found[0] == most:
                count = m.list_actions(half, bit, found[1], actions, count)
        return count
    moving = m.either(m.both(own, kings), m.men_to_move(half, state[0], m.without(own, kings), empty))
    while m.some(moving):
        bit = m.first_of(moving)
        moving = m.without(moving, m.single(bit))
        targets = m.quiet_targets(half, state[0], m.has(kings, bit), bit, empty)
        count = m.list_actions(half, bit, targets, actions, count)
    return count


@rules.helper
def _moves_left(params, state, before):
    """The moves left in an ending of few pieces after a move, given the number before it; -1 in other positions."""
    first, second, kings = p.load(state, m.PIECES), p.load(state, m.PIECES + 16), p.load(state, m.KINGS)
    one, two, limit = m.size(first), m.size(second), _FEW_LIMIT
    if one + two > 4 or not m.some(m.both(first, kings)) or not m.some(m.both(second, kings)):
        return -1
    if max(one, two) == 3:
        limit = params[p.THREE_LIMIT]
    elif one + two == 4 and m.size(kings) == 2:
        limit = 0
    elif one + two == 4:
        limit = params[p.TWO_LIMIT]
    if not limit:
        return -1
    return min(limit, before - 1) if before else limit


@rules.helper
def _finish(params, state, following, kept):
    """Writes the moves kept after a move, and whether the match is over."""
    half, left = params[p.HALF], _moves_left(params, following, np.int64(state[m.ENDING]))
    following[m.ENDING], following[m.COUNT] = max(left, 0), kept
    own, other, kings, empty = p.sides(half, following)
    if not m.can_move(half, following[0], own, kings, empty, other):
        following[1] = 2 - (1 if following[0] == 0 else -1)
    elif left == 0 or kept == params[p.KING_LIMIT] or p.earlier(following) >= 2:
        following[1] = 2
    if following[1]:
        following[m.COUNT] = following[m.ENDING] = 0
        for place in range(m.HISTORY, len(following), 8):
            rules.store64(following, place, np.uint64(0))


@rules.helper
def _capture(params, state, following, start, to, taken):
    """Completes a capture; `following` has the board before it and no moves."""
    player, bits = np.int64(state[0]), m.single(to)
    own, other = p.load(state, m.PIECES + 16 * player), p.load(state, m.PIECES + 16 - 16 * player)
    kings = p.load(state, m.KINGS)
    promoted = m.has(kings, start) or m.is_last_row(params[p.HALF], player, to)
    kings = m.without(m.without(kings, taken), m.single(start))
    p.store(following, m.PIECES + 16 * player, m.either(m.without(own, m.single(start)), bits))
    p.store(following, m.PIECES + 16 - 16 * player, m.without(other, taken))
    p.store(following, m.KINGS, m.either(kings, bits) if promoted else kings)
    p.store(following, m.TAKEN, m.NOTHING)
    p.store(following, m.LEFT, m.NOTHING)
    _finish(params, state, following, 0)


@rules.helper
def _quiet(params, state, following, start, to, is_king):
    """Completes a move without a capture; `following` has the board before it and no moves."""
    player, kept, both_squares = np.int64(state[0]), np.int64(0), m.either(m.single(start), m.single(to))
    p.store(following, m.PIECES + 16 * player, m.differing(p.load(state, m.PIECES + 16 * player), both_squares))
    if is_king:
        kept = np.int64(state[m.COUNT]) + 1
        p.store(following, m.KINGS, m.differing(p.load(state, m.KINGS), both_squares))
        for place in range(m.HISTORY, m.HISTORY + 2 * kept - 2, 8):
            rules.store64(following, place, rules.load64(state, place))
        if kept < params[p.KING_LIMIT]:
            following[m.HISTORY + 2 * kept - 2], following[m.HISTORY + 2 * kept - 1] = start, to
    elif m.is_last_row(params[p.HALF], player, to):
        p.store(following, m.KINGS, m.either(p.load(state, m.KINGS), m.single(to)))
    _finish(params, state, following, kept)


@rules.helper
def _settle(params, state, following, start, to, taken, left):
    """Completes the capture if only one takes and leaves these pieces; otherwise asks which one it is."""
    half = params[p.HALF]
    _, other, kings, empty = p.sides(half, state)
    found = m.longest_from(half, kings, empty, other, start, to, taken, left)
    if not m.some(m.differing(found[2], found[3])):
        _capture(params, state, following, start, to, found[2])
        return
    following[0], following[m.ENDING], following[m.FROM], following[m.TO] = state[0], state[m.ENDING], start, to
    p.store(following, m.TAKEN, taken)
    p.store(following, m.LEFT, left)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    half, player = params[p.HALF], np.int64(state[0])
    squares = 2 * half * half
    rules.advance_header(state, following, 1 - player)
    for place in range(m.PIECES, len(following), 8):
        rules.store64(following, place, rules.load64(state, place) if place < m.TAKEN else np.uint64(0))
    if state[m.FROM]:
        answer = action - squares * squares
        bits, taken, left = m.single(m.BIT[half - 4, answer % squares]), p.load(state, m.TAKEN), p.load(state, m.LEFT)
        if answer < squares:
            taken = m.either(taken, bits)
        else:
            left = m.either(left, bits)
        _settle(params, state, following, np.int64(state[m.FROM]), np.int64(state[m.TO]), taken, left)
        return
    start, to = m.BIT[half - 4, action // squares], m.BIT[half - 4, action % squares]
    _, other, kings, empty = p.sides(half, state)
    is_king = m.has(kings, start)
    if is_king:
        capturing = m.king_can_capture(half, start, empty, other)
    else:
        capturing = abs(to - start) not in (half, half + 1)  # the distance of a step, which no capture has
    if capturing:
        _settle(params, state, following, start, to, m.NOTHING, m.NOTHING)
    else:
        _quiet(params, state, following, start, to, is_king)


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return m.size(p.load(state, m.PIECES + 16 * player))


@rules.kernel(types.void(*rules.INITIAL.args))
def _arrange(params, state):
    """Completes a state that has only the side to move and the board."""
    _finish(params, state, state, 0)


KERNELS = rules.table(initial, actions, play, encode, pieces, outcome=rules.noted_outcome)


def read_fen(game: Game, text: str) -> State:
    """The state of a FEN such as `W:W31,32,K5:B1,2`, without earlier moves. Raises GameError if it is not a FEN."""
    position = notation.read_pieces(game, text)
    state = np.zeros(game.state_size, np.int8)
    state[0] = position.player
    for place, squares in zip((m.PIECES, m.PIECES + 16, m.KINGS), (*position.pieces, position.kings), strict=True):
        number = sum(1 << bit for bit in squares)
        state[place : place + 16] = np.frombuffer(number.to_bytes(16, "little"), np.int8)
    _arrange(game.params, state)
    return state


_VARIANTS = {
    "international": (5, 50, 32, 0, 100),
    "brazilian": (4, 40, 0, _FEW_LIMIT, 50),
    "canadian": (6, 50, 32, 0, 160),
}
"""Name -> half, the limits of moves by kings only, of three against one, of two against two, and a typical length."""


def make(variant: Literal["international", "brazilian", "canadian"] = "international") -> Game:
    """Draughts: `international`, `brazilian` or `canadian`."""
    half, *limits, typical_length = _VARIANTS[variant]
    size, squares, men = 2 * half, 2 * half * half, half * (half - 1)
    # Only a man's steps, which captures may take back, and captures cannot be undone.
    final_moves = 2 * men * (size - 1) + 2 * 2 * men + 2 * men
    params = np.array([half, *limits], np.int64)
    board = Rectangle(size, size, PLANES, encode, params, turned_actions=partial(turned_actions, half))
    cells = np.array([notation.cell_of(square, half) for square in range(squares)])
    starts, ends = cells[np.indices((squares, squares)).reshape(2, -1)]
    answers = Places(1, cells.astype(np.int32))
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=m.HISTORY + (2 * limits[0] + 6) // 8 * 8,
            max_actions=men * (squares - men),  # a piece goes to an empty square or, capturing, back to its own
            max_length=(final_moves + 1) * limits[0] + 2 * men * men,  # no capture asks more often than it could take
            typical_length=typical_length,
            features=MATERIAL,
            evaluations={"material": material},
        ),
        board.layout(
            notation.board(half),
            board.exchange(partial(image_of, half), grid.ROTATE_180, ((0, 1), (2, 3)), side=4),
            action_name=partial(notation.action_name, half),
            text=partial(notation.text, half),
            places=together(size, size, by_move(size, size, starts, ends), answers, answers),
        ),
        forms=Forms(
            Fen(read_fen, notation.write_fen),
            pdn=notation.GAME_TYPES[variant],
            programs=("hub",) if variant == "international" else (),
        ),
        advice=Advice(f"{VECTORS},length=5,shared=false,estimate=true", search="alphabeta"),
    )
