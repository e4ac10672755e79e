"""Pattern networks: the value of a state as a sum of table entries, evaluated and learnt by compiled code on a CPU.

Sources: M. Buro, "Logistello" (patterns); M. Thill, P. Koch and W. Konen, "Reinforcement learning with n-tuples on the
game Connect-4" (PPSN 2012); S. Bagheri et al., "Online adaptable learning rates for the game Connect-4" (2014).
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import Codes, codes_of
from athenan.evaluation.patterns.kernels import (
    AVERAGE,
    MOST_CELLS,
    MOST_PLANES,
    MOST_TUPLES,
    SCALE_AT,
    WEIGHT,
    WEIGHTS_AT,
    pattern_steps,
    pattern_values,
    pattern_values_of_planes,
    publish,
)
from athenan.evaluation.patterns.layout import layout_of
from athenan.evaluation.patterns.tuples import restored_tuples, tuples_of
from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaf import LeafKernel
from athenan.rules.leaves import Leaves

_BYTES = 20
"""Of a weight: with what learning has of it."""


class PatternNetwork:
    """A pattern network of one game; an evaluator that searches call in compiled code."""

    precision = "float32"
    heads = ("values",)

    def __init__(
        self,
        game: Game,
        settings: Patterns = Patterns(),
        scale: float = 1.0,
        bounded: bool = True,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """All weights are 0, or it is what `as_arrays` gave.

        Raises ValueError if the game's states have no cells that can be coded, if the network would be too large, or if
        the arrays are not of such a network.
        """
        prepare(pattern_values, pattern_values_of_planes)
        if arrays is None:
            codes = codes_of(game, settings.layers)
            tuples = tuples_of(game, codes, settings)
        else:
            _require(arrays)
            codes = Codes.restored(game, arrays)
            tuples = restored_tuples(game, codes, arrays)
        sizes = {"numbers": int(np.prod(game.planes)), "cells": len(codes.varying), "tuples": len(tuples.cells)}
        for (what, size), most in zip(sizes.items(), (MOST_PLANES, MOST_CELLS, MOST_TUPLES), strict=True):
            if size > most:
                raise ValueError(f"a pattern network has at most {most:,} {what}, and {game.name} would have {size:,}")
        self.game, self.settings, self.codes, self.tuples, self.scale = game, settings, codes, tuples, scale
        self.layout = layout_of(game, codes, tuples, bounded, settings)
        self._require_room()
        self.weights = np.zeros(WEIGHTS_AT + self.layout.weights, np.float32)
        """The scale of the heuristic, then the tables."""
        self.weights[SCALE_AT] = scale
        if arrays is not None:
            self.plays_with(arrays)

    def _require_room(self) -> None:
        needed, allowed = -(-self.layout.weights * _BYTES // 2**20), self.settings.memory
        if needed > allowed:
            raise ValueError(
                f"patterns of {self.game.name} take {needed:,} MiB, and memory allows {allowed:,}: choose fewer "
                f"entries, walks or phases, or memory={needed}"
            )

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        return LeafKernel(pattern_values.address, self.layout.numbers, self.weights)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns]."""
        values = np.empty(len(planes), np.float32)
        pattern_values_of_planes(_flat(planes), self.layout.numbers, self.weights, values)
        return Leaves(values)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of all that the network is: its codes, its tuples and its weights."""
        return {**self.codes.as_arrays(), **self.tuples.as_arrays(), "weights": self.weights[WEIGHTS_AT:].copy()}

    def plays_with(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes the weights of `as_arrays`. Raises ValueError if they do not fit, or are not finite."""
        weights = arrays["weights"]
        if weights.dtype != np.float32 or weights.shape != (self.layout.weights,):
            raise ValueError("the weights do not fit this network")
        if not np.isfinite(weights).all():
            raise ValueError("the weights are not finite numbers")
        self.weights[WEIGHTS_AT:] = weights


class Weights:
    """The weights of a pattern network as they are learnt, laid out so that a step touches few lines of the cache."""

    def __init__(self, network: PatternNetwork) -> None:
        """Begins with the weights of the network, whose average plays in it."""
        prepare(pattern_steps, publish)
        self.network = network
        self.learnt = np.zeros((network.layout.weights, 4), np.float32)
        """float32[weights, 4]: the weight, the sums of its changes and of their sizes, the average that plays."""
        self.learnt[:, WEIGHT] = self.learnt[:, AVERAGE] = network.weights[WEIGHTS_AT:]

    def step(self, planes: NDArray[np.int8], targets: NDArray[np.float32], rate: float) -> float:
        """Learns encoded states one by one; returns the mean squared error before, of value / scale."""
        network = self.network
        squares = pattern_steps(_flat(planes), targets, network.layout.numbers, network.weights, self.learnt, rate)
        return float(squares) / max(1, len(targets))

    def publish(self, share: float = 1.0) -> None:
        """Lets the averages play, once they have moved towards the weights by a share of the way.

        Raises ValueError if weights are no longer finite.
        """
        if publish(self.learnt, self.network.weights, share):
            raise ValueError("the network's weights are no longer finite: begin anew with a lower learning_rate")


def _flat(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.ascontiguousarray(planes.reshape(len(planes), -1))


def _require(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raises ValueError unless arrays have the names of a pattern network's."""
    wanted = {*(item.name for item in fields(Codes)), "cells", "family", "weights"}
    if {*arrays, "group"} != wanted:
        raise ValueError("the weights are not of a pattern network")
