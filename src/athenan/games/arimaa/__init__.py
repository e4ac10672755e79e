"""Arimaa on 8 x 8 squares with a setup and up to four steps a turn.

Goal: bring one of your rabbits to the far row of the board, or leave the opponent without rabbits or without a legal
turn.

Play: Gold places its pieces on the two lower rows, then Silver on the two upper ones, from the elephant, the strongest,
to the rabbits. Rows are filled from the bottom up, and each row square by square from one of its ends. A turn is one to
four steps to neighbouring squares; rabbits do not step back. A piece next to a stronger enemy and to no friend is
frozen. With two steps a stronger piece pushes or pulls a weaker enemy. A piece on one of the four traps is lost unless
a friend stands beside it.

Gold, the first player, puts sixteen pieces on rows 1 and 2, then Silver on rows 7 and 8: an elephant (e), a camel (m),
two horses (h), two dogs (d), two cats (c) and eight rabbits (r), from the strongest to the weakest. The steps of a turn
may be of several pieces, to empty squares below, above or beside. Rabbits do not step back on their own. A frozen piece
takes no steps. A stronger piece beside an enemy, if it is not frozen, pushes it to an empty square and takes its place,
or steps away and pulls it to the square just left. A push cannot also be a pull, and both steps belong to one turn. The
traps are c3, f3, c6 and f6; a piece is lost there at once.

A turn must change the board. It must not lead to a position (board and side to move) for the third time; the position
after the setup counts. After each turn the first true condition decides: a rabbit of the side that moved stands on its
last row: that side wins; a rabbit of the other side stands on its last row: the other side wins; the other side has no
rabbits: the side that moved wins; the side that moved has no rabbits: it loses; the other side has no legal turn: it
loses. A match not decided after `limit` actions, including the setup, is a draw. Sources: 003, sections 2.4.2 and 11;
the official rules of O. and A. Syed (arimaa.com).

Actions: a step is 4 * square + direction, square = 8 * row + column, the directions being down, left, right, up. The
end of a turn, 256, is legal after the first step; the fourth step ends the turn by itself. In the setup an action names
a piece by its strength, 257 rabbit to 262 elephant, and puts it on the next square. The row nearer to the first player
is filled first. A row is filled from either end: 6 more puts its first piece on column h and then the others leftwards,
so that the mirror image of a match is a match. An action is legal if the turn can still be finished. Notation: `Ra1`
puts, `Ra2n` steps (piece, square, s, w, e or n; capitals are the first player's), and `end`.

State: the board's four words and four words of the board when the turn began (see the module `moves`); the latter are
all ones after a piece was lost in this turn. Then the turns since the last loss of a piece, oldest first: the number of
entries and the entries, two bytes each, from which the boards after these turns are found again exactly. An entry
exchanges the piece of code c on one square with the emptiness of another: square + 64 * square + 4096 * c, the larger
square first in the first entry of a turn. Header byte 1: 2 plus the gain when the match is over, and then only the
board is kept; else 0. Header byte 4: the number of steps in this turn, plus 4 and 8 if some board has occurred twice at
the ends of the first and the second player's turns since the last loss. Bytes 6 and 7: the link.

Planes 8 x 8, row 1 first: first player's pieces, second player's pieces, the side to move (1 everywhere for the first
player, 0 for the second), six planes of the first player's rabbits to elephant and six of the second's, empty squares,
traps, frozen pieces, three planes of 1 everywhere from the first, second and third step of a turn, the square that
must be filled next (setup and pushes), pieces that can be pulled, squares that this turn has changed, 1 everywhere if
the position was there before or would be if the turn ended, and three planes of 1 everywhere from a half, three
quarters and seven eighths of the limit. The only feature is an estimate: `material`.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.arimaa.board import board_of
from athenan.games.arimaa.material import FIRST_PLANE, MATERIAL, material
from athenan.games.arimaa.memory import (
    BOARD,
    HISTORY,
    REPEATED,
    START,
    TURN,
    came_up,
    copy_history,
    is_barred,
    load,
    remember,
    store,
    unlike,
)
from athenan.games.arimaa.moves import (
    PUSH,
    STEPS,
    STRONGEST,
    TRAPS,
    at_least,
    bit,
    frozen,
    of_kind,
    pieces_of,
    pullable,
    step_sources,
    take,
)
from athenan.games.arimaa.notation import (
    END,
    FROM_LAST,
    LETTERS,
    PUT,
    action_name,
    path,
    piece_code,
    text,
    turned_actions,
)
from athenan.games.arimaa.setups import NUMBERS, SETUP, awaited, setups, tray
from athenan.games.arimaa.turns import can_finish
from athenan.rules import VECTORS, Advice, Forms, Game, Ruleset
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, highest, lowest, popcount
from athenan.rules.geometry.packing import unpack_row
from athenan.rules.geometry.places import by_step, nowhere, together
from athenan.rules.geometry.rectangle import Rectangle
from athenan.settings import Between

_LINK = 6  # header bytes 6 and 7
_PLANES = 28
_NONE, _ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_ROW = np.uint64(0xFF)
_GOALS = (_ROW << np.uint64(56), _ROW)
_WORTH = (6, 1, 2, 3, 4, 5)  # 003, section 11.3
_ALL_WORTH = sum(number * worth for number, worth in zip(NUMBERS, _WORTH, strict=True))


@rules.helper
def _can_turn(state, player):
    """Whether the player has a legal turn; unless boards are barred, every first step can be the last or a push."""
    board = load(state, BOARD)
    if state[TURN] & REPEATED * (1 + player):
        return can_finish(state, board, player, 0, 0)
    sources = step_sources(board, player, 0, 0)
    return sources[0] | sources[1] | sources[2] | sources[3] != _NONE


@rules.helper
def _next_squares(board, length):
    """The next square of the setup from the left and from the right; -1 for an end at which it cannot go on."""
    row = length >> 3 if length < 16 else 4 + (length >> 3)
    empty = ~at_least(board, 1) & _ROW << np.uint64(8 * row)
    first, last = lowest(empty), highest(empty)
    if length & 7 == 0:
        return first, last
    return (first, -1) if first & 7 else (-1, last)


@rules.helper
def _placements(board, player, length, actions):
    squares, own, count = _next_squares(board, length), pieces_of(board, player), 0
    for side in range(2):
        for kind in range(STRONGEST):
            placed = popcount(own & of_kind(board, kind))
            if squares[side] >= 0 and placed < NUMBERS[kind]:
                actions[count] = PUT + FROM_LAST * side + kind
                count += 1
    return count


@rules.helper
def _steps(sources, actions):
    down, left, right, up = sources
    squares, count = down | left | right | up, 0
    while squares:
        square = lowest(squares)
        place = np.uint64(square)
        squares &= squares - ONE
        actions[count] = 4 * square
        count += down >> place & ONE
        actions[count] = 4 * square + 1
        count += left >> place & ONE
        actions[count] = 4 * square + 2
        count += right >> place & ONE
        actions[count] = 4 * square + 3
        count += up >> place & ONE
    return count


@rules.helper
def _may_be_barred(state, board, player, steps):
    """Whether some action may leave no legal end of the turn.

    Without a repetition only a return to the board of the turn's beginning can, after two or four steps. After two,
    the first step can be played again. The last step restores two squares. A last push restores three, or two after its
    first step.
    """
    if state[TURN] & REPEATED * (1 + player):
        return True
    changed = popcount(unlike(board, load(state, START)))
    return (steps == 2 and changed in (0, 3)) or (steps == 3 and changed == 2)


@rules.helper
def _without_barred(state, board, player, steps, link, actions, count):
    """Keeps the actions after which the turn can be finished; returns their number."""
    kept = 0
    for number in range(count):
        action = actions[number]
        if action == END:
            legal = not is_barred(state, board, player)
        else:
            following, after, _ = take(board, player, link, action >> 2, action & 3)
            legal = can_finish(state, following, player, steps + 1, after)
        actions[kept] = action
        kept += legal
    return kept


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1]:
        return 0
    board, player, length = load(state, BOARD), np.int64(state[0]), rules.length(state)
    if length < SETUP:
        return _placements(board, player, length, actions)
    steps, link = state[TURN] & 3, rules.load16(state, _LINK)
    count = _steps(step_sources(board, player, steps, link), actions)
    if steps > 0 and link < PUSH:
        actions[count] = END
        count += 1
    if _may_be_barred(state, board, player, steps):
        return _without_barred(state, board, player, steps, link, actions, count)
    return count


@rules.helper
def _place(state, action, following):
    length, side, player = rules.length(state), (action - PUT) // FROM_LAST, np.int64(state[0])
    square = bit(_next_squares(load(state, BOARD), length)[side])
    code = 1 + (action - PUT) % FROM_LAST + 8 * player
    rules.copy_state(state, following)
    rules.advance_header(state, following, (length + 1) // 16 % 2)
    for word in range(4):
        if code >> word & 1:
            rules.store64(following, BOARD + 8 * word, rules.load64(state, BOARD + 8 * word) | square)
    if length + 1 == SETUP:
        store(following, START, load(following, BOARD))


@rules.helper
def _gain(state, board, player):
    """The gain of the player whose turn has ended, or ONGOING."""
    rabbits = at_least(board, 1) & ~at_least(board, 2)
    own, other = rabbits & pieces_of(board, player), rabbits & pieces_of(board, 1 - player)
    if own & _GOALS[player]:
        return 1
    if other & _GOALS[1 - player]:
        return -1
    if other == _NONE:
        return 1
    if own == _NONE:
        return -1
    return rules.ONGOING if _can_turn(state, 1 - player) else 1


@rules.helper
def _finish(state, gain):
    """Ends the match with a gain of the first player."""
    state[1] = 2 + gain
    rules.store64(state, 0, rules.load64(state, 0) & np.uint64(0xFFFFFFFF))
    for place in range(START, len(state), 8):
        rules.store64(state, place, _NONE)


@rules.helper
def _end_turn(state, start, board, player):
    """Ends the player's turn in a state that is otherwise complete."""
    state[0] = 1 - player
    state[TURN] &= ~3
    rules.store16(state, _LINK, 0)
    if start[0] != _ALL:
        if came_up(state, board, 1, 1):
            state[TURN] |= REPEATED * (1 + player)
        remember(state, start, board)
    store(state, START, board)
    gain = _gain(state, board, player)
    if gain != rules.ONGOING:
        _finish(state, gain if player == 0 else -gain)


