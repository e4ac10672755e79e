"""Lines of Action on 8 x 8.

Goal: bring all of your pieces into one connected group.

Play: Black begins. A piece moves along a row, column or diagonal by exactly as many cells as there are pieces on that
line. It leaps over its own pieces but not over opposing ones, and captures by landing. Pieces that touch diagonally are
connected.

The first player's (x) pieces start on b1-g1 and b8-g8, the second's (o) on a2-a7 and h2-h7. The pieces of both colours
on the whole line count. A player whose pieces are all connected (a single piece is connected) wins, even by the
opponent's move. If a move connects both sides, the mover wins (`simultaneous=mover`, the default) or the match is drawn
(`simultaneous=draw`). `pass` is legal only without a move. The first repetition of a position (board and side to move)
ends the match as a draw, and so do 120 actions in a row without a capture, a limit of this implementation. A cell is a
letter for its column from the left and a number for its row from the bottom; an action is written `b1-b3`, a capture
`b1xb3`. Sources: 003, section 2.4.10; the rules of C. Soucie; the notation is OpenSpiel's.

Actions: 8 * cell + direction, cell = 8 * row + column; directions are ordered by the cell they lead to (down left,
down, down right, left, right, up left, up, up right). 512 is `pass`.

State: the words of the first and the second player's pieces (bit = cell), then the actions since the last capture in
two bytes each, from and to (a pass goes from 0 to 0), then zeros. Undoing them shows exactly all earlier positions that
can come back. Header byte 1: 2 plus the gain when the match is over, and the actions are then forgotten; else 0. Header
byte 4: the number of actions since the last capture.

Planes 8 x 8, row 1 first: first player's pieces, second player's pieces, the side to move (1 everywhere for the first
player, 0 for the second), the cells where moves that repeat a position begin and end. The declared symmetries are the
eight of the board, which keep the rules. The first four also keep the start; the others put the first player's pieces
on its sides.
"""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from athenan import rules
from athenan.rules import Advice, Forms, Game, Ruleset, State
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.deciding import arrived
from athenan.rules.geometry.rectangle import Rectangle, steps
from athenan.rules.sgf import Sgf, SgfTurns, called, known

_LIMIT = 120  # actions without a capture
_PIECES = rules.HEADER  # the words of the first and the second player's pieces
_HISTORY = rules.HEADER + 16
_COUNT = 4  # header byte: the actions in the history
_PASS = 512
_BITS = CellBits(8, 8, stride=8, size=8)
_START = (0x7E0000000000007E, 0x0081818181818100)
_FILES = np.uint64(0x7E7E7E7E7E7E7E7E), np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
_STEPS = np.array([(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column])


def _ray(cell: int, direction: int) -> list[int]:
    """The cells in one direction, the nearest first."""
    row, column = divmod(cell, 8)
    down, right = _STEPS[direction]
    ray = []
    while 0 <= (row := row + down) < 8 and 0 <= (column := column + right) < 8:
        ray.append(int(8 * row + column))
    return ray


def _word(cells: list[int]) -> np.uint64:
    return np.uint64(sum(1 << cell for cell in cells))


_LINES = np.array(
    [_word([cell, *_ray(cell, line), *_ray(cell, 7 - line)]) for cell in range(64) for line in range(4)], np.uint64
)
_WAYS = [_ray(cell, direction) for cell in range(64) for direction in range(8)]
_TARGET = np.array([_word(way[distance - 1 : distance] if distance else []) for way in _WAYS for distance in range(9)])
"""The cell by cell, direction and distance; 0 beyond the border."""
_LEAPT = np.array([_word(way[: max(0, distance - 1)]) for way in _WAYS for distance in range(9)])
"""The cells between, by cell, direction and distance."""
_STEP = np.array([8 * down + right for down, right in _STEPS])


@rules.helper
def _distance(occupied, cell, direction):
    """The distance that a piece moves."""
    return popcount(_LINES[4 * cell + min(direction, 7 - direction)] & occupied)


@rules.helper
def _may_move(own, other, cell, direction):
    """Whether a piece of `own` on the cell can move in the direction."""
    way = 9 * (8 * cell + direction) + _distance(own | other, cell, direction)
    return (_TARGET[way] & ~own != 0) & (_LEAPT[way] & other == 0)


@rules.helper
def _connected(pieces):
    """Whether all pieces, at least one, are one group."""
    group, before = pieces & -pieces, np.uint64(0)
    while group != before:
        before = group
        group |= ((group & _FILES[2]) << ONE) | ((group & _FILES[1]) >> ONE)
        group |= (group << np.uint64(8)) | (group >> np.uint64(8))
        group &= pieces
    return group == pieces


@rules.helper
def _moved(state, number):
    """The cells that an action of the history emptied or filled."""
    place = _HISTORY + 2 * number
    return (ONE << np.uint64(state[place])) ^ (ONE << np.uint64(state[place + 1]))


@rules.helper
def _repeats(state):
    """Whether the actions since some earlier position of the history with the same side to move change nothing."""
    first, second = np.uint64(0), np.uint64(0)
    for number in range(state[_COUNT] - 1, 0, -2):
        first ^= _moved(state, number)
        second ^= _moved(state, number - 1)
        if not first | second:
            return True
    return False


@rules.helper
def _remember(state, following, start, to):
    """Appends an action to the history, or empties it if `to` is negative."""
    count, words = np.int64(state[_COUNT]), (2 * _LIMIT) // 8
    used = 0 if to < 0 else (count + 3) // 4
    for word in range(words):
        place = _HISTORY + 8 * word
        rules.store64(following, place, rules.load64(state, place) if word < used else np.uint64(0))
    following[_COUNT] = 0
    if to >= 0:
        following[_COUNT] = count + 1
        following[_HISTORY + 2 * count], following[_HISTORY + 2 * count + 1] = start, to


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    rules.store64(state, _PIECES, np.uint64(_START[0]))
    rules.store64(state, _PIECES + 8, np.uint64(_START[1]))


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1]:
        return 0
    own, other = rules.load64(state, _PIECES + 8 * state[0]), rules.load64(state, _PIECES + 8 - 8 * state[0])
    pieces, count = own, 0
    while pieces:
        cell = lowest(pieces)
        pieces &= pieces - ONE
        for direction in range(8):
            actions[count] = 8 * cell + direction
            count += _may_move(own, other, cell, direction)
    if count == 0:
        actions[0] = _PASS
        return 1
    return count


