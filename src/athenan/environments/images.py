"""Symmetric images of many states at once, to learn from: planes, and numbers of actions such as masks or policies.

>>> from athenan import make
>>> from athenan.environments import StateBatch
>>> batch = StateBatch(make("othello:6"), 4)
>>> chosen = np.array([0, 1, 2, 3])  # one symmetry for each row; 0 is the identity
>>> planes = images_of_planes(batch.game, batch.observations, chosen)
>>> masks = images_of_actions(batch.game, batch.masks, chosen)
>>> planes.shape, masks.shape
((4, 3, 6, 6), (4, 37))
"""

from typing import Any, TypeVar

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from athenan.rules.arrays import ACTION_LISTS, FLOAT_ROWS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game

Number = TypeVar("Number", bound=np.generic)


@kernel(types.void(PLANES, ACTION_LISTS, NUMBERS, PLANES))
def _planes_of_rows(planes, symmetries, chosen, images):
    for row in range(len(planes)):
        source = symmetries[chosen[row]]
        for cell in range(len(source)):
            images[row, cell] = planes[row, source[cell]]


@helper
def _numbers_of_rows(numbers, symmetries, chosen, images):
    for row in range(len(numbers)):
        target = symmetries[chosen[row]]
        for action in range(len(target)):
            images[row, target[action]] = numbers[row, action]


@kernel(types.void(PLANES, ACTION_LISTS, NUMBERS, PLANES))
def _masks_of_rows(numbers, symmetries, chosen, images):
    _numbers_of_rows(numbers, symmetries, chosen, images)


@kernel(types.void(FLOAT_ROWS, ACTION_LISTS, NUMBERS, FLOAT_ROWS))
def _floats_of_rows(numbers, symmetries, chosen, images):
    _numbers_of_rows(numbers, symmetries, chosen, images)


def images_of_planes(game: Game, planes: NDArray[np.int8], symmetries: ArrayLike) -> NDArray[np.int8]:
    """The image of each state's planes, int8[n, ...], under its own symmetry.

    `symmetries` are numbers from 0 to `len(game.plane_symmetries) - 1`, one for each state, or one for all. Raises
    ValueError for arrays of another shape or type, and for symmetries that do not exist.
    """
    cells = int(np.prod(game.planes))
    if planes.dtype != np.int8 or planes.ndim < 2 or int(np.prod(planes.shape[1:])) != cells:
        raise ValueError(f"planes must be int8[n, {cells}] or of this size, not {planes.dtype}{list(planes.shape)}")
    flat = np.require(planes.reshape(len(planes), cells), requirements=["C", "W"])
    images = np.empty_like(flat)
    _planes_of_rows(flat, _tables(game.plane_symmetries), _chosen(game, symmetries, len(planes)), images)
    return images.reshape(planes.shape)


def images_of_actions(game: Game, numbers: NDArray[Number], symmetries: ArrayLike) -> NDArray[Number]:
    """The image of numbers that belong to actions: bool, int8 or float32[n, actions], such as masks and policies.

    The number of an action goes to the action's image. `symmetries` are as for `images_of_planes`.
    """
    kinds = {"bool": _masks_of_rows, "int8": _masks_of_rows, "float32": _floats_of_rows}
    if numbers.ndim != 2 or numbers.shape[1] != game.action_count or numbers.dtype.name not in kinds:
        given = f"{numbers.dtype}{list(numbers.shape)}"
        raise ValueError(f"numbers of actions must be bool, int8 or float32[n, {game.action_count}], not {given}")
    viewed: NDArray[Any] = numbers.view(np.int8) if numbers.dtype == np.bool_ else numbers
    source = np.require(viewed, requirements=["C", "W"])
    images = np.empty_like(source)
    kinds[numbers.dtype.name](source, _tables(game.action_symmetries), _chosen(game, symmetries, len(numbers)), images)
    return images.view(numbers.dtype)


def _tables(symmetries: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.require(symmetries, np.int32, ["C", "W"])


def _chosen(game: Game, symmetries: ArrayLike, count: int) -> NDArray[np.int64]:
    """A symmetry for each of `count` states. Raises ValueError if there are no such symmetries."""
    given, most = np.asarray(symmetries), len(game.plane_symmetries)
    if not np.issubdtype(given.dtype, np.integer) or given.shape not in ((), (count,)):
        raise ValueError(f"symmetries must be one integer or {count}, not {given.dtype}{list(given.shape)}")
    if given.size and not 0 <= given.min() <= given.max() < most:
        raise ValueError(f"{game.name} has symmetries 0 to {most - 1}, not {given.min()} to {given.max()}")
    return np.array(np.broadcast_to(given, count), np.int64)
