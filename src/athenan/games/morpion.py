"""Morpion Solitaire (Join Five), a one-player game: 5D by default, also 5T, 4D and 4T.

Goal: draw as many lines as you can.

Play: Each move puts one new point on the grid so that it completes a line of five points, and draws that line. Lines of
the same direction may not share a point. Every line scores 1; the match ends when no line can be drawn.

A Greek cross of points is on the grid at the start: 36 points whose sides have 4 each, or, with lines of 4, 24 points
whose sides have 3. The 5 (4) points of a line are neighbours in a row, column or diagonal. Lines of one direction share
no point (D, disjoint) or at most an end (T, touching); lines of different directions may share any points. The gain is
0, a draw, unless `win` is given: then a match with at least that many lines is won (003, section 12.4, has win=84).
Sources: 003, sections 2.4.3 and 12; E. D. Demaine and others, Morpion Solitaire, 2006, for the variants.

The original grid has no border. Here it has one, with the cross in the middle, and no point lies beyond it. The default
sizes hold the longest known matches: 82 lines in 5D and 178 in 5T (C. D. Rosin), 35 in 4D and 62 in 4T (H. Hyyro and T.
Poranen). No match can be longer than 84 lines in 5D (H. Michalewski and others, 2016), 35 in 4D and 62 in 4T (M. Quist,
2008); a match of 5T ends after 300 lines. A state offers at most 64 lines, the ones with the lowest numbers; random
matches have at most 40, at the start of 4D and 4T.

A cell is one letter (two beyond z) for its column from the left and a number for its row from the bottom. An action is
written as the ends of its line, `d7-h7`; its new point is the missing one.

Actions: direction * cells + cell. Directions are right, up, up right and up left. The cell is the line's end with the
lowest number, row * width + column.

State: nine sets of cells, one bit each from the lowest, to multiples of 64 bits: the points; for each direction the
marks of the lines drawn; for each direction the first cells of the lines that can be drawn now. A line marks all its
cells in D, all but its last in T, so that no cell is marked twice. Header byte 1: 1 when the match is over. The order
of the lines is forgotten: matches that draw the same lines lead to the same state.

Planes, row 1 first: the points; for each direction the cells of lines drawn (T: 2 inside of lines and where they touch,
1 where one ends); the number of lines that a new point on each cell could draw.
"""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules import Board, Game, GameError, Layout, Line, Piece, Ruleset, Scene, State, require
from athenan.rules.board import FIRST
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.packing import fill, unpack_words
from athenan.rules.geometry.stones import has_stone
from athenan.settings import Between

_VARIANTS = {"5D": (18, 84, 45), "5T": (28, 300, 55), "4D": (13, 35, 24), "4T": (17, 62, 36)}
"""Default width, longest match, typical match."""
_MOST_LINES = 64
_SIDE, _LINE, _MARKS, _LIMIT, _WIN = range(5)  # of params


@rules.helper
def _set(params, number):
    """The byte of a state at which a set begins: 0 the points, 1 to 4 the marks, 5 to 8 the lines to draw."""
    return rules.HEADER + 8 * number * ((params[_SIDE] * params[_SIDE] + 63) >> 6)


@rules.helper
def _put(state, begin, cell, bit):
    """Makes a cell a member of a set, or not."""
    place, shift = begin + (cell >> 3), cell & 7
    state[place] = (state[place] & ~(1 << shift)) | (bit << shift)


@rules.helper
def _step(side, direction):
    """The step from a cell to the next in a direction."""
    if direction < 2:
        return side if direction else 1
    return side + 1 if direction == 2 else side - 1


@rules.helper
def _room(side, cell, direction):
    """The numbers of cells behind and ahead of a cell."""
    down, left = cell // side, cell % side
    up, right = side - 1 - down, side - 1 - left
    if direction == 0:
        return left, right
    if direction == 1:
        return down, up
    if direction == 2:
        return min(down, left), min(up, right)
    return min(down, right), min(up, left)


