"""Learning steps of pattern networks whose entries are vectors, in compiled code.

Entries are learnt item by item. The step of an item changes the output by `rate` times the error, as far as the output
is linear: each number of an entry changes in proportion to the slope of the output by it, once even if the state reads
the entry several times. Where the output is flatter than for the mean item of the minibatch so far, the step is smaller
(`_power`). An entry takes a share of its step by temporal coherence, as with one weight per entry, but for all its
numbers together: the root of |sum of the errors of its items| / sum of |errors|. The dense part is learnt by Adam, 32
items per step. docs/algorithms/patterns_measured.md says what else was tried.
"""

import numpy as np
from numba import types

from athenan.evaluation.adam import AVERAGE, WEIGHT, adam_step
from athenan.evaluation.patterns.dense import MOST_DENSE, MOST_HIDDEN, MOST_VECTOR, backward, forward
from athenan.evaluation.patterns.header import HEADER
from athenan.evaluation.patterns.indices import (
    MOST_CELLS,
    MOST_PLANES,
    MOST_TUPLES,
    SEEN,
    entry_of,
    keep_distinct,
    read,
    write_indices,
)
from athenan.evaluation.patterns.inputs import estimate, inputs_of
from athenan.evaluation.patterns.kernels import FLAGS, SCALE_AT
from athenan.evaluation.patterns.vectors import DENSE_AT, GRID
from athenan.rules.arrays import FLOAT_ROWS, FLOATS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.lanes import COUNT, lanes, put, spread
from athenan.rules.memory import record_at, scratch

NET, TOTAL, SUMS = 0, 1, 8
"""What follows the numbers of an entry: the sum of its items' errors, the sum of their sizes, then unused room."""
ITEMS = 32
"""Items of a step of the dense part."""
DENSE_RATE = 0.0007
"""Adam's step size for a rate of 1."""
LEAST_POWER = 0.25
"""The least sum of squared slopes that steps are divided by. The slope by the first number of an entry is 1 without the
dense part, which may cancel it. Steps then grew without limit, and a training of Go 7x7 lost in seconds what it knew.
So no number changes by more than twice what it would in a network with one weight per entry."""


@helper
def _power(slopes, vector, powers, items):
    """The sum of the squared slopes that an item's step is divided by, and the sum of these of all items so far.

    It is at least the mean of the minibatch's items so far. Otherwise an item whose output is flat moves the numbers
    far, and other items with the same entries, whose output is steep, lose what they had learnt.
    """
    own = np.float32(0)
    for number in range(vector):
        own += slopes[number] * slopes[number]
    powers += own
    return max(own, powers / np.float32(items), np.float32(LEAST_POWER)), powers


@helper
def _learn_entries(learnt, indices, vector, error, changes):
    """Adds the changes to the entries that begin at the indices, as far as the errors of each entry agree."""
    for number in range(len(indices)):
        at, sums = indices[number], indices[number] + vector
        net, sizes = learnt[sums + NET], learnt[sums + TOTAL]
        coherence = spread(np.sqrt(abs(net) / sizes) if sizes > 0 else np.float32(1))
        learnt[sums + NET] = net + error
        learnt[sums + TOTAL] = sizes + abs(error)
        for first in range(0, vector, COUNT):
            put(learnt, at + first, lanes(learnt, at + first) + coherence * lanes(changes, first))


