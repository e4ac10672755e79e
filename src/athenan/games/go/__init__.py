"""Go on an n x n board, n from 2 to 19, with area scoring.

Goal: surround more of the board with your stones than the opponent does.

The first player (x, black) begins; a stone is put on an empty point, then opposing groups without liberties are taken
off. Suicide is not legal. A move must not recreate an earlier board (`superko=positional`, the default), or an
earlier board with the same side to move (`superko=situational`); `superko=simple` forbids only to take back at once a
single stone that has one liberty and has just taken a single stone, and boards may repeat. `pass` is always legal. Two
passes in a row end the match, and so does its 2 * n * n-th action; then, as the board stands, a
player's area is the stones and the empty regions that touch stones of that player only. The score is the first
player's area less the second's less `komi`, with a half-point komi in half points; who is ahead wins, and 0 is a
draw. A point is a letter for its column from the left, without i, and a number for its row from the bottom. Sources:
003, section 6; the rules of J. Tromp and B. Taylor (1995), but without suicide; OpenSpiel for simple ko, the limit and
the notation.

Actions: n * row + column, n * n is `pass`.

State: the board (module `board`), then the history for superko (module `superko`). Header byte 1: bit 0 the last action
was a pass, bit 1 the match is over. Header bytes 4 and 5: the point that ko forbids (`simple`) or the number of moves
kept. When the match is over they hold the difference of the areas, and the moves are forgotten.

Planes n x n, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the first
player, 0 for the second), points that ko or superko forbids, 1 everywhere after a pass, stones of groups with one
liberty, stones of groups with two.
"""

from typing import Annotated, Literal

import numpy as np

from athenan import rules
from athenan.games.go.board import (
    BOARD,
    POINTS,
    UNIT,
    area_difference,
    board_end,
    board_size,
    empty_points,
    has_liberty,
    ko,
    liberties,
    load16,
    put,
    store16,
)
from athenan.games.go.superko import (
    EXTRA,
    SIMPLE,
    SITUATIONAL,
    SUPERKO,
    forbidden,
    forget_moves,
    history_size,
    keep_move,
)
from athenan.rules import Board, Game, GameError, Piece, Scene, State, require
from athenan.rules.board import NOBODY
from athenan.rules.colours import ColourSymmetry, exchanged_planes, other_side
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.places import on_cells
from athenan.rules.randomness import random_below
from athenan.settings import Between

_PASSED, _OVER = 1, 2  # bits of header byte 1
_COLUMNS = "abcdefghjklmnopqrst"


@rules.helper
def _point(params, action):
    """The place of an action's point in a state."""
    return rules.HEADER + (params[0] + 1) * (action // params[0] + 1) + action % params[0]


@rules.helper
def _clear(params, marks):
    for place in range(0, board_end(params), 8):
        rules.store64(marks, place, np.uint64(0))


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    state[rules.HEADER : board_end(params)] = 3
    for action in range(params[0] * params[0]):
        state[_point(params, action)] = 0


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1] & _OVER:
        return 0
    stride, count = params[0] + 1, 0
    marks, stack = rules.scratch(BOARD, np.int8), rules.scratch(POINTS, np.int16)
    _clear(params, marks)
    row_end, borders = rules.HEADER + 2 * stride, rules.HEADER + stride
    for place in range(rules.HEADER + (stride & ~7), rules.HEADER + stride * stride, 8):
        empty = empty_points(state, place)
        free = empty_points(state, place - 1) | empty_points(state, place + 1)
        free |= empty_points(state, place - stride) | empty_points(state, place + stride)
        while empty:
            bit = lowest(empty)
            point = place + (bit >> 3)
            while point >= row_end:
                row_end, borders = row_end + stride, borders + 1
            actions[count] = point - borders
            if (free >> np.uint64(bit)) & ONE != 0 or has_liberty(params, state, point, marks, stack):
                count += not forbidden(params, state, point)
            empty &= empty - ONE
    actions[count] = params[0] * params[0]
    return count + 1


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    size, stride = params[0], params[0] + 1
    marks, stack = rules.scratch(BOARD, np.int8), rules.scratch(POINTS, np.int16)
    _clear(params, marks)
    while True:
        place = random_below(random, 0, size * stride + 1)
        if place == size * stride:
            return size * size
        point = rules.HEADER + stride + place
        empty = state[point] == 0  # neither a stone nor the border
        if empty and has_liberty(params, state, point, marks, stack) and not forbidden(params, state, point):
            return place - place // stride


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, superko, stone = params[0], params[2], state[0] + 1
    rules.copy_state(state, following)
    rules.advance_header(state, following, 2 - stone)
    captured, bits, change = 0, 0, np.uint64(0)
    if action == size * size:
        following[1] = _OVER if state[1] & _PASSED else _PASSED
    else:
        point = _point(params, action)
        captured, bits, change = put(params, following, point, stone)
    if following[1] & _OVER or rules.length(following) == 2 * size * size:
        following[1] = _OVER
        forget_moves(params, following)
        store16(following, EXTRA, area_difference(params, following))
    elif superko == SIMPLE:
        store16(following, EXTRA, ko(params, following, point, stone) if captured == 1 else 0)
    else:
        store16(following, EXTRA, load16(state, EXTRA))
        if bits or superko == SITUATIONAL:
            keep_move(params, following, bits, change)


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    count = 0
    for place in range(rules.HEADER, board_end(params)):
        count += state[place] == player + 1
    return count


