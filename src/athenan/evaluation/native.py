"""Networks that searches evaluate in compiled code, and that are learnt without PyTorch."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.architectures import NativeArchitecture, Patterns
from athenan.evaluation.patterns import vector_weights
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.vector_weights import VectorWeights
from athenan.evaluation.patterns.weights import Weights
from athenan.evaluation.shallow.kernels import shallow_values_of_planes
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.evaluation.shallow.weights import ShallowWeights
from athenan.rules.arrays import FLOATS, NUMBERS, PLANES
from athenan.rules.game import Game
from athenan.rules.heads import VALUES
from athenan.rules.kernels import RULES

NativeNetwork = PatternNetwork | ShallowNetwork

ROW_VALUES = types.void(RULES, PLANES, NUMBERS, FLOATS, FLOATS)
"""values_of(rules, planes, numbers, weights, values): writes the value of each encoded state, a row of `planes`."""


class RowKernel(NamedTuple):
    """The values of encoded states by the address of a `ROW_VALUES` kernel, and what the kernel reads."""

    address: int
    numbers: NDArray[np.int64]
    weights: NDArray[np.float32]


@runtime_checkable
class EvaluatesRows(Protocol):
    """An evaluator that compiled code can call with encoded states."""

    @property
    def row_values(self) -> RowKernel:
        """Its kernel, which reads the arrays as they are at each call."""


def row_kernel(network: NativeNetwork) -> RowKernel:
    """The kernel with which a network evaluates encoded states, by its values alone."""
    if isinstance(network, PatternNetwork):
        return RowKernel(network.values_of_planes.address, network.layout.numbers, network.weights)
    return RowKernel(shallow_values_of_planes.address, network.numbers, network.weights)


def native_network(
    game: Game,
    architecture: NativeArchitecture,
    scale: float = 1.0,
    bounded: bool = True,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    heads: tuple[str, ...] = VALUES,
) -> NativeNetwork:
    """A new network with these heads, or the one that gave these arrays.

    Raises ValueError like the networks, and for a shallow network with other heads than values.
    """
    if isinstance(architecture, Patterns):
        return PatternNetwork(game, architecture, scale, bounded, arrays, heads)
    if heads != VALUES:
        raise ValueError(f"a shallow network gives values only, not {' and '.join(heads)}: use network c or patterns")
    return ShallowNetwork(game, architecture, scale, bounded, arrays)


def weights_to_learn(network: NativeNetwork) -> Weights | VectorWeights | ShallowWeights:
    """The weights of a network as they are learnt."""
    if isinstance(network, PatternNetwork):
        return vector_weights.weights_to_learn(network)
    return ShallowWeights(network)
