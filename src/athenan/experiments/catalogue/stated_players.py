"""How the papers' networks play their matches: one search each, one leaf at a time, proofs where the paper has them.

Nothing comes from the players of `athenan match`, which search as measurements with the package's networks advise.
"""

UBFM_S = "search=ubfm:play=safest"
"""UBFM_s with completion: 003, Algorithms 11 to 13 and section 8.2.1; 000, Algorithms 10 and 11 and section 6.2."""
UBFM_S_WITHOUT_COMPLETION = "search=(ubfm:completion=false,play=safest)"
"""004, section 2.3.1: UBFM_s. The paper has no completion; its Algorithm 1 is Descent without it."""
UBFM = "search=ubfm:play=best"
"""000, section 6.2: UBFM with completion plays the action with the best value."""
ID = "search=alphabeta"
"""000, section 6.2: iterative deepening with completion."""
EXIT = "search=(exit:completion=false,exploration=0.05,policy_weight=100.0,value_weight=0.75)"
"""003, sections 8.1 and 8.4.2: ExIt's MCTS, with the constants of its training."""
POLYGAMES = "search=puct:completion=false"
"""004, section 2.2.1, and 001, section 3.2.1: MCTS with PUCT, without noise."""
EXPECTIMINIMAX = "search=(expectiminimax:completion=false)"
"""001, section 3.2.1. The paper has no completion."""
ACTION_VALUES = "search=(ubfm:evaluate=action_values,play=safest)"
"""UBFM_s that evaluates the actions of a state, in no paper."""


def exit_of(iterations: int) -> str:
    """The player of a training at laptop scale whose labels take these iterations (`learning.algorithms.exit_`)."""
    return f"search=(exit:completion=false,policy_weight={iterations / 25})"