@kernel(types.float64(RULES, PLANES, FLOATS, NUMBERS, FLOATS, FLOATS, FLOAT_ROWS, NUMBERS, FLAGS, types.float64))
def vector_steps(rules, batch, targets, numbers, weights, learnt, dense, steps, moving, rate):
    """Learns encoded states one after the other.

    `learnt` (float32[entries * (vector + SUMS)]) has the entries, `dense` (float32[PARTS, weights]) the dense part and
    `steps` its steps. Sets `moving` of each entry that changes. Returns the sum of the squared errors of value / scale
    before each step.
    """
    header = record_at(numbers, 0, HEADER)
    masks, codes = scratch(MOST_CELLS, np.uint32), scratch(MOST_CELLS, np.int64)
    tuples, vector, squares = header.tuples, header.vector, 0.0
    indices, seen = scratch(MOST_TUPLES, np.int64), scratch(SEEN, np.int64)
    entries = scratch(MOST_TUPLES, np.int64)
    sums, inputs = scratch(MOST_VECTOR, np.float32), scratch(MOST_VECTOR, np.float32)
    neurons, slopes = scratch(MOST_HIDDEN, np.float32), scratch(MOST_VECTOR, np.float32)
    gradient, room = scratch(MOST_DENSE, np.float32), scratch(MOST_PLANES, np.int8)
    own, items, powers = dense[WEIGHT], 0, np.float32(0)
    for number in range(len(own)):
        gradient[number] = 0
    for row in range(batch.shape[0]):
        whole = inputs_of(rules, numbers, batch[row], room)
        table, view = read(whole, numbers, masks)
        write_indices(numbers, view, masks, codes, indices)
        for number in range(tuples):
            entries[number] = entry_of(numbers, table, number, indices[number])
            indices[number] = entries[number] * (vector + SUMS)
        for first in range(0, vector, COUNT):
            found = spread(np.float32(0))
            for number in range(tuples):
                found = found + lanes(learnt, indices[number] + first)
            put(sums, first, found)
        output = forward(numbers, own, 0, sums, inputs, neurons) + estimate(numbers, whole, view)
        target = targets[row] / weights[SCALE_AT]
        error = (target if view == 0 else -target) - (np.tanh(output) if header.bounded else output)
        squares += error * error
        backward(numbers, own, inputs, neurons, error, gradient, slopes)
        items += 1
        if items == ITEMS or row == batch.shape[0] - 1:
            adam_step(dense, gradient, items, steps, rate * DENSE_RATE)
            items = 0
        power, powers = _power(slopes, vector, powers, row + 1)
        share = spread(np.float32(rate * error / (tuples * power)))
        for first in range(0, vector, COUNT):
            put(slopes, first, lanes(slopes, first) * share)
        distinct = indices[: keep_distinct(indices, tuples, seen)]
        _learn_entries(learnt, distinct, vector, np.float32(error), slopes)
        for number in range(tuples):  # afterwards: another thread may publish meanwhile
            moving[np.uint64(entries[number])] = 1
    return squares


@helper
def _approach(weight, average, share):
    """The average after a share of the way to the weight, or the weight where float32 has no number nearer to it."""
    after = average + share * (weight - average)
    return weight if after == average else after


@kernel(types.int64(FLOATS, FLOATS, FLOAT_ROWS, NUMBERS, FLOATS, FLAGS, NUMBERS, types.float64, types.float64))
def vector_publish(learnt, averages, dense, numbers, weights, moving, groups, share, most):
    """Moves the averages towards the weights that are learnt by this share of the way, and lets them play.

    Only entries that `moving` names are looked at: those that changed since their average was the same. `groups` are
    the same flags, eight in a number. A flag is cleared before its entry is read, so that another thread that changes
    the entry meanwhile sets it again. Numbers that play are at most `most`. Returns how many weights that are learnt
    are not finite.
    """
    header = record_at(numbers, 0, HEADER)
    vector, wrong, part, own, playing = header.vector, 0, np.float32(share), dense[WEIGHT], dense[AVERAGE]
    limit, grid = np.float32(most), np.float32(GRID)
    for number in range(len(own)):
        average = _approach(own[number], playing[number], part)
        playing[number] = weights[DENSE_AT + number] = average
        wrong += not np.isfinite(own[number])
    for group in range(len(groups)):
        if groups[group] == 0:
            continue
        for entry in range(8 * group, 8 * group + 8):
            if moving[entry] == 0:
                continue
            moving[entry], remains = 0, False
            at, own, plays = entry * (vector + SUMS), entry * vector, header.rows_at + entry * vector
            for number in range(vector):
                weight = learnt[at + number]
                average = _approach(weight, averages[own + number], part)
                averages[own + number] = average
                weights[plays + number] = np.rint(max(-limit, min(limit, average)) / grid) * grid
                remains |= average != weight
                wrong += not np.isfinite(weight)
            if remains:
                moving[entry] = 1
    return wrong
