"""NumPy's generators in compiled code draw what their methods draw."""

import numpy as np
import pytest
from numba import types

from athenan.rules.arrays import ACTION_LIST, CONSTANTS, NUMBERS
from athenan.rules.compiler import kernel
from athenan.search.trees.generator import DRAWS, below, draws_of, shuffle, unit

BOUNDS = [1, 2, 3, 4, 7, 8, 9, 100, 4097, 2**31 + 5, 2**32 - 1]
"""The last ones reject about every second number."""


@kernel(types.void(DRAWS, NUMBERS, NUMBERS, ACTION_LIST, CONSTANTS))
def _drawn(draws, bounds, integers, order, numbers):
    for place in range(len(bounds)):
        integers[place] = below(draws, bounds[place])
    shuffle(draws, order)
    for place in range(len(numbers)):
        numbers[place] = unit(draws)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox])
@pytest.mark.parametrize("items", [0, 1, 2, 3, 8, 9, 1000])
def test_compiled_code_draws_the_same(kind: type, items: int) -> None:
    for seed in range(5):
        one, other = (np.random.Generator(kind(seed)) for _ in range(2))
        bounds = np.array(BOUNDS * 3)
        integers, order, numbers = np.zeros(len(bounds), np.int64), np.arange(items, dtype=np.int32), np.zeros(4)
        _drawn(draws_of(one), bounds, integers, order, numbers)
        assert integers.tolist() == [int(other.integers(bound)) for bound in bounds]
        assert order.tolist() == other.permutation(np.arange(items, dtype=np.int32)).tolist()
        assert numbers.tolist() == other.random(4).tolist()
        assert one.choice([5, 6, 7]) == other.choice([5, 6, 7])  # the next ones, too
