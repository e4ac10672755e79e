"""Tic-tac-toe: 3 x 3 cells, three in a row wins, a full board without such a row is a draw.

Goal: have three of your marks in a row, column or diagonal first.

Play: Blue begins. In turn the players mark an empty cell. A full board is a draw.

The first player is x, the second o. A cell is a letter for its column from the left and a number for its row from
the bottom: a1 is bottom-left. No options. Source: the rules that everyone knows.

Actions: 3 * row + column.

State: one word of 64 bits with the first player's stones in bits 0 to 8 and the second's in bits 16 to 24; the bit of a
cell is its action. Header byte 1: 1 when the match is won, by the player who is not to move.

Planes 3 x 3, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the
first player, 0 for the second).
"""

import numpy as np

from athenan import rules
from athenan.rules import Game, Ruleset
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.deciding import in_rows
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.rules.randomness import random_below

_SETS = np.arange(512)  # of cells
_CELLS = np.uint64(511)
_ROWS = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
_HAS_ROW = np.array([any(stones & row == row for row in _ROWS) for stones in _SETS])
_EMPTY = np.array([sorted(range(9), key=lambda cell: taken >> cell & 1) for taken in _SETS], np.int8)
"""int8[512, 9]: the cells by the set of those that are taken; the empty ones come first, in their order."""


@rules.helper
def _bit(cell, player):
    return ONE << np.uint64(cell + 16 * player)


@rules.helper
def _taken(state):
    """The set of the cells with a stone, and its size."""
    board = rules.load64(state, rules.HEADER)
    return (board | board >> np.uint64(16)) & _CELLS, rules.length(state)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1]:
        return 0
    taken, count = _taken(state)
    for number in range(9 - count):
        actions[number] = _EMPTY[taken, number]
    return 9 - count


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    taken, count = _taken(state)
    return np.int64(_EMPTY[taken, np.uint64(random_below(random, 0, 9 - count))])


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player = state[0]
    board = rules.load64(state, rules.HEADER) | _bit(action, player)
    rules.advance_header(state, following, 1 - player)
    rules.store64(following, rules.HEADER, board)
    following[1] = _HAS_ROW[(board >> np.uint64(16 * player)) & _CELLS]


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1]:
        return rules.mover_lost(state)
    return 0 if rules.length(state) == 9 else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    board = rules.load64(state, rules.HEADER)
    for cell in range(9):
        planes[cell] = board & _bit(cell, 0) != 0
        planes[9 + cell] = board & _bit(cell, 1) != 0
        planes[18 + cell] = 1 - state[0]


KERNELS = rules.table(actions, play, outcome, encode, sample, initial=rules.empty_board)
_PARAMS = np.zeros(1, np.int64)


def make() -> Game:
    """Tic-tac-toe."""
    cells = Rectangle(
        3, 3, 3, encode, _PARAMS, actions=[puts(3, 3)], symmetries=grid.SQUARE, bits=CellBits(3, 3, stride=3, size=2)
    )
    return Game(
        Ruleset(KERNELS, _PARAMS, state_size=rules.HEADER + 8, max_actions=9, max_length=9, typical_length=8),
        cells.layout(
            cells.board(tone="plain", colours=("blue", "red"), deciding=in_rows(cells.encoded, 3)),
            cells.exchange(),
        ),
        title="Tic-tac-toe",
    )
