"""From examples to minibatches: states are encoded, and states and actions transformed by symmetries of the board."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.learning.examples import Batch, Examples
from athenan.rules import calls
from athenan.rules.compiler import kernel
from athenan.rules.game import Game
from athenan.rules.kernels import RULES

_bytes = types.Array(types.int8, 2, "C")
_symmetries = types.Array(types.uint8, 1, "C")
_permutations = types.Array(types.int32, 2, "C")


def augment(states: int, symmetries: int, random: np.random.Generator, mode: str) -> NDArray[np.uint8]:
    """The symmetries of a match's items; item i is state i mod `states` seen through symmetry i of the result.

    "add" gives each state itself and a copy by one of the other symmetries, drawn uniformly (003, section 9.3.1);
    "random" gives each state one symmetry, drawn uniformly, the identity included; "none" gives each state itself.
    """
    identity = np.zeros(states, np.uint8)
    if mode == "none" or symmetries == 1:
        return identity
    if mode == "random":
        return random.integers(symmetries, size=states, dtype=np.uint8)
    return np.concatenate([identity, random.integers(1, symmetries, size=states, dtype=np.uint8)])


def encoded(game: Game, examples: Examples, symmetries: NDArray[np.uint8]) -> Batch:
    """The minibatch of examples, each seen through its symmetry, a row of the game's `plane_symmetries`."""
    cells = game.plane_symmetries.shape[1]
    planes, straight = np.empty((len(examples), cells), np.int8), np.empty(cells, np.int8)
    encode_batch(game.rules, examples.states, symmetries, game.plane_symmetries, straight, planes)
    policies, action_values = examples.policies, examples.action_values
    if policies is None and action_values is None:
        return Batch(planes, examples.values, more=examples.more)
    images = game.action_symmetries[symmetries]
    return Batch(
        planes, examples.values,
        None if policies is None else policies.rows(images, 0.0),
        None if action_values is None else action_values.rows(images, np.nan),
        examples.more,
    )  # fmt: skip


@kernel(types.void(RULES, _bytes, _symmetries, _permutations, types.Array(types.int8, 1, "C"), _bytes))
def encode_batch(rules, states, symmetries, plane_symmetries, straight, planes):
    """Writes row i of `planes`: the planes of states[i], seen through symmetries[i].

    `straight` is room for the planes of one state.
    """
    for row in range(states.shape[0]):
        if symmetries[row] == 0:
            calls.encode(rules, states[row], planes[row])
        else:
            calls.encode(rules, states[row], straight)
            image = plane_symmetries[symmetries[row]]
            for place in range(straight.shape[0]):
                planes[row, place] = straight[image[place]]
