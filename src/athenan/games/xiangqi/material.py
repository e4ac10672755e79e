"""The material of Xiangqi, as an evaluation and as the estimate with which networks begin.

Source: H. T. Lau, Chinese Chess, 1985, Values and uses of the pieces.
"""

import numpy as np

from athenan import rules
from athenan.games.xiangqi import layout
from athenan.games.xiangqi.layout import BOARD, PLACE
from athenan.rules import Features

KINDS = 3
"""The first of the planes of kinds: seven of the first player, then seven of the second."""
_CELLS = len(PLACE)
_HALVES = np.array([0, 0, 4, 4, 8, 18, 9, 2])
"""The worth of a piece of each kind, in halves; the general counts nothing, as it is never captured."""
_LARGE = 18


@rules.helper
def _worth(owner, kind, cell):
    """The worth of a piece in halves; a soldier beyond the river counts twice as much."""
    crossed = kind == layout.SOLDIER and not layout.HOME[owner, PLACE[cell]]
    return _HALVES[kind] + 2 * crossed


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """Chariot 9, cannon 4.5, horse 4, elephant and advisor 2, soldier 1, beyond the river 2; a lead of 9 counts 1/2."""
    lead = 0
    for cell in range(_CELLS):
        piece = state[BOARD + PLACE[cell]]
        if piece:
            owner = 0 if piece & layout.FIRST else 1
            lead += rules.sign(owner) * _worth(owner, piece & 7, cell)
    return rules.advantage(lead, _LARGE)


@rules.kernel(rules.FEATURES)
def _estimate(params, planes, features):
    """The material of an encoded state, on all cells."""
    lead = 0
    for owner in range(2):
        for kind in range(1, len(_HALVES)):
            begin = _CELLS * (KINDS + 7 * owner + kind - 1)
            of_kind = planes[begin : begin + _CELLS]
            for cell in range(_CELLS):
                if of_kind[cell]:
                    lead += rules.sign(owner) * _worth(owner, kind, cell)
    features[:] = rules.hundredths(rules.advantage(lead, _LARGE))


MATERIAL = Features(planes=1, kernel=_estimate, estimate=True)
"""Material as the estimate with which networks begin."""
