"""Boards of two players' stones as bits, for games that put stones on empty cells and never move them.

The first player's words follow the header, then the second player's. A cell is a bit of its player's words. A board of
`cells` cells takes `(cells + 63) // 64` words of 64 bits for each player. Bits beyond the last cell are 0.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules.advice import VECTORS, Advice
from athenan.rules.board import Awaited
from athenan.rules.forms import Forms
from athenan.rules.game import Game, State
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, list_bits
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.deciding import in_rows
from athenan.rules.geometry.lines import Lines
from athenan.rules.geometry.packing import unpack_words
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.rules.randomness import random_below
from athenan.rules.ruleset import Ruleset

_USUAL = Forms()


def square_game(
    size: int,
    table: rules.KernelTable,
    params: NDArray[np.int64],
    typical_length: int,
    connect: int,
    exact: bool = False,
    stones: Literal[1, 2] = 1,
    awaited: Callable[[State], Awaited | None] | None = None,
    carries_over: tuple[str, ...] = (),
    forms: Forms = _USUAL,
) -> Game:
    """A game on a square of cells; each action takes one cell, and both players win by the same lines.

    Planes 0 and 1 are the players' stones, plane 2 is the side to move. `connect`: how many stones in a row win;
    `exact`: only lines of exactly this length do. `stones`: how many a turn has; with two, plane 3 says whether both
    are left (`lines.Lines`).
    """
    area = size * size
    board_size = (area + 63) // 64 * 8
    cells = Rectangle(
        size, size, 2 + stones, table.kernels["encode"], params, actions=[puts(size, size)], symmetries=grid.SQUARE,
        bits=CellBits(size, size, stride=size, size=board_size),
    )  # fmt: skip
    return Game(
        ruleset=Ruleset(
            table,
            params,
            state_size=rules.HEADER + 2 * board_size,
            max_actions=area,
            max_length=area,
            typical_length=typical_length,
            carries_over=carries_over,
            lines=Lines(size, size, connect, stones, longer=not exact),
        ),
        layout=cells.layout(
            cells.board("points", awaited=awaited, deciding=in_rows(cells.encoded, connect, exact)),
            cells.exchange(),
        ),
        forms=forms,
        advice=Advice(f"{VECTORS},lines=true,windows=false"),
    )


@rules.helper
def board_of(cells, player):
    """The byte of a state at which a player's words begin."""
    return rules.HEADER + player * ((cells + 63) // 64 * 8)


@rules.helper
def has_stone(state, board, cell):
    return (state[board + (cell >> 3)] >> (cell & 7)) & 1


@rules.helper
def put_stone(state, board, cell):
    state[board + (cell >> 3)] |= 1 << (cell & 7)


@rules.helper
def list_empty(cells, state, actions):
    """Writes the empty cells, ascending; returns their number."""
    first, second, count = board_of(cells, 0), board_of(cells, 1), 0
    for start in range(0, cells, 64):
        empty = ~(rules.load64(state, first + start // 8) | rules.load64(state, second + start // 8))
        if cells - start < 64:
            empty &= (ONE << np.uint64(cells - start)) - ONE
        count = list_bits(empty, start, actions, count)
    return count


@rules.helper
def random_empty(cells, state, random):
    """One of the empty cells, each equally likely; at least one must exist."""
    first, second = board_of(cells, 0), board_of(cells, 1)
    while True:
        cell = random_below(random, 0, cells)
        if not ((state[first + (cell >> 3)] | state[second + (cell >> 3)]) >> (cell & 7)) & 1:
            return cell


@rules.helper
def line_length(size, state, board, cell, right, up):
    """The number of stones of one player in the unbroken line through a stone, on a board of size x size cells."""
    row, column, count = cell // size, cell % size, 1
    for sign in (-1, 1):
        to_row, to_column = row + sign * up, column + sign * right
        while 0 <= to_row < size and 0 <= to_column < size and has_stone(state, board, to_row * size + to_column):
            count += 1
            to_row += sign * up
            to_column += sign * right
    return count


@rules.helper
def write_planes(cells, state, planes):
    """Writes the first player's stones to plane 0 and the second player's to plane 1."""
    for player in range(2):
        unpack_words(state, board_of(cells, player), planes, player * cells, cells)
