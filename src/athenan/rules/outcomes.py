"""Outcomes that several games share."""

from athenan.rules.compiler import kernel
from athenan.rules.kernels import OUTCOME
from athenan.rules.state import ONGOING, mover_lost


@kernel(OUTCOME)
def last_mover_wins(params, state):
    """The outcome of games without draws whose byte 1 is set when a player has won; then the other one is to move."""
    return mover_lost(state) if state[1] else ONGOING
