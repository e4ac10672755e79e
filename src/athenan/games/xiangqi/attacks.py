"""Attacks on the generals of Xiangqi: whether one is attacked, and which pieces may expose it by moving."""

import numpy as np

from athenan import rules
from athenan.games.xiangqi.layout import (
    BOARD,
    BORDER,
    CANNON,
    CELL,
    CHARIOT,
    FIRST,
    GENERAL,
    GENERALS,
    HORSE,
    PLACE,
    PLACES,
    SECOND,
    SOLDIER,
    WORDS,
)
from athenan.rules.geometry.bits import ONE

LINES = np.array([-1, 1, -10, 10])  # left, right, down, up


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
    """Whether an opponent has pieces where `_SOURCES` says; `opponent` is a player."""
    words, general = WORDS + 16 * opponent, np.uint64(general)
    low = rules.load64(state, words) & _SOURCES[general, line, 0]
    return (low | rules.load64(state, words + 8) & _SOURCES[general, line, 1]) != 0


@rules.helper
def opponent_of(player):
    """The bit of the opponent's pieces."""
    return SECOND >> player


@rules.helper
def next_piece(state, place, step, start, to):
    """The next non-empty place in a direction after the piece on `start` has gone to `to`."""
    place += step
    while place == start or (place != to and state[BOARD + place] == 0):
        place += step
    return place


@rules.helper
def in_check(state, player):
    """Whether the player's general is attacked now."""
    return attacked(state, player, np.int64(state[GENERALS + player]), -1, -1)


@rules.helper
def attacked(state, player, general, start, to):
    """Whether the player's general on `general` is attacked after the player's piece has gone from `start` to `to`.

    Both are -1 for the current board.
    """
    opponent = opponent_of(player)
    for line in range(4):
        if not _may_be_attacked(state, 1 - player, general, line):
            continue
        place = next_piece(state, general, LINES[line], start, to)
        if place != to:
            piece = state[BOARD + place]
            if piece == opponent + CHARIOT or piece == opponent + GENERAL:
                return True
            if piece == opponent + SOLDIER and place == general + LINES[line] and line != 2 + player:
                return True
            if piece == BORDER:
                continue
        place = next_piece(state, place, LINES[line], start, to)
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
def shielding(state, player, general):
    """The player's pieces that may expose the general by moving away, as two words of cells.

    The third value is whether a piece that comes between may expose it: a cannon faces it with nothing between.
    """
    own, opponent = FIRST << player, opponent_of(player)
    low, high, faced = np.uint64(0), np.uint64(0), False
    for line in range(4):
        step = LINES[line]
        first = next_piece(state, general, step, -1, -1)
        if state[BOARD + first] == BORDER:
            continue
        faced |= state[BOARD + first] == opponent + CANNON
        second = next_piece(state, first, step, -1, -1)
        piece = state[BOARD + second]
        if piece == BORDER:
            continue
        pinned = piece == opponent + CHARIOT or piece == opponent + GENERAL
        screened = state[BOARD + next_piece(state, second, step, -1, -1)] == opponent + CANNON
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
