"""Santorini on 5 x 5 cells with two workers a side, without the god powers.

Goal: step with one of your workers up to the third level of a building.

Play: First both players place two workers. Then each turn moves a worker to a neighbouring cell, at most one level up,
and builds a level beside it. The fourth level is a dome, on which nobody can stand. If you cannot move, you lose.

First the first player (x), then the second (o) puts two workers on empty cells, one an action (`c3`). A turn is two
actions of one side. The first, written `c3-d4`, moves a worker to a neighbouring cell without worker and dome, any
number of levels lower; the second, written `d3`, builds on a cell without worker and dome. A step up to the third level
wins at once. Every other move can be followed by a build, since the cell just left has no worker and no dome. There are
no draws. A cell is a letter for its column from the left and a number for its row from the bottom. Sources: 003,
section 2.4.11; the rules of G. Hamilton, 2004.

Actions: 5 * row + column to put a worker or to build; then 25 + 8 * cell + direction for a move, with the directions in
the order of the cells they lead to: down left, down, down right, left, right, up left, up, up right.

State: six boards of 32 bits, the cell of a row and a column being bit 6 * row + column: the cells of at least 1, 2, 3,
4 levels, the first player's workers, the second's. Header byte 1: 1 when the match is won, by the player who is not to
move. Header byte 4: 1 + the bit of the worker that moved if a build follows, else 0.

Planes 5 x 5, row 1 first: first player's workers, second player's workers, the side to move (1 everywhere for the
first player, 0 for the second), cells of at least 1, 2, 3 levels, cells without dome (the border blocks like domes
do, so a plane of domes would hide it), and the worker that builds now.
"""

import numpy as np

from athenan import rules
from athenan.rules import VECTORS, Advice, Game, Piece, Ruleset, Scene, State
from athenan.rules.board import NOBODY, Awaited, Decision
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.rectangle import Rectangle, puts, steps

_LEVELS = rules.HEADER  # two words: at least 1 and 2 levels, at least 3 and 4
_WORKERS = rules.HEADER + 16  # one word: first and second player's
_BUILDER = 4  # header byte
_SIZE, _CELLS = 5, 25
_PUTS = 4  # actions before the first move
_BOARD = np.uint64(sum(0b11111 << 6 * row for row in range(_SIZE)))
_AROUND = np.uint64(0b111_000_101_000_111)  # the neighbours of bit 7
_HALF, _LOW, _SEVEN = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(7)


