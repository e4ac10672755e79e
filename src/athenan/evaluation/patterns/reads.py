"""Which entries of a pattern network states read, and how often, in compiled code."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.patterns.header import HEADER
from athenan.evaluation.patterns.indices import MOST_CELLS, MOST_PLANES, MOST_TUPLES, entry_of, read, write_indices
from athenan.evaluation.patterns.inputs import inputs_of
from athenan.evaluation.patterns.network import PatternNetwork, flat
from athenan.rules.arrays import NUMBERS, PLANES, array_of
from athenan.rules.compiler import kernel
from athenan.rules.kernels import RULES
from athenan.rules.memory import record_at, scratch

ENTRY_LISTS = array_of(np.int32, 2)
"""Entries that states read, one state in each row."""


def entries_read(network: PatternNetwork, planes: NDArray[np.int8]) -> NDArray[np.int32]:
    """The entries whose sum is the value of each encoded state, int32[n, tuples], one for each tuple.

    `planes` is int8[n, planes * rows * columns].
    """
    found = np.zeros((len(planes), len(network.tuples.cells)), np.int32)
    _list_entries(network.game.rules, flat(planes), network.layout.numbers, found)
    return found


@kernel(types.void(RULES, PLANES, NUMBERS, ENTRY_LISTS))
def _list_entries(rules, batch, numbers, found):
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices, whole = scratch(MOST_TUPLES, np.int64), scratch(MOST_PLANES, np.int8)
    for row in range(batch.shape[0]):
        table, view = read(inputs_of(rules, numbers, batch[row], whole), numbers, masks)
        write_indices(numbers, view, masks, codes, indices)
        for number in range(record_at(numbers, 0, HEADER).tuples):
            found[row, number] = entry_of(numbers, table, number, indices[number])


def reads_of(read: NDArray[np.int32], entries: int) -> NDArray[np.int64]:
    """How much an error of each entry counts in the values of states, int64[entries], by what `entries_read` gives.

    If a state reads an entry n times, its error counts n times in the sum, and so n² in the square.
    """
    times, reads = np.zeros((2, entries), np.int64)
    _count_reads(read, times, reads)
    return reads


@kernel(types.void(ENTRY_LISTS, NUMBERS, NUMBERS))
def _count_reads(read, times, reads):
    """`times` has 0 for each entry, before and after."""
    for row in range(read.shape[0]):
        of_state = read[row]
        for number in range(len(of_state)):
            times[np.uint64(of_state[number])] += 1
        for number in range(len(of_state)):
            reads[np.uint64(of_state[number])] += times[np.uint64(of_state[number])]
        for number in range(len(of_state)):
            times[np.uint64(of_state[number])] = 0