@rules.helper
def _act(state, action, following):
    """Plays a step or the end of a turn."""
    player, board, start = np.int64(state[0]), load(state, BOARD), load(state, START)
    steps, repeated, link, lost = state[TURN] & 3, state[TURN] & ~3, rules.load16(state, _LINK), _NONE
    if action != END:
        board, link, lost = take(board, player, link, action >> 2, action & 3)
        steps += 1
    if lost:
        start, repeated = (_ALL, _ALL, _ALL, _ALL), 0
    rules.advance_header(state, following, player)
    following[TURN] = repeated + (steps & 3)
    rules.store16(following, _LINK, link)
    store(following, BOARD, board)
    store(following, START, start)
    copy_history(state, following, lost != _NONE)
    if action == END or steps == STEPS:
        _end_turn(following, start, board, player)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    if rules.length(state) < SETUP:
        _place(state, action, following)
    else:
        _act(state, action, following)
    if not following[1] and rules.length(following) == params[0]:
        _finish(following, 0)


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return popcount(pieces_of(load(state, BOARD), player))


@rules.kernel(rules.TERMINAL_VALUE)
def worth(own, state, outcome, constants):
    """The heuristic of 003, section 11.3; a draw, which the section does not mention, is 0."""
    board, difference = load(state, BOARD), 0
    for kind in range(STRONGEST):
        standing = of_kind(board, kind)
        first, second = popcount(standing & pieces_of(board, 0)), popcount(standing & pieces_of(board, 1))
        difference += _WORTH[kind] * (first - second)
    return np.float64(outcome * _ALL_WORTH + difference if outcome else 0)


