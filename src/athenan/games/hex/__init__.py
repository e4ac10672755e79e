"""Hex on an n x n board, n from 2 to 19, with the swap rule (as in the papers; swap=false plays without).

Goal: join your two sides of the board with an unbroken chain of your stones.

Play: Red begins. In turn the players put a stone on an empty cell; stones never move. Red joins the top and the bottom,
Blue the left and the right. There are no draws. With the swap rule Blue may take over the first stone, mirrored.

The first player is x, the second o. Stones that touch are connected: a cell touches the two beside it in its row, the
one above and the one to its right there, the one below and the one to its left there. A side is the first or the last
row or column with its corners. On a full board exactly one of the players has a chain. With the swap rule the second
player's first action may be `swap`: the first stone becomes the second player's on the mirrored cell (column and row
exchanged), which is the same, up to that mirroring, as exchanging colours. A cell is a letter for its column from the
left and a number for its row from the top. A position may be written as FEN, `x2o/1x2/2x1/4 o`: the rows from the top,
then the side to move. Sources: 003, section 2.4.1; the notation is HexGui's and OpenSpiel's.

Actions: n * row + column, from 0; n * n is `swap`. The cell (r, c) touches (r-1, c+1) and (r+1, c-1) besides its four
neighbours.

State: the cells, row by row, then at least one byte of 0: 0 empty; bit 0 a first player's stone, bit 1 a second
player's, bits 2 and 3: its group touches the player's first (top, left) and second (bottom, right) border. Header byte
1: 1 when the match is won, by the player who is not to move.

Planes (n+2) x (n+2): first player's stones and borders, second player's stones and borders, the side to move
(1 everywhere for the first player, 0 for the second). Features: `distances`.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.hex.distances import FEATURES, sides_of
from athenan.rules import PROVEN, Advice, Fen, Forms, Game, GameError, Ruleset, Solving, State
from athenan.rules.board import Board, Label, Line, Outline, Piece, Place, Scene
from athenan.rules.colours import other_side
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.cells import list_cells, random_cell
from athenan.rules.geometry.deciding import needed, reached, touching
from athenan.rules.geometry.packing import fill
from athenan.rules.geometry.ranks import read_ranks, split_fen, write_ranks
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.rules.sgf import Sgf, called, cells, known
from athenan.settings import Between, shown

_FIRST, _SECOND = 4, 8  # the group touches the player's first or second border
_TABLES = 3  # the index in `params` of the tables of the cells; params[2] is the index of `sides_of`, which follows
_AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))  # down, right


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return 0 if state[1] else list_cells(params[0] * params[0], params[1], state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    return random_cell(params[0] * params[0], params[1], state, random)


@rules.helper
def _neighbour(cell, direction):
    """The index in `params` of a neighbour: a cell or, off the board, the number of cells, which is always empty."""
    return _TABLES + 8 * cell + direction


@rules.helper
def _borders(cell, player):
    """The index in `params` of the player's borders on which a cell lies."""
    return _TABLES + 8 * cell + 6 + player


@rules.helper
def _spread(params, state, start, stone, borders):
    """Gives a group the borders it newly touches; a group gets each border once in a match."""
    stack = rules.scratch(361, np.int16)
    stack[0], top = start, 1
    state[rules.HEADER + start] = stone | borders
    while top:
        top -= 1
        cell = np.int64(stack[top])
        for direction in range(6):
            neighbour = params[_neighbour(cell, direction)]
            value = state[rules.HEADER + neighbour]
            if value & stone and value & (_FIRST | _SECOND) != borders:
                state[rules.HEADER + neighbour] = stone | borders
                stack[top] = neighbour
                top += 1


