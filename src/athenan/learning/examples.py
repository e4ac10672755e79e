"""What is learnt: states with their values, and where wanted policies and action values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import State


@dataclass(frozen=True)
class ActionNumbers:
    """A number for some actions of each of n states; actions without one are not learnt (or have probability 0)."""

    counts: NDArray[np.int32]
    """How many actions of each state have one; int32[n]."""
    actions: NDArray[np.int32]
    """The actions, state by state; int32[sum of counts]."""
    numbers: NDArray[np.float32]
    """Their probabilities or values; float32[sum of counts]."""

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, states: NDArray[np.int64]) -> Self:
        """Those of some states, by their positions."""
        ends = np.cumsum(self.counts)
        counts = self.counts[states]
        starts = np.repeat(ends[states] - counts - (np.cumsum(counts) - counts), counts)
        places = starts + np.arange(counts.sum())
        return type(self)(counts, self.actions[places], self.numbers[places])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of several, one after the other."""
        return cls(
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.numbers for part in parts]),
        )


@dataclass(frozen=True)
class Examples:
    """n states and what the network is to say of them; first player's point of view."""

    states: State
    """int8[n, state size]"""
    values: NDArray[np.float32]
    """float32[n]"""
    policies: ActionNumbers | None = None
    """Probabilities of actions."""
    action_values: ActionNumbers | None = None
    """v(s, a) of the actions where it is known."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, states: NDArray[np.int64]) -> "Examples":
        """The examples of some states, by their positions."""
        return Examples(
            self.states[states], self.values[states],
            None if self.policies is None else self.policies.take(states),
            None if self.action_values is None else self.action_values.take(states),
        )  # fmt: skip

    @staticmethod
    def joined(parts: Sequence["Examples"]) -> "Examples":
        """The examples of several, one after the other; all of them have the same kinds of numbers."""
        policies = [part.policies for part in parts if part.policies is not None]
        action_values = [part.action_values for part in parts if part.action_values is not None]
        return Examples(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.values for part in parts]),
            ActionNumbers.joined(policies) if policies else None,
            ActionNumbers.joined(action_values) if action_values else None,
        )
