"""The board of Xiangqi as bytes: attacked generals and legal moves.

`xiangqi` describes the rules and the layout of a state. A place is 10 * (row + 1) + column + 1. The rows and columns
beyond the edge are a border, so that walks need no other test; one column between the rows serves both sides. Few moves
can expose the general to an attack: these are found first, and only these are tried.
"""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.randomness import random_below

GENERAL, ADVISOR, ELEPHANT, HORSE, CHARIOT, CANNON, SOLDIER = range(1, 8)
FIRST, SECOND, BORDER = 8, 16, 32
"""A byte of the board: 0 empty, BORDER, or a kind plus the player's bit, FIRST or SECOND."""
WORDS = rules.HEADER  # two words for each player: the cells of the pieces
BOARD = rules.HEADER + 32
PLACES = 128
HISTORY = BOARD + PLACES
STATUS, GENERALS, QUIET, REMEMBERED = 1, 4, 6, 7  # header bytes
CHECK = 1  # STATUS of a match that goes on; else 0
MOST_MOVES = 17
"""Most moves of a piece."""
_MOST_OF_KIND = np.array([0, 4, 4, 4, 8, 17, 17, 3])
WAYS = 50
STEPS = [
    *((0, -distance) for distance in range(1, 9)),
    *((0, distance) for distance in range(1, 9)),
    *((-distance, 0) for distance in range(1, 10)),
    *((distance, 0) for distance in range(1, 10)),
    *((row, column) for size in (1, 2) for row in (-size, size) for column in (-size, size)),
    *((row, column) for row in (-2, -1, 1, 2) for column in (-2, -1, 1, 2) if abs(row) != abs(column)),
]
"""The rows and columns of the WAYS of moving."""
OFFSET = np.array([10 * row + column for row, column in STEPS])
PLACE = np.array([10 * (row + 1) + column + 1 for row in range(10) for column in range(9)])
"""The place of each cell 9 * row + column."""
CELL = np.array([9 * (place // 10 - 1) + place % 10 - 1 if place in PLACE else -1 for place in range(PLACES)])

_LINES = np.array([-1, 1, -10, 10])  # left, right, down, up
_FIRST_WAY = np.array([0, 8, 16, 25])
_DIAGONAL, _DOUBLE, _JUMP = 34, 38, 42  # the first ways of advisors, elephants and horses
_LEG = np.array([10 * int(row / 2) + int(column / 2) for row, column in STEPS[_JUMP:]])
"""The step to the place beside a horse that must be empty, by way."""


def _places(rows: range, columns: range) -> NDArray[np.bool_]:
    inside = np.zeros(PLACES, np.bool_)
    inside[[10 * (row + 1) + column + 1 for row in rows for column in columns]] = True
    return inside


PALACE = np.array([_places(range(3), range(3, 6)), _places(range(7, 10), range(3, 6))])
HOME = np.array([_places(range(5), range(9)), _places(range(5, 10), range(9))])
"""Whether a place is in the palace, and on the player's side of the river, by player and place."""


def _sources(place: int) -> list[list[int]]:
    """The cells from which a place may be attacked, on each of its lines and by horses, each set as two words."""
    sets = [0] * 5
    for cell, other in enumerate(PLACE.tolist()):
        up, right = other // 10 - place // 10, other % 10 - place % 10
        on_lines = (up == 0 and right < 0, up == 0 and right > 0, right == 0 and up < 0, right == 0 and up > 0)
        for number, attacks in enumerate((*on_lines, abs(up * right) == 2)):
            sets[number] |= attacks << cell
    return [[cells & (1 << 64) - 1, cells >> 64] for cells in sets]


_SOURCES = np.array([_sources(place) for place in range(PLACES)], np.uint64)
"""uint64[places, 5, 2]: the cells from which a place may be attacked, by line, the last ones by horses."""


@rules.helper
def _may_be_attacked(state, opponent, general, line):
    """Whether an opponent has pieces where `_SOURCES` tells; `opponent` is a player."""
    words, general = WORDS + 16 * opponent, np.uint64(general)
    low = rules.load64(state, words) & _SOURCES[general, line, 0]
    return (low | rules.load64(state, words + 8) & _SOURCES[general, line, 1]) != 0


@rules.helper
def opponent_of(player):
    """The bit of the opponent's pieces."""
    return SECOND >> player


@rules.helper
def _next_piece(state, place, step, start, to):
    """The next non-empty place in a direction after the piece on `start` has gone to `to`."""
    place += step
    while place == start or (place != to and state[BOARD + place] == 0):
        place += step
    return place


@rules.helper
def attacked(state, player, general, start, to):
    """Whether the player's general on `general` is attacked after the player's piece has gone from `start` to `to`.

    Both are -1 for the current board.
    """
    opponent = opponent_of(player)
    for line in range(4):
        if not _may_be_attacked(state, 1 - player, general, line):
            continue
        place = _next_piece(state, general, _LINES[line], start, to)
        if place != to:
            piece = state[BOARD + place]
            if piece == opponent + CHARIOT or piece == opponent + GENERAL:
                return True
            if piece == opponent + SOLDIER and place == general + _LINES[line] and line != 2 + player:
                return True
            if piece == BORDER:
                continue
        place = _next_piece(state, place, _LINES[line], start, to)
        if place != to and state[BOARD + place] == opponent + CANNON:
            return True
    return _may_be_attacked(state, 1 - player, general, 4) and _attacked_by_horses(state, opponent, general, start, to)


@rules.helper
def _attacked_by_horses(state, opponent, general, start, to):
    for row in (-10, 10):
        for column in (-1, 1):
            leg = general + row + column
            if leg == start or (leg != to and state[BOARD + leg] == 0):
                for horse in (leg + row, leg + column):
                    if horse != to and state[BOARD + horse] == opponent + HORSE:
                        return True
    return False


@rules.helper
def _bit(cell):
    """A cell as two words."""
    if cell < 64:
        return ONE << np.uint64(cell), np.uint64(0)
    return np.uint64(0), ONE << np.uint64(cell - 64)


@rules.helper
def _shields(state, player, general):
    """The player's pieces that may expose the general by moving away, as two words of cells.

    The third value is whether a piece that comes between may expose it: a cannon faces it with nothing between.
    """
    own, opponent = FIRST << player, opponent_of(player)
    low, high, faced = np.uint64(0), np.uint64(0), False
    for line in range(4):
        step = _LINES[line]
        first = _next_piece(state, general, step, -1, -1)
        if state[BOARD + first] == BORDER:
            continue
        faced |= state[BOARD + first] == opponent + CANNON
        second = _next_piece(state, first, step, -1, -1)
        piece = state[BOARD + second]
        if piece == BORDER:
            continue
        pinned = piece == opponent + CHARIOT or piece == opponent + GENERAL
        screened = state[BOARD + _next_piece(state, second, step, -1, -1)] == opponent + CANNON
        if (pinned or screened) and state[BOARD + first] & own:
            bits = _bit(CELL[first])
            low, high = low | bits[0], high | bits[1]
        if screened and piece & own:
            bits = _bit(CELL[second])
            low, high = low | bits[0], high | bits[1]
    for row in (-10, 10):
        for column in (-1, 1):
            leg = general + row + column
            if state[BOARD + leg] & own:
                for horse in (leg + row, leg + column):
                    if state[BOARD + horse] == opponent + HORSE:
                        bits = _bit(CELL[leg])
                        low, high = low | bits[0], high | bits[1]
    return low, high, faced


@rules.helper
def _slides(state, player, place, cannon, base, actions, count):
    opponent = opponent_of(player)
    for line in range(4):
        step, action = _LINES[line], base + _FIRST_WAY[line]
        to = place + step
        while state[BOARD + to] == 0:
            actions[count] = action
            count += 1
            action += 1
            to += step
        if cannon and state[BOARD + to] != BORDER:
            after = _next_piece(state, to, step, -1, -1)
            action += (after - to) // step
            to = after
        elif cannon:
            continue
        if state[BOARD + to] & opponent:
            actions[count] = action
            count += 1
    return count


@inlined
def _may_step(state, player, kind, place, line):
    """Whether a general or a soldier may go one point along a line."""
    to = place + _LINES[line]
    if kind == GENERAL:
        fits = PALACE[player, to]
    else:
        fits = line == 3 - player or (line < 2 and not HOME[player, place])
    return fits and not state[BOARD + to] & ((FIRST << player) | BORDER)


@rules.helper
def _steps(state, player, kind, place, base, actions, count):
    """The moves of a general or a soldier."""
    for line in range(4):
        if _may_step(state, player, kind, place, line):
            actions[count] = base + _FIRST_WAY[line]
            count += 1
    return count


@inlined
def _first_leap(kind):
    if kind == HORSE:
        return _JUMP
    return _DIAGONAL if kind == ADVISOR else _DOUBLE


@inlined
def _may_leap(state, player, kind, place, way):
    """Whether an advisor, an elephant or a horse may go this way."""
    to = place + OFFSET[way]
    if kind == ADVISOR:
        fits = PALACE[player, to]
    elif kind == ELEPHANT:
        fits = state[BOARD + place + OFFSET[way - 4]] == 0 and HOME[player, to]
    else:
        fits = state[BOARD + place + _LEG[way - _JUMP]] == 0
    return fits and not state[BOARD + to] & ((FIRST << player) | BORDER)


@rules.helper
def _leaps(state, player, kind, place, base, actions, count):
    """The moves of an advisor, an elephant or a horse."""
    first = _first_leap(kind)
    for way in range(first, first + _MOST_OF_KIND[kind]):
        if _may_leap(state, player, kind, place, way):
            actions[count] = base + way
            count += 1
    return count


@rules.helper
def _moves(state, player, cell, actions, count):
    """Writes the moves of a piece, including moves that leave its general attacked."""
    place, base = PLACE[cell], WAYS * cell
    kind = state[BOARD + place] & 7
    if kind in (CHARIOT, CANNON):
        return _slides(state, player, place, kind == CANNON, base, actions, count)
    if kind in (GENERAL, SOLDIER):
        return _steps(state, player, kind, place, base, actions, count)
    return _leaps(state, player, kind, place, base, actions, count)


@rules.helper
def _safe(state, player, general, all_doubtful, actions, count, end):
    """Keeps the actions of one piece that leave its general unattacked; returns their end.

    Unless all actions are doubtful, only actions to the lines through the general are.
    """
    for number in range(count, end):
        action = actions[number]
        start = PLACE[action // WAYS]
        to = start + OFFSET[action % WAYS]
        if all_doubtful or to // 10 == general // 10 or to % 10 == general % 10:
            at = to if start == general else general
            if attacked(state, player, at, start, to):
                continue
        actions[count] = action
        count += 1
    return count


@rules.helper
def list_moves(state, actions):
    """Writes the legal actions, ascending; returns their number."""
    player, count = np.int64(state[0]), 0
    general, in_check = np.int64(state[GENERALS + player]), state[STATUS] == CHECK
    low, high, faced = _shields(state, player, general)
    for word in range(2):
        pieces, shields = rules.load64(state, WORDS + 16 * player + 8 * word), high if word else low
        while pieces:
            bit, cell = pieces & -pieces, 64 * word + lowest(pieces)
            pieces ^= bit
            end = _moves(state, player, cell, actions, count)
            doubtful = in_check or PLACE[cell] == general or shields & bit != 0
            count = _safe(state, player, general, doubtful, actions, count, end) if doubtful or faced else end
    return count


@inlined
def _slide(state, player, kind, cell, number):
    """The way of a chariot or cannon to another point of its lines, 0 to 7 in its row, 8 to 16 in its file.

    -1 if it may not go there.
    """
    row, column, place = cell // 9, cell % 9, PLACE[cell]
    at, target, step, line = (column, number, 1, 0) if number < 8 else (row, number - 8, 10, 2)
    distance = target + (target >= at) - at
    if distance < 0:
        distance, step = -distance, -step
    else:
        line += 1
    to, jumped = place + distance * step, 0
    for between in range(1, distance):
        jumped += state[BOARD + place + between * step] != 0
    taken = state[BOARD + to]
    if taken & (FIRST << player) or jumped != (kind == CANNON and taken != 0):
        return -1
    return _FIRST_WAY[line] + distance - 1


@inlined
def _way(state, player, cell, number):
    """The way of one of the moves that a piece of its kind may have, by number; -1 if it does not exist.

    The move may leave the general attacked.
    """
    place = PLACE[cell]
    kind = state[BOARD + place] & 7
    if kind in (CHARIOT, CANNON):
        return _slide(state, player, kind, cell, number)
    if kind in (GENERAL, SOLDIER):
        line = 3 - player if kind == SOLDIER and number == 2 else number
        return _FIRST_WAY[line] if _may_step(state, player, kind, place, line) else -1
    way = _first_leap(kind) + number
    return way if _may_leap(state, player, kind, place, way) else -1


@rules.helper
def _is_apart(general, place):
    """Whether a piece there has nothing to do with attacks on the general on lines or by horses beside it."""
    rows, columns = place // 10 - general // 10, place % 10 - general % 10
    return rows != 0 and columns != 0 and (abs(rows) > 1 or abs(columns) > 1)


@rules.helper
def _moves_apart(state, player, general, cell):
    """Whether a piece has a move apart from the general, which cannot expose it."""
    start = PLACE[cell]
    if _is_apart(general, start):
        for number in range(_MOST_OF_KIND[state[BOARD + start] & 7]):
            way = _way(state, player, cell, number)
            if way >= 0 and _is_apart(general, start + OFFSET[way]):
                return True
    return False


@rules.helper
def _moves_safely(state, player, general, cell):
    """Whether a piece has a legal move."""
    actions = rules.scratch(MOST_MOVES, np.int32)
    for move in range(_moves(state, player, cell, actions, 0)):
        if _safe(state, player, general, True, actions, move, move + 1) > move:
            return True
    return False


@rules.helper
def can_move(state):
    """Whether a legal move exists. Without check it looks first for a move that cannot expose the general."""
    player, general = np.int64(state[0]), np.int64(state[GENERALS + state[0]])
    for doubtful in range(state[STATUS] == CHECK, 2):
        for word in range(2):
            pieces = rules.load64(state, WORDS + 16 * player + 8 * word)
            while pieces:
                cell = 64 * word + lowest(pieces)
                if doubtful and _moves_safely(state, player, general, cell):
                    return True
                if not doubtful and _moves_apart(state, player, general, cell):
                    return True
                pieces &= pieces - ONE
    return False


@inlined
def random_move(state, random):
    """A random move of a random piece, drawn again until it exists and is legal; some move must be legal."""
    player, general = np.int64(state[0]), np.int64(state[GENERALS + state[0]])
    cells, ends, count, total = rules.scratch(90, np.int64), rules.scratch(91, np.int64), 0, 0
    ends[0] = 0
    for word in range(2):
        pieces = rules.load64(state, WORDS + 16 * player + 8 * word)
        while pieces:
            cells[count] = cell = 64 * word + lowest(pieces)
            total += _MOST_OF_KIND[state[BOARD + PLACE[cell]] & 7]
            count, pieces = count + 1, pieces & (pieces - ONE)
            ends[count] = total
    while True:
        drawn, piece = random_below(random, 0, total), 0
        for number in range(1, count):
            piece += drawn >= ends[number]
        cell = cells[piece]
        way = _way(state, player, cell, drawn - ends[piece])
        if way >= 0:
            start = PLACE[cell]
            to = start + OFFSET[way]
            if not attacked(state, player, to if start == general else general, start, to):
                return WAYS * cell + way