@rules.helper
def _write_plane(planes, plane, squares):
    unpack_row(squares, planes, 64 * plane, 64)


@rules.helper
def _to_fill(board, length, link):
    """The one or two squares, one of which the next action must fill."""
    if length >= SETUP:
        return bit(link & 63) if link >= PUSH else _NONE
    first, last = _next_squares(board, length)
    return (bit(first) if first >= 0 else _NONE) | (bit(last) if last >= 0 else _NONE)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    board, start, player, length = load(state, BOARD), load(state, START), np.int64(state[0]), rules.length(state)
    steps, link, playing = state[TURN] & 3, rules.load16(state, _LINK), not state[1] and length >= SETUP
    for owner in range(2):
        own = pieces_of(board, owner)
        _write_plane(planes, owner, own)
        for kind in range(STRONGEST):
            _write_plane(planes, FIRST_PLANE + STRONGEST * owner + kind, own & of_kind(board, kind))
    _write_plane(planes, 2, _NONE if player else _ALL)
    _write_plane(planes, 15, ~at_least(board, 1))
    _write_plane(planes, 16, TRAPS)
    _write_plane(planes, 17, frozen(board, 0) | frozen(board, 1))
    for taken in range(1, STEPS):
        _write_plane(planes, 17 + taken, _ALL if steps >= taken else _NONE)
    _write_plane(planes, 21, _NONE if state[1] else _to_fill(board, length, link))
    _write_plane(planes, 22, pullable(board, player, link))
    _write_plane(planes, 23, unlike(board, start) if playing and start[0] != _ALL else _NONE)
    _write_plane(planes, 24, _ALL if playing and came_up(state, board, 1 if steps else 2, 1) else _NONE)
    for eighths, plane in ((4, 25), (6, 26), (7, 27)):
        _write_plane(planes, plane, _ALL if 8 * length >= eighths * params[0] else _NONE)


