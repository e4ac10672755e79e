"""Havannah on a hexagonal board with sides of 4 to 10 cells, with the swap rule (swap=false plays without).

Goal: complete a ring, a bridge between two corners, or a fork between three sides with your stones first.

Play: White begins. In turn the players put a stone on an empty cell; stones never move. A ring goes around at least one
cell, a bridge joins two corners, and a fork joins three sides, where corners do not count. With the swap rule Black may
take over the first stone.

The first player is x, the second o. The cells that a ring surrounds may be empty or not. A full board is a draw. With
the swap rule the second player's first action may be `swap`: the first stone changes its colour and stays where it is.
A cell is a letter for its column x and a number for its row y, both from 0 in the array, with |x - y| < side; it
touches (x +- 1, y), (x, y +- 1), (x + 1, y + 1) and (x - 1, y - 1). Sources: C. Freeling's rules, 1981; the rules of
the Computer Olympiad; the notation is OpenSpiel's.

Actions: the cells of the board, row by row, then `swap`.

State: a byte for each cell, in that order: 0 empty, positive the first player's stone, negative the second's; its
absolute value is the name of its group. Three or fewer cells that all touch each other share a name, and a group has
the smallest name of its cells. So groups of a colour have different names, the names follow from the board alone, and
they fit into seven bits. Header byte 1: 1 when the match is won, by the player who is not to move, 2 when it is drawn.
Header byte 4: 1 when there was a swap.

A stone makes a ring in exactly two cases. Either it touches one group with two stones that no run of its colour around
it connects: the chain between them, closed by the new stone, encloses one of the gaps. Or it completes a hexagon of
seven stones: a ring with only its own colour inside contains such a hexagon. So names of groups replace a search.

Planes (2 side + 1) x (2 side + 1), a frame around the array of columns and rows: first player's stones, second player's
stones, the side to move (1 everywhere for the first player, 0 for the second), the cells off the board.
"""

from itertools import product
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.havannah.board import CORNERS, LINES, Cell, cells_of, hexagons, picture, touched_lines
from athenan.games.havannah.connections import FEATURES, LARGEST_SIDE
from athenan.games.havannah.sgf import sgf_of
from athenan.rules import VECTORS, Advice, ColourSymmetry, Features, Forms, Game, Layout, Ruleset, State
from athenan.rules.colours import exchanged_planes, other_side
from athenan.rules.compiler import inlined
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import equal_bytes, lowest, popcount
from athenan.rules.geometry.cells import list_cells, random_cell
from athenan.settings import Between

_AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))  # right, down; each touches the next
_TABLES = 4  # the index in `params` at which `_tables` begin
_NONE = 127  # the name of no group
_ROW = 64  # bytes renamed and compared at once; the cells of a state are padded to a multiple
_WON, _DRAWN = 1, 2  # header byte 1
_SWAPPED = 4  # header byte


@rules.helper
def _neighbour(cell, direction):
    """The index in `params` of a neighbour: a cell or, off the board, the number of cells, which is always empty."""
    return _TABLES + 6 * cell + direction


@rules.helper
def _name(cells, cell):
    return _TABLES + 6 * cells + cell


@rules.helper
def _lines(cells):
    """The index in `params` of the corners and the sides, as a word of their cells for each, row by row of a state."""
    return _TABLES + 7 * cells


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    return 0 if state[1] else list_cells(params[2], params[1], state, actions)


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    return random_cell(params[2], params[1], state, random)


@inlined
def _fills_hexagon(params, state, cell, sign, around):
    """Whether a stone is beside one surrounded by its own colour; `around` has a bit for each such stone beside it.

    Three of these must be in a row: the surrounded stone and its neighbours.
    """
    twice = around | around << 6
    middle = twice & (twice >> 1) & (twice << 1) & 0b1111110
    while middle:
        centre, stones = params[_neighbour(cell, lowest(np.uint64(middle)) % 6)], 0
        middle &= middle - 1
        for direction in range(6):
            stones += state[rules.HEADER + params[_neighbour(centre, direction)]] * sign > 0
        if stones == 6:
            return True
    return False