@rules.helper
def _cell(bit):
    return _SIZE * (bit // 6) + bit % 6


@rules.helper
def _bit(cell):
    return 6 * (cell // _SIZE) + cell % _SIZE


@rules.helper
def _has(state, board, bit):
    """Whether a bit of a board is set: 0 to 3 for at least 1 to 4 levels, 4 and 5 for the players' workers."""
    return (state[_LEVELS + 4 * board + (bit >> 3)] >> (bit & 7)) & 1


@rules.helper
def _flip(state, board, bit):
    state[_LEVELS + 4 * board + (bit >> 3)] ^= 1 << (bit & 7)


@rules.helper
def _workers(state, player):
    return (rules.load64(state, _WORKERS) >> np.uint64(32 * player)) & _LOW


@rules.helper
def _free(state):
    """The cells without worker and dome."""
    domes = rules.load64(state, _LEVELS + 8) >> _HALF
    return _BOARD & ~(domes | _workers(state, 0) | _workers(state, 1))


@rules.helper
def _around(bit):
    """The neighbours of a cell, and perhaps bits that are not cells."""
    return _AROUND << np.uint64(bit) >> _SEVEN


@rules.helper
def _targets(state, bit):
    """The cells where the worker on a cell can go: not two levels higher."""
    level = _has(state, 0, bit) + _has(state, 1, bit)
    too_high = rules.load64(state, _LEVELS + 4 * (level + 1)) & _LOW
    return _free(state) & _around(bit) & ~too_high


@rules.helper
def _can_move(state, player):
    workers = _workers(state, player)
    while workers:
        if _targets(state, lowest(workers)):
            return True
        workers &= workers - ONE
    return False


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    count = 0
    if state[1]:
        return 0
    if rules.length(state) < _PUTS or state[_BUILDER]:
        cells = _free(state)
        if state[_BUILDER]:
            cells &= _around(state[_BUILDER] - 1)
        while cells:
            actions[count] = _cell(lowest(cells))
            cells &= cells - ONE
            count += 1
        return count
    workers = _workers(state, state[0])
    while workers:
        bit = lowest(workers)
        workers &= workers - ONE
        targets = _targets(state, bit) << _SEVEN >> np.uint64(bit)  # as if the worker stood on bit 7
        while targets:
            place = lowest(targets)
            targets &= targets - ONE
            direction = place - 3 * (place > 5) - (place > 7) - 3 * (place > 11)
            actions[count] = _CELLS + 8 * _cell(bit) + direction
            count += 1
    return count


@rules.helper
def _build(state, bit):
    level = 0
    while _has(state, level, bit):
        level += 1
    _flip(state, level, bit)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player = state[0]
    rules.copy_state(state, following)
    if action >= _CELLS:
        bit, direction = _bit((action - _CELLS) >> 3), (action - _CELLS) & 7
        target = bit - 7 + direction + 3 * (direction > 2) + (direction > 3) + 3 * (direction > 4)
        _flip(following, 4 + player, bit)
        _flip(following, 4 + player, target)
        won = _has(state, 2, target)
        rules.advance_header(state, following, 1 - player if won else player)
        following[1] = won
        following[_BUILDER] = 0 if won else 1 + target
    elif state[_BUILDER]:
        _build(following, _bit(action))
        rules.advance_header(state, following, 1 - player)
        following[1] = not _can_move(following, 1 - player)
    else:
        _flip(following, 4 + player, _bit(action))
        rules.advance_header(state, following, ((rules.length(state) + 1) >> 1) & 1)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for cell in range(_CELLS):
        bit = _bit(cell)
        planes[cell] = _has(state, 4, bit)
        planes[_CELLS + cell] = _has(state, 5, bit)
        planes[2 * _CELLS + cell] = 1 - state[0]
        for level in range(3):
            planes[(3 + level) * _CELLS + cell] = _has(state, level, bit)
        planes[6 * _CELLS + cell] = 1 - _has(state, 3, bit)
        planes[7 * _CELLS + cell] = state[_BUILDER] == 1 + bit


KERNELS = rules.table(actions, play, encode, initial=rules.empty_board, outcome=rules.last_mover_wins)


def _image(state: State) -> State:
    image = other_side(state)
    exchange(image, 4, start=_WORKERS)
    return image


_STOREYS = (0.9, 0.74, 0.58)
"""The widths of the levels."""


def _scene(planes: State) -> Scene:
    """Stacked levels, seen from above, with the workers on them."""
    levels, pieces = planes[3:6].reshape(3, -1), list[Piece]()
    for cell in range(_CELLS):
        built = _STOREYS[: levels[:, cell].sum()]
        pieces += [Piece(cell, NOBODY, "block", size=width) for width in built]
        if not planes[6].flat[cell]:
            pieces.append(Piece(cell, NOBODY, "dome", size=0.44))
        for owner in range(2):
            if planes[owner].flat[cell]:
                height = str(len(built)) if built else ""
                pieces.append(Piece(cell, owner, text=height, size=0.44, marked=bool(planes[7].flat[cell])))
    return Scene(pieces=tuple(pieces))


def _awaited(state: State) -> Awaited:
    if rules.length(state) < _PUTS:
        return Awaited("worker")
    return Awaited("build" if state[_BUILDER] else "walk")


def _on_top(planes: State, winner: int) -> list[int]:
    """The cells of the third level with a worker of the winner."""
    return [int(cell) for cell in np.flatnonzero(planes[winner] & planes[5])]


def _decided(planes: State, winner: int) -> Decision:
    return "level" if _on_top(planes, winner) else "stuck"


def make() -> Game:
    """Santorini on 5 x 5 cells."""
    params = np.zeros(1, np.int64)
    cells = Rectangle(
        _SIZE, _SIZE, 8, encode, params, symmetries=grid.SQUARE,
        actions=[puts(_SIZE, _SIZE), steps(_SIZE, _SIZE, grid.ALL_AROUND)],
    )  # fmt: skip

    def text(state: State) -> str:
        """Shows levels, with the worker before them; a capital is the worker that builds."""
        planes = cells.encoded(state)
        levels = np.array([".", "1", "2", "3", "4"])[planes[3:6].sum(axis=0) + 1 - planes[6]]
        workers = np.array(["", "x", "o", "", "X", "O"])[planes[0] + 2 * planes[1] + 3 * planes[7]]
        return cells.framed(np.char.add(workers, levels))

    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 24,
            max_actions=_CELLS,
            max_length=_PUTS + 2 * (4 * (_CELLS - 4) + 2 * 4),  # no worker stands on more than two levels and plays on
            typical_length=80,
        ),
        cells.layout(
            cells.board(
                tone="felt",
                scene=lambda state: _scene(cells.encoded(state)),
                colours=("blue", "red"),
                awaited=_awaited,
                decided=lambda state, winner: _decided(cells.encoded(state), winner),
                deciding=lambda state, winner: _on_top(cells.encoded(state), winner),
            ),
            cells.exchange(_image, begins=_PUTS),
            text=text,
        ),
        advice=Advice(VECTORS, search="alphabeta"),
    )
