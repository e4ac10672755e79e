"""The entries of the policy of a pattern network, as they are learnt."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.header import HEADER, POLICY, record_in
from athenan.evaluation.patterns.network import PatternNetwork, flat
from athenan.evaluation.patterns.policy_kernels import WEIGHT, policy_steps, publish_policy
from athenan.evaluation.patterns.weights import NOT_FINITE, take
from athenan.rules.compiler import prepare

RATE = 4.0
"""The learning rate of a policy, in learning rates of values (docs/algorithms/patterns.md)."""


class PolicyWeights:
    """The entries of a policy as they are learnt, by cross-entropy."""

    def __init__(self, network: PatternNetwork) -> None:
        """Begins with the policy of the network, which plays."""
        prepare(policy_steps, publish_policy)
        self.network = network
        self.learnt = np.zeros((len(network.policy), 4), np.float32)
        """float32[entries, 4]: the weight, the sums of its changes and of their sizes, and what waits during a step."""
        self.learnt[:, WEIGHT] = network.policy
        numbers = network.layout.numbers
        at = record_in(numbers, HEADER)["policy"]
        self._most = int(record_in(numbers, POLICY, at)["most"])

    def step(
        self, planes: NDArray[np.int8], legal: NDArray[np.bool_], policies: NDArray[np.float32], rate: float
    ) -> float:
        """Learns the policies of encoded states one by one; returns the sum of the cross-entropies before.

        `legal` (bool[n, actions]) are the legal actions, `policies` (float32[n, actions]) their probabilities, all 0
        for a state without anything to learn.
        """
        network, most = self.network, self.network.game.max_actions
        entries, shares = np.empty((most, self._most + 1), np.int64), np.empty(most, np.float32)
        entropies: float = policy_steps(
            network.game.rules, flat(planes), legal, policies, network.layout.numbers, self.learnt, entries, shares,
            RATE * rate,
        )  # fmt: skip
        return entropies

    def publish(self, share: float = 1.0) -> None:
        """Moves the entries that play towards those that are learnt by this share of the way.

        Raises ValueError if these are no longer finite.
        """
        if publish_policy(self.learnt, self.network.policy, share):
            raise ValueError(NOT_FINITE)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of what is learnt for each entry."""
        return {"policy": self.learnt.copy()}

    def restore(self, saved: NDArray[Any] | None) -> None:
        """Takes the array of `as_arrays`. Raises ValueError if it does not fit, or is not finite."""
        take(self.learnt, saved)
