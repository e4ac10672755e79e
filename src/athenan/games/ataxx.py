"""Ataxx on an n x n board, n from 3 to 8, with or without blocked cells.

Goal: have more pieces than the opponent when nobody can move, by turning the opponent's pieces over.

Play: Red begins. A piece either doubles onto a cell beside it or jumps two cells away and leaves its old cell. All
opposing pieces beside the new cell change to your colour. If you cannot move, you pass.

The first player's (x) pieces start in the upper left and lower right corners, the second's (o) in the other two. A
piece clones itself onto an empty cell beside it (diagonals included), or jumps to an empty cell two rows or columns
away. No piece stands on or moves to a blocked cell. `pass` is legal only without a move. The match ends when a side has
no pieces or neither side can move, for example on a full board. More pieces win; equal numbers are a draw. After 100
actions in a row without a clone it is also a draw, whatever the numbers of pieces. The score is the first player's
pieces less the second's, or 0 in that last case. A cell is a letter for its column from the left and a number for its
row from the bottom; a clone is written `b2`, a jump `a1c2`. A clone is written as its target, since its origin makes no
difference. A position may be written as FEN: the rows from the top with `x`, `o`, `-` for a blocked cell and the
numbers of empty cells, the side to move, the actions since the last clone, the number of the move, as in
`x5o/7/7/7/7/7/o5x x 0 1`. Sources: the game of D. Crummack and C. Galley, 1988; the Universal Ataxx Interface for the
notation and the FEN.

Actions: a clone: its cell, n * row + column; a jump: n * n + 16 * (cell it leaves) + direction, the 16 directions
ordered by the cell they lead to, from the lower left; 17 * n * n is `pass`.

State: the words of the first and of the second player's pieces; the cell of a row and a column from 0 is bit
8 * row + column. Header byte 1: 0, or 1 when the side to move must pass, or 2 when the match is over. Header byte 4:
the number of actions since the last clone.

Planes n x n, row 1 first: first player's pieces, second player's pieces, the side to move (1 everywhere for the first
player, 0 for the second), 1 everywhere after 50 actions without a clone; and, if there are any, the blocked cells. All
symmetries of the board that map blocked cells to blocked cells keep the rules and are declared: first the identity, the
half turn and the reflections in the diagonals, which also keep the start.
"""

import re
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules import VECTORS, Advice, Fen, Forms, Game, GameError, Ruleset, State, UciVariant
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.packing import fill, unpack_row
from athenan.rules.geometry.ranks import move_number, read_number, read_ranks, split_fen, write_ranks
from athenan.rules.geometry.rectangle import Rectangle, puts, steps
from athenan.settings import Between, shown

_LIMIT = 100  # actions without a clone
_PIECES = rules.HEADER  # the words of the first and the second player's pieces
_MUST_PASS, _OVER = 1, 2  # header byte 1
_QUIET = 4  # header byte: actions since the last clone
_JUMPS = [(up, right) for up in range(-2, 3) for right in range(-2, 3) if max(abs(up), abs(right)) == 2]
_STEP = np.array([8 * up + right for up, right in _JUMPS])
_DIRECTION = np.array([int(np.argmax(step == _STEP)) for step in range(-18, 19)])
"""The direction of a jump, by the difference of its bits plus 18."""
_EDGES = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)  # all but the first, the last column


def _ring(bit: int) -> int:
    """The cells that a piece can jump to."""
    row, column = divmod(bit, 8)
    cells = [(row + up, column + right) for up, right in _JUMPS]
    return sum(1 << (8 * row + column) for row, column in cells if 0 <= row < 8 and 0 <= column < 8)


_RINGS = np.array([_ring(bit) for bit in range(64)], np.uint64)


@rules.helper
def _spread(cells):
    """The cells and all their neighbours."""
    cells |= ((cells << ONE) & _EDGES[0]) | ((cells >> ONE) & _EDGES[1])
    return cells | (cells << np.uint64(8)) | (cells >> np.uint64(8))


@rules.helper
def _can_move(params, own, other):
    return _spread(_spread(own)) & np.uint64(params[1]) & ~(own | other) != 0