@inlined
def _joins_border(params, state, cell, group_1, group_2, group_3):
    """Whether a stone, with up to three groups that it joins, is a bridge or a fork.

    It reads the state before the stone: words that were just written byte by byte would be slow to load.
    """
    place, touched, on_lines = _lines(params[2]), 0, rules.scratch(LINES, np.uint64)
    for line in range(LINES):
        on_lines[np.uint64(line)] = 0
    for start in range(0, params[2], _ROW):
        stones = np.uint64(cell >> 6 == start >> 6) << np.uint64(cell & 63)
        for group in (group_1, group_2, group_3):
            stones |= equal_bytes(state, rules.HEADER + start, group)
        for line in range(LINES):
            on_lines[np.uint64(line)] |= stones & np.uint64(params[np.uint64(place + line)])
        place += LINES
    for line in range(LINES):
        touched |= (on_lines[line] != 0) << line
    return popcount(np.uint64(touched & CORNERS)) >= 2 or popcount(np.uint64(touched & ~CORNERS)) >= 3


@rules.helper
def _copy_renamed(cells, state, following, old_1, old_2, old_3, new):
    """Copies the board with a new name for up to three groups; a row of fixed length becomes one vector operation."""
    old_1, old_2, old_3, new = np.int8(old_1), np.int8(old_2), np.int8(old_3), np.int8(new)
    for start in range(rules.HEADER, rules.HEADER + cells, _ROW):
        for place in range(np.uint64(start), np.uint64(start + _ROW)):
            name = state[place]
            following[place] = new if (name == old_1) | (name == old_2) | (name == old_3) else name


@inlined
def _put(params, state, cell, sign, following):
    """Writes the board with one more stone; returns whether it wins."""
    cells, around, ring, on_border = params[2], 0, False, False
    name = params[_name(cells, cell)]
    group_1, group_2, group_3 = _NONE, _NONE, _NONE  # the runs of its colour around the cell, last one first
    for direction in range(6):
        neighbour = params[np.uint64(_neighbour(cell, direction))]
        around |= (sign * state[np.uint64(rules.HEADER + neighbour)] > 0) << direction
        on_border |= neighbour == cells
    begins = around & ~(around << 1 | around >> 5)  # six of its colour around a cell would already be a ring
    while begins:
        group = sign * state[rules.HEADER + params[_neighbour(cell, lowest(np.uint64(begins)))]]
        begins &= begins - 1
        ring |= group in (group_1, group_2)
        group_1, group_2, group_3 = group, group_1, group_2
        name = min(name, group)
    _copy_renamed(cells, state, following, sign * group_1, sign * group_2, sign * group_3, sign * name)
    following[rules.HEADER + cell] = sign * name
    if ring or _fills_hexagon(params, following, cell, sign, around):
        return True
    if around == 0 or (group_2 == _NONE and not on_border):
        return False
    return _joins_border(params, state, cell, sign * group_1, sign * group_2, sign * group_3)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    cells, player = params[2], state[0]
    rules.advance_header(state, following, 1 - player)
    following[_SWAPPED] = state[_SWAPPED]
    if action == cells:
        following[_SWAPPED] = 1
        for place in range(rules.HEADER, len(state)):
            following[place] = -state[place]
    elif _put(params, state, action, rules.sign(player), following):
        following[1] = _WON
    elif rules.length(following) - following[_SWAPPED] == cells:
        following[1] = _DRAWN


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1] == _WON:
        return rules.mover_lost(state)
    return 0 if state[1] == _DRAWN else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    side = params[0]
    area = (2 * side + 1) * (2 * side + 1)
    planes[: 2 * area] = 0
    planes[2 * area : 3 * area] = 1 - state[0]
    planes[3 * area :] = 1
    start = rules.HEADER
    for row in range(2 * side - 1):
        length = 2 * side - 1 - abs(row - side + 1)
        place = (row + 1) * (2 * side + 1) + 1 + max(0, row - side + 1)
        stones, first = state[start : start + length], planes[place : place + length]
        second = planes[area + place : area + place + length]
        for column in range(length):
            first[column] = stones[column] > 0
        for column in range(length):
            second[column] = stones[column] < 0
        planes[3 * area + place : 3 * area + place + length] = 0
        start += length


KERNELS = rules.table(actions, play, outcome, encode, sample, initial=rules.empty_board)


def _padded(cells: int) -> int:
    """Bytes of the cells in a state, including one more, which is always empty."""
    return (cells + _ROW) // _ROW * _ROW


