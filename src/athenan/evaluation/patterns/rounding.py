"""Rounds the entries of a pattern network of vectors, coarsely where states seldom read them.

If states read one entry a hundred times as often as another, its step is about a tenth: then the errors of both count
alike. Most entries are hardly ever read and become 0. A state that reads many of them would lose a little at each. So
the seldom read entries are rounded first, and the others, which still have to be rounded, are corrected by what the
sums then miss (compare GPTQ of E. Frantar et al., 2022). A tenth of the states checks each correction.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.patterns.reads import ENTRY_LISTS, reads_of
from athenan.evaluation.patterns.vectors import GRID, rounded
from athenan.rules.arrays import FLOATS, NUMBERS, array_of
from athenan.rules.compiler import kernel
from athenan.rules.lanes import COUNT, lanes, put, spread, total

_PASSES, _RATE = 2, 0.1
"""How often all states correct the entries that are left after a group was rounded, and by which share of what they
miss."""
_CHECKED = 10
"""One state in so many checks the corrections and makes none."""
_UNREAD = 0.5
"""The reads of an entry that no state has read."""
_FLAGS = array_of(np.uint8)


def powers_of(read: NDArray[np.int32], entries: int) -> NDArray[np.int64]:
    """The powers of two by which the steps of entries are larger than the step of the most read one, int64[entries].

    `read` are the entries that some states read, int32[states, tuples].
    """
    powers = np.rint(-np.log2(np.maximum(reads_of(read, entries), _UNREAD)) / 2).astype(np.int64)
    found: NDArray[np.int64] = powers - powers.min()
    return found


def steps_of(slopes: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """The steps of the numbers of the most read entry, float64[vector]: about `step` / slope.

    They are powers of two times `GRID`, so that multiples of `GRID` stay exact where steps are fine.
    """
    found: NDArray[np.float64] = GRID * 2.0 ** np.rint(np.log2(step / slopes / GRID))
    return found


def whole_entries(
    entries: NDArray[np.float32], steps: NDArray[np.float64], powers: NDArray[np.int64], read: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The whole numbers, int64[entries, vector], that times `steps` (float64[vector]) take the place of entries.

    The numbers of an entry are multiples of 2^powers[entry], or of a larger power that is still exact, as networks
    round their entries to `GRID`. `read` are the entries that some states read, in random order: corrections keep the
    sums of these states near to the former sums.
    """
    tuples = read.shape[1]
    entries = rounded(entries, tuples)
    powers = np.maximum(powers, int(np.floor(np.log2(GRID / steps.max()))))
    checked = len(read) // _CHECKED
    found, missing = np.zeros(entries.shape, np.int64), np.zeros_like(entries)
    free, times = np.ones(len(entries), np.uint8), np.zeros(len(entries), np.int64)
    for power in np.unique(powers)[::-1]:
        group, factor = np.flatnonzero(powers == power), 2 ** int(power)
        found[group] = np.rint((entries[group] - missing[group]) / (steps * factor)).astype(np.int64) * factor
        missing[group] = entries[group] - rounded((found[group] * steps).astype(np.float32), tuples)
        free[group] = 0
        if free.any():
            before = missing.copy()
            others = free, times, missing.reshape(-1), entries.shape[1]
            missed = _correct(read[:checked], *others, 0.0)
            for _ in range(_PASSES):
                _correct(read[checked:], *others, _RATE)
            if not _correct(read[:checked], *others, 0.0) < missed:
                missing = before
    return found


@kernel(types.float64(ENTRY_LISTS, _FLAGS, NUMBERS, FLOATS, types.int64, types.float64))
def _correct(read, free, times, missing, vector, rate):
    """Shares `rate` of what the sum of each state misses among its free entries, which `missing` then owes less.

    `missing` (float32[entries * vector]) says by how much the numbers of each entry are too small; `times` has 0 for
    each entry, before and after. An entry that a state reads n times takes n shares. Returns the sum of the squares of
    what the states missed.
    """
    squares = 0.0
    for row in range(read.shape[0]):
        of_state, shares = read[row], 0
        for number in range(len(of_state)):
            times[np.uint64(of_state[number])] += free[np.uint64(of_state[number])]
        for number in range(len(of_state)):
            shares += times[np.uint64(of_state[number])]
        for number in range(len(of_state)):
            times[np.uint64(of_state[number])] = 0
        share = spread(np.float32(rate / shares if shares else 0.0))
        for first in range(0, vector, COUNT):
            missed = spread(np.float32(0))
            for number in range(len(of_state)):
                missed = missed + lanes(missing, np.int64(of_state[number]) * vector + first)
            squares += total(missed * missed)
            change = share * missed
            for number in range(len(of_state)):
                if free[np.uint64(of_state[number])]:
                    at = np.int64(of_state[number]) * vector + first
                    put(missing, at, lanes(missing, at) - change)
    return squares