@rules.helper
def _flag(params, mover, waiting):
    """Header byte 1 for the pieces of the side to move and of the other one."""
    if mover == 0 or waiting == 0:
        return _OVER
    if _can_move(params, mover, waiting):
        return 0
    return _MUST_PASS if _can_move(params, waiting, mover) else _OVER


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    last = params[0] - 1
    first = (ONE << np.uint64(8 * last)) | (ONE << np.uint64(last))
    second = ONE | (ONE << np.uint64(9 * last))
    rules.store64(state, _PIECES, first)
    rules.store64(state, _PIECES + 8, second)
    state[1] = _flag(params, first, second)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    size, area, count = params[0], params[0] * params[0], 0
    if state[1]:
        actions[0] = 17 * area
        return state[1] == _MUST_PASS
    own, other = rules.load64(state, _PIECES + 8 * state[0]), rules.load64(state, _PIECES + 8 - 8 * state[0])
    empty = np.uint64(params[1]) & ~(own | other)
    clones = _spread(own) & empty
    while clones:
        bit = lowest(clones)
        clones &= clones - ONE
        actions[count] = (bit >> 3) * size + (bit & 7)
        count += 1
    while own:
        bit = lowest(own)
        own &= own - ONE
        jump, jumps = area + 16 * ((bit >> 3) * size + (bit & 7)), _RINGS[bit] & empty
        while jumps:
            actions[count] = jump + _DIRECTION[lowest(jumps) - bit + 18]
            jumps &= jumps - ONE
            count += 1
    return count


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, area, player = params[0], params[0] * params[0], state[0]
    own, other = rules.load64(state, _PIECES + 8 * player), rules.load64(state, _PIECES + 8 - 8 * player)
    quiet = 0 if action < area else state[_QUIET] + 1
    if action < 17 * area:
        cell = action if action < area else (action - area) >> 4
        bit = 8 * (cell // size) + cell % size
        if action >= area:
            own ^= ONE << np.uint64(bit)
            bit += _STEP[(action - area) & 15]
        target = ONE << np.uint64(bit)
        taken = _spread(target) & other
        own, other = own | target | taken, other & ~taken
    rules.advance_header(state, following, 1 - player)
    rules.store64(following, _PIECES + 8 * player, own)
    rules.store64(following, _PIECES + 8 - 8 * player, other)
    following[1] = _flag(params, other, own)
    following[_QUIET] = quiet
    if quiet == _LIMIT:
        following[1] = _OVER


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """The difference of the numbers of pieces, which is the score at the end; a lead of 10 is worth 1/2."""
    return rules.advantage(popcount(rules.load64(state, _PIECES)) - popcount(rules.load64(state, _PIECES + 8)), 10)


@rules.helper
def _difference(params, state):
    """The score of a finished match: 0 if only the limit ended it."""
    first, second = rules.load64(state, _PIECES), rules.load64(state, _PIECES + 8)
    if state[_QUIET] == _LIMIT and _flag(params, first, second) != _OVER:
        return 0
    return popcount(first) - popcount(second)


@rules.kernel(rules.SCORE)
def score(params, state):
    return _difference(params, state)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1] != _OVER:
        return rules.ONGOING
    difference = _difference(params, state)
    return (difference > 0) - (difference < 0)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    size, blocked = params[0], np.uint64(params[2])
    area, first, second = size * size, rules.load64(state, _PIECES), rules.load64(state, _PIECES + 8)
    for row in range(size):
        shift, begin = np.uint64(8 * row), row * size
        unpack_row(first >> shift, planes, begin, size)
        unpack_row(second >> shift, planes, area + begin, size)
        if blocked:
            unpack_row(blocked >> shift, planes, 4 * area + begin, size)
    fill(planes, 2 * area, area, 1 - state[0])
    fill(planes, 3 * area, area, 2 * state[_QUIET] >= _LIMIT)


KERNELS = rules.table(initial, actions, play, outcome, encode, score, pieces=rules.pieces_in_words)


def _blocked_cells(size: int, names: frozenset[str]) -> list[int]:
    """The cells that an option names."""
    cells = []
    for name in sorted(names):
        row, column = (int(name[1]) - 1, ord(name[0]) - ord("a")) if re.fullmatch("[a-h][1-8]", name) else (size, size)
        if max(row, column) >= size:
            raise GameError(f"blocked must be cells such as c3+e5: a {size}x{size} board has no cell {shown(name)}")
        if row in (0, size - 1) and column in (0, size - 1):
            raise GameError(f"the corner {name} cannot be blocked: a piece starts there")
        cells.append(size * row + column)
    return sorted(cells)


