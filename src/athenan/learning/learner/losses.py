"""The losses of the heads, and their weights."""

from dataclasses import dataclass
from typing import Annotated, Literal

from athenan.settings import Between, Checked


@dataclass(frozen=True)
class LossWeights(Checked):
    """The weight of each head's loss in their sum; heads of your own have the weight 1."""

    values: Annotated[float, Between(0, 1000)] = 1.0
    """Weight of the loss of values."""
    policies: Annotated[float, Between(0, 1000)] = 1.0
    """Weight of the cross-entropy of policies."""
    action_values: Annotated[float, Between(0, 1000)] = 1.0
    """Weight of the mean squared error of action value / scale."""
    values_by: Literal["squares", "divergence"] = "squares"
    """The loss of values: the mean squared error of value / scale, or the Kullback-Leibler divergence of win
    probabilities (003, section 8.1), for values between a loss and a win."""

    def of(self, head: str) -> float:
        """The weight of a head, by name."""
        weight: float = vars(self).get(head, 1.0)
        return weight
