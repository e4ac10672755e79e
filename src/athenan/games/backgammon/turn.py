"""Turns: the actions, and what a state holds of the current turn."""

import numpy as np
from numba.extending import register_jitable

from athenan import rules
from athenan.games.backgammon.board import BAR, BOARD, PLACES, PLAYER_BYTES

TURN, OVER, FIRST_DIE, SECOND_DIE, LEFT = 1, 4, 5, 6, 7
"""Bytes of the header, described in the package's docstring."""
ALLOWED = BOARD + 2 * PLAYER_BYTES
"""The first byte of the sets of places from which checkers may be moved now."""
STATE_SIZE = ALLOWED + 8
DRAWN = 4
"""The value of byte OVER for a drawn match; a score is added to it."""

FACES = 6
PASS = FACES * PLACES
ROLLS = PASS + 1
ROLL_COUNT = FACES * (FACES + 1) // 2
ACTION_COUNT = ROLLS + ROLL_COUNT

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@register_jitable  # also for kernels
def roll_of(high: int, low: int) -> int:
    """The outcome of chance for a roll of these numbers, the higher one first."""
    return ROLLS + high * (high - 1) // 2 + low - 1


@register_jitable  # also for kernels
def numbers_of(roll: int) -> tuple[int, int]:
    """The numbers of a roll, the higher one first."""
    high, low = 1, roll - ROLLS + 1
    while low > high:
        low -= high
        high += 1
    return high, low


@register_jitable  # also for kernels
def move_of(player: int, die: int, place: int) -> int:
    """The action that moves a checker of the player from a place, in the player's numbering."""
    return PLACES * (die - 1) + (BAR - place if player else place)


@register_jitable  # also for kernels
def die_and_place(player: int, action: int) -> tuple[int, int]:
    """The die and the place, in the player's numbering, of an action that moves a checker."""
    die, column = divmod(action, PLACES)
    return die + 1, BAR - column if player else column


@rules.helper
def allowed(state):
    """The places from which the first and the second die may move a checker."""
    word = rules.load64(state, ALLOWED)
    return np.int64(word & _LOW), np.int64(word >> _HALF)


@rules.helper
def allow(state, first, first_die, second, second_die, left):
    """Writes what may be played next."""
    rules.store64(state, ALLOWED, np.uint64(first | second << 32))
    state[FIRST_DIE], state[SECOND_DIE], state[LEFT] = first_die, second_die, left
