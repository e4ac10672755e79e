"""The compiled part of pattern networks with one weight per entry: values of states, and learning steps.

The value of a state is the sum of the weights of its tuples, one for each, or the tanh of this sum with a bounded
heuristic, times the scale. What children share with their parent is computed once: only a child's tuples with changed
cells get a new index.
"""

import numpy as np
from numba import types

from athenan.evaluation.patterns.header import HEADER
from athenan.evaluation.patterns.indices import (
    MOST_CELLS,
    MOST_PLANES,
    MOST_TUPLES,
    SEEN,
    change,
    keep_distinct,
    position,
    read,
    write_indices,
)
from athenan.evaluation.patterns.inputs import complete, estimate, inputs_of
from athenan.evaluation.patterns.policy_kernels import write_logits
from athenan.rules import calls
from athenan.rules.arrays import FLOAT_ROWS, FLOATS, NUMBERS, PLANES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.leaf import LEAF_POLICY, LEAF_VALUES
from athenan.rules.memory import record_at, scratch

_BASES = 2 * MOST_TUPLES
SCALE_AT, WEIGHTS_AT = 0, 1
"""Positions in the weights: the scale of the heuristic, then the tables."""

WEIGHT, NET, TOTAL, AVERAGE = range(4)
"""What learning keeps for each weight: the weight, the sums of its changes and of their sizes, the average that
plays."""
BLOCK = 16
"""Weights that share a flag, which learning sets when it changes one of them: those of a line of the cache."""
FLAGS = array_of(np.uint8)


@helper
def _sum(numbers, weights, table, indices):
    header = record_at(numbers, 0, HEADER)
    total, begin = np.float32(0), WEIGHTS_AT + table * header.stride
    if header.shift:
        for number in range(header.tuples):
            total += weights[np.uint64(begin + position(numbers, number, indices[number]))]
    else:
        for number in range(header.tuples):
            total += weights[np.uint64(begin + indices[number])]
    return total


@helper
def _output(numbers, total):
    return np.tanh(total) if record_at(numbers, 0, HEADER).bounded else total


@helper
def _value(numbers, weights, table, view, indices, inputs):
    value = _output(numbers, _sum(numbers, weights, table, indices) + estimate(numbers, inputs, view))
    return weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(LEAF_VALUES)
def pattern_values(rules, parent, states, numbers, weights, values):
    """The values of states by a pattern network; see `LEAF_VALUES`."""
    header = record_at(numbers, 0, HEADER)
    inputs = scratch(MOST_PLANES, np.int8)
    planes = inputs[: header.size]
    before, masks = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.uint32)
    codes = scratch(MOST_CELLS, np.int64)
    shared, indices = scratch(_BASES, np.int64), scratch(MOST_TUPLES, np.int64)
    tuples, alone = header.tuples, states.shape[0] == 1
    known = 0
    if not alone:
        calls.encode(rules, parent, planes)
        complete(rules, numbers, inputs)
        read(inputs, numbers, before)
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes)
        complete(rules, numbers, inputs)
        table, view = read(inputs, numbers, masks)
        if alone:
            write_indices(numbers, view, masks, codes, indices)
        else:
            base = shared[view * MOST_TUPLES : view * MOST_TUPLES + tuples]
            if not known & (1 << view):
                write_indices(numbers, view, before, codes, base)
                known |= 1 << view
            for number in range(tuples):
                indices[number] = base[number]
            change(numbers, view, before, masks, indices)
        values[row] = _value(numbers, weights, table, view, indices, inputs)


@kernel(LEAF_POLICY)
def pattern_policy(rules, state, actions, numbers, weights, logits):
    """The value of a state by a pattern network with a policy, and the logits of its actions; see `LEAF_POLICY`."""
    inputs, indices = scratch(MOST_PLANES, np.int8), scratch(MOST_TUPLES, np.int64)
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    calls.encode(rules, state, inputs[: record_at(numbers, 0, HEADER).size])
    complete(rules, numbers, inputs)
    table, view = read(inputs, numbers, masks)
    write_indices(numbers, view, masks, codes, indices)
    write_logits(numbers, weights, table, view, masks, actions, logits)
    return _value(numbers, weights, table, view, indices, inputs)


