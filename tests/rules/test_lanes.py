"""Eight numbers at once: the same results as NumPy, to the last bit."""

import numpy as np
from numba import types

from athenan.rules.arrays import FLOATS
from athenan.rules.compiler import kernel
from athenan.rules.lanes import lanes, least, most, put, spread, total


@kernel(types.float32(FLOATS, FLOATS, FLOATS))
def computed(one, other, found):
    ones, others = lanes(one, 1), lanes(other, 3)
    put(found, 2, (ones + others) * (ones - others))
    put(found, 10, most(least(ones, spread(np.float32(0.5))), others))
    return total(ones)


def test_eight_numbers_are_computed_as_by_numpy():
    random = np.random.default_rng(1)
    one, other = (random.normal(size=20).astype(np.float32) for _ in range(2))
    found = np.full(20, 7, np.float32)
    added = computed(one, other, found)
    ones, others = one[1:9], other[3:11]
    assert np.array_equal(found[2:10], (ones + others) * (ones - others))
    assert np.array_equal(found[10:18], np.maximum(np.minimum(ones, np.float32(0.5)), others))
    assert (found[[0, 1, 18, 19]] == 7).all()
    pairs = ones[::2] + ones[1::2]
    assert added == (pairs[0] + pairs[1]) + (pairs[2] + pairs[3])
