"""The memory of an Arimaa state: its board, the board at the turn's beginning, the turns since a piece was last lost.

The layout is described in `arimaa`. Boards are four words, as in `moves`.
"""

import numpy as np

from athenan import rules
from athenan.games.arimaa.moves import at_least, bit, code_at
from athenan.rules.geometry.bits import ONE, lowest

BOARD, START, HISTORY = rules.HEADER, rules.HEADER + 32, rules.HEADER + 64
"""The bytes of a state at which the words of the board, of the turn's beginning and the earlier turns begin."""
TURN = 4
"""Header byte: the number of steps in this turn, and `REPEATED`."""
REPEATED = 4
"""The bit in header byte 4, times 1 + player: some board has occurred twice at the ends of the player's turns."""
_NONE = np.uint64(0)


@rules.helper
def load(state, place):
    """The four words of a board."""
    first, second = rules.load64(state, place), rules.load64(state, place + 8)
    return first, second, rules.load64(state, place + 16), rules.load64(state, place + 24)


@rules.helper
def store(state, place, board):
    for word in range(4):
        rules.store64(state, place + 8 * word, board[word])


@rules.helper
def unlike(one, other):
    """The squares on which two boards differ."""
    return (one[0] ^ other[0]) | (one[1] ^ other[1]) | (one[2] ^ other[2]) | (one[3] ^ other[3])


@rules.helper
def _exchanged(board, entry):
    """A board with one entry of the history played or taken back."""
    squares, code = bit(entry & 63) | bit(entry >> 6 & 63), entry >> 12
    return (
        board[0] ^ (squares if code & 1 else _NONE),
        board[1] ^ (squares if code & 2 else _NONE),
        board[2] ^ (squares if code & 4 else _NONE),
        board[3] ^ (squares if code & 8 else _NONE),
    )


@rules.helper
def _begins_turn(entry):
    return entry & 63 > entry >> 6 & 63


@rules.helper
def came_up(state, board, turns, times):
    """Whether the board occurred `times` times: `turns` turns before the current one, or 2, 4, ... before that."""
    at, begun = load(state, START), 0
    difference = (at[0] ^ board[0], at[1] ^ board[1], at[2] ^ board[2], at[3] ^ board[3])
    for number in range(rules.load16(state, HISTORY), 0, -1):
        entry = rules.load16(state, HISTORY + 2 * number)
        difference = _exchanged(difference, entry)
        if _begins_turn(entry):
            begun += 1
            if (begun - turns) & 1 == 0 and not difference[0] | difference[1] | difference[2] | difference[3]:
                times -= 1
                if times == 0:
                    return True
    return False


@rules.helper
def is_barred(state, board, player):
    """Whether the player's turn must not end with the board: the turn began with it, or it ended two turns before."""
    if unlike(board, load(state, START)) == _NONE:
        return True
    return state[TURN] & REPEATED * (1 + player) != 0 and came_up(state, board, 1, 2)


@rules.helper
def copy_history(state, following, emptied):
    used = HISTORY if emptied else HISTORY + 2 * rules.load16(state, HISTORY) + 2
    place = HISTORY
    while place < used:
        rules.store64(following, place, rules.load64(state, place))
        place += 8
    while place < len(state):
        rules.store64(following, place, _NONE)
        place += 8


@rules.helper
def remember(state, start, board):
    """Adds a turn to the history, the same for every order of its steps.

    The squares left come in ascending order. Each is joined to the lowest square that a piece of the same code has
    filled.
    """
    changed, count, first = unlike(start, board), rules.load16(state, HISTORY), True
    left, filled = changed & at_least(start, 1), changed & at_least(board, 1)
    while left:
        square = lowest(left)
        left &= left - ONE
        code = code_at(start, square)
        matching = filled
        for word in range(4):
            matching &= board[word] if code >> word & 1 else ~board[word]
        target = lowest(matching)
        filled ^= bit(target)
        low, high = min(square, target), max(square, target)
        count += 1
        rules.store16(state, HISTORY + 2 * count, (high + 64 * low if first else low + 64 * high) + 4096 * code)
        first = False
    rules.store16(state, HISTORY, count)
