"""The weights of a shallow network as they are learnt."""

from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.adam import AVERAGE, PARTS, WEIGHT
from athenan.evaluation.patterns.network import flat
from athenan.evaluation.patterns.weights import NOT_FINITE, OTHERS, take
from athenan.evaluation.shallow.kernels import SCALE_AT
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.evaluation.shallow.steps import shallow_steps
from athenan.rules.compiler import prepare

_YOUNG = 40
"""Steps during which the average equals the new weights; later it moves at least this number / steps of the way."""


class ShallowWeights:
    """The weights of a shallow network as they are learnt, and their average, which plays."""

    def __init__(self, network: ShallowNetwork) -> None:
        """Begins with the weights of the network."""
        prepare(shallow_steps)
        self.network = network
        self.learnt = np.zeros((PARTS, len(network.weights)), np.float32)
        """The rows of `evaluation.adam`; float32[PARTS, weights]."""
        self.learnt[WEIGHT] = self.learnt[AVERAGE] = network.weights
        self.steps = np.zeros(1, np.int64)
        self._gradient = np.zeros(len(network.weights), np.float32)
        self._lock = Lock()
        """Held during steps: a step changes all weights, and two moments that do not belong together would harm."""

    def step(self, planes: NDArray[np.int8], targets: NDArray[np.float32], rate: float) -> float:
        """Learns encoded states; returns the mean squared error before, of value / scale."""
        network = self.network
        with self._lock:
            squares = shallow_steps(
                network.game.rules, flat(planes), targets, network.numbers, network.weights, self.learnt,
                self._gradient, self.steps, rate,
            )  # fmt: skip
        return float(squares) / max(1, len(targets))

    def publish(self, share: float = 1.0) -> None:
        """Lets the averages play, once they have moved towards the weights by a share of the way.

        Raises ValueError if weights are no longer finite.
        """
        weights, average = self.learnt[WEIGHT], self.learnt[AVERAGE]
        if not np.isfinite(weights).all():
            raise ValueError(NOT_FINITE)
        share = max(share, min(1.0, _YOUNG / max(1, int(self.steps[0]))))
        average += np.float32(share) * (weights - average)
        self.network.weights[SCALE_AT + 1 :] = average[SCALE_AT + 1 :]

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of what is learnt."""
        return {"learnt": self.learnt.copy(), "steps": self.steps.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes what `as_arrays` gave. Raises ValueError if it is of another network than the one that plays."""
        take(self.learnt, arrays.get("learnt"))
        take(self.steps, arrays.get("steps"))
        if not np.array_equal(self.learnt[AVERAGE], self.network.weights) or self.steps[0] < 0:
            raise ValueError(OTHERS)
