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
_USES, _BOUNDED, _PHASES, _EMPTY, _FEWEST, _SPREAD, _SHIFT, _BITS, _BENEATH_AT, _PLACES, _STARTS_AT = AT[16:27]
MIXING = np.uint64(0x9E3779B97F4A7C15)
"""The factor of Fibonacci hashing."""
WEIGHT, NET, TOTAL, AVERAGE = range(4)
"""What learning has of each weight: the weight, the sum of its changes, of their sizes, the average that plays."""


@helper
def _read(planes, numbers, masks):
    """Writes the bits of each cell; returns the table of the state, and its view."""
    cells, places, local = numbers[_CELLS], numbers[_PLACES], numbers[_LOCAL]
    for cell in range(cells):
        masks[cell] = numbers[numbers[_STARTS_AT] + cell]
    for first in range(0, cells, places):
        of_layer = numbers[_LOCAL_AT] + first // places * local
        for bit in range(local):
            begin = numbers[of_layer + bit] * places
            if begin >= 0:
                for cell in range(places):
                    masks[first + cell] |= np.uint32(planes[begin + cell] != 0) << np.uint32(bit)
    phase = _phase(numbers, masks)
    if numbers[_BENEATH_AT]:
        _mark_next(numbers, masks)
    shared = np.int64(0)
    for bit in range(numbers[_SHARED]):
        shared |= np.int64(planes[numbers[numbers[_SHARED_AT] + bit] * places] != 0) << bit
    chosen = numbers[_TABLES_AT] + 2 * shared
    return numbers[chosen] * numbers[_PHASES] + phase, numbers[chosen + 1]


@helper
def _mark_next(numbers, masks):
    """Adds a bit to the empty cells that can be filled now."""
    filled = np.uint32((1 << numbers[_LOCAL]) - 1)
    for cell in range(numbers[_CELLS]):
        below = numbers[numbers[_BENEATH_AT] + cell]
        if masks[cell] == 0 and (below < 0 or masks[below] & filled != 0):
            masks[cell] = np.uint32(1) << np.uint32(numbers[_LOCAL])


@helper
def _phase(numbers, masks):
    phases = numbers[_PHASES]
    if phases == 1:
        return np.int64(0)
    empty, pieces = np.uint32(numbers[_EMPTY]), np.int64(0)
    for cell in range(numbers[_CELLS]):
        pieces += masks[cell] != empty
    return max(np.int64(0), min(phases - 1, (pieces - numbers[_FEWEST]) * phases // numbers[_SPREAD]))


@helper
def _code(numbers, view, mask):
    return numbers[numbers[_CODES_AT] + (view << numbers[_BITS]) + mask]


@helper
def _indices(numbers, view, masks, codes, indices):
    """Writes the index of each tuple: the position of its weight in a table, or what is hashed to it.

    `codes` is room for a code of each cell.
    """
    for cell in range(numbers[_CELLS]):
        codes[cell] = _code(numbers, view, masks[cell])
    tuples, length = numbers[_TUPLES], numbers[_LENGTH]
    where, steps = numbers[_CELLS_AT] + view * tuples * length, numbers[_STEPS_AT]
    hashed = numbers[_SHIFT] != 0
    for number in range(tuples):
        index = np.int64(0) if hashed else numbers[numbers[_BEGINS_AT] + number]
        for place in range(number * length, (number + 1) * length):
            index += numbers[steps + place] * codes[numbers[where + place]]
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
def _position(numbers, number, index):
    """The position of the weight of a tuple in a table, if indices are hashed (Fibonacci hashing, Knuth)."""
    mixed = (np.uint64(index) * MIXING) >> np.uint64(numbers[_SHIFT])
    return numbers[numbers[_BEGINS_AT] + number] + np.int64(mixed)


@helper
def _sum(numbers, weights, table, indices):
    total, begin = np.float32(0), WEIGHTS_AT + table * numbers[_STRIDE]
    if numbers[_SHIFT]:
        for number in range(numbers[_TUPLES]):
            total += weights[begin + _position(numbers, number, indices[number])]
    else:
        for number in range(numbers[_TUPLES]):
            total += weights[begin + indices[number]]
    return total


@helper
def _output(numbers, total):
    return np.tanh(total) if numbers[_BOUNDED] else total


@helper
def _value(numbers, weights, table, view, indices):
    value = _output(numbers, _sum(numbers, weights, table, indices))
    return weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(LEAF_VALUES)
def pattern_values(rules, parent, states, numbers, weights, values):
    """The values of states by a pattern network; see `LEAF_VALUES`."""
    planes = scratch(MOST_PLANES, np.int8)[: numbers[_SIZE]]
    before, masks = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.uint32)
    codes = scratch(MOST_CELLS, np.int64)
    shared, indices = scratch(_BASES, np.int64), scratch(MOST_TUPLES, np.int64)
    tuples, alone = numbers[_TUPLES], states.shape[0] == 1
    known = 0
    if not alone:
        calls.encode(rules, parent, planes)
        _read(planes, numbers, before)
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes)
        table, view = _read(planes, numbers, masks)
        if alone:
            _indices(numbers, view, masks, codes, indices)
        else:
            base = shared[view * MOST_TUPLES : view * MOST_TUPLES + tuples]
            if not known & (1 << view):
                _indices(numbers, view, before, codes, base)
                known |= 1 << view
            for number in range(tuples):
                indices[number] = base[number]
            _change(numbers, view, before, masks, indices)
        values[row] = _value(numbers, weights, table, view, indices)


