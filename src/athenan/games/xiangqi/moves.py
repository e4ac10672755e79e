"""The legal moves of Xiangqi.

Few moves can expose the general to an attack: these are found first, and only these are tried.
"""

import numpy as np

from athenan import rules
from athenan.games.xiangqi.attacks import LINES, attacked, next_piece, opponent_of, shielding
from athenan.games.xiangqi.layout import (
    ADVISOR,
    BOARD,
    BORDER,
    CANNON,
    CHARIOT,
    CHECK,
    ELEPHANT,
    FIRST,
    GENERAL,
    GENERALS,
    HOME,
    HORSE,
    OFFSET,
    PALACE,
    PLACE,
    SOLDIER,
    STATUS,
    STEPS,
    WAYS,
    WORDS,
)
from athenan.rules.compiler import inlined
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.randomness import random_below

MOST_MOVES = 17
"""Most moves of a piece."""
_MOST_OF_KIND = np.array([0, 4, 4, 4, 8, 17, 17, 3])
_FIRST_WAY = np.array([0, 8, 16, 25])
_DIAGONAL, _DOUBLE, _JUMP = 34, 38, 42  # the first ways of advisors, elephants and horses
_LEG = np.array([10 * int(row / 2) + int(column / 2) for row, column in STEPS[_JUMP:]])
"""The step to the place beside a horse that must be empty, by way."""


@rules.helper
def _slides(state, player, place, cannon, base, actions, count):
    opponent = opponent_of(player)
    for line in range(4):
        step, action = LINES[line], base + _FIRST_WAY[line]
        to = place + step
        while state[BOARD + to] == 0:
            actions[count] = action
            count += 1
            action += 1
            to += step
        if cannon and state[BOARD + to] != BORDER:
            after = next_piece(state, to, step, -1, -1)
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
    to = place + LINES[line]
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

    Unless `all_doubtful`, only actions onto the general's row or file are tried.
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
    low, high, faced = shielding(state, player, general)
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
