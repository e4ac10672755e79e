"""The Game of the Amazons on 6 x 6, 8 x 8 or 10 x 10 cells, four amazons a side.

Goal: make the last move. Whoever cannot move an amazon loses.

Play: White begins. Move one of your amazons like a queen of chess, any number of cells in a straight line over empty
cells. From where it lands it shoots an arrow, which flies like a queen and blocks its cell for the rest of the match.
Nothing is captured. Shut the opponent's amazons in.

The first player's amazons are x, the second's o, and arrows *. There are no draws. A turn is two actions, the move,
written `d1-d7`, and the arrow, written `g7`; the same side plays both. Since the cell that the amazon left is empty, an
arrow can follow every move. A cell is a letter for its column from the left and a number for its row from the bottom.
Start, the second player's side mirrored: 10 x 10 a4 d1 g1 j4, 8 x 8 a3 c1 f1 h3, 6 x 6 a2 b1 e1 f2. Sources: 003,
section 2.4.9; W. Zamkauskas, 1988; the small boards are OpenSpiel's and Ludii's.

Score: the territory of the winner (003, Remark 22) plus 1, positive if the first player wins, else negative. Territory
is the number of empty cells that the winner's amazons could still reach by any number of moves if no more arrows were
shot: the cells connected to one of them by steps to the eight neighbours. The loser cannot move and reaches no cell.
The 1 distinguishes wins and losses if both sides are shut in (003, Definition 21).

Actions: (4 * cell + line) * size + coordinate for a move of the amazon on cell = row * size + column, where the line
is 0 its row, 1 its column, 2 its diagonal up to the right, 3 its diagonal up to the left, and the coordinate is the
row where it lands for line 1, otherwise the column; then 4 * size^3 + cell for an arrow.

State: four boards of the empty cells, one for each direction of lines, so that the cells of a line are bits of one
word. A board has words of 16 bits for its lines and at least one more, to a multiple of 4: the rows from the bottom;
the columns; the diagonals up to the right, by column - row, and up to the left, by column + row, both modulo size + 1,
so that a word has two diagonals with a gap between them. Bits are columns, but rows in a column. Then 4 bytes with the
first player's amazons as 16 * row + column, ascending, and 4 with the second's. A cell that is not empty and has no
amazon has an arrow. Header byte 1: 1 when the match is won, by the player who is not to
move. Header byte 4: 1 + 16 * row + column of the amazon that shoots if an arrow is to be shot, else 0.

Planes size x size, row 1 first: first player's amazons, second player's amazons, the side to move (1 everywhere for the
first player, 0 for the second), empty cells (a plane of arrows would not show that the border blocks as they do), and
the amazon that shoots now. The declared symmetries are the eight of the board, which keep the rules. The first two, the
identity and the mirror image, also keep the start. Features (`territory`): the empty cells to which the first player's
amazons are nearer by king moves, and the cells to which the second player's are.
"""

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.amazons.board import board_of
from athenan.games.amazons.queens import (
    EMPTY,
    amazons_at,
    board_size,
    can_move,
    empty_cells,
    flip,
    queens,
    reach,
    spread,
)
from athenan.games.amazons.sgf import sgf_of
from athenan.games.amazons.territory import features_of
from athenan.rules import VECTORS, Advice, Forms, Game, Ruleset, State
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import popcount
from athenan.rules.geometry.edges import edge_words, words_of
from athenan.rules.geometry.packing import fill, unpack_rows
from athenan.rules.geometry.places import by_move, on_cells, together
from athenan.rules.geometry.rectangle import Rectangle
from athenan.rules.randomness import random_below

_SHOOTER = 4  # header byte
_FACTOR = 9  # of `params`, after the size and the places of the amazons
_STARTS = {6: ("a2 b1 e1 f2", "a5 b6 e6 f5"), 8: ("a3 c1 f1 h3", "a6 c8 f8 h6"), 10: ("a4 d1 g1 j4", "a7 d10 g10 j7")}


