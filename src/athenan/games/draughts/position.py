"""Draughts: what a state says, as sets of squares."""

import numpy as np

from athenan import rules
from athenan.games.draughts import moves as m

HALF, KING_LIMIT, THREE_LIMIT, TWO_LIMIT = 0, 1, 2, 3
"""Params: dark squares in a row; limits of moves by kings only, of three against one, of two against two. They count
both sides' moves, 0: no limit."""


@rules.helper
def load(state, place):
    """The set that begins at a byte."""
    return rules.load64(state, place), rules.load64(state, place + 8)


@rules.helper
def store(state, place, squares):
    """Writes a set."""
    rules.store64(state, place, squares[0])
    rules.store64(state, place + 8, squares[1])


@rules.helper
def sides(half, state):
    """The pieces of the side to move, the pieces of the other side, all kings, and the empty squares."""
    own, other = load(state, m.PIECES + 16 * state[0]), load(state, m.PIECES + 16 - 16 * state[0])
    return own, other, load(state, m.KINGS), m.board_without(half, m.either(own, other))


@rules.helper
def in_question(half, state):
    """`longest` for the capture in question."""
    _, other, kings, empty = sides(half, state)
    taken, left = load(state, m.TAKEN), load(state, m.LEFT)
    return m.longest_from(half, kings, empty, other, np.int64(state[m.FROM]), np.int64(state[m.TO]), taken, left)


@rules.helper
def earlier(state):
    """The number of earlier occurrences of the position: how often undoing the last moves changes nothing."""
    own, other, times = m.NOTHING, m.NOTHING, 0
    for place in range(m.HISTORY + 2 * state[m.COUNT] - 4, m.HISTORY - 1, -4):
        own = m.differing(own, m.differing(m.single(state[place]), m.single(state[place + 1])))
        other = m.differing(other, m.differing(m.single(state[place + 2]), m.single(state[place + 3])))
        times += not m.some(m.either(own, other))
    return times