def _names(cells: list[Cell]) -> list[int]:
    """The name of every cell, from 1: three cells of the zigzag through a pair of rows touch each other."""
    triples = [(y // 2, (2 * x - y % 2) // 3) for x, y in cells]
    numbers = {triple: number for number, triple in enumerate(dict.fromkeys(triples), 1)}
    return [numbers[triple] for triple in triples]


def _tables(side: int) -> list[int]:
    """Six neighbours of every cell, the names of the cells, and the words of the corners and sides (`_lines`)."""
    cells = cells_of(side)
    numbers = {cell: number for number, cell in enumerate(cells)}
    neighbours = [numbers.get((x + right, y + down), len(cells)) for x, y in cells for right, down in _AROUND]
    on_lines = np.zeros((LINES, _padded(len(cells))), np.uint8)
    for number, cell in enumerate(cells):
        on_lines[:, number] = touched_lines(side, *cell) >> np.arange(LINES) & 1
    words = np.packbits(on_lines, axis=1, bitorder="little").view(np.int64)
    return [*neighbours, *_names(cells), *words.T.flat]


def _starts(side: int) -> NDArray[np.int64]:
    """Where floods from the corners and the sides start (`connections`): cells off the board.

    int64[3, words, 4]: the bits of two corners and of two sides, word by word of a plane. Cells at a corner that also
    touch a side are left out.
    """
    cells, width = set(cells_of(side)), 2 * side + 1
    found = np.zeros((3, -(-width * width // 64), 4, 64), np.uint8)
    for row, column in product(range(width), repeat=2):
        x, y = column - 1, row - 1
        beside = [(x + right, y + down) for right, down in _AROUND if (x + right, y + down) in cells]
        touched = {touched_lines(side, *cell) for cell in beside}
        if (x, y) not in cells and len(touched) == 1:
            on_side, number = divmod(touched.pop().bit_length() - 1, LINES // 2)
            word, bit = divmod(row * width + column, 64)
            found[number // 2, word, 2 * on_side + number % 2, bit] = 1
    return np.packbits(found, bitorder="little").view(np.int64)


def _symmetries(side: int) -> NDArray[np.int32]:
    """The image of each cell: int32[12, cells], six rotations, then each after the reflection that exchanges x and
    y.
    """
    cells, images = cells_of(side), []
    numbers = {cell: number for number, cell in enumerate(cells)}
    for reflected, turns in product((False, True), range(6)):
        image = [(y, x) if reflected else (x, y) for x, y in cells]
        for _ in range(turns):
            image = [(x - y + side - 1, x) for x, y in image]
        images.append([numbers[cell] for cell in image])
    return np.array(images, np.int32)


def _plane_symmetries(planes: int, side: int, images: NDArray[np.int32]) -> NDArray[np.int32]:
    """The symmetries of all planes, from the images of the cells; cells off the board keep their places."""
    width = 2 * side + 1
    places = np.array([(y + 1) * width + x + 1 for x, y in cells_of(side)], np.int32)
    sources = np.tile(np.arange(width * width, dtype=np.int32), (len(images), 1))
    for source, image in zip(sources, images, strict=True):
        source[places[image]] = places
    return np.concatenate([sources + plane * width * width for plane in range(planes)], axis=1)


def _image(state: State) -> State:
    image = other_side(state)
    image[rules.HEADER :] *= -1
    return image


def make(side: Annotated[int, Between(4, 10)] = 8, *, swap: bool = True) -> Game:
    """Havannah on a hexagon with `side` cells a side."""
    cells, images, width = cells_of(side), _symmetries(side), 2 * side + 1
    count, tables, small = len(cells), _tables(side), side <= LARGEST_SIDE
    staying = np.full((len(images), int(swap)), count, np.int32)
    places = [(y + 1) * width + x + 1 for x, y in cells]

    def action_name(state: State, action: int) -> str:
        if action == count:
            return "swap"
        x, y = cells[action]
        return f"{grid.column_name(x)}{y + 1}"

    return Game(
        Ruleset(
            KERNELS,
            np.array([side, swap, count, _TABLES + len(tables), *tables, *_starts(side).flat], np.int64),
            state_size=rules.HEADER + _padded(count),
            max_actions=count,
            max_length=count + swap,
            typical_length=count * 3 // 5,
            features=FEATURES if small else Features(),
            carries_over=("swap",),
        ),
        Layout(
            action_count=count + swap,
            planes=(4, width, width),
            action_name=action_name,
            text=lambda state: picture(side, state),
            plane_symmetries=_plane_symmetries(4, side, images),
            action_symmetries=np.concatenate([images, staying], axis=1),
            action_planes=1,
            action_places=np.array([*places, *[-1] * swap], np.int32),
            board=hexagons(side),
            colour_symmetry=ColourSymmetry(
                _image, exchanged_planes(4, width, width), np.arange(count + swap, dtype=np.int32)
            ),
        ),
        forms=Forms(sgf=sgf_of(side)),
        advice=Advice(VECTORS),
    )
