"""Draughts: the planes that a network sees, as in the game's docstring."""

import numpy as np

from athenan import rules
from athenan.games.draughts import moves as m
from athenan.games.draughts import position as p
from athenan.rules.geometry.packing import fill

PLANES = 14
_SOON = (32, 16, 8, 4, 2)


@rules.helper
def _takeable(half, state):
    """The pieces that all captures of the side to move take, and the pieces that some take."""
    if state[1]:
        return m.NOTHING, m.NOTHING
    if state[m.FROM]:
        found = p.in_question(half, state)
        return found[2], found[3]
    own, other, kings, empty = p.sides(half, state)
    capturing, most, by_all, by_any = m.to_capture(half, own, kings, empty, other), 0, m.NOTHING, m.NOTHING
    while m.some(capturing):
        bit = m.first_of(capturing)
        capturing = m.without(capturing, m.single(bit))
        found = m.longest_from(half, kings, empty, other, bit, m.ANYWHERE, m.NOTHING, m.NOTHING)
        if found[0] > most:
            most, by_all, by_any = found[0], found[2], found[3]
        elif found[0] == most:
            by_all, by_any = m.both(by_all, found[2]), m.either(by_any, found[3])
    return by_all, by_any


@rules.helper
def _fill(half, planes, plane, count, value):
    """Writes the same number into all cells of some planes."""
    fill(planes, 4 * half * half * plane, 4 * half * half * count, value)


@rules.helper
def _mark(half, planes, plane, squares):
    """Sets the cells of a set of squares, which are the dark cells, in a plane of 0."""
    while m.some(squares):
        bit = m.first_of(squares)
        squares = m.without(squares, m.single(bit))
        planes[4 * half * half * plane + m.cell_at(half, bit)] = 1


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    half, ends = params[p.HALF], m.NOTHING
    first, second, kings = p.load(state, m.PIECES), p.load(state, m.PIECES + 16), p.load(state, m.KINGS)
    by_all, by_any = _takeable(half, state)
    if state[m.FROM]:
        ends = m.either(m.single(state[m.FROM]), m.single(state[m.TO]))
    _fill(half, planes, 0, 4, 0)
    _mark(half, planes, 0, first)
    _mark(half, planes, 1, second)
    _mark(half, planes, 2, m.both(first, kings))
    _mark(half, planes, 3, m.both(second, kings))
    _fill(half, planes, 4, 1, 1 - state[0])
    _fill(half, planes, 5, 3, 0)
    _mark(half, planes, 5, by_all)
    _mark(half, planes, 6, by_any)
    _mark(half, planes, 7, ends)
    _fill(half, planes, 8, 1, p.earlier(state) > 0)
    left = params[p.KING_LIMIT] - state[m.COUNT]
    if state[m.ENDING]:
        left = min(left, np.int64(state[m.ENDING]))
    for number, soon in enumerate(_SOON):
        _fill(half, planes, 9 + number, 1, left <= soon and not state[1])