@kernel(types.void(RULES, PLANES, NUMBERS, FLOATS, FLOATS))
def pattern_values_of_planes(rules, batch, numbers, weights, values):
    """The values of encoded states, int8[n, planes * rows * columns], each summed anew."""
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices, room = scratch(MOST_TUPLES, np.int64), scratch(MOST_PLANES, np.int8)
    for row in range(batch.shape[0]):
        inputs = inputs_of(rules, numbers, batch[row], room)
        table, view = read(inputs, numbers, masks)
        write_indices(numbers, view, masks, codes, indices)
        values[row] = _value(numbers, weights, table, view, indices, inputs)


@kernel(types.float64(RULES, PLANES, FLOATS, NUMBERS, FLOATS, FLOAT_ROWS, FLAGS, types.float64))
def pattern_steps(rules, batch, targets, numbers, weights, learnt, moving, rate):
    """Learns encoded states one after the other, by temporal coherence (Beal and Smith 1999; Bagheri et al. 2014).

    The step of a weight is `rate` times the root of |sum of its changes| / sum of |changes|: 1 while all changes agree,
    less where they contradict one another. A weight that a state reads several times changes once, so that the value
    never changes by more than the error. `learnt` (float32[weights, 4]) has the weights and these sums. Sets `moving`
    of each block of weights that changes. Returns the sum of the squared errors of value / scale before each step.
    """
    header = record_at(numbers, 0, HEADER)
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    indices, seen = scratch(MOST_TUPLES, np.int64), scratch(SEEN, np.int64)
    room, tuples, squares = scratch(MOST_PLANES, np.int8), header.tuples, 0.0
    for row in range(batch.shape[0]):
        inputs = inputs_of(rules, numbers, batch[row], room)
        table, view = read(inputs, numbers, masks)
        write_indices(numbers, view, masks, codes, indices)
        begin, total = table * header.stride, estimate(numbers, inputs, view)
        for number in range(tuples):
            if header.shift:
                indices[number] = position(numbers, number, indices[number])
            total += learnt[np.uint64(begin + indices[number]), WEIGHT]
        target = targets[row] / weights[SCALE_AT]
        error = (target if view == 0 else -target) - _output(numbers, total)
        squares += error * error
        step = np.float32(rate * error / tuples)
        for number in range(keep_distinct(indices, tuples, seen)):
            at = np.uint64(begin + indices[number])
            net, sizes = learnt[at, NET], learnt[at, TOTAL]
            coherence = np.sqrt(abs(net) / sizes) if sizes > 0 else np.float32(1)
            learnt[at, WEIGHT] += coherence * step
            learnt[at, NET] = net + step
            learnt[at, TOTAL] = sizes + abs(step)
            moving[at // np.uint64(BLOCK)] = 1
    return squares


@kernel(types.int64(FLOAT_ROWS, FLOATS, FLAGS, NUMBERS, types.float64))
def publish(learnt, weights, moving, groups, share):
    """Moves the averages towards the weights that are learnt by this share of the way, and lets them play.

    Only blocks that `moving` names are looked at: those that changed since their averages were the same. `groups` are
    the same flags, eight in a number. A flag is cleared before its block is read, so that another thread that changes
    the block meanwhile sets it again. Returns how many weights are not finite.
    """
    wrong = 0
    for group in range(len(groups)):
        if groups[group] == 0:
            continue
        for block in range(8 * group, 8 * group + 8):
            if moving[block] == 0:
                continue
            moving[block], remains = 0, False
            for number in range(BLOCK * block, min(BLOCK * block + BLOCK, len(learnt))):
                weight, average = learnt[number, WEIGHT], learnt[number, AVERAGE]
                average += np.float32(share) * (weight - average)
                learnt[number, AVERAGE] = weights[WEIGHTS_AT + number] = average
                remains |= average != weight
                wrong += not np.isfinite(weight)
            if remains:
                moving[block] = 1
    return wrong
