"""Makes minibatches of examples: encodes states, and transforms states and actions by symmetries of the game."""

from dataclasses import dataclass, replace

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.learning.examples.examples import ActionNumbers, Batch, Examples
from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, STATE, STATES, array_of
from athenan.rules.compiler import kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The symmetries of a game that are learnt: the board's, then the same after the exchange of the players."""

    planes: NDArray[np.int32]
    """int32[symmetries, planes * rows * columns], as `Game.plane_symmetries`"""
    actions: NDArray[np.int32]
    """int32[symmetries, action_count]"""
    of_board: int
    """How many are of the board alone; the others also invert the plane `side`, and negate values."""
    side: int = 0
    begins: int = 0
    """States after fewer actions have only the board's symmetries."""

    @classmethod
    def of(cls, game: Game, colours: bool) -> "Symmetries":
        """The symmetries of a game, with `colours` the exchange. Raises ValueError if it declares no exchange."""
        planes, actions = game.plane_symmetries, game.action_symmetries
        if not colours:
            return cls(planes, actions, len(planes))
        exchange = game.colour_symmetry
        if exchange is None:
            raise ValueError(f"colours must be false: {game.name} declares no exchange of the players")
        planes = np.concatenate([planes, exchange.planes[planes]])
        actions = np.concatenate([actions, actions[:, exchange.actions]])
        return cls(planes, actions, len(game.plane_symmetries), exchange.side, exchange.begins)

    def __len__(self) -> int:
        return len(self.planes)

    def count(self, states: State) -> int | NDArray[np.int64]:
        """How many of the symmetries, from the first, each of some states has; one number if all have the same."""
        if not self.begins or len(self) == self.of_board:
            return len(self)
        lengths = np.ascontiguousarray(states[:, 2:4]).view(np.uint16)[:, 0]
        return np.where(lengths < self.begins, self.of_board, len(self))


def augment(
    states: int, symmetries: int | NDArray[np.int64], random: np.random.Generator, mode: str
) -> NDArray[np.uint8]:
    """The symmetries of a match's items; item i is state i mod `states` seen through symmetry i of the result.

    `symmetries` is how many there are, or how many for each state. "add" gives each state itself and a copy by one of
    the other symmetries, drawn uniformly (003, section 9.3.1), or by the identity if it has no other; "random" gives
    each state one symmetry, drawn uniformly, the identity included; "none" gives each state itself.
    """
    identity = np.zeros(states, np.uint8)
    if mode == "none" or np.max(symmetries, initial=1) == 1:
        return identity
    if mode == "random":
        return random.integers(symmetries, size=states, dtype=np.uint8)
    first = 1 if isinstance(symmetries, int) else np.minimum(1, symmetries - 1)
    return np.concatenate([identity, random.integers(first, symmetries, size=states, dtype=np.uint8)])


def encoded(game: Game, symmetries: Symmetries, examples: Examples, seen: NDArray[np.uint8]) -> Batch:
    """The minibatch of examples, each seen through one of the symmetries."""
    cells = symmetries.planes.shape[1]
    planes, straight = np.empty((len(examples), cells), np.int8), np.empty(cells, np.int8)
    encode_batch(game.rules, examples.states, seen, symmetries.planes, straight, planes)
    values, policies, action_values = examples.values, examples.policies, examples.action_values
    if (exchanged := seen >= symmetries.of_board).any():
        sides = planes.reshape(-1, *game.planes)[:, symmetries.side]
        sides[exchanged] = 1 - sides[exchanged]
        signs = np.where(exchanged, np.float32(-1), np.float32(1))
        values, action_values = values * signs, _signed(action_values, signs)
    if policies is None and action_values is None:
        return Batch(planes, values, more=examples.more)
    images = symmetries.actions[seen]
    return Batch(
        planes, values,
        None if policies is None else policies.rows(images, 0.0),
        None if action_values is None else action_values.rows(images, np.nan),
        None if policies is None else legal_actions(game, examples.states, images),
        examples.more,
    )  # fmt: skip


def legal_actions(game: Game, states: State, images: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The images of the legal actions of states, bool[n, actions]; `images` as `ActionNumbers.rows`."""
    legal = np.zeros(images.shape, np.bool_)
    mark_legal(game.rules, states, images, np.empty(game.max_actions, np.int32), legal)
    return legal


@kernel(types.void(RULES, STATES, array_of(np.int32, 2), ACTION_LIST, array_of(np.bool_, 2)))
def mark_legal(rules, states, images, actions, legal):
    """Marks the images of the legal actions of each state; `actions` is room for the actions of one state."""
    for row in range(states.shape[0]):
        for number in range(calls.actions(rules, states[row], actions)):
            legal[row, images[row, actions[number]]] = True


def _signed(numbers: ActionNumbers | None, signs: NDArray[np.float32]) -> ActionNumbers | None:
    """The numbers of each state times its sign."""
    return None if numbers is None else replace(numbers, numbers=numbers.numbers * np.repeat(signs, numbers.counts))


@kernel(types.void(RULES, STATES, array_of(np.uint8), array_of(np.int32, 2), STATE, STATES))
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