@rules.helper
def _renew(params, state, cell):
    """Finds which of the lines through a cell can be drawn: four of five points, no mark."""
    side, length = params[_SIDE], params[_LINE]
    for direction in range(4):
        step, (behind, ahead) = _step(side, direction), _room(side, cell, direction)
        first = cell - min(behind, length - 1) * step
        lines = min(behind, length - 1) + min(ahead, length - 1) + 2 - length
        if lines <= 0:
            continue
        points, marks, gaps, marked = _set(params, 0), _set(params, 1 + direction), 0, 0
        for place in range(lines + length - 1):
            gaps |= (1 - has_stone(state, points, first + place * step)) << place
            marked |= has_stone(state, marks, first + place * step) << place
        some, several, blocked = 0, 0, 0  # gaps or marks on the line that begins at each place
        for place in range(length):
            several |= some & (gaps >> place)
            some |= gaps >> place
            if place < params[_MARKS]:
                blocked |= marked >> place
        drawable, lines_to_draw = some & ~several & ~blocked, _set(params, 5 + direction)
        for place in range(lines):
            _put(state, lines_to_draw, first + place * step, (drawable >> place) & 1)


@rules.helper
def _none_left(params, state):
    for place in range(_set(params, 5), _set(params, 9), 8):
        if rules.load64(state, place):
            return False
    return True


@rules.kernel(rules.INITIAL)
def initial(params, state):
    """The outline of a cross: its sides lie on four rows and four columns, `length - 2` apart."""
    state[:] = 0
    side, apart, points = params[_SIDE], params[_LINE] - 2, _set(params, 0)
    margin = (side - 3 * apart - 1) // 2
    for line in range(4):
        outer = line % 3 == 0
        for place in range(3 * apart + 1):
            if apart <= place <= 2 * apart if outer else place <= apart or place >= 2 * apart:
                across, along = margin + line * apart, margin + place
                _put(state, points, across * side + along, 1)
                _put(state, points, along * side + across, 1)
    for cell in range(side * side):
        if has_stone(state, points, cell):
            _renew(params, state, cell)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    count = 0
    if state[1]:
        return count
    for direction in range(4):
        number = direction * params[_SIDE] * params[_SIDE]
        for place in range(_set(params, 5 + direction), _set(params, 6 + direction), 8):
            word = rules.load64(state, place)
            while word and count < _MOST_LINES:
                actions[count] = number + lowest(word)
                word &= word - ONE
                count += 1
            number += 64
    return count


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    """Renews the lines through the new point and along the drawn line; no others change."""
    side, points = params[_SIDE], _set(params, 0)
    direction, begin = action // (side * side), action % (side * side)
    step, (behind, ahead) = _step(side, direction), _room(side, begin, direction)
    marks, lines_to_draw = _set(params, 1 + direction), _set(params, 5 + direction)
    rules.copy_state(state, following)
    rules.advance_header(state, following, 0)
    new = begin
    while has_stone(state, points, new):
        new += step
    _put(following, points, new, 1)
    for place in range(params[_MARKS]):
        _put(following, marks, begin + place * step, 1)
    _renew(params, following, new)
    for place in range(-min(behind, params[_MARKS] - 1), min(ahead, params[_MARKS] - 1) + 1):
        _put(following, lines_to_draw, begin + place * step, 0)
    following[1] = _none_left(params, following) or rules.length(following) == params[_LIMIT]


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if not state[1]:
        return rules.ONGOING
    return 1 if 0 < params[_WIN] <= rules.length(state) else 0


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    side, length, points = params[_SIDE], params[_LINE], _set(params, 0)
    cells = side * side
    for plane in range(5):
        unpack_words(state, _set(params, plane), planes, plane * cells, cells)
    fill(planes, 5 * cells, cells, 0)
    for direction in range(4):
        step, marks, lines_to_draw = _step(side, direction), _set(params, 1 + direction), _set(params, 5 + direction)
        for place in range(marks, _set(params, 2 + direction), 8):
            word = rules.load64(state, place) if params[_MARKS] < length else np.uint64(0)
            while word:
                planes[(1 + direction) * cells + 8 * (place - marks) + lowest(word) + step] += 1
                word &= word - ONE
        for place in range(lines_to_draw, _set(params, 6 + direction), 8):
            word = rules.load64(state, place)
            while word:
                new = 8 * (place - lines_to_draw) + lowest(word)
                while has_stone(state, points, new):
                    new += step
                planes[5 * cells + new] += 1
                word &= word - ONE


