"""Arimaa's steps on boards of 64 squares as bits; the rules are described in `arimaa`.

A square is 8 * row + column, from a1. A `board` is four words that hold the code of every square's piece bit by bit: 0
empty, 1 rabbit, 2 cat, 3 dog, 4 horse, 5 camel, 6 elephant, and 8 more for the second player's pieces. Equal boards
have equal words.

A `link` says what one step of a turn means for the next. 0: nothing. square + 64 * strength: a piece of this strength
has left the square, and a weaker opposing piece beside it can be pulled there. square + 512 * directions: a pushed
piece has left the square and must be followed. The pieces that could have pushed it step there in these directions (bit
0 down, 1 left, 2 right, 3 up).
"""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import ONE

PUSH = 512
"""A link at least this large demands that a push be completed."""
STEPS = 4
"""Most steps of a turn."""
STRONGEST = 6
TRAPS = np.uint64(sum(1 << square for square in (18, 21, 42, 45)))
_NOT_FIRST, _NOT_LAST = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)  # without column a, without h
_NONE, _EIGHT = np.uint64(0), np.uint64(8)


@rules.helper
def bit(square):
    return ONE << np.uint64(square)


@rules.helper
def adjacent(squares):
    """The squares above, below and beside some squares."""
    beside = (squares & _NOT_LAST) << ONE | (squares & _NOT_FIRST) >> ONE
    return beside | squares << _EIGHT | squares >> _EIGHT


@rules.helper
def around(square):
    """The squares from which a step down, left, right and up leads to one square."""
    return square << _EIGHT, (square & _NOT_LAST) << ONE, (square & _NOT_FIRST) >> ONE, square >> _EIGHT


@rules.helper
def pieces_of(board, player):
    return (board[0] | board[1] | board[2]) & ~board[3] if player == 0 else board[3]


@rules.helper
def at_least(board, strength):
    """The pieces of both sides at least as strong as `strength`, from 1 to 7."""
    low, middle, high = board[0], board[1], board[2]
    if strength == 1:
        return low | middle | high
    if strength == 2:
        return middle | high
    if strength == 3:
        return (low & middle) | high
    if strength == 4:
        return high
    if strength == 5:
        return high & (low | middle)
    return high & middle if strength == STRONGEST else _NONE


@rules.helper
def of_kind(board, kind):
    """The pieces of both sides of a kind, from 0 for rabbits to 5 for elephants."""
    return at_least(board, kind + 1) & ~at_least(board, kind + 2)


@rules.helper
def code_at(board, square):
    """The code of a square: 0 if empty, else the strength of its piece, plus 8 for the second player's."""
    place = np.uint64(square)
    low = (board[0] >> place & ONE) | (board[1] >> place & ONE) << ONE
    return np.int64(low | (board[2] >> place & ONE) << np.uint64(2) | (board[3] >> place & ONE) << np.uint64(3))


@rules.helper
def weaker_beside(board, pieces, others):
    """The pieces that stand beside a stronger one of the others."""
    found = _NONE
    for strength in range(2, STRONGEST + 1):
        strong = at_least(board, strength)
        found |= pieces & ~strong & adjacent(others & strong)
    return found


@rules.helper
def frozen(board, player):
    """The player's pieces beside a stronger opposing piece and beside no friendly piece."""
    own = pieces_of(board, player)
    return weaker_beside(board, own, pieces_of(board, 1 - player)) & ~adjacent(own)


@rules.helper
def pullable(board, player, link):
    """The opposing pieces that can be pulled into the square of a link."""
    if link == 0 or link >= PUSH:
        return _NONE
    return adjacent(bit(link & 63)) & pieces_of(board, 1 - player) & ~at_least(board, link >> 6)


@rules.helper
def _pushers(link, square):
    """The squares of the pieces that can complete a push, by the direction of their step."""
    down, left, right, up = around(square)
    return (
        down if link & PUSH else _NONE,
        left if link & 2 * PUSH else _NONE,
        right if link & 4 * PUSH else _NONE,
        up if link & 8 * PUSH else _NONE,
    )


@rules.helper
def step_sources(board, player, steps, link):
    """The squares where steps down, left, right and up can begin after `steps` steps, whatever the turn leads to.

    A push begins only if a step is left to complete it.
    """
    if link >= PUSH:
        return _pushers(link, bit(link & 63))
    own, other = pieces_of(board, player), pieces_of(board, 1 - player)
    to_down, to_left, to_right, to_up = around(~(own | other))
    steppers = own & ~frozen(board, player)
    pushed = weaker_beside(board, other, steppers) if steps < STEPS - 1 else _NONE
    forward = steppers & at_least(board, 2) | pushed
    every = steppers | pushed
    down, left, right, up = every & to_down, every & to_left, every & to_right, every & to_up
    if player == 0:
        down &= forward  # rabbits do not go back
    else:
        up &= forward
    pulled = pullable(board, player, link)
    if pulled:
        pull_down, pull_left, pull_right, pull_up = around(bit(link & 63))
        return down | pulled & pull_down, left | pulled & pull_left, right | pulled & pull_right, up | pulled & pull_up
    return down, left, right, up


@rules.helper
def target_of(square, direction):
    """The square that a step down, left, right or up leads to."""
    return square + (8 if direction == 3 else -8 if direction == 0 else 2 * direction - 3)


@rules.helper
def _link_after(board, player, link, square, target):
    """The link after a step, from the board before it. A step that can be a pull is one: this leaves more choices."""
    source, strength = bit(square), code_at(board, square) & 7
    if source & pieces_of(board, player):
        after = square + 64 * strength
        return 0 if link >= PUSH or not pullable(board, player, after) else after
    if target == link & 63 and source & pullable(board, player, link):
        return 0
    pushers = pieces_of(board, player) & ~frozen(board, player) & at_least(board, strength + 1)
    down, left, right, up = around(source)
    after = square
    after += PUSH if pushers & down else 0
    after += 2 * PUSH if pushers & left else 0
    after += 4 * PUSH if pushers & right else 0
    return after + (8 * PUSH if pushers & up else 0)


@rules.helper
def take(board, player, link, square, direction):
    """The board and the link after a step, and the pieces lost in traps."""
    target = target_of(square, direction)
    link, source, both = _link_after(board, player, link, square, target), bit(square), bit(square) | bit(target)
    low = board[0] ^ (both if board[0] & source else _NONE)
    middle = board[1] ^ (both if board[1] & source else _NONE)
    high = board[2] ^ (both if board[2] & source else _NONE)
    second = board[3] ^ (both if board[3] & source else _NONE)
    first = (low | middle | high) & ~second
    lost = TRAPS & ((first & ~adjacent(first)) | (second & ~adjacent(second)))
    return (low & ~lost, middle & ~lost, high & ~lost, second & ~lost), link, lost
