"""Gomoku on a size x size board, size from 5 to 19: five stones in a line win, a full board is a draw.

Goal: have five of your stones in an unbroken row, column or diagonal first.

Play: Black begins and puts the first stone on one of the two outer rings, unless the opening is free. Then the players
in turn put a stone on any empty cell. A full board is a draw.

In turn the players (first x, second o) put a stone on an empty cell; a line is a row, a column or a diagonal. The
games of the Computer Olympiad, where it is called Outer-Open Gomoku (a second name of this game here), and of the
papers are played with opening=outer: the first stone must lie in the two outer rings of the board. With opening=free
it may lie anywhere. Lines of more than five also win; with exact=true only lines of exactly five do. A cell is a
letter for its column from the left and a number for its row from the bottom. Sources: 003, section 2.4.6, for "at a
distance of two squares from the board edges", read as at most two, as in Ludii and Polygames; J. W. H. M. Uiterwijk
and H. J. van den Herik, The advantage of the initiative, 2000.

Actions: row * size + column. State: as in `rules.geometry.stones`. Header byte 1: 1 when the match is won, by the
player who is not to move.

Planes size x size, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the
first player, 0 for the second).
"""

from functools import partial
from typing import Annotated, Literal

import numpy as np

from athenan import rules
from athenan.rules import Awaited, Game, State
from athenan.rules.forms import Forms
from athenan.rules.geometry import stones
from athenan.rules.geometry.packing import fill
from athenan.rules.sgf import Sgf, called, known, point, points
from athenan.settings import Between

_RINGS = 2  # rings of the outer opening
_CONNECT = 5


@rules.helper
def _in_outer_rings(size, cell):
    row, column = cell // size, cell % size
    return min(row, size - 1 - row, column, size - 1 - column) < _RINGS


@rules.helper
def _list_outer_rings(size, actions):
    count = 0
    for cell in range(size * size):
        actions[count] = cell
        count += _in_outer_rings(size, cell)
    return count


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    size, outer = params[0], params[1]
    if state[1]:
        return 0
    if outer and rules.length(state) == 0:
        return _list_outer_rings(size, actions)
    return stones.list_empty(size * size, state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    size = params[0]
    cell = stones.random_empty(size * size, state, random)
    while params[1] and rules.length(state) == 0 and not _in_outer_rings(size, cell):
        cell = stones.random_empty(size * size, state, random)
    return cell


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, exact, player = params[0], params[2], state[0]
    board = stones.board_of(size * size, player)
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    stones.put_stone(following, board, action)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        line = stones.line_length(size, following, board, action, right, up)
        if line == _CONNECT or (line > _CONNECT and not exact):
            following[1] = 1


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1]:
        return rules.mover_lost(state)
    return 0 if rules.length(state) == params[0] * params[0] else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    cells = params[0] * params[0]
    stones.write_planes(cells, state, planes)
    fill(planes, 2 * cells, cells, 1 - state[0])


_SGF_RULES = (
    called("gomoku", "gobang", "fiveinarow", "wuziqi")
    | called("freestyle", "free", "freestylegomoku", "gomokufreestyle", "freegomoku", "gomokufree", exact=False)
    | called("standard", "standardgomoku", "gomokustandard", "exactfive", "exactlyfive", exact=True)
    | called("outeropen", "outeropengomoku", opening="outer")
)
KERNELS = rules.table(actions, play, outcome, encode, sample, initial=rules.empty_board)


def make(
    size: Annotated[int, Between(5, 19)] = 15, *, opening: Literal["outer", "free"] = "outer", exact: bool = False
) -> Game:
    """Gomoku on a size x size board; the first stone goes to the outer rings or is free."""
    params = np.array([size, opening == "outer", exact], np.int64)

    def awaited(state: State) -> Awaited | None:
        return Awaited("outer") if opening == "outer" and not rules.length(state) else None

    sgf = Sgf(
        "gomoku", 4, points(size), usual={"opening": "free"}, rules=known(_SGF_RULES), confused=(1,),
        point=partial(point, size),
    )  # fmt: skip
    return stones.square_game(
        size, KERNELS, params, typical_length=size * size // 2, connect=_CONNECT, exact=exact, awaited=awaited,
        carries_over=("opening", "exact"), forms=Forms(sgf=sgf, programs=("gomocup",)),
    )  # fmt: skip