@rules.helper
def _over(params, own, other, captured):
    """The mover's gain, or ONGOING; only captures change an opposing group."""
    if captured and _connected(other):
        return (0 if params[0] else 1) if _connected(own) else -1
    return 1 if _connected(own) else rules.ONGOING


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player = state[0]
    own, other = rules.load64(state, _PIECES + 8 * player), rules.load64(state, _PIECES + 8 - 8 * player)
    rules.advance_header(state, following, 1 - player)
    start, to, captured, gain = 0, 0, False, rules.ONGOING
    if action != _PASS:
        start = action >> 3
        to = start + _distance(own | other, start, action & 7) * _STEP[action & 7]
        target = ONE << np.uint64(to)
        captured = other & target != 0
        own, other = own ^ target ^ (ONE << np.uint64(start)), other & ~target
        gain = _over(params, own, other, captured)
    rules.store64(following, _PIECES + 8 * player, own)
    rules.store64(following, _PIECES + 8 - 8 * player, other)
    _remember(state, following, start, -1 if captured or gain != rules.ONGOING else to)
    if gain == rules.ONGOING and (following[_COUNT] == _LIMIT or _repeats(following)):
        gain = 0
        _remember(state, following, 0, -1)
    if gain != rules.ONGOING:
        following[1] = 2 + (gain if player == 0 else -gain)


@rules.helper
def _spread(pieces):
    """The mean distance, in moves of a king, of pieces from their centre of mass."""
    count, rows, columns, left, total = popcount(pieces), 0, 0, pieces, 0
    while left:
        cell = lowest(left)
        left &= left - ONE
        rows, columns = rows + (cell >> 3), columns + (cell & 7)
    while pieces:
        cell = lowest(pieces)
        pieces &= pieces - ONE
        total += max(abs(count * (cell >> 3) - rows), abs(count * (cell & 7) - columns))
    return total / (count * count)


@rules.kernel(rules.STATE_VALUE)
def concentration(game, state):
    """How close pieces are on average to their centre of mass; a lead of 1 cell is worth 1/2.

    The idea is one of nine in M. Winands, J. van den Herik, J. Uiterwijk, An evaluation function for Lines of Action.
    """
    first, second = rules.load64(state, _PIECES), rules.load64(state, _PIECES + 8)
    return rules.advantage(_spread(second) - _spread(first), 1.0)


@rules.helper
def _legal_between(own, other, cells):
    """Whether the piece of `own` on one of two cells can move to the other, which is empty."""
    start, to = lowest(cells & own), lowest(cells & ~own)
    for direction in range(8):
        reached = start + _distance(own | other, start, direction) * _STEP[direction]
        if reached == to and _may_move(own, other, start, direction):
            return True
    return False


