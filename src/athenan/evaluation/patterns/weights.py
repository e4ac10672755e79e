"""The weights of a pattern network with one weight per entry, as they are learnt."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.kernels import AVERAGE, BLOCK, TOTAL, WEIGHT, pattern_steps, publish
from athenan.evaluation.patterns.network import PatternNetwork, flat
from athenan.rules.compiler import prepare

EARLIER_ERRORS = 10.0
"""The sum of the sizes of errors, of value / scale, that each entry of a network that has learnt counts as having seen.

They cancelled each other, so that the first steps of a training that goes on with the network are small. With full
steps, networks trained for 20 minutes and more became weaker (docs/networks_measured.md)."""


class Weights:
    """The weights of a pattern network as they are learnt, laid out so that a step touches few lines of the cache."""

    def __init__(self, network: PatternNetwork) -> None:
        """Begins with the weights of the network, whose average plays in it. Those that it has learnt change slowly."""
        prepare(pattern_steps, publish)
        self.network = network
        self.learnt = np.zeros((network.layout.entries, 4), np.float32)
        """float32[weights, 4]: the weight, the sums of its changes and of their sizes, the average that plays."""
        self.learnt[:, WEIGHT] = self.learnt[:, AVERAGE] = network.entries
        self.learnt[network.entries != 0, TOTAL] = EARLIER_ERRORS / len(network.tuples.cells)
        self.moving = np.zeros(-(-len(self.learnt) // (8 * BLOCK)), np.int64)
        """Flags of blocks with a weight whose average differs from it, a byte each."""

    def step(self, planes: NDArray[np.int8], targets: NDArray[np.float32], rate: float) -> float:
        """Learns encoded states one by one; returns the mean squared error before, of value / scale."""
        network = self.network
        squares = pattern_steps(
            network.game.rules, flat(planes), targets, network.layout.numbers, network.weights, self.learnt,
            self.moving.view(np.uint8), rate,
        )  # fmt: skip
        return float(squares) / max(1, len(targets))

    def publish(self, share: float = 1.0) -> None:
        """Lets the averages play, once they have moved towards the weights by a share of the way.

        Raises ValueError if weights are no longer finite.
        """
        if publish(self.learnt, self.network.weights, self.moving.view(np.uint8), self.moving, share):
            raise ValueError(NOT_FINITE)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of what is learnt for each weight."""
        return {"rows": self.learnt.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes what `as_arrays` gave. Raises ValueError if it is of another network than the one that plays."""
        take(self.learnt, arrays.get("rows"))
        if not np.array_equal(self.learnt[:, AVERAGE], self.network.entries):
            raise ValueError(OTHERS)
        changed = np.flatnonzero(self.learnt[:, AVERAGE] != self.learnt[:, WEIGHT])
        self.moving[:] = 0
        self.moving.view(np.uint8)[changed // BLOCK] = 1


NOT_FINITE = "the network's weights are no longer finite: begin anew with a lower learning_rate"
OTHERS = "the weights that are learnt are not those of the network that plays"


def take(own: NDArray[Any], saved: NDArray[Any] | None) -> None:
    """Copies a saved array. Raises ValueError if it does not fit, or is not finite."""
    if saved is None or saved.dtype != own.dtype or saved.shape != own.shape:
        raise ValueError("what is learnt of the weights does not fit this network")
    if not np.isfinite(saved).all():
        raise ValueError("what is learnt of the weights is not finite")
    own[:] = saved