@rules.kernel(rules.INITIAL)
def initial(params, state):
    size, at = params[0], amazons_at(params, 0)
    state[:] = 0
    for row in range(size):
        for column in range(size):
            flip(size, state, 16 * row + column)
    for number in range(8):
        state[at + number] = params[1 + number]
        flip(size, state, params[1 + number])


@rules.helper
def _moves(size, state, place, actions, count):
    """Writes the moves of one amazon from position `count` on and returns the new count."""
    row, column = place >> 4, place & 15
    for line in range(4):
        origin, at = (4 * (row * size + column) + line) * size, row if line == 1 else column
        before, after = reach(size, state, place, line)
        for coordinate in range(at - before, at):
            actions[count] = origin + coordinate
            count += 1
        for coordinate in range(at + 1, at + after + 1):
            actions[count] = origin + coordinate
            count += 1
    return count


@rules.helper
def _arrows_across(cell, row, left, straight, right, distance, actions, count):
    """Writes the up to three arrows that fly `distance` rows; `row` is the way to that row, from cell to cell."""
    actions[count] = cell + row - distance
    count += left >= distance
    actions[count] = cell + row
    count += straight >= distance
    actions[count] = cell + row + distance
    return count + (right >= distance)


@rules.helper
def _arrows(size, state, place, actions):
    """Writes the arrows of one amazon, row by row from the bottom, and returns their number."""
    cell, count = 4 * size**3 + (place >> 4) * size + (place & 15), 0
    left, right = reach(size, state, place, 0)
    down, up = reach(size, state, place, 1)
    down_left, up_right = reach(size, state, place, 2)
    up_left, down_right = reach(size, state, place, 3)
    for distance in range(max(down_left, down, down_right), 0, -1):
        count = _arrows_across(cell, -distance * size, down_left, down, down_right, distance, actions, count)
    for target in range(cell - left, cell):
        actions[count] = target
        count += 1
    for target in range(cell + 1, cell + 1 + right):
        actions[count] = target
        count += 1
    for distance in range(1, max(up_left, up, up_right) + 1):
        count = _arrows_across(cell, distance * size, up_left, up, up_right, distance, actions, count)
    return count


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    size, count = params[0], 0
    if state[1]:
        return 0
    if state[_SHOOTER]:
        return _arrows(size, state, np.int64(np.uint8(state[_SHOOTER])) - 1, actions)
    amazons = amazons_at(params, state[0])
    for at in range(amazons, amazons + 4):
        count = _moves(size, state, np.int64(np.uint8(state[at])), actions, count)
    return count


@rules.helper
def _target(row, column, line, coordinate):
    """The cell where a move lands, as 16 * row + column."""
    if line == 1:
        return 16 * coordinate + column
    return 16 * (row + (coordinate - column) * ((line == 2) - np.int64(line == 3))) + coordinate


@rules.helper
def _queen_of(params, state, ray):
    """The place of a ray's amazon; each amazon that may go or shoot has four rays."""
    if state[_SHOOTER]:
        return np.int64(np.uint8(state[_SHOOTER])) - 1
    return np.int64(np.uint8(state[amazons_at(params, state[0]) + (ray >> 2)]))


@rules.helper
def _action(params, state, ray, before, chosen):
    """The action to a chosen cell of a ray, counted from its lower end, which is `before` cells below its amazon."""
    size, line, place = params[0], ray & 3, _queen_of(params, state, ray)
    row, column = place >> 4, place & 15
    coordinate = (row if line == 1 else column) - before + chosen
    coordinate += chosen >= before
    if state[_SHOOTER]:
        target = _target(row, column, line, coordinate)
        return 4 * size**3 + (target >> 4) * size + (target & 15)
    return (4 * (row * size + column) + line) * size + coordinate


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    """Counts the cells within reach, line by line, and goes to a random one."""
    size, rays, total, chosen_ray = params[0], 4 if state[_SHOOTER] else 16, 0, 0
    below, ends = rules.scratch(16, np.int64), rules.scratch(17, np.int64)
    ends[0] = 0
    for first in range(0, rays, 4):
        place = _queen_of(params, state, first)
        for line in (0, 1, 2, 3):
            before, after = reach(size, state, place, line)
            total += before + after
            below[first + line], ends[first + line + 1] = before, total
    chosen = random_below(random, 0, total)
    for ray in range(1, rays):
        chosen_ray += chosen >= ends[ray]
    return _action(params, state, chosen_ray, below[chosen_ray], chosen - ends[chosen_ray])