@rules.helper
def _put(params, state, cell, player):
    """Puts a stone; returns whether its group now touches both borders."""
    stone, borders, mixed = 1 << player, params[_borders(cell, player)], False
    for direction in range(6):
        value = state[rules.HEADER + params[_neighbour(cell, direction)]]
        borders |= value & (_FIRST | _SECOND) if value & stone else 0
    for direction in range(6):
        value = state[rules.HEADER + params[_neighbour(cell, direction)]]
        mixed |= (value & stone != 0) & (value & (_FIRST | _SECOND) != borders)
    if mixed:
        _spread(params, state, cell, stone, borders)
    else:
        state[rules.HEADER + cell] = stone | borders
    return borders == _FIRST | _SECOND


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size = params[0]
    rules.copy_state(state, following)
    player = state[0]
    rules.advance_header(state, following, 1 - player)
    if action == size * size:
        for cell in range(size * size):
            following[rules.HEADER + cell] = 0
            if state[rules.HEADER + cell]:
                action = (cell % size) * size + cell // size
    following[1] = _put(params, following, action, player)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    size = params[0]
    side = size + 2
    area = side * side
    fill(planes, 0, 2 * area, 0)
    fill(planes, 2 * area, area, 1 - state[0])
    fill(planes, 0, side, 1)
    fill(planes, area - side, side, 1)
    for row in range(side):
        planes[area + row * side] = planes[area + row * side + side - 1] = 1
    for row in range(size):
        place, cell = (row + 1) * side + 1, rules.HEADER + row * size
        first, second = planes[place : place + size], planes[area + place : area + place + size]
        stones = state[cell : cell + size]
        for column in range(size):
            first[column] = stones[column] & 1
        for column in range(size):
            second[column] = stones[column] >> 1 & 1


KERNELS = rules.table(actions, play, encode, sample, initial=rules.empty_board, outcome=rules.last_mover_wins)


def _tables(size: int) -> list[int]:
    """For every cell: its six neighbours, the first player's borders on which it lies, the second player's borders."""
    board, table = range(size), list[int]()
    for row, column in product(board, board):
        around = [(row + down, column + right) for down, right in _AROUND]
        table += [at * size + to if at in board and to in board else size * size for at, to in around]
        table += [_FIRST * (line == 0) + _SECOND * (line == size - 1) for line in (row, column)]
    return table


def _image(state: State, size: int) -> State:
    """The state with the players and their borders exchanged: top becomes left, bottom right."""
    image = other_side(state)
    cells = state[rules.HEADER : rules.HEADER + size * size].reshape(size, size).T
    stones = (cells & 1) << 1 | cells >> 1 & 1
    image[rules.HEADER : rules.HEADER + size * size] = (cells & (_FIRST | _SECOND) | stones).reshape(-1)
    return image


def _along(cells: list[Place], *corners: int) -> Outline:
    """The border along cells, through some corners of each."""
    return tuple(cell.outline[corner] for cell in cells for corner in corners)


def _board(size: int) -> Board:
    """A rhombus of hexagons; the borders have the colours of the players who connect them."""
    places = [
        Place(name, x, y, boards.hexagon(x, y), "plain")
        for name, row, column in zip(boards.names(size, size), *np.indices((size, size)).reshape(2, -1), strict=True)
        for x, y in [(float(column + row / 2), float(row * boards.ROW))]
    ]
    rows = [places[row * size : (row + 1) * size] for row in range(size)]
    left, right = [row[0] for row in rows], [row[-1] for row in rows]
    borders = [
        Line(_along(rows[0], 5, 0, 1), "first"),
        Line(_along(rows[-1], 4, 3, 2), "first"),
        Line(_along(left, 5, 4, 3), "second"),
        Line(_along(right, 0, 1, 2), "second"),
    ]
    labels = [Label(place.x - 0.35, place.y - 0.85, grid.column_name(at)) for at, place in enumerate(rows[0])]
    labels += [Label(row[0].x - 0.9, row[0].y, str(number)) for number, row in enumerate(rows, 1)]

    def scene(state: State) -> Scene:
        stones = state[rules.HEADER : rules.HEADER + size * size] & 3
        return Scene(pieces=tuple(Piece(int(cell), int(stones[cell]) - 1) for cell in np.flatnonzero(stones)))

    near = touching(places)
    sides = np.arange(size * size).reshape(size, size)
    borders_of = ((sides[0], sides[-1]), (sides[:, 0], sides[:, -1]))

    def deciding(state: State, winner: int) -> tuple[int, ...]:
        """A chain between the winner's sides."""
        start, end = (frozenset(map(int, side)) for side in borders_of[winner])
        own = np.flatnonzero(state[rules.HEADER : rules.HEADER + size * size] & 1 << winner).tolist()
        return needed(own, lambda stones: not end.isdisjoint(reached(start, stones, near)))

    ground = Scene(lines=tuple(borders), labels=tuple(labels))
    return Board(tuple(places), scene, ground, ("red", "blue"), deciding=deciding)


