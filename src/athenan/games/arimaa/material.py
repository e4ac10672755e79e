"""The material of Arimaa by HarLog: a piece is valued by how many opposing pieces are stronger.

Source: D. Wu, Designing a winning Arimaa program, ICGA Journal 38 (1), 2015, whose program Sharp used it; its numbers
come from the forum of arimaa.com.
"""

from math import log

import numpy as np

from athenan import rules
from athenan.games.arimaa.memory import BOARD, load
from athenan.games.arimaa.moves import STRONGEST, of_kind, pieces_of
from athenan.rules import Features
from athenan.rules.geometry.bits import popcount
from athenan.rules.memory import scratch

_Q, _G = 1.447530126, 0.6314442034
_KINDS = 2 * STRONGEST
FIRST_PLANE = 3
"""The first of the planes of pieces: a plane for each kind of the first player, rabbits first, then of the second."""


@rules.helper
def _side(numbers, own, other):
    """The material of a side. The logarithm is 0 without rabbits: in the setup, or when the turn ends the match.

    `numbers` has the number of pieces of each kind, rabbits first: of the side from `own` on, of the other one from
    `other` on.
    """
    rabbits, pieces, stronger, total = numbers[own], numbers[own], np.int64(0), 0.0
    for kind in range(STRONGEST - 1, 0, -1):
        total += numbers[own + kind] * (1.0 / (_Q + stronger) if stronger else 2.0 / _Q)
        stronger += numbers[other + kind]
        pieces += numbers[own + kind]
    return total + _G * log(max(1.0, np.float64(rabbits * pieces)))


@rules.helper
def _harlog(numbers):
    """The lead of the first player by the numbers of pieces of both sides, between -1 and 1."""
    return rules.advantage(_side(numbers, 0, STRONGEST) - _side(numbers, STRONGEST, 0), 1.0)


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """HarLog: pieces by how many opposing ones are stronger, rabbits by the logarithm of their number; 1 is worth 1/2.

    At the start an extra rabbit is worth 0.13.
    """
    board, numbers = load(state, BOARD), scratch(_KINDS, np.int64)
    for player in range(2):
        own = pieces_of(board, player)
        for kind in range(STRONGEST):
            numbers[player * STRONGEST + kind] = popcount(own & of_kind(board, kind))
    return _harlog(numbers)


@rules.kernel(rules.FEATURES)
def _estimate(params, planes, features):
    """The material of an encoded state, on all squares."""
    numbers = scratch(_KINDS, np.int64)
    for kind in range(_KINDS):
        begin, count = 64 * (FIRST_PLANE + kind), np.int64(0)
        for square in planes[begin : begin + 64]:
            count += square
        numbers[kind] = count
    features[:] = rules.hundredths(_harlog(numbers))


MATERIAL = Features(planes=1, kernel=_estimate, estimate=True)
"""Material as the estimate with which networks begin."""
