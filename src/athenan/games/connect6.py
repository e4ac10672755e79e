"""Connect6 on a size x size board, size from 6 to 19: six or more stones in a line win.

Goal: have six or more of your stones in an unbroken row, column or diagonal first.

Play: Black begins with one stone. Then each turn puts two stones on empty cells.

The first player (x) puts one stone on an empty cell, then the players in turn put two stones each; every stone is an
action, and a line of six - row, column or diagonal - ends the match at once, even with the first stone of a turn. A
full board without such a line is a draw. A cell is a letter for its column from the left and a number for its row
from the bottom. Sources: I-C. Wu and D.-Y. Huang, A New Family of k-in-a-row Games, 2005; the rules of the Computer
Olympiad.

Actions: row * size + column. State: as in `rules.geometry.stones`. Header byte 1: 1 when the match is won, by the
player who put the last stone. The side to move and the stones left in its turn follow from the number of actions
played.

Planes size x size, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the
first player, 0 for the second), the turn (1 everywhere before the first of its two stones, 0 when it has only one stone
left).
"""

from functools import partial
from typing import Annotated

import numpy as np

from athenan import rules
from athenan.rules import Game, State
from athenan.rules.board import Awaited
from athenan.rules.forms import Forms
from athenan.rules.geometry.packing import fill
from athenan.rules.geometry.stones import (
    board_of,
    line_length,
    list_empty,
    put_stone,
    random_empty,
    square_game,
    write_planes,
)
from athenan.rules.sgf import Sgf, called, known, point, points
from athenan.settings import Between

_CONNECT = 6


@rules.helper
def _mover(length):
    """The player who puts the stone after `length` others: 0, 1, 1, 0, 0, 1, 1, ..."""
    return ((length + 1) >> 1) & 1


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return 0 if state[1] else list_empty(params[0] * params[0], state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    return random_empty(params[0] * params[0], state, random)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size = params[0]
    board = board_of(size * size, state[0])
    rules.copy_state(state, following)
    rules.advance_header(state, following, _mover(rules.length(state) + 1))
    put_stone(following, board, action)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        if line_length(size, following, board, action, right, up) >= _CONNECT:
            following[1] = 1


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    length = rules.length(state)
    if state[1]:
        return rules.sign(_mover(length - 1))
    return 0 if length == params[0] * params[0] else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    cells = params[0] * params[0]
    write_planes(cells, state, planes)
    fill(planes, 2 * cells, cells, 1 - state[0])
    fill(planes, 3 * cells, cells, rules.length(state) & 1)


KERNELS = rules.table(initial=initial, actions=actions, play=play, outcome=outcome, encode=encode, sample=sample)


def make(size: Annotated[int, Between(6, 19)] = 19) -> Game:
    """Connect6 on a size x size board."""
    params = np.array([size], np.int64)
    length = size * size * 2 // 3

    def awaited(state: State) -> Awaited:
        return Awaited("stone", left=1 + rules.length(state) % 2)

    sgf = Sgf(
        "connect6", 4, points(size), rules=known(called("connect6", "connectsix")), confused=(1,), borrowed=True,
        point=partial(point, size), by_action=True,
    )  # fmt: skip
    return square_game(
        "Connect6", size, KERNELS, params, planes=4, typical_length=length, connect=_CONNECT, awaited=awaited,
        forms=Forms(sgf=sgf),
    )  # fmt: skip
