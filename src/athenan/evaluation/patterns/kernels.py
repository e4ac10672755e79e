"""The compiled part of pattern networks: values of states, and learning steps.

The value of a state is the sum of the weights of its tuples, one for each; for a bounded heuristic its tanh; times the
scale. What children share with their parent is computed once: of a child only the tuples with changed cells get a new
index.
"""

import numpy as np
from numba import types

from athenan.evaluation.patterns.layout import AT
from athenan.rules import calls
from athenan.rules.arrays import FLOAT_ROWS, FLOATS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.leaf import LEAF_VALUES
from athenan.rules.memory import scratch

MOST_PLANES, MOST_CELLS, MOST_TUPLES = 16_384, 1_024, 8_192
"""Numbers of an encoded state, cells and tuples for which there is room on the machine's stack."""
_BASES = 2 * MOST_TUPLES
SCALE_AT, WEIGHTS_AT = 0, 1
"""In the weights: the scale of the heuristic, then the tables."""

_SIZE, _CELLS, _LOCAL, _SHARED, _TUPLES, _LENGTH, _STRIDE = AT[:7]
_LOCAL_AT, _SHARED_AT, _CODES_AT, _TABLES_AT, _BEGINS_AT, _CELLS_AT, _STEPS_AT, _USERS_AT, _USES_AT = AT[7:16]
_USES, _BOUNDED = AT.uses, AT.bounded


@helper
def _read(planes, numbers, masks):
    """Writes the local planes of each cell as bits; returns where the table and view of the state stand."""
    cells = numbers[_CELLS]
    for cell in range(cells):
        masks[cell] = 0
    for bit in range(numbers[_LOCAL]):
        begin = numbers[numbers[_LOCAL_AT] + bit] * cells
        for cell in range(cells):
            masks[cell] |= np.uint16(planes[begin + cell] != 0) << np.uint16(bit)
    shared = np.int64(0)
    for bit in range(numbers[_SHARED]):
        shared |= np.int64(planes[numbers[numbers[_SHARED_AT] + bit] * cells] != 0) << bit
    return numbers[_TABLES_AT] + 2 * shared


@helper
def _code(numbers, view, mask):
    return numbers[numbers[_CODES_AT] + (view << numbers[_LOCAL]) + mask]


@helper
def _indices(numbers, view, masks, indices):
    """Writes the position of the weight of each tuple in a table."""
    tuples, length = numbers[_TUPLES], numbers[_LENGTH]
    where, steps = numbers[_CELLS_AT] + view * tuples * length, numbers[_STEPS_AT]
    for number in range(tuples):
        index = numbers[numbers[_BEGINS_AT] + number]
        for place in range(number * length, (number + 1) * length):
            index += numbers[steps + place] * _code(numbers, view, masks[numbers[where + place]])
        indices[number] = index


@helper
def _change(numbers, view, before, after, indices):
    """Turns the indices of one state into those of another, by the cells that differ."""
    users = numbers[_USERS_AT] + view * (numbers[_CELLS] + 1)
    uses = numbers[_USES_AT] + view * 2 * numbers[_USES]
    for cell in range(numbers[_CELLS]):
        if before[cell] != after[cell]:
            more = _code(numbers, view, after[cell]) - _code(numbers, view, before[cell])
            for use in range(numbers[users + cell], numbers[users + cell + 1]):
                indices[numbers[uses + 2 * use]] += more * numbers[uses + 2 * use + 1]


@helper
def _sum(weights, begin, indices, tuples):
    total = np.float32(0)
    for number in range(tuples):
        total += weights[begin + indices[number]]
    return total


@helper
def _output(numbers, total):
    return np.tanh(total) if numbers[_BOUNDED] else total


@kernel(LEAF_VALUES)
def pattern_values(rules, parent, states, numbers, weights, values):
    """The values of states by a pattern network; see `LEAF_VALUES`."""
    planes = scratch(MOST_PLANES, np.int8)[: numbers[_SIZE]]
    before, masks = scratch(MOST_CELLS, np.uint16), scratch(MOST_CELLS, np.uint16)
    shared, indices = scratch(_BASES, np.int64), scratch(MOST_TUPLES, np.int64)
    tuples, alone = numbers[_TUPLES], states.shape[0] == 1
    known = 0
    if not alone:
        calls.encode(rules, parent, planes)
        _read(planes, numbers, before)
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes)
        chosen = _read(planes, numbers, masks)
        table, view = numbers[chosen], numbers[chosen + 1]
        if alone:
            _indices(numbers, view, masks, indices)
        else:
            base = shared[view * MOST_TUPLES : view * MOST_TUPLES + tuples]
            if not known & (1 << view):
                _indices(numbers, view, before, base)
                known |= 1 << view
            for number in range(tuples):
                indices[number] = base[number]
            _change(numbers, view, before, masks, indices)
        value = _output(numbers, _sum(weights, WEIGHTS_AT + table * numbers[_STRIDE], indices, tuples))
        values[row] = weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(types.void(PLANES, NUMBERS, FLOATS, FLOATS))
def pattern_values_of_planes(batch, numbers, weights, values):
    """The values of encoded states, int8[n, planes * rows * columns], each summed anew."""
    masks, indices = scratch(MOST_CELLS, np.uint16), scratch(MOST_TUPLES, np.int64)
    for row in range(batch.shape[0]):
        chosen = _read(batch[row], numbers, masks)
        table, view = numbers[chosen], numbers[chosen + 1]
        _indices(numbers, view, masks, indices)
        value = _output(numbers, _sum(weights, WEIGHTS_AT + table * numbers[_STRIDE], indices, numbers[_TUPLES]))
        values[row] = weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(types.float64(PLANES, FLOATS, NUMBERS, FLOATS, FLOAT_ROWS, types.float64))
def pattern_steps(batch, targets, numbers, weights, changes, rate):
    """Learns encoded states one after the other, by temporal coherence (Beal and Smith 1999; Bagheri et al. 2014).

    The step of a weight is `rate` times |sum of its changes| / sum of |changes|, `changes` (float32[weights, 2]): 1
    while all changes agree, less where they contradict one another. Returns the sum of the squared errors of
    value / scale before each step.
    """
    masks, indices = scratch(MOST_CELLS, np.uint16), scratch(MOST_TUPLES, np.int64)
    tuples, squares = numbers[_TUPLES], 0.0
    for row in range(batch.shape[0]):
        chosen = _read(batch[row], numbers, masks)
        table, view = numbers[chosen], numbers[chosen + 1]
        _indices(numbers, view, masks, indices)
        begin = WEIGHTS_AT + table * numbers[_STRIDE]
        target = targets[row] / weights[SCALE_AT]
        error = (target if view == 0 else -target) - _output(numbers, _sum(weights, begin, indices, tuples))
        squares += error * error
        step = np.float32(rate * error / tuples)
        for number in range(tuples):
            at = begin + indices[number]
            net, total = changes[at, 0], changes[at, 1]
            coherence = abs(net) / total if total > 0 else np.float32(1)
            weights[at] += coherence * step
            changes[at, 0] = net + step
            changes[at, 1] = total + abs(step)
    return squares
