"""Reviews a match: what its actions lost in win chances, which of them were mistakes, and how accurate each side was.

The loss of an action is the win chance of its side before it minus the chance after it: 0.1 is ten percentage points.
The noise of weak searches is not a mistake. So a mark needs two comparisons that agree, and the smaller loss counts.
The first compares the positions before and after the action. If it shows a loss, the second searches the positions
after the better action and after the played one, with an empty tree and other random numbers. A loss between two proven
results is certain and needs no second comparison.

Without win chances only proven results count.

>>> accuracy([0.0, 0.0, 0.0]), round(accuracy([0.0, 0.1]), 3)
(1.0, 0.818)
"""

from collections.abc import Sequence
from math import exp
from typing import Literal

Mark = Literal["", "inaccuracy", "mistake", "blunder"]
LIMITS: dict[Mark, float] = {"blunder": 0.2, "mistake": 0.1, "inaccuracy": 0.05}
"""Mark -> the least loss of win chance, the largest first."""
LEAST = min(LIMITS.values())
"""The least loss that is marked."""
_FALL = 0.031669
"""Makes the accuracy of an action that loses almost everything 0."""


def mark_of(loss: float | None) -> Mark:
    """The mark of an action that lost this much win chance.

    >>> mark_of(0.04), mark_of(0.07), mark_of(0.5)
    ('', 'inaccuracy', 'blunder')
    """
    return next((mark for mark, least in LIMITS.items() if loss is not None and loss >= least), "")


def accuracy(losses: Sequence[float]) -> float | None:
    """The mean accuracy of actions from 0 to 1, by the curve of lichess; None without actions.

    An action that loses nothing has accuracy 1, one that loses 0.1 of a win chance 0.64, one that loses 0.5 0.09.
    """
    if not losses:
        return None
    return sum(max(0.0, (1 + _FALL) * exp(-4.354 * loss) - _FALL) for loss in losses) / len(losses)