KERNELS = rules.table(actions, play, encode, pieces, initial=rules.empty_board, outcome=rules.noted_outcome)


def make(*, limit: Annotated[int, Between(SETUP + 1, 65535)] = 900) -> Game:
    """Arimaa, drawn if not decided after `limit` actions."""
    params = np.array([limit], np.int64)
    squares = Rectangle(
        8, 8, _PLANES, encode, params, turned_actions=turned_actions, symmetries=(grid.IDENTITY, grid.MIRROR)
    )
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=HISTORY + ((2 * (limit - SETUP + 1) + 7) & ~7),
            max_actions=7 * 8 * 2 + 1 + 3,  # a pair of neighbours has one step at most; `_steps` writes three ahead
            max_length=limit,
            typical_length=min(limit, 340),
            heuristics={"arimaa": rules.OwnHeuristic(worth, largest=2 * _ALL_WORTH)},
            features=MATERIAL,
            evaluations={"material": material},
        ),
        squares.layout(
            board_of(int(TRAPS), LETTERS, piece_code, path, tray, setups, awaited),
            action_name=action_name,
            text=text,
            marks=("capital letters", "small letters"),
            places=together(8, 8, by_step(8, 8, 4), nowhere(1 + 2 * FROM_LAST)),
        ),
        forms=Forms(programs=("aei",)),
        advice=Advice(network=f"{VECTORS},layers=true,estimate=true", pattern_heuristic="classic", search="alphabeta"),
    )