@rules.helper
def _repeating(state):
    """The cells emptied or filled by moves that repeat a position."""
    own, other = rules.load64(state, _PIECES + 8 * state[0]), rules.load64(state, _PIECES + 8 - 8 * state[0])
    own_moved, other_moved, cells = np.uint64(0), np.uint64(0), np.uint64(0)
    for number in range(state[_COUNT] - 1, 1, -2):
        other_moved ^= _moved(state, number)
        own_moved ^= _moved(state, number - 1)
        only_own = other_moved == _moved(state, number - 2)
        if only_own and popcount(own_moved) == 2 and _legal_between(own, other, own_moved):
            cells |= own_moved
    return cells


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    first, second, repeating = rules.load64(state, _PIECES), rules.load64(state, _PIECES + 8), _repeating(state)
    for cell in range(64):
        bit = np.uint64(cell)
        planes[cell] = (first >> bit) & ONE
        planes[64 + cell] = (second >> bit) & ONE
        planes[128 + cell] = 1 - state[0]
        planes[192 + cell] = (repeating >> bit) & ONE


KERNELS = rules.table(initial, actions, play, encode, outcome=rules.noted_outcome, pieces=rules.pieces_in_words)


def _name(cell: int) -> str:
    return f"{grid.column_name(cell % 8)}{cell // 8 + 1}"


def _words(state: State) -> list[int]:
    return [int(word) for word in state[_PIECES:_HISTORY].view(np.uint64)]


def _action_name(state: State, action: int) -> str:
    if action == _PASS:
        return rules.PASS_NAME
    first, second = _words(state)
    cell, direction = divmod(action, 8)
    distance = (int(_LINES[4 * cell + min(direction, 7 - direction)]) & (first | second)).bit_count()
    target = cell + distance * int(_STEP[direction])
    return f"{_name(cell)}{'x' if (first | second) >> target & 1 else '-'}{_name(target)}"


def _image(state: State) -> State:
    """The state with the players exchanged, mirrored at the diagonal, so that the start is its own image."""
    image = _turned(state, grid.TRANSPOSE)
    image[1] = 4 - state[1] if state[1] else 0
    return _BITS.image(image)


def _turned(state: State, transform: grid.Transform) -> State:
    """The state with its board turned. A pass stays from 0 to 0."""
    image, history = _BITS.turned(state, transform), state[_HISTORY:].reshape(-1, 2)
    cells = grid.cell_symmetries(8, 8, (transform,))[0]
    image[_HISTORY:] = np.where(history[:, :1] == history[:, 1:], 0, cells[history]).reshape(-1)
    return image


def _write_sgf(game: Game, state: State, actions: Sequence[int]) -> str:
    return game.action_name(state, actions[0]).replace("x", ":")


def _read_sgf(game: Game, state: State, text: str) -> list[int]:
    """Reads `b1-b3`, `b1:b3`, `b1b3`, and remarks after a move."""
    found = re.match(r"([a-h][1-8])[-:x]?([a-h][1-8])", text.lower())
    if not found:
        return [game.parse_action(state, text)]
    names = game.named_actions(state)
    actions = [names[name] for sign in "-x" if (name := f"{found[1]}{sign}{found[2]}") in names]
    return actions or [game.parse_action(state, text)]


_SGF = Sgf(
    "lines_of_action", 9, SgfTurns(_write_sgf, _read_sgf), size="",
    rules=known(called("loa", "linesofaction", "standard", "default")),
)  # fmt: skip


def make(*, simultaneous: Literal["mover", "draw"] = "mover") -> Game:
    """Lines of Action; a move that connects both sides is a win of the `mover` or a `draw`."""
    params = np.array([simultaneous == "draw"], np.int64)
    cells = Rectangle(
        8, 8, 4, encode, params, [steps(8, 8, grid.ALL_AROUND)], others=(rules.PASS_NAME,), symmetries=grid.OBLONG,
        of_rules=grid.SQUARE, turned=_turned,
    )  # fmt: skip
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=_HISTORY + 2 * _LIMIT,
            max_actions=96,
            max_length=21 * _LIMIT,  # a side keeps two pieces until its last one connects
            typical_length=100,
            evaluations={"concentration": concentration},
            carries_over=("simultaneous",),
        ),
        cells.layout(
            cells.board(counted="pieces", deciding=arrived(cells.scene, (range(64), range(64)))),
            cells.exchange(_image, grid.TRANSPOSE),
            action_name=_action_name,
        ),
        title="Lines of Action",
        forms=Forms(sgf=_SGF),
        advice=Advice("patterns:entries=4096,vector=32,hidden=32"),
    )
