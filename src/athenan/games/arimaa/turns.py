"""Finds whether an Arimaa turn can be finished. A board that must not come back may prevent it."""

import numpy as np

from athenan import rules
from athenan.games.arimaa.memory import is_barred
from athenan.games.arimaa.moves import PUSH, STEPS, bit, step_sources, take
from athenan.rules.geometry.bits import lowest

_BOARDS = STEPS + 1
_WORDS = 4 * _BOARDS
_NONE = np.uint64(0)


@rules.helper
def _enter(boards, links, sources, depth, board, player, link):
    """Notes the board of a search after `depth` steps of a turn, and where the next steps can begin."""
    found = step_sources(board, player, depth, link)
    links[depth] = link
    for word in range(4):
        boards[4 * depth + word] = board[word]
        sources[4 * depth + word] = found[word] if depth < STEPS else _NONE


@rules.helper
def _last_direction(sources, depth):
    """The last direction with steps left to try, or -1."""
    for direction in range(3, -1, -1):
        if sources[4 * depth + direction]:
            return direction
    return -1


@rules.helper
def can_finish(state, board, player, steps, link):
    """Whether the player's turn can end with this board or go on, step by step, to a board that is not barred.

    This depth-first search seldom sees more than a few boards. It is not recursive, because numba would not cache it.
    """
    boards, sources = rules.scratch(_WORDS, np.uint64), rules.scratch(_WORDS, np.uint64)
    links, depth = rules.scratch(_BOARDS, np.int64), np.int64(steps)
    _enter(boards, links, sources, depth, board, player, link)
    while depth >= steps:
        place = 4 * depth
        at = boards[place], boards[place + 1], boards[place + 2], boards[place + 3]
        if depth > 0 and links[depth] < PUSH and not is_barred(state, at, player):
            return True
        direction = _last_direction(sources, depth)
        if direction < 0:
            depth -= 1
            continue
        square = lowest(sources[place + direction])
        sources[place + direction] ^= bit(square)
        following, after, _ = take(at, player, links[depth], square, direction)
        depth += 1
        _enter(boards, links, sources, depth, following, player, after)
    return False
