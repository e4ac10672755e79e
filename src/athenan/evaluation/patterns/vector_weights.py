"""The weights of a pattern network whose entries are vectors, as they are learnt."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.adam import AVERAGE, PARTS, WEIGHT
from athenan.evaluation.patterns.network import PatternNetwork, flat
from athenan.evaluation.patterns.vector_steps import SUMS, TOTAL, vector_publish, vector_steps
from athenan.evaluation.patterns.vectors import largest, rounded
from athenan.evaluation.patterns.weights import EARLIER_ERRORS, NOT_FINITE, OTHERS, Weights, take
from athenan.rules.compiler import prepare


class VectorWeights:
    """The weights of a pattern network of vectors as they are learnt; the network has rounded ones."""

    def __init__(self, network: PatternNetwork) -> None:
        """Begins with the weights of the network, whose average plays in it. Those that it has learnt change slowly."""
        prepare(vector_steps, vector_publish)
        self.network = network
        entries, vector = network.entries.shape
        self.learnt = np.zeros((entries, vector + SUMS), np.float32)
        """The numbers of each entry, and the sums of the errors of its items."""
        self.averages = np.zeros((entries, vector), np.float32)
        self.dense = np.zeros((PARTS, len(network.dense)), np.float32)
        """The dense part, with Adam's moments."""
        self.steps = np.zeros(1, np.int64)
        """Steps of the dense part."""
        self.moving = np.zeros(-(-entries // 8), np.int64)
        """Flags of entries whose average differs from what is learnt, a byte each."""
        if network.entries.any():  # else entries of new networks would take memory before they are learnt
            self.learnt[:, :vector] = self.averages[:] = network.entries
            self.learnt[network.entries.any(axis=1), vector + TOTAL] = EARLIER_ERRORS
        self.dense[WEIGHT] = self.dense[AVERAGE] = network.dense

    def step(self, planes: NDArray[np.int8], targets: NDArray[np.float32], rate: float) -> float:
        """Learns encoded states one by one; returns the mean squared error before, of value / scale."""
        network = self.network
        squares = vector_steps(
            network.game.rules, flat(planes), targets, network.layout.numbers, network.weights, self.learnt.reshape(-1),
            self.dense, self.steps, self.moving.view(np.uint8), rate,
        )  # fmt: skip
        return float(squares) / max(1, len(targets))

    def publish(self, share: float = 1.0) -> None:
        """Lets the averages play, once they have moved towards the weights by a share of the way.

        Raises ValueError if weights are no longer finite.
        """
        network = self.network
        if vector_publish(
            self.learnt.reshape(-1), self.averages.reshape(-1), self.dense, network.layout.numbers,
            network.weights, self.moving.view(np.uint8), self.moving, share, largest(len(network.tuples.cells)),
        ):  # fmt: skip
            raise ValueError(NOT_FINITE)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of what is learnt for the entries and the dense part."""
        return {
            "rows": self.learnt.copy(), "averages": self.averages.copy(), "dense": self.dense.copy(),
            "steps": self.steps.copy(),
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes what `as_arrays` gave. Raises ValueError if it is of another network than the one that plays."""
        network, vector = self.network, self.network.settings.vector
        for name, own in (("rows", self.learnt), ("averages", self.averages), ("dense", self.dense)):
            take(own, arrays.get(name))
        take(self.steps, arrays.get("steps"))
        same = np.array_equal(rounded(self.averages, len(network.tuples.cells)), network.entries)
        if not same or not np.array_equal(self.dense[AVERAGE], network.dense) or self.steps[0] < 0:
            raise ValueError(OTHERS)
        self.moving.view(np.uint8)[: len(self.learnt)] = (self.averages != self.learnt[:, :vector]).any(axis=1)


def weights_to_learn(network: PatternNetwork) -> Weights | VectorWeights:
    """The weights of a network as they are learnt."""
    return VectorWeights(network) if network.settings.vector > 1 else Weights(network)
