"""Connect6 on a size x size board, size from 6 to 19: six or more stones in a line win.

Goal: have six or more of your stones in an unbroken row, column or diagonal first.

Play: Black begins with one stone. Then each turn puts two stones on empty cells.

The first player is x. Every stone is an action, and a line of six ends the match at once, even with the first stone of
a turn. A full board without such a line is a draw. A cell is a letter for its column from the left and a number for its
row from the bottom. Sources: I-C. Wu and D.-Y. Huang, A New Family of k-in-a-row Games, 2005; the rules of the Computer
Olympiad.

Actions: row * size + column. State: as in `rules.geometry.stones`. Header byte 1: 1 when the match is won, by the
player who put the last stone. Header byte 4: 1 when two stones are left in the turn, 0 when it has one.

Planes size x size, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the
first player, 0 for the second), the turn (1 everywhere before the first of its two stones, 0 when it has only one stone
left).
"""

from functools import partial
from typing import Annotated

import numpy as np

from athenan import rules
from athenan.rules import Awaited, Game, State
from athenan.rules.forms import Forms
from athenan.rules.geometry import stones
from athenan.rules.geometry.packing import fill
from athenan.rules.sgf import Sgf, called, known, point, points
from athenan.settings import Between

_CONNECT = 6
_BOTH = 4
"""The byte of a state that says whether both stones of the turn are left."""


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return 0 if state[1] else stones.list_empty(params[0] * params[0], state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    return stones.random_empty(params[0] * params[0], state, random)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, player = params[0], state[0]
    board = stones.board_of(size * size, player)
    rules.copy_state(state, following)
    rules.advance_header(state, following, player if state[_BOTH] else 1 - player)
    following[_BOTH] = 1 - state[_BOTH]
    stones.put_stone(following, board, action)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        if stones.line_length(size, following, board, action, right, up) >= _CONNECT:
            following[1] = 1


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1]:
        return rules.mover_lost(state) if state[_BOTH] else rules.sign(state[0])
    return 0 if rules.length(state) == params[0] * params[0] else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    cells = params[0] * params[0]
    stones.write_planes(cells, state, planes)
    fill(planes, 2 * cells, cells, 1 - state[0])
    fill(planes, 3 * cells, cells, state[_BOTH])


KERNELS = rules.table(actions, play, outcome, encode, sample, initial=rules.empty_board)


def make(size: Annotated[int, Between(6, 19)] = 19) -> Game:
    """Connect6 on a size x size board."""
    params = np.array([size], np.int64)
    length = size * size * 2 // 3

    def awaited(state: State) -> Awaited:
        return Awaited("stone", left=1 + int(state[_BOTH]))

    sgf = Sgf(
        "connect6", 4, points(size), rules=known(called("connect6", "connectsix")), confused=(1,), borrowed=True,
        point=partial(point, size), by_action=True,
    )  # fmt: skip
    return stones.square_game(
        size, KERNELS, params, typical_length=length, connect=_CONNECT, stones=2, awaited=awaited, forms=Forms(sgf=sgf),
    )  # fmt: skip
