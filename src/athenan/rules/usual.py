"""Kernels that several games share."""

from athenan.rules.compiler import kernel
from athenan.rules.geometry.bits import popcount
from athenan.rules.kernels import INITIAL, OUTCOME, PIECES
from athenan.rules.memory import load64
from athenan.rules.state import HEADER, ONGOING, mover_lost


@kernel(INITIAL)
def empty_board(params, state):
    """The start of games that begin without a piece: all bytes are 0."""
    state[:] = 0


@kernel(OUTCOME)
def last_mover_wins(params, state):
    """The outcome of games without draws whose byte 1 is set when a player has won; then the other one is to move."""
    return mover_lost(state) if state[1] else ONGOING


@kernel(OUTCOME)
def noted_outcome(params, state):
    """The outcome of games whose byte 1 is 2 plus the first player's gain once a match is over, and 0 before."""
    return state[1] - 2 if state[1] else ONGOING


@kernel(PIECES)
def pieces_in_words(params, state, player):
    """The pieces of games in which each player's are the bits of a word; both words follow the header."""
    return popcount(load64(state, HEADER + 8 * player))