@rules.helper
def _replace(state, following, amazons, place, target):
    """Copies four ascending places with `target` instead of `place`, ascending, without branches on random numbers."""
    below = -1 if place < target else 0  # the number of places below the target, without the old one
    for at in range(amazons, amazons + 4):
        below += np.uint8(state[np.uint64(at)]) < target
    for number in range(4):
        other = np.int64(np.uint8(state[np.uint64(amazons + number)]))
        at = below if other == place else number - (other > place) + (other > target)
        following[np.uint64(amazons + at)] = target if other == place else other


@rules.helper
def _divided(params, number):
    """A number divided by the size, and the rest: `params` has 2^16 / size, rounded up, as // takes longer."""
    quotient = number * params[_FACTOR] >> 16
    return quotient, number - quotient * params[0]


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, player = params[0], state[0]
    rules.copy_state(state, following)
    if state[_SHOOTER]:
        row, column = _divided(params, action - 4 * size**3)
        flip(size, following, 16 * row + column)
        rules.advance_header(state, following, 1 - player)
        following[1] = not can_move(params, following, 1 - player)
        return
    line, coordinate = _divided(params, action)
    row, column = _divided(params, line >> 2)
    place, target = 16 * row + column, _target(row, column, line & 3, coordinate)
    _replace(state, following, amazons_at(params, player), place, target)
    flip(size, following, place)
    flip(size, following, target)
    rules.advance_header(state, following, player)
    following[_SHOOTER] = 1 + target


@rules.kernel(rules.SCORE)
def score(params, state):
    """Floods the empty cells from the winner's amazons."""
    winner, found = 1 - state[0], -1
    empty, (low, middle, high) = empty_cells(params, state), queens(params, state, winner)
    while True:
        low, middle, high = spread(low, middle, high, empty)
        count = popcount(low) + popcount(middle) + popcount(high)
        if count == found:
            return (count + 1) * rules.sign(winner)
        found = count


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    size = params[0]
    area, amazons = size * size, amazons_at(params, 0)
    fill(planes, 0, 2 * area, 0)
    fill(planes, 2 * area, area, 1 - state[0])
    unpack_rows(state, EMPTY, planes, 3 * area, size, size)
    fill(planes, 4 * area, area, 0)
    for number in range(8):
        place = np.int64(np.uint8(state[amazons + number]))
        planes[area * (number >> 2) + (place >> 4) * size + (place & 15)] = 1
    if state[_SHOOTER]:
        place = np.int64(np.uint8(state[_SHOOTER])) - 1
        planes[4 * area + (place >> 4) * size + (place & 15)] = 1


KERNELS = rules.table(initial, actions, play, encode, score, sample, outcome=rules.last_mover_wins)


def _place(name: str) -> int:
    """A cell as a state stores it."""
    return 16 * (int(name[1:]) - 1) + ord(name[0]) - ord("a")


def _image(params: NDArray[np.int64], state: State) -> State:
    """The state with the players exchanged, upside down."""
    image = other_side(state)
    exchange(image, 4, start=EMPTY + 4 * board_size(int(params[0])))
    return _turned(params, image, grid.FLIP)