@rules.kernel(rules.SCORE)
def score(params, state):
    return rules.length(state)


KERNELS = rules.table(initial, actions, play, outcome, encode, score)


def make(
    variant: Literal["5D", "5T", "4D", "4T"] = "5D", *, size: int = 0, win: Annotated[int, Between(0, 999)] = 0
) -> Game:
    """Morpion Solitaire: 5D, 5T, 4D or 4T on size x size cells (0: the default of the variant)."""
    default, limit, typical = _VARIANTS[variant]
    line, touching = int(variant[0]), variant[1] == "T"
    side, cross = size or default, 3 * line - 5
    require("size", side, cross, 32)
    if (side - cross) % 2:
        raise GameError(f"with the cross in the middle, size is {('even', 'odd')[cross % 2]}, not {side}")
    limit = min(limit, side * side - 12 * (line - 2))  # every action fills a cell
    params = np.array([side, line, line - touching, limit, win], np.int64)

    def action_name(state: State, action: int) -> str:
        direction, begin = divmod(action, side * side)
        end = begin + (line - 1) * _steps(side)[direction]
        return "-".join(f"{_column_name(cell % side)}{cell // side + 1}" for cell in (begin, int(end)))

    def text(state: State) -> str:
        return _picture(state, side, line, touching)

    board = Board(
        boards.points(side, side, boards.names(side, side, [_column_name(column) for column in range(side)])),
        lambda state: _scene(state, side, line, touching),
        ground=boards.lattice(side, side),
        colours=("blue", "red"),
        path=lambda state, action: _path(state, side, line, action),
    )
    plane_symmetries, action_symmetries = _symmetries(side, line)
    places = np.where(_fits(side, line).reshape(-1), np.arange(4 * side * side), -1)
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 8 * 9 * ((side * side + 63) // 64),
            max_actions=_MOST_LINES,
            max_length=limit,
            typical_length=max(1, min(typical, limit)),
            max_score=limit,
            players=1,
            carries_over=("win",),
        ),
        Layout(
            action_count=4 * side * side,
            planes=(6, side, side),
            action_name=action_name,
            text=text,
            plane_symmetries=plane_symmetries,
            action_symmetries=action_symmetries,
            action_planes=4,  # one a direction
            action_places=places.astype(np.int32),
            board=board,
        ),
        title="Morpion Solitaire",
    )


_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (rows, columns) from a cell to the next on a line."""


def _steps(side: int) -> NDArray[np.int32]:
    return np.array([1, side, side + 1, side - 1], np.int32)


def _column_name(column: int) -> str:
    return grid.column_name(column) if column < 26 else "a" + grid.column_name(column - 26)


def _fits(side: int, line: int) -> NDArray[np.bool_]:
    """Whether a line is on the board, bool[directions, cells]."""
    rows, columns = np.indices((side, side)).reshape(2, -1)
    low, right = rows <= side - line, columns <= side - line
    return np.stack([right, low, right & low, (columns >= line - 1) & low])


def _symmetries(side: int, line: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The symmetries of planes and of actions: the eight of the square, which exchange directions."""
    cells, steps = side * side, _steps(side)
    goes = grid.cell_symmetries(side, side, grid.SQUARE)
    planes = np.empty((len(goes), 6 * cells), np.int32)
    actions = np.empty((len(goes), 4 * cells), np.int32)
    fits = _fits(side, line)
    for image, plane, action in zip(goes, planes, actions, strict=True):
        turned = [int(np.flatnonzero(steps == abs(image[side + 1 + step] - image[side + 1]))[0]) for step in steps]
        for source, target in zip(range(6), [0, *(1 + direction for direction in turned), 5], strict=True):
            plane[target * cells + image] = source * cells + np.arange(cells)
        ends = (
            [image[np.flatnonzero(fit)] for fit in fits],
            [image[np.flatnonzero(fit) + (line - 1) * step] for fit, step in zip(fits, steps, strict=True)],
        )
        lines = np.concatenate(
            [to * cells + np.minimum(one, other) for to, one, other in zip(turned, *ends, strict=True)]
        )
        action[:] = -1
        action[np.flatnonzero(fits)] = lines
        action[action < 0] = np.setdiff1d(np.arange(4 * cells), lines)  # not lines: numbers that are never used
    return planes, actions