@rules.helper
def _lead(params, state):
    """The score of a finished match."""
    return params[UNIT] * load16(state, EXTRA) - params[1]


@rules.kernel(rules.SCORE)
def score(params, state):
    return _lead(params, state)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if not state[1] & _OVER:
        return rules.ONGOING
    lead = _lead(params, state)
    return (lead > 0) - (lead < 0)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    area, over = params[0] * params[0], state[1] & _OVER
    marks, stack = rules.scratch(BOARD, np.int8), rules.scratch(POINTS, np.int16)
    _clear(params, marks)
    for cell in range(area):
        point = _point(params, cell)
        stone = state[point]
        if stone and not marks[point]:
            liberties(params, state, point, 3, marks, stack)
        planes[cell] = stone == 1
        planes[area + cell] = stone == 2
        planes[2 * area + cell] = 1 - state[0]
        planes[3 * area + cell] = not stone and not over and forbidden(params, state, point)
        planes[4 * area + cell] = state[1] & _PASSED
        planes[5 * area + cell] = stone and marks[point] == 1
        planes[6 * area + cell] = stone and marks[point] == 2


KERNELS = rules.table(
    initial=initial, actions=actions, play=play, outcome=outcome, encode=encode, score=score, pieces=pieces,
    sample=sample,
)  # fmt: skip


def _image(state: State) -> State:
    """The image of a state without superko, whose keys depend on the colours of stones."""
    image = other_side(state)
    points = image[rules.HEADER :]
    stones = (points == 1) | (points == 2)
    points[stones] = 3 - points[stones]
    if state[1] & _OVER:
        store16(image, EXTRA, -load16(state, EXTRA))
    return image


def _board(size: int) -> Board:
    def scene(state: State) -> Scene:
        rows = state[rules.HEADER + size + 1 : rules.HEADER + (size + 1) ** 2].reshape(size, size + 1)[:, :size]
        stones = rows.reshape(-1)
        return Scene(pieces=tuple(Piece(int(cell), int(stones[cell]) - 1) for cell in np.flatnonzero(stones)))

    edge = 2 if size < 13 else 3
    lines = {edge, size - 1 - edge, *[size // 2] * (size % 2)} if size > 6 else set()
    stars = [Piece(row * size + column, NOBODY, "dot", size=0.2) for row in lines for column in lines]
    labels = boards.lettered(size, size, columns=_COLUMNS[:size])
    return Board(
        boards.points(size, size, boards.names(size, size, _COLUMNS)),
        scene,
        ground=boards.lattice(size, size)._replace(labels=labels, pieces=tuple(stars)),
    )


def make(
    size: Annotated[int, Between(2, 19)] = 9,
    *,
    komi: float = 7.0,
    superko: Literal["positional", "situational", "simple"] = "positional",
) -> Game:
    """Go on a size x size board; the second player gets `komi` points, whole or half."""
    area = size * size
    if komi % 0.5:
        raise GameError(f"komi must be a multiple of a half, such as 7 or 7.5, not {komi}")
    require("komi", komi, -area, max(7, area))
    rule, stride = SUPERKO.index(superko), size + 1
    unit = 2 if komi % 1 else 1
    params = np.array([size, unit * komi, rule, -stride, -1, 1, stride, unit], np.int64)

    def action_name(state: State, action: int) -> str:
        return rules.PASS_NAME if action == area else f"{_COLUMNS[action % size]}{action // size + 1}"

    def text(state: State) -> str:
        rows = state[rules.HEADER + size + 1 : rules.HEADER + (size + 1) ** 2].reshape(size, size + 1)[::-1, :size]
        stones = np.array([rows == 1, rows == 2], np.int8)
        return grid.picture(stones, list(_COLUMNS[:size]), [str(size - row) for row in range(size)])

    places = on_cells(size, size, extra=1)
    colours = ColourSymmetry(_image, exchanged_planes(7, size, size), np.arange(area + 1, dtype=np.int32))
    return Game(
        table=KERNELS,
        params=params,
        state_size=rules.HEADER + board_size(size) + history_size(size, rule),
        action_count=area + 1,
        max_actions=area + 1,
        planes=(7, size, size),
        max_length=2 * area,
        typical_length=max(4, 3 * area // 2),
        action_name=action_name,
        text=text,
        plane_symmetries=grid.plane_symmetries(7, size, size, grid.SQUARE),
        action_symmetries=grid.cell_symmetries(size, size, grid.SQUARE, extra=1),
        max_score=int(unit * (area + abs(komi))),
        action_planes=places.planes,
        action_places=places.places,
        board=_board(size),
        colour_symmetry=colours if komi == 0 and superko == "simple" else None,
        carries_over=("komi",),
    )