def _keeps(walls: list[int], size: int, transform: grid.Transform) -> bool:
    """Whether a symmetry maps blocked cells to blocked cells."""
    return set(grid.cell_symmetries(size, size, (transform,))[0][walls].tolist()) == set(walls)


def _cells(size: int, walls: list[int], params: NDArray[np.int64]) -> Rectangle:
    """The board, with the symmetries that keep the blocked cells."""
    every = [transform for transform in grid.SQUARE if _keeps(walls, size, transform)]
    return Rectangle(
        size, size, 5 if walls else 4, encode, params,
        actions=[puts(size, size), steps(size, size, _JUMPS)], others=(rules.PASS_NAME,),
        symmetries=[transform for transform in grid.DIAGONAL if transform in every], of_rules=every,
        bits=CellBits(size, size, stride=8, size=8),
    )  # fmt: skip


def _letters(game: Game, state: State) -> list[str]:
    """The rows of a FEN, top row first; "." is an empty cell."""
    size = int(game.params[0])
    letters = np.full((8, 8), ".")
    words = np.array([*state[_PIECES : _PIECES + 16].view(np.uint64), game.params.view(np.uint64)[2]])
    cells = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(3, 8, 8)
    for letter, there in zip("xo-", cells, strict=True):
        letters[there == 1] = letter
    return ["".join(row) for row in letters[size - 1 :: -1, :size]]


def write_fen(game: Game, state: State) -> str:
    """A position as FEN."""
    return f"{write_ranks(_letters(game, state))} {'xo'[state[0]]} {state[_QUIET]} {move_number(state)}"


def read_fen(game: Game, text: str) -> State:
    """The state that a FEN describes; the last fields may be left out. Raises GameError if it is not a position."""
    size, fields = int(game.params[0]), split_fen(text.lower(), "xo", "0 1")
    rows = read_ranks(fields[0], size, size, "xo-")
    state = np.zeros(game.state_size, np.int8)
    if [re.sub("[xo]", ".", row) for row in rows] != _letters(game, state):
        raise GameError(f"{shown(text)} is not a position of {game.name}: its blocked cells differ")
    state[0] = fields[1] == "o"
    if fields[2:]:
        state[_QUIET] = read_number(fields[2], _LIMIT - 1, "the number of actions since the last clone")
    board = "".join(row.ljust(8, ".") for row in rows[::-1]).ljust(64, ".")
    pieces = state[_PIECES : _PIECES + 16].view(np.uint64)
    pieces[:] = [sum(1 << bit for bit, letter in enumerate(board) if letter == of) for of in "xo"]
    state[1] = _flag(game.params, pieces[state[0]], pieces[1 - state[0]])
    return state


def make(size: Annotated[int, Between(3, 8)] = 7, *, blocked: frozenset[str] = frozenset()) -> Game:
    """Ataxx on a size x size board; `blocked` names cells that nobody can use, such as c3+e5."""
    area, walls = size * size, _blocked_cells(size, blocked)
    words = [sum(1 << (8 * (cell // size) + cell % size) for cell in cells) for cells in (range(area), walls)]
    params = np.array([size, words[0] & ~words[1], words[1]], np.uint64).view(np.int64)

    cells = _cells(size, walls, params)

    def text(state: State) -> str:
        shown = grid.stones(cells.encoded(state))
        shown.reshape(-1)[walls] = "#"
        return cells.framed(shown)

    usual = cells.board(tone="plain").places
    places = tuple(one._replace(tone="wall") if cell in walls else one for cell, one in enumerate(usual))
    turned = grid.MIRROR if _keeps(walls, size, grid.MIRROR) else grid.IDENTITY  # keeps the start if players change
    game = Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 16,
            max_actions=8 * (size - 1) * (size - 2) + area,  # a jump and its reverse are not both legal
            max_length=_LIMIT * (area - len(walls) - 3),  # every clone adds a piece, and no piece is ever removed
            typical_length=(size - 3) * area + 4,
            max_score=area - len(walls),
            evaluations={"material": material},
        ),
        cells.layout(
            cells.board(places=places, colours=("red", "blue"), counted="pieces"),
            cells.exchange(transform=turned),
            action_name=lambda state, action: "".join(cells.touched(action)),
            text=text,
        ),
        forms=Forms(Fen(read_fen, write_fen), uci=UciVariant("ataxx", drops=True) if size == 7 and not walls else None),
        advice=Advice(VECTORS),
    )
    if walls and game.outcome(game.initial()) is not None:
        raise GameError("neither side could move")
    return game