def write_fen(game: Game, state: State) -> str:
    """A position as FEN: the rows from the top, with x, o and numbers of empty cells, and the side to move."""
    size = int(game.params[0])
    letters = np.array([".", "x", "o"])[state[rules.HEADER : rules.HEADER + size * size].reshape(size, size) & 3]
    return f"{write_ranks(map(''.join, letters))} {'xo'[state[0]]}"


def read_fen(game: Game, text: str) -> State:
    """The state that a FEN describes. Its length is the number of stones, or one more where only this forbids a swap.

    Raises GameError if it is not a position: the side to move has won, or it is second on the empty board.
    """
    size, (board, side) = int(game.params[0]), split_fen(text.lower(), "xo", "")
    stones, mover = "".join(read_ranks(board, size, size, "xo")), "xo".index(side)
    state, won = game.initial(), [False, False]
    for player in range(2):
        for cell in (at for at, letter in enumerate(stones) if letter == "xo"[player]):
            state[: rules.HEADER] = 0
            state[0] = player
            state = game.play(state, cell)
            won[player] |= bool(state[1])
    count = stones.count("x") + stones.count("o")
    if won[mover] or (mover and not count):
        why = "the side to move has won" if won[mover] else "the first player begins"
        raise GameError(f"{shown(text)} is not a position of {game.name}: {why}")
    state[: rules.HEADER] = 0
    state[:2] = mover, won[1 - mover]
    only_one = count == 1 and not (stones.count("x") and mover)
    state[2:4] = np.array([count + (only_one and game.params[1])], np.uint16).view(np.int8)
    return state


def _set_up(game: Game, stones: Mapping[str, int], side: int) -> State:
    assert game.board
    letters = ["xo"[stones[place.name]] if place.name in stones else "." for place in game.board.places]
    size = int(game.params[0])
    rows = ("".join(letters[row * size : (row + 1) * size]) for row in range(size))
    return read_fen(game, f"{write_ranks(rows)} {'xo'[side]}")


def _sgf(size: int) -> Sgf:
    """Swaps of sides are read as swaps of pieces."""
    names = called("hex", "standard", "swap", "swaprule", "swappieces", "swapsides", "pierule", "default")
    return Sgf(
        "hex", 11, cells(size, dict.fromkeys(("swap-pieces", "swap-sides"), "swap")), rules=known(names),
        set_up=_set_up, swap=True,
    )  # fmt: skip


def make(size: Annotated[int, Between(2, 19)] = 11, *, swap: bool = True) -> Game:
    """Hex on a size x size board."""

    def text(state: State) -> str:
        cells = np.array([".", "x", "o"])[state[rules.HEADER : rules.HEADER + size * size].reshape(size, size) & 3]
        lines = ["   " + "  ".join(grid.column_name(column) for column in range(size))]
        lines += [" " * row + f"{row + 1:<3}" + "  ".join(cells[row]) for row in range(size)]
        return "\n".join(lines)

    tables = _tables(size)
    params = np.array([size, swap, _TABLES + len(tables), *tables, *sides_of(size)], np.int64)
    rhombus = Rectangle(
        size, size, 3, encode, params, [puts(size, size)], others=("swap",) * swap, border=1,
        symmetries=(grid.IDENTITY, grid.ROTATE_180),
    )  # fmt: skip
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + (size * size + 8) // 8 * 8,
            max_actions=size * size,
            max_length=size * size + swap,
            typical_length=max(2, size * size // 2),
            features=FEATURES,
            carries_over=("swap",),
        ),
        rhombus.layout(_board(size), rhombus.exchange(lambda state: _image(state, size), grid.TRANSPOSE), text=text),
        forms=Forms(Fen(read_fen, write_fen), sgf=_sgf(size), gtp={"swap": "swap-pieces"}),
        advice=Advice(
            "patterns:entries=512,vector=16",
            solving=replace(PROVEN, plies=(18, 28)) if size == 7 and swap else Solving(),
        ),
    )
