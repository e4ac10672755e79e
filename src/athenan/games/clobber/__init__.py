"""Clobber on a board of 1 x 2 to 16 x 16 cells, 10 x 10 by default.

Goal: make the last capture. Whoever cannot capture loses.

Play: White begins. Move one of your stones onto an opposing stone beside it, up, down, left or right, which is removed.
There are no other moves.

The board is full at the start, the colours alternating as on a chessboard: the first player's stones (x) are on a1 and
every cell of its colour, the second's (o) on the others. If one player cannot move, the other cannot either, since
neighbouring stones can take each other. A cell is a letter for its column from the left and a number for its row from
the bottom; an action is written `a1-a2`. Sources: 003, section 2.4.7; M. H. Albert, J. P. Grossman, R. J. Nowakowski
and D. Wolfe, An Introduction to Clobber, 2005, for the rules and the start.

Actions: 4 * (row * width + column) of the stone, plus 0, 1, 2, 3 when it goes down, left, right, up.

State: rows of 16 bits, column a the lowest: the first player's rows from the bottom and at least one row of 0, to a
multiple of 4 rows, then the same for the second, then 8 bytes of 0. Header byte 1: 1 when the match is won, by the
player who is not to move.

Planes height x width, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for
the first player, 0 for the second). The declared symmetries are the board's, which keep the rules:
first the ones that also keep the colours of the start.
"""

from dataclasses import replace
from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.clobber.components import features_of
from athenan.rules import PROVEN, VECTORS, Advice, Game, GameError, Ruleset, Solving
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount, random_bit
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.edges import edge_words, words_of
from athenan.rules.geometry.packing import fill, unpack_rows
from athenan.rules.geometry.rectangle import Rectangle, steps
from athenan.settings import Between

_NOT_FIRST = ~np.uint64(0x0001000100010001)  # four rows without column a
_NOT_LAST = ~np.uint64(0x8000800080008000)  # four rows without the sixteenth column


@rules.helper
def _stones(params, player):
    """The byte of a state at which a player's rows begin."""
    return rules.HEADER + player * 2 * ((params[1] + 4) & ~3)


@rules.helper
def _flip(state, rows, row, column):
    """Puts a stone on a cell or takes it away."""
    state[rows + 2 * row + (column >> 3)] ^= 1 << (column & 7)


@rules.helper
def _can_move(params, state):
    """Whether any two stones of different colours are neighbours."""
    first, second = _stones(params, 0), _stones(params, 1)
    for row in range(0, params[1], 4):
        own, other = rules.load64(state, first + 2 * row), rules.load64(state, second + 2 * row)
        beside = ((other << ONE) & _NOT_FIRST) | ((other >> ONE) & _NOT_LAST)
        beside |= rules.load64(state, second + 2 * row + 2) | rules.load64(state, second + 2 * row - 2)
        if own & beside:
            return True
    return False


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    for row in range(params[1]):
        for column in range(params[0]):
            _flip(state, _stones(params, (row + column) & 1), row, column)


@rules.helper
def _movable(params, state, row):
    """The stones of four rows that can move down, left, right and up.

    A word read two bytes further or before holds the rows above or below.
    """
    own_rows, other_rows = _stones(params, state[0]) + 2 * row, _stones(params, 1 - state[0]) + 2 * row
    own, other = rules.load64(state, own_rows), rules.load64(state, other_rows)
    down, up = own & rules.load64(state, other_rows - 2), own & rules.load64(state, other_rows + 2)
    return down, own & (other << ONE) & _NOT_FIRST, own & (other >> ONE) & _NOT_LAST, up


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1]:
        return 0
    width, height, count = params[0], params[1], 0
    for row in range(0, height, 4):
        down, left, right, up = _movable(params, state, row)
        movable = down | left | right | up
        while movable:
            bit = lowest(movable)
            movable &= movable - ONE
            action = 4 * ((row + (bit >> 4)) * width + (bit & 15))
            actions[count] = action
            count += (down >> np.uint64(bit)) & ONE
            actions[count] = action + 1
            count += (left >> np.uint64(bit)) & ONE
            actions[count] = action + 2
            count += (right >> np.uint64(bit)) & ONE
            actions[count] = action + 3
            count += (up >> np.uint64(bit)) & ONE
    return count


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    movable, used = rules.scratch(16, np.uint64), 0
    for row in range(0, params[1], 4):
        for stones in _movable(params, state, row):
            movable[used] = stones
            used += 1
    number, bit = random_bit(movable, used, random)
    return 4 * ((number & ~3 | bit >> 4) * params[0] + (bit & 15)) + (number & 3)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player, cell, direction = state[0], action >> 2, action & 3
    own, other = _stones(params, player), _stones(params, 1 - player)
    row, column = cell // params[0], cell % params[0]
    to_row, to_column = row + (direction == 3) - (direction == 0), column + (direction == 2) - (direction == 1)
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    _flip(following, own, row, column)
    _flip(following, own, to_row, to_column)
    _flip(following, other, to_row, to_column)
    following[1] = not _can_move(params, following)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    width, height = params[0], params[1]
    area = width * height
    for player in range(2):
        unpack_rows(state, _stones(params, player), planes, player * area, width, height)
    fill(planes, 2 * area, area, 1 - state[0])


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    count, rows = 0, _stones(params, player)
    for row in range(0, params[1], 4):
        count += popcount(rules.load64(state, rows + 2 * row))
    return count


KERNELS = rules.table(initial, actions, play, encode, pieces, sample, outcome=rules.last_mover_wins)


def make(size: Annotated[tuple[int, int], Between(1, 16)] = (10, 10)) -> Game:
    """Clobber on WIDTHxHEIGHT cells."""
    width, height = size
    if width * height == 1:
        raise GameError("the board must have at least 2 cells, not 1x1")
    params = np.array([width, height, *edge_words(width, height)], np.int64)

    colours = np.indices((height, width), np.int32).sum(axis=0) & 1
    every = grid.symmetries(height, width)
    cells = Rectangle(
        width, height, planes=3, encode=encode, params=params, actions=[steps(height, width, grid.ORTHOGONAL)],
        symmetries=[image for image in every if np.array_equal(image(colours), colours)], of_rules=every,
        bits=CellBits(width, height, stride=16, size=2 * ((height + 4) & ~3)),
    )  # fmt: skip
    exchanging = [image for image in grid.OBLONG if np.array_equal(image(colours), 1 - colours)]
    turned = exchanging[0] if exchanging else grid.IDENTITY  # without one, the image of the start begins no match
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 4 * ((height + 4) & ~3) + 8,
            max_actions=width * (height - 1) + height * (width - 1) + 1,  # `actions` writes one ahead
            max_length=width * height - 1,
            typical_length=max(1, width * height * 5 // 8),
            features=features_of(words_of(width * height)),
        ),
        cells.layout(cells.board(colours=("white", "black")), cells.exchange(transform=turned)),
        advice=Advice(
            "patterns:entries=512,vector=16",
            long_network=f"{VECTORS},phases=4",
            solving=replace(PROVEN, plies=(50, 60)) if size == (10, 10) else Solving(),
        ),
    )
