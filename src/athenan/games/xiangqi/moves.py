"""The board of Xiangqi as bytes: attacked generals and legal moves.

`xiangqi` describes the rules and the layout of a state. A place is 10 * (row + 1) + column + 1. The rows and columns
beyond the edge are a border, so that walks need no other test; one column between the rows serves both sides. Few moves
can expose the general to an attack: these are found first, and only these are tried.
"""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules.geometry.bits import ONE, lowest, popcount
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
_MOST_OF_KIND = (0, 4, 4, 4, 8, 17, 17, 3)
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


@rules.helper
def _steps(state, player, kind, place, base, actions, count):
    """The moves of a general or a soldier."""
    stay = (FIRST << player) | BORDER
    for line in range(4):
        to = place + _LINES[line]
        if kind == GENERAL:
            fits = PALACE[player, to]
        else:
            fits = line == 3 - player or (line < 2 and not HOME[player, place])
        if fits and not state[BOARD + to] & stay:
            actions[count] = base + _FIRST_WAY[line]
            count += 1
    return count


@rules.helper
def _leaps(state, player, kind, place, base, actions, count):
    """The moves of an advisor, an elephant or a horse."""
    own, first, ways = FIRST << player, _JUMP, 8
    if kind != HORSE:
        first, ways = (_DIAGONAL if kind == ADVISOR else _DOUBLE), 4
    for way in range(first, first + ways):
        to = place + OFFSET[way]
        if kind == ADVISOR:
            fits = PALACE[player, to]
        elif kind == ELEPHANT:
            fits = state[BOARD + place + OFFSET[way - 4]] == 0 and HOME[player, to]
        else:
            fits = state[BOARD + place + _LEG[way - _JUMP]] == 0
        if fits and not state[BOARD + to] & (own | BORDER):
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


@rules.helper
def can_move(state):
    """Whether a legal move exists; the first one tried is mostly legal."""
    player, actions = np.int64(state[0]), rules.scratch(MOST_MOVES, np.int32)
    general = np.int64(state[GENERALS + player])
    for word in range(2):
        pieces = rules.load64(state, WORDS + 16 * player + 8 * word)
        while pieces:
            for move in range(_moves(state, player, 64 * word + lowest(pieces), actions, 0)):
                if _safe(state, player, general, True, actions, move, move + 1) > move:
                    return True
            pieces &= pieces - ONE
    return False


@rules.helper
def _piece_cell(state, player, number):
    """The cell of a player's piece, counted from 0 in the order of the cells."""
    word, before = 0, popcount(rules.load64(state, WORDS + 16 * player))
    if number >= before:
        word, number = 1, number - before
    pieces = rules.load64(state, WORDS + 16 * player + 8 * word)
    for _ in range(number):
        pieces &= pieces - ONE
    return 64 * word + lowest(pieces)


@rules.helper
def random_move(state, random):
    """A random move of a random piece, drawn again until it exists and is legal; some move must be legal."""
    player, words = np.int64(state[0]), WORDS + 16 * np.int64(state[0])
    pieces = popcount(rules.load64(state, words)) + popcount(rules.load64(state, words + 8))
    general, actions = np.int64(state[GENERALS + player]), rules.scratch(MOST_MOVES, np.int32)
    while True:
        drawn = random_below(random, 0, pieces * MOST_MOVES)
        cell, move = _piece_cell(state, player, drawn // MOST_MOVES), drawn % MOST_MOVES
        if move >= _MOST_OF_KIND[state[BOARD + PLACE[cell]] & 7] or move >= _moves(state, player, cell, actions, 0):
            continue
        if _safe(state, player, general, True, actions, move, move + 1) > move:
            return np.int64(actions[move])
