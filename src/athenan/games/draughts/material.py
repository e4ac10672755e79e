"""The material of draughts, as an evaluation and as the estimate with which networks begin."""

from athenan import rules
from athenan.games.draughts import moves as m
from athenan.games.draughts import position as p
from athenan.rules import Features

_LARGE = 5


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """Men count 1 and flying kings 3, as players count them; a lead of 5 is worth 1/2."""
    kings, lead = p.load(state, m.KINGS), 0
    for player in range(2):
        own = p.load(state, m.PIECES + 16 * player)
        lead += rules.sign(player) * (m.size(own) + 2 * m.size(m.both(own, kings)))
    return rules.advantage(lead, _LARGE)


@rules.kernel(rules.FEATURES)
def _estimate(params, planes, features):
    """The material of an encoded state, on all cells."""
    cells, lead = 4 * params[p.HALF] * params[p.HALF], 0
    for plane in range(4):
        count = 0
        for cell in planes[cells * plane : cells * (plane + 1)]:
            count += cell
        lead += rules.sign(plane & 1) * (count if plane < 2 else 2 * count)
    features[:] = rules.hundredths(rules.advantage(lead, _LARGE))


MATERIAL = Features(planes=1, kernel=_estimate, estimate=True)
"""Material as the estimate with which networks begin."""
