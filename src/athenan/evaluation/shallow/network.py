"""Shallow networks: one dense hidden layer on the planes and features of a state, evaluated and learnt by compiled code
on a CPU.

Source: G. Tesauro, "Practical issues in temporal difference learning" (1992), whose networks of backgammon have one
hidden layer. Here its neurons are ReLU and the output is linear; for the heuristic `classic` it ends in tanh.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Shallow
from athenan.evaluation.patterns.header import numbers_of, record_in
from athenan.evaluation.patterns.network import aligned, flat
from athenan.evaluation.shallow.inputs import factors_of, inputs_of, rows_of, sampled
from athenan.evaluation.shallow.kernels import (
    HEADER,
    MOST_NUMBERS,
    OFFSETS_AT,
    SCALE_AT,
    shallow_values,
    shallow_values_of_planes,
)
from athenan.rules.compiler import prepare
from athenan.rules.features import input_planes
from athenan.rules.game import Game
from athenan.rules.heads import VALUES
from athenan.rules.leaf import LeafKernel
from athenan.rules.leaves import Leaves

_LINE = 16
"""float32 numbers of a line of the processor's cache."""


class ShallowNetwork:
    """A shallow network of one game; an evaluator that searches call in compiled code."""

    precision = "float32"
    heads = VALUES
    learns = "layer", "output"
    """The names of the arrays that learning changes."""

    def __init__(
        self,
        game: Game,
        settings: Shallow = Shallow(),
        scale: float = 1.0,
        bounded: bool = True,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Makes a network with a random hidden layer and the output 0, or the one that gave `as_arrays`.

        Raises ValueError if the states have too many numbers or the arrays are not of such a network.
        """
        prepare(shallow_values, shallow_values_of_planes)
        count = input_planes(game) * int(np.prod(game.planes[1:]))
        if count > MOST_NUMBERS:
            raise ValueError(f"a shallow network has at most {MOST_NUMBERS:,} inputs, and {game.name} has {count:,}")
        self.game, self.settings, self.scale = game, settings, scale
        numbers = sampled(game, settings.colours, settings.features) if arrays is None else None
        self.inputs = _restored(arrays, count) if numbers is None else inputs_of(game, numbers)
        """The places of the numbers that are read; int64[inputs]."""
        hidden = settings.hidden
        end = OFFSETS_AT + 2 * hidden + 1
        begin = -(-(end + len(self.inputs)) // _LINE) * _LINE
        self.numbers = self._layout(end, begin, bounded)
        self.weights = aligned(begin + len(self.inputs) * hidden)
        """The scale of the heuristic, the offsets, the output, the factors, then the rows of the inputs."""
        self.weights[SCALE_AT] = scale
        self.layer = self.weights[begin:].reshape(-1, hidden)
        """What each input adds to each neuron, float32[inputs, hidden]; part of `weights`."""
        self.output = self.weights[OFFSETS_AT : OFFSETS_AT + 2 * hidden + 1]
        """The offsets of the neurons, their weights in the output, its offset; part of `weights`."""
        self.factors = self.weights[end : end + len(self.inputs)]
        """What each input is multiplied by, float32[inputs]; part of `weights`."""
        if arrays is not None:
            self.factors[:] = _fitting(arrays["factors"], self.factors)
            self.plays_with(arrays)
        elif numbers is not None:
            self.factors[:] = factors_of(numbers, self.inputs)
            power = float(np.mean(np.sum((numbers[:, self.inputs] * self.factors) ** 2, axis=1)))
            random = np.random.default_rng([settings.seed, 2])
            self.layer[:] = random.normal(0, (2 / power) ** 0.5, self.layer.shape)

    def _layout(self, factors: int, begin: int, bounded: bool) -> NDArray[np.int64]:
        """The numbers for compiled code."""
        game, settings = self.game, self.settings
        colours = settings.colours and game.colour_symmetry is not None
        cells = int(np.prod(game.planes[1:]))
        side = game.colour_symmetry.side * cells if game.colour_symmetry is not None else -1
        size, features = game.planes[0] * cells, game.features.planes * cells if settings.features else 0
        values: dict[str, int | NDArray[np.int64]] = {
            "size": size, "features": features, "hidden": settings.hidden, "bounded": bounded,
            "side": side if colours else -1, "factors_at": factors, "rows_at": begin,
            "slots_at": rows_of(game, self.inputs, colours)[:, : size + features],
        }  # fmt: skip
        return numbers_of(HEADER, values)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row that each number of a state reads in both views, -1 for none; int64[2, numbers]."""
        return self.numbers[record_in(self.numbers, HEADER)["slots_at"] :].reshape(2, -1)

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        return LeafKernel(shallow_values.address, self.numbers, self.weights)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns]."""
        values = np.empty(len(planes), np.float32)
        shallow_values_of_planes(self.game.rules, flat(planes), self.numbers, self.weights, values)
        return Leaves(values)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of all that the network is."""
        learnt = {"layer": self.layer.copy(), "output": self.output.copy()}
        return {"inputs": self.inputs.copy(), "factors": self.factors.copy(), **learnt}

    def plays_with(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes the weights of `as_arrays`. Raises ValueError if they do not fit, or are not finite."""
        found = [_fitting(arrays.get(name), own) for name, own in (("layer", self.layer), ("output", self.output))]
        self.layer[:], self.output[:] = found


def _fitting(array: NDArray[Any] | None, own: NDArray[np.float32]) -> NDArray[np.float32]:
    """The array. Raises ValueError unless it has the shape of the network's own, and is finite."""
    if array is None or array.dtype != np.float32 or array.shape != own.shape:
        raise ValueError("the weights do not fit this network")
    if not np.isfinite(array).all():
        raise ValueError("the weights are not finite numbers")
    return array


def _restored(arrays: Mapping[str, NDArray[Any]] | None, count: int) -> NDArray[np.int64]:
    """The saved inputs. Raises ValueError if they are not of a shallow network of `count` numbers."""
    inputs = None if arrays is None or set(arrays) != {"inputs", "factors", "layer", "output"} else arrays["inputs"]
    if inputs is None or inputs.dtype != np.int64 or inputs.ndim != 1 or not len(inputs):
        raise ValueError("the weights are not of a shallow network")
    if inputs[0] < 0 or inputs[-1] >= count or (np.diff(inputs) <= 0).any():
        raise ValueError("its inputs are not of this game")
    return inputs
