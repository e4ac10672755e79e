"""How much each number of the entries that are vectors counts, and so how coarsely it may be stored.

The first number of a sum goes straight to the output. The others go through the dense part, which may multiply them by
more than ten or by less than one. So a step that is fine for one of them is too coarse, or needlessly fine, for
another. With steps in inverse proportion to the slopes of the values, the rounding of each number counts alike.
"""

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.patterns.network import PatternNetwork, flat
from athenan.evaluation.patterns.vectors import GRID

_LEAST = 0.1
"""The least slope, in shares of the largest: a number that counts little in some states may count more in others."""


def slopes_of(network: PatternNetwork, planes: NDArray[np.int8]) -> NDArray[np.float64]:
    """How much the values of encoded states change with each number of the sums, float64[vector], mean 1.

    It is the root mean square over the states, int8[n, planes * rows * columns], and at least a tenth of the largest.
    The slopes are differences: one `GRID` is added to this number of every entry, and taken away again, both exactly.
    """
    planes = flat(planes)
    before, slopes = network(planes).values.astype(np.float64), np.zeros(network.settings.vector)
    for column in range(len(slopes)):
        network.entries[:, column] += np.float32(GRID)
        slopes[column] = np.sqrt(np.mean((network(planes).values - before) ** 2))
        network.entries[:, column] -= np.float32(GRID)
    if not slopes.any():
        return np.ones(len(slopes))
    slopes = np.maximum(slopes, _LEAST * slopes.max())
    found: NDArray[np.float64] = slopes / slopes.mean()
    return found
