"""Networks that searches evaluate in compiled code, and that are learnt without PyTorch."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from athenan.evaluation.architectures import NativeArchitecture, Patterns
from athenan.evaluation.patterns import vector_weights
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.vector_weights import VectorWeights
from athenan.evaluation.patterns.weights import Weights
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.evaluation.shallow.weights import ShallowWeights
from athenan.rules.game import Game
from athenan.rules.heads import VALUES

NativeNetwork = PatternNetwork | ShallowNetwork


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
