"""The planes of a state, a network's input."""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.backgammon import turn
from athenan.games.backgammon.board import IN_PLAY, OFF, PLACES, checkers, load, lowest_place, reversed_places, up_to
from athenan.rules.geometry.packing import unpack_row

_TURN, MORE, _OFF, _DICE, _LEFT = 2, 3, 15, 17, 23
THRESHOLDS = 6
PLANES = _LEFT + 4


@rules.helper
def _write_plane(planes, plane, columns):
    """Writes a set of columns, bit c for column c."""
    unpack_row(np.uint64(columns), planes, PLACES * plane, PLACES)


@rules.helper
def _at_least(sets, count):
    """The places with at least `count` checkers, 1 to 6."""
    first, second, third, fourth = sets
    if count == 1:
        return first | second | third | fourth
    if count == 2:
        return second | third | fourth
    if count == 3:
        return first & second | third | fourth
    if count == 4:
        return third | fourth
    if count == 5:
        return third & (first | second) | fourth
    return third & second | fourth


@rules.helper
def _write_checkers(planes, sets, player):
    """Writes the planes of a player's checkers."""
    for count in range(1, THRESHOLDS + 1):
        found = _at_least(sets, count) & IN_PLAY
        plane = player if count == 1 else MORE + THRESHOLDS * player + count - 2
        _write_plane(planes, plane, reversed_places(found) if player else found)
    above = MORE + THRESHOLDS * (player + 1) - 1
    _write_plane(planes, above, 0)
    tall = _at_least(sets, THRESHOLDS) & IN_PLAY
    while tall:
        place = lowest_place(tall)
        tall ^= 1 << place
        column = PLACES - 1 - place if player else place
        planes[PLACES * above + column] = checkers(sets, 1 << place) - THRESHOLDS
    _write_plane(planes, _OFF + player, up_to(checkers(sets, 1 << OFF)) >> 1)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    for player in range(2):
        _write_checkers(planes, load(state, player), player)
    everywhere = up_to(PLACES - 1)
    _write_plane(planes, _TURN, 0 if state[turn.TURN] else everywhere)
    for face in range(1, turn.FACES + 1):
        shown = face == state[turn.FIRST_DIE] or face == state[turn.SECOND_DIE]
        _write_plane(planes, _DICE + face - 1, everywhere if shown else 0)
    for number in range(4):
        _write_plane(planes, _LEFT + number, everywhere if state[turn.LEFT] > number else 0)


def exchanged() -> NDArray[np.int32]:
    """The planes after the exchange of the players: columns reversed except in planes that count along the row."""
    planes, columns = np.arange(PLANES), np.tile(np.arange(PLACES), (PLANES, 1))
    planes[[0, 1]] = 1, 0
    planes[MORE:_OFF] = np.roll(planes[MORE:_OFF], THRESHOLDS)
    planes[[_OFF, _OFF + 1]] = _OFF + 1, _OFF
    columns[:2], columns[MORE:_OFF] = columns[:2, ::-1], columns[MORE:_OFF, ::-1]
    return (PLACES * planes[:, None] + columns).reshape(-1).astype(np.int32)
