"""What a shallow network reads of an encoded state: the numbers of its planes and features that tell states apart.

A number that is the same in all states is left out. A plane that is the same on all cells in every state, such as the
side to move, is read once. Random play finds which is which, so the same seed gives the same inputs. Like a pattern
network, it may see a state of the second player as its image for the first.
"""

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.codes import STATES
from athenan.rules.features import input_planes, input_symmetry, with_features
from athenan.rules.game import Game
from athenan.rules.playouts import encoded_states, random_states


def sampled(game: Game, colours: bool, features: bool) -> NDArray[np.int8]:
    """The numbers of states of random play as the network sees them, int8[STATES, all planes * cells]."""
    planes = with_features(game, encoded_states(game, random_states(game, STATES)))
    if not features:
        planes[:, game.planes[0] :] = 0
    if game.features.estimate:  # an exchange of places does not change its sign
        planes[:, -1] = 0
    exchange, flat = game.colour_symmetry, planes.reshape(STATES, -1)
    if not colours or exchange is None:
        return flat
    second = planes[:, exchange.side, 0] == 0
    flat[second] = flat[second][:, input_symmetry(game, exchange.planes, exchange=True)]
    planes[second, exchange.side] = 1
    return flat


def inputs_of(game: Game, numbers: NDArray[np.int8]) -> NDArray[np.int64]:
    """The places in `sampled` of the numbers that are read, ascending. Raises ValueError if no number varies."""
    cells = game.planes[1] * game.planes[2]
    by_plane = numbers.reshape(len(numbers), -1, cells)
    varying = (by_plane != by_plane[:1]).any(axis=0)
    varying[(by_plane == by_plane[:, :, :1]).all(axis=(0, 2)), 1:] = False
    found = np.flatnonzero(varying)
    if not len(found):
        raise ValueError(f"the encoded states of {game.name} are all alike")
    return found


def factors_of(numbers: NDArray[np.int8], inputs: NDArray[np.int64]) -> NDArray[np.float32]:
    """The factor of each input: 1 / the root of the mean square of the numbers other than 0; float32[inputs].

    So counts weigh as much as numbers that are 0 or 1.
    """
    read = numbers[:, inputs].astype(np.float32)
    found: NDArray[np.float32] = np.sqrt((read != 0).sum(axis=0) / (read**2).sum(axis=0)).astype(np.float32)
    return found


def rows_of(game: Game, inputs: NDArray[np.int64], colours: bool) -> NDArray[np.int64]:
    """The row of the weights that each number of a state reads in both views, -1 for none; int64[2, numbers]."""
    rows = np.full((2, input_planes(game) * game.planes[1] * game.planes[2]), -1, np.int64)
    rows[0, inputs] = np.arange(len(inputs))
    rows[1] = rows[0]
    if colours and game.colour_symmetry is not None:
        rows[1, input_symmetry(game, game.colour_symmetry.planes, exchange=True)] = rows[0]
    return rows
