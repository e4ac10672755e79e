"""How minibatches are drawn: random orders, and the deal of items to minibatches (003, Algorithm 8)."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import RANDOM, array_of
from athenan.rules.compiler import kernel
from athenan.rules.randomness import random_below

Indices = NDArray[np.int64]


def batch_count(items: int, batch_size: int) -> int:
    """The number g of minibatches of Algorithm 8, whose sizes ⌊items/g⌋ or one more are closest to `batch_size`."""
    count = max(1, items // batch_size)
    return count + (abs(items // count - batch_size) > abs(items // (count + 1) - batch_size))


def deal(items: int, batches: int, random: np.random.Generator) -> list[Indices]:
    """Deals items in their order to minibatches, one to each in a random order, and again (Algorithm 8)."""
    rounds = np.tile(np.arange(batches), (-(-items // batches), 1))
    batch = random.permuted(rounds, axis=1).reshape(-1)[:items]
    return np.split(np.argsort(batch, kind="stable"), np.cumsum(np.bincount(batch, minlength=batches))[:-1])


def shuffled(items: int, batch_size: int, random: np.random.Generator) -> list[Indices]:
    """All items in a random order, in minibatches of a size; the last may be smaller (Algorithm 7)."""
    return np.split(random.permutation(items), range(batch_size, items, batch_size))


def random_order(seed: int, items: int) -> NDArray[np.int32]:
    """A random permutation of range(items): the same for a seed everywhere and always."""
    order = np.empty(items, np.int32)
    shuffle(np.array([seed], np.uint64), order)
    return order


@kernel(types.void(RANDOM, array_of(np.int32)))
def shuffle(random, order):
    """Permutes the order (Fisher and Yates)."""
    for place in range(order.shape[0]):
        other = random_below(random, 0, place + 1)
        order[place] = order[other]
        order[other] = place
