"""The common part of all states: a header of `HEADER` bytes before the board.

A state is a contiguous int8 vector whose length is a multiple of 8.

| bytes | meaning |
| --- | --- |
| 0 | side to move: 0 first player, 1 second player, 2 chance |
| 1 | free for the game |
| 2-3 | number of actions played since the initial state, little-endian |
| 4-7 | free for the game |

A state holds everything that its rules and heuristics depend on. Equal vectors are equal states. Every action increases
the number of actions played by one, so no state repeats within a match.
"""

import numpy as np
from numba.extending import register_jitable

from athenan.rules.compiler import helper
from athenan.rules.memory import load16, load64, store64

HEADER = 8
"""Bytes of a state before its board."""
FIRST, SECOND, CHANCE = 0, 1, 2
"""The sides to move; chance draws one of the outcomes of its states by their probabilities."""
ONGOING = 2
"""The value of `outcome` for a state that is not terminal; -1, 0, 1 are the first player's gains."""
PASS_NAME = "pass"


def sign(side: int) -> int:
    """1 if the first player, who maximises, is to move, -1 for the second player, 0 for chance. Kernels can call it."""
    return int(side == FIRST) - int(side == SECOND)


register_jitable(sign)


@helper
def length(state):
    """The number of actions played since the initial state."""
    return load16(state, 2)


@helper
def mover_lost(state):
    """The outcome when the player who is not to move has won; chance must not be to move."""
    return -sign(state[0])


@helper
def advance_header(state, following, player):
    """Writes the header of the state after an action: the side to move, one action more, the rest zero."""
    store64(following, 0, np.uint64(player) | (np.uint64(length(state) + 1) << np.uint64(16)))


@helper
def hash_state(state, seed):
    """64 bits that depend on all bytes of a state and on a seed, a uint64; different seeds give different hashes."""
    key = seed
    for offset in range(0, len(state), 8):
        key = (key ^ load64(state, offset)) * np.uint64(0xFF51AFD7ED558CCD)
        key ^= key >> np.uint64(32)
    return key


@helper
def same_state(one, other):
    """Whether two states of one length are equal."""
    for offset in range(0, len(one), 8):
        if load64(one, offset) != load64(other, offset):
            return False
    return True


@helper
def copy_state(state, following):
    """Copies a state. `following[:] = state` takes ten times as long: it first checks whether the two overlap."""
    for offset in range(0, len(state), 8):
        store64(following, offset, load64(state, offset))
