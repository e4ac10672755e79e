"""The checks of features: that they move with the board, and change with the players."""

import numpy as np
from numpy.typing import NDArray

from athenan.rules.colours import PlaneExchange
from athenan.rules.conformance.guards import Guarded, require
from athenan.rules.features import input_planes, input_symmetry


def check_features(game: Guarded, planes: NDArray[np.int8]) -> None:
    """Checks that the game's symmetries map its features to the features of the image, and its estimate, if any."""
    if not game.features.planes:
        return
    found = game.features_of(planes)
    if game.features.estimate:
        same, inside = bool((found[-1] == found[-1, 0, 0]).all()), found[-1, 0, 0] > -128
        require(same and inside, game, "its estimate must be a number from -127 to 127, the same on all cells")
    inputs = np.concatenate([planes.reshape(-1), found.reshape(-1)])
    for number, symmetry in enumerate(game.plane_symmetries):
        image = inputs[input_symmetry(game, symmetry)]
        same = np.array_equal(game.features_of(image[: planes.size]).reshape(-1), image[planes.size :])
        require(same, game, f"symmetry {number} does not map the features to those of the image")
    exchange = game.colour_symmetry.of_planes if game.colour_symmetry else game.plane_exchange
    if exchange:
        right, ahead = _exchanged_features(game, inputs, exchange)
        if game.plane_exchange:  # the points that one player is given count in every state
            first = game.encode(game.initial()).reshape(-1)
            first = np.concatenate([first, game.features_of(first).reshape(-1)])
            ahead -= _exchanged_features(game, first, exchange)[1]
        even = abs(ahead) <= int(game.plane_exchange is not None)  # estimates are rounded
        require(right and even, game, "the exchange of the players does not map the features to those of the image")


def _exchanged_features(game: Guarded, inputs: NDArray[np.int8], exchange: PlaneExchange) -> tuple[bool, int]:
    """Whether the players' exchange maps all features but the estimate, and what the estimates of a state and its image
    add up to: 0 without an estimate.
    """
    image = inputs[input_symmetry(game, exchange.planes, exchange=True)].reshape(input_planes(game), -1)
    image[exchange.side] = 1 - image[exchange.side]
    found = game.features_of(image[: game.planes[0]]).reshape(game.features.planes, -1)
    last = game.features.planes - game.features.estimate
    same = np.array_equal(found[:last], image[game.planes[0] :][:last])
    return same, int(found[-1, 0]) + int(inputs[-1]) if game.features.estimate else 0