@kernel(types.void(PLANES, NUMBERS, FLOATS, FLOATS))
def pattern_values_of_planes(batch, numbers, weights, values):
    """The values of encoded states, int8[n, planes * rows * columns], each summed anew."""
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices = scratch(MOST_TUPLES, np.int64)
    for row in range(batch.shape[0]):
        table, view = _read(batch[row], numbers, masks)
        _indices(numbers, view, masks, codes, indices)
        values[row] = _value(numbers, weights, table, view, indices)


@kernel(types.float64(PLANES, FLOATS, NUMBERS, FLOATS, FLOAT_ROWS, types.float64))
def pattern_steps(batch, targets, numbers, weights, learnt, rate):
    """Learns encoded states one after the other, by temporal coherence (Beal and Smith 1999; Bagheri et al. 2014).

    The step of a weight is `rate` times |sum of its changes| / sum of |changes|: 1 while all changes agree, less where
    they contradict one another. `learnt` (float32[weights, 4]) has the weights and these sums. Returns the sum of the
    squared errors of value / scale before each step.
    """
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices = scratch(MOST_TUPLES, np.int64)
    tuples, squares = numbers[_TUPLES], 0.0
    for row in range(batch.shape[0]):
        table, view = _read(batch[row], numbers, masks)
        _indices(numbers, view, masks, codes, indices)
        begin, total = table * numbers[_STRIDE], np.float32(0)
        for number in range(tuples):
            if numbers[_SHIFT]:
                indices[number] = _position(numbers, number, indices[number])
            total += learnt[begin + indices[number], WEIGHT]
        target = targets[row] / weights[SCALE_AT]
        error = (target if view == 0 else -target) - _output(numbers, total)
        squares += error * error
        step = np.float32(rate * error / tuples)
        for number in range(tuples):
            at = begin + indices[number]
            net, sizes = learnt[at, NET], learnt[at, TOTAL]
            coherence = abs(net) / sizes if sizes > 0 else np.float32(1)
            learnt[at, WEIGHT] += coherence * step
            learnt[at, NET] = net + step
            learnt[at, TOTAL] = sizes + abs(step)
    return squares


@kernel(types.int64(FLOAT_ROWS, FLOATS, types.float64))
def publish(learnt, weights, share):
    """Moves the averages towards the weights that are learnt by this share of the way, and lets them play.

    Returns how many weights are not finite.
    """
    wrong = 0
    for number in range(len(learnt)):
        average = learnt[number, AVERAGE]
        average += np.float32(share) * (learnt[number, WEIGHT] - average)
        learnt[number, AVERAGE] = weights[WEIGHTS_AT + number] = average
        wrong += not np.isfinite(learnt[number, WEIGHT])
    return wrong
