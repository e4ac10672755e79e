"""Rounds the entries of a pattern network of vectors, coarsely where states seldom read them.

An entry that states read a hundred times as often as another may be ten times as fine: then the errors of both count
alike. Most entries are hardly ever read, so most of them become 0. But they do not err independently: what many of them
together said of a state is lost. So the seldom read ones are rounded first, and the others, which are still to be
rounded, learn what the sums of some states then miss (compare GPTQ of E. Frantar et al., 2022).
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.patterns.reads import ENTRY_LISTS, reads_of
from athenan.evaluation.patterns.vectors import rounded
from athenan.rules.arrays import FLOATS, array_of
from athenan.rules.compiler import kernel
from athenan.rules.lanes import COUNT, lanes, put, spread

_PASSES, _RATE = 2, 0.1
"""How often the other entries learn from all states what each group of entries lost, and the rate."""
_UNREAD = 0.5
"""The reads of an entry that no state has read."""
_FLAGS = array_of(np.uint8)


def powers_of(read: NDArray[np.int32], entries: int) -> NDArray[np.int64]:
    """The powers of two by which the steps of entries are larger than that of the most read entry, int64[entries].

    `read` are the entries that some states read, int32[states, tuples].
    """
    powers = np.rint(-np.log2(np.maximum(reads_of(read, entries), _UNREAD)) / 2).astype(np.int64)
    found: NDArray[np.int64] = powers - powers.min()
    return found


def rounded_entries(
    entries: NDArray[np.float32], steps: NDArray[np.float64], powers: NDArray[np.int64], read: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Entries, float32[entries, vector], that are whole multiples of steps[column] * 2^powers[entry].

    The sums of the states that read the entries `read` remain as near to the former sums as can be.
    """
    found, missing = np.zeros_like(entries), np.zeros_like(entries)
    free = np.ones(len(entries), np.uint8)
    for power in np.unique(powers)[::-1]:
        group = np.flatnonzero(powers == power)
        multiples = steps * 2.0**power
        found[group] = np.rint((entries[group] - missing[group]) / multiples) * multiples
        missing[group] = entries[group] - rounded(found[group], read.shape[1])
        free[group] = 0
        for _ in range(_PASSES * bool(free.any())):
            _compensate(read, free, missing.reshape(-1), entries.shape[1], _RATE)
    return found


@kernel(types.void(ENTRY_LISTS, _FLAGS, FLOATS, types.int64, types.float64))
def _compensate(read, free, missing, vector, rate):
    """Shares what the sum of each state misses among its free entries: `missing` tells how much each entry lacks.

    `missing` is float32[entries * vector].
    """
    for row in range(read.shape[0]):
        of_state, sharing = read[row], 0
        for number in range(len(of_state)):
            sharing += free[np.uint64(of_state[number])]
        if not sharing:
            continue
        share = spread(np.float32(rate / sharing))
        for first in range(0, vector, COUNT):
            sum_missing = spread(np.float32(0))
            for number in range(len(of_state)):
                sum_missing = sum_missing + lanes(missing, np.int64(of_state[number]) * vector + first)
            change = share * sum_missing
            for number in range(len(of_state)):
                if free[np.uint64(of_state[number])]:
                    at = np.int64(of_state[number]) * vector + first
                    put(missing, at, lanes(missing, at) - change)
