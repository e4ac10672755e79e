"""The values of pattern networks whose entries are vectors, in compiled code.

The sum of a parent's entries is computed once. For a child, the old entries of the tuples with changed cells are
subtracted and the new ones added. Entries are multiples of `GRID`, and no sum exceeds 2^24 of these, so sums of float32
are exact: a value does not depend on the order of its computation.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.patterns.dense import MOST_HIDDEN, MOST_VECTOR, forward
from athenan.evaluation.patterns.header import HEADER
from athenan.evaluation.patterns.indices import (
    MOST_CELLS,
    MOST_PLANES,
    MOST_TUPLES,
    change_listed,
    entry_of,
    read,
    write_indices,
)
from athenan.evaluation.patterns.inputs import complete, estimate, inputs_of
from athenan.evaluation.patterns.kernels import SCALE_AT
from athenan.evaluation.patterns.policy_kernels import write_logits
from athenan.rules import calls
from athenan.rules.arrays import FLOATS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.lanes import COUNT, lanes, put, spread
from athenan.rules.leaf import LEAF_POLICY, LEAF_VALUES
from athenan.rules.memory import record_at, scratch

GRID = 2.0**-16
"""The numbers of entries that play are multiples of it.

The many tuples of a large network share each error, so its entries are small: half of those that are not 0 are at most
2^-10 in Breakthrough, Connect6 and Gomoku. With a grid of 2^-12 much of what was learnt was rounded away.
"""
DENSE_AT = 1
"""Where the dense part begins in the weights."""
_MOST_STEPS = 2**24
_SLOTS = 8
"""Tables for which the sums of a parent are kept in each view: children may be of other phases, or have other features.
"""
_BASES, _ALL_SLOTS = 2 * MOST_TUPLES, 2 * _SLOTS
_SUMS = _ALL_SLOTS * MOST_VECTOR
_LISTED = MOST_TUPLES + 1


def largest(tuples: int) -> float:
    """The largest number of an entry that plays: sums of `tuples` entries and one more stay exact."""
    return float(min(_MOST_STEPS // (tuples + 1), _MOST_STEPS // 4) * GRID)


def rounded(entries: NDArray[np.float32], tuples: int) -> NDArray[np.float32]:
    """Entries as they play."""
    most = np.float32(largest(tuples))
    found: NDArray[np.float32] = np.rint(np.clip(entries, -most, most) / np.float32(GRID)) * np.float32(GRID)
    return found


@helper
def _row(numbers, table, number, index):
    """Where the entry of a tuple begins in the weights."""
    header = record_at(numbers, 0, HEADER)
    return header.rows_at + entry_of(numbers, table, number, index) * header.vector


@helper
def _add_up(numbers, weights, table, indices, rows, sums, at):
    """Writes the sum of the entries of all tuples; `rows` is room for a number of each."""
    header = record_at(numbers, 0, HEADER)
    tuples = header.tuples
    for number in range(tuples):
        rows[number] = _row(numbers, table, number, indices[number])
    for first in range(0, header.vector, COUNT):
        found = spread(np.float32(0))
        for number in range(tuples):
            found = found + lanes(weights, rows[number] + first)
        put(sums, at + first, found)


@helper
def _add_changes(numbers, weights, table, base, indices, listed, rows, bases, at, sums):
    """Writes the sums of the parent with the child's entries of the listed tuples instead of its own.

    `rows` is room for two numbers per tuple.
    """
    for place in range(len(listed)):
        number = np.uint64(listed[place])
        rows[2 * place] = _row(numbers, table, number, base[number])
        rows[2 * place + 1] = _row(numbers, table, number, indices[number])
    for first in range(0, record_at(numbers, 0, HEADER).vector, COUNT):
        found = lanes(bases, at + first)
        for place in range(0, 2 * len(listed), 2):
            found = found + (lanes(weights, rows[place + 1] + first) - lanes(weights, rows[place] + first))
        put(sums, first, found)


@helper
def _value(numbers, weights, view, whole, sums, inputs, neurons):
    found = forward(numbers, weights, DENSE_AT, sums, inputs, neurons) + estimate(numbers, whole, view)
    value = np.tanh(found) if record_at(numbers, 0, HEADER).bounded else found
    return weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(LEAF_VALUES)
def vector_values(rules, parent, states, numbers, weights, values):
    """The values of states by a pattern network of vectors; see `LEAF_VALUES`.

    The parent's sums are kept for both views, and for several tables each.
    """
    header = record_at(numbers, 0, HEADER)
    whole = scratch(MOST_PLANES, np.int8)
    planes = whole[: header.size]
    before, masks = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.uint32)
    codes = scratch(MOST_CELLS, np.int64)
    shared, changed = scratch(_BASES, np.int64), scratch(_BASES, np.int64)
    rows = scratch(_BASES, np.int64)
    listed, seen = scratch(_LISTED, np.int32), scratch(MOST_TUPLES, np.int32)
    bases, known_tables = scratch(_SUMS, np.float32), scratch(_ALL_SLOTS, np.int64)
    sums, inputs = scratch(MOST_VECTOR, np.float32), scratch(MOST_VECTOR, np.float32)
    neurons = scratch(MOST_HIDDEN, np.float32)
    tuples, alone = header.tuples, states.shape[0] == 1
    known = 0
    if not alone:
        calls.encode(rules, parent, planes)
        complete(rules, numbers, whole)
        read(whole, numbers, before)
        known_tables[:] = -1
        seen[:tuples] = -1
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes)
        complete(rules, numbers, whole)
        table, view = read(whole, numbers, masks)
        begin = view * MOST_TUPLES
        base, indices = shared[begin : begin + tuples], changed[begin : begin + tuples]
        if alone:
            write_indices(numbers, view, masks, codes, indices)
            _add_up(numbers, weights, table, indices, rows, sums, 0)
        else:
            if not known & (1 << view):
                known |= 1 << view
                write_indices(numbers, view, before, codes, base)
                for number in range(tuples):
                    indices[number] = base[number]
            count = change_listed(numbers, view, before, masks, indices, row, seen, listed)
            if 2 * count >= tuples:
                _add_up(numbers, weights, table, indices, rows, sums, 0)
            else:
                slot = _SLOTS * view + table % _SLOTS
                at = slot * MOST_VECTOR
                if known_tables[slot] != table:
                    known_tables[slot] = table
                    _add_up(numbers, weights, table, base, rows, bases, at)
                _add_changes(numbers, weights, table, base, indices, listed[:count], rows, bases, at, sums)
            for place in range(count):
                again = np.uint64(listed[place])
                indices[again] = base[again]
        values[row] = _value(numbers, weights, view, whole, sums, inputs, neurons)


@kernel(LEAF_POLICY)
def vector_policy(rules, state, actions, numbers, weights, logits):
    """The value of a state by a network of vectors with a policy, and the logits of its actions; see `LEAF_POLICY`."""
    whole, indices = scratch(MOST_PLANES, np.int8), scratch(MOST_TUPLES, np.int64)
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    rows, sums = scratch(MOST_TUPLES, np.int64), scratch(MOST_VECTOR, np.float32)
    inputs, neurons = scratch(MOST_VECTOR, np.float32), scratch(MOST_HIDDEN, np.float32)
    calls.encode(rules, state, whole[: record_at(numbers, 0, HEADER).size])
    complete(rules, numbers, whole)
    table, view = read(whole, numbers, masks)
    write_indices(numbers, view, masks, codes, indices)
    write_logits(numbers, weights, table, view, masks, actions, logits)
    _add_up(numbers, weights, table, indices, rows, sums, 0)
    return _value(numbers, weights, view, whole, sums, inputs, neurons)


@kernel(types.void(RULES, PLANES, NUMBERS, FLOATS, FLOATS))
def vector_values_of_planes(rules, batch, numbers, weights, values):
    """The values of encoded states, int8[n, planes * rows * columns], each summed anew."""
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices, rows = scratch(MOST_TUPLES, np.int64), scratch(MOST_TUPLES, np.int64)
    room = scratch(MOST_PLANES, np.int8)
    sums, inputs = scratch(MOST_VECTOR, np.float32), scratch(MOST_VECTOR, np.float32)
    neurons = scratch(MOST_HIDDEN, np.float32)
    for row in range(batch.shape[0]):
        whole = inputs_of(rules, numbers, batch[row], room)
        table, view = read(whole, numbers, masks)
        write_indices(numbers, view, masks, codes, indices)
        _add_up(numbers, weights, table, indices, rows, sums, 0)
        values[row] = _value(numbers, weights, view, whole, sums, inputs, neurons)
