"""The material of Arimaa by HarLog: a piece is valued by how many opposing pieces are stronger.

Source: D. Wu, Designing a winning Arimaa program, ICGA Journal 38 (1), 2015, whose program Sharp used it; its numbers
come from the forum of arimaa.com.
"""

from math import log

import numpy as np

from athenan import rules
from athenan.games.arimaa.memory import BOARD, load
from athenan.games.arimaa.moves import STRONGEST, at_least, pieces_of
from athenan.rules.geometry.bits import popcount

_Q, _G = 1.447530126, 0.6314442034


@rules.helper
def _harlog(board, player):
    """The material of a side. The logarithm is 0 without rabbits: in the setup, or when the turn ends the match."""
    own, other, total = pieces_of(board, player), pieces_of(board, 1 - player), 0.0
    rabbits = popcount(own & at_least(board, 1) & ~at_least(board, 2))
    for kind in range(2, STRONGEST + 1):
        standing = popcount(own & at_least(board, kind) & ~at_least(board, kind + 1))
        stronger = popcount(other & at_least(board, kind + 1))
        total += standing * (1.0 / (_Q + stronger) if stronger else 2.0 / _Q)
    return total + _G * log(max(1.0, np.float64(rabbits * popcount(own))))


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """HarLog: pieces by how many opposing ones are stronger, rabbits by the logarithm of their number; 1 is worth 1/2.

    At the start an extra rabbit is worth 0.13.
    """
    board = load(state, BOARD)
    return rules.advantage(_harlog(board, 0) - _harlog(board, 1), 1.0)