def _sets(state: State, side: int) -> NDArray[np.uint8]:
    """The nine sets of a state; uint8[9, side, side]."""
    words = state[rules.HEADER :].view(np.uint8).reshape(9, -1)
    return np.unpackbits(words, axis=1, bitorder="little")[:, : side * side].reshape(9, side, side)


def _scene(state: State, side: int, line: int, touching: bool) -> Scene:
    sets, drawn = _sets(state, side), list[Line]()
    for direction, (up, right) in enumerate(_DIRECTIONS):
        for row, column in _segments(sets[1 + direction], line, touching, up, right):
            y = side - 1 - row
            drawn.append(Line(((column, y), (column + right, y - up)), "first"))
    points = [Piece(int(cell), FIRST, "dot", size=0.4) for cell in np.flatnonzero(sets[0])]
    return Scene(lines=tuple(drawn), pieces=tuple(points))


def _path(state: State, side: int, line: int, action: int) -> tuple[int, int]:
    """The new point, then the farther end of the line, which tells the lines through the point apart."""
    direction, begin = divmod(action, side * side)
    cells = begin + np.arange(line) * _steps(side)[direction]
    new = int(np.flatnonzero(_sets(state, side)[0].reshape(-1)[cells] == 0)[0])
    return int(cells[new]), int(cells[0 if 2 * new >= line else -1])


def _picture(state: State, side: int, line: int, touching: bool) -> str:
    """Points (o) and drawn lines, up to one cell around the points; every second row and column lies between cells."""
    sets = _sets(state, side)
    drawing = np.full((2 * side - 1, 2 * side - 1), " ")
    drawing[::2, ::2] = np.where(sets[0] == 1, "o", ".")
    for direction, ((up, right), stroke) in enumerate(zip(_DIRECTIONS, "-|/\\", strict=True)):
        for row, column in _segments(sets[1 + direction], line, touching, up, right):
            place = 2 * row + up, 2 * column + right
            drawing[place] = "X" if drawing[place] in "/\\" else stroke
    low = max(0, int(np.argwhere(sets[0]).min()) - 1)
    high = min(side - 1, int(np.argwhere(sets[0]).max()) + 1)
    names = ["".join(_column_name(column).ljust(2) for column in range(low, high + 1))]
    rows = ["".join(drawing[row, 2 * low : 2 * high + 1]) for row in range(2 * high, 2 * low - 1, -1)]
    labels = [str(high + 1 - number // 2) if number % 2 == 0 else "" for number in range(len(rows))]
    return "\n".join(f"{label:>2} {row}".rstrip() for label, row in zip(["", *labels], [*names, *rows], strict=True))


def _segments(marks: NDArray[np.uint8], line: int, touching: bool, down: int, right: int) -> list[tuple[int, int]]:
    """The cells from which a line is drawn to the next one in the direction."""
    if touching:
        return [(int(row), int(column)) for row, column in np.argwhere(marks)]
    found, position = [], np.zeros_like(marks)  # position in its line, from 1
    for row, column in np.argwhere(marks):
        before = row - down, column - right
        inside = min(before) >= 0 and max(before) < len(marks)
        position[row, column] = position[before] % line + 1 if inside else 1
        if position[row, column] < line:
            found.append((int(row), int(column)))
    return found