def _turned(params: NDArray[np.int64], state: State, transform: grid.Transform) -> State:
    """The state with its board turned."""
    size, image = int(params[0]), state.copy()
    amazons, cells = EMPTY + 4 * board_size(size), grid.cell_symmetries(size, size, (transform,))[0]

    def moved(places: NDArray[np.uint8]) -> NDArray[np.uint8]:
        rows, columns = np.divmod(cells[places // 16 * size + places % 16], size)
        return np.asarray(16 * rows + columns, np.uint8)

    planes = np.empty(5 * size * size, np.int8)
    encode(params, state, planes)
    rows, columns = np.nonzero(transform(planes.reshape(5, size, size)[3].astype(np.int32)))
    lines = np.stack([rows, columns, (columns - rows) % (size + 1), (columns + rows) % (size + 1)])  # see `queens`
    bits = np.stack([columns, rows, columns, columns])
    boards = np.zeros((4, board_size(size) // 2), np.uint16)
    np.bitwise_or.at(boards, (np.arange(4)[:, None], lines), 1 << bits)
    image[EMPTY:amazons] = boards.reshape(-1).view(np.int8)
    places = state[amazons:].view(np.uint8).reshape(2, 4)
    image[amazons:] = np.sort(moved(places), axis=1).reshape(-1).view(np.int8)
    if state[_SHOOTER]:
        image[_SHOOTER] = (1 + moved(state[[_SHOOTER]].view(np.uint8) - 1)).view(np.int8)[0]
    return image


def make(size: Literal[6, 8, 10] = 10) -> Game:
    """Amazons on a size x size board."""
    first, second = (sorted(map(_place, side.split())) for side in _STARTS[size])
    params = np.array([size, *first, *second, 65536 // size + 1, *edge_words(size, size)], np.int64)
    moves = 4 * size**3
    board = Rectangle(
        size, size, 5, encode, params, turned_actions=partial(_turned_actions, size),
        symmetries=(grid.IDENTITY, grid.MIRROR), of_rules=grid.SQUARE, turned=partial(_turned, params),
    )  # fmt: skip
    name = board.names

    def action_name(state: State, action: int) -> str:
        if action >= moves:
            return name[action - moves]
        line, coordinate = divmod(action, size)
        row, column = divmod(line // 4, size)
        up = (0, None, 1, -1)[line % 4]
        target = coordinate * size + column if up is None else (row + up * (coordinate - column)) * size + coordinate
        return f"{name[line // 4]}-{name[target]}"

    def text(state: State) -> str:
        planes = board.encoded(state)
        return board.framed(np.array(["*", "x", "o", "."])[planes[0] + 2 * planes[1] + 3 * planes[3]])

    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=EMPTY + 4 * board_size(size) + 8,
            max_actions=4 * (4 * size - 5),  # no queen of an even board has more moves
            max_length=2 * (size * size - 8),
            typical_length=size * size * 5 // 4,
            max_score=size * size - 9,  # the second arrow ends a match at the earliest
            features=features_of(words_of(size * size)),
        ),
        board.layout(
            board_of(size, board.encoded),
            board.exchange(partial(_image, params), grid.FLIP),
            action_name=action_name,
            text=text,
            places=together(size, size, by_move(size, size, *_ends(size)), on_cells(size, size)),
        ),
        forms=Forms(sgf=sgf_of(size)),
        advice=Advice(VECTORS, search="alphabeta" if size >= 10 else "ubfm"),
    )


def _ends(size: int) -> NDArray[np.int64]:
    """The cells from and to of all moves, by action; to is -1 if it lies off the board."""
    start, line, coordinate = np.indices((size * size, 4, size)).reshape(3, -1)
    row, column = start // size, start % size
    to_row = np.choose(line, [row, coordinate, row + coordinate - column, row - coordinate + column])
    to_column = np.where(line == 1, column, coordinate)
    to = to_row * size + to_column
    return np.stack([start, np.where((to_row >= 0) & (to_row < size) & (to != start), to, -1)])


def _turned_actions(size: int, transform: grid.Transform) -> NDArray[np.int32]:
    """The image of each action when the board is turned: int32[actions].

    Among the moves of a cell that lead nowhere, which are never legal, the images are in the order of the numbers.
    """
    (start, to), cells = _ends(size), grid.cell_symmetries(size, size, (transform,))[0]
    own, wanted = start * (size * size + 1) + to, cells[start] * (size * size + 1) + np.append(cells, -1)[to]
    images = np.empty(len(own), np.int64)
    images[np.argsort(wanted, kind="stable")] = np.argsort(own, kind="stable")
    return np.append(images, len(own) + cells).astype(np.int32)
