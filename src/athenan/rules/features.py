"""Features: planes that a game declares in addition to its encoded states (`Game.features`), and that follow them.

Networks of layers find out by themselves what concerns the whole board; tables of small groups of cells cannot.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import STATES
from athenan.rules.compiler import kernel
from athenan.rules.game import Game
from athenan.rules.kernels import RULES


def input_planes(game: Game) -> int:
    """The number of planes, including features."""
    return game.planes[0] + game.features.planes


def with_features(game: Game, planes: NDArray[np.int8]) -> NDArray[np.int8]:
    """The planes of states with their features, int8[n, all planes, cells], from int8[n, planes * cells]."""
    whole = np.zeros((len(planes), input_planes(game), game.planes[1] * game.planes[2]), np.int8)
    whole[:, : game.planes[0]] = planes.reshape(len(planes), game.planes[0], -1)
    if game.features.planes:
        add_features(game.rules, game.planes[0] * whole.shape[2], whole.reshape(len(planes), -1))
    return whole


@kernel(types.void(RULES, types.int64, STATES))
def add_features(rules, size, whole):
    for row in range(whole.shape[0]):
        calls.features(rules, whole[row, :size], whole[row, size:])


def input_symmetry(game: Game, symmetry: NDArray[np.int32], exchange: bool = False) -> NDArray[np.int64]:
    """A symmetry of the planes, or the exchange of the players, for planes with features: where each number comes from,
    int64[all planes * cells].
    """
    cells = game.planes[1] * game.planes[2]
    order = np.arange(game.features.planes)
    for first, second in game.features.exchanged if exchange else ():
        order[[first, second]] = second, first
    turned = symmetry[:cells].astype(np.int64) % cells
    features = (game.planes[0] + order)[:, None] * cells + turned
    return np.concatenate([symmetry.astype(np.int64), features.reshape(-1)])
