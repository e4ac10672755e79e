"""Learning steps of shallow networks, in compiled code: Adam along the mean gradient of a few states."""

import numpy as np
from numba import types

from athenan.evaluation.adam import WEIGHT, adam_step
from athenan.evaluation.patterns.inputs import inputs_of
from athenan.evaluation.shallow.kernels import (
    HEADER,
    MOST_HIDDEN,
    MOST_NUMBERS,
    OFFSETS_AT,
    SCALE_AT,
    collect,
    forward,
    view_of,
)
from athenan.rules.arrays import FLOAT_ROWS, FLOATS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.lanes import COUNT, lanes, put, spread
from athenan.rules.memory import record_at, scratch

ITEMS = 64
"""States of a step."""


@helper
def _add_slopes(numbers, weights, rows, amounts, count, neurons, error, gradient):
    """Adds the error times the slope of the output by each weight to the gradient."""
    hidden = record_at(numbers, 0, HEADER).hidden
    gradient[OFFSETS_AT + 2 * hidden] += error
    for neuron in range(hidden):
        at = OFFSETS_AT + hidden + neuron
        gradient[at] += error * neurons[neuron]
        slope = error * weights[at] if neurons[neuron] > np.float32(0) else np.float32(0)
        neurons[neuron] = slope  # from here on, by what goes into the neuron
        gradient[OFFSETS_AT + neuron] += slope
    for number in range(count):
        amount = spread(amounts[number])
        for first in range(0, hidden, COUNT):
            at = rows[number] + first
            put(gradient, at, lanes(gradient, at) + amount * lanes(neurons, first))


@kernel(types.float64(RULES, PLANES, FLOATS, NUMBERS, FLOATS, FLOAT_ROWS, FLOATS, NUMBERS, types.float64))
def shallow_steps(rules, batch, targets, numbers, weights, learnt, gradient, steps, rate):
    """Learns encoded states in minibatches of `ITEMS`.

    `learnt` (float32[PARTS, weights]) has the weights and Adam's moments, `gradient` (float32[weights]) is 0 before and
    after. Returns the sum of the squared errors of value / scale before each step.
    """
    whole = scratch(MOST_NUMBERS, np.int8)
    rows, amounts = scratch(MOST_NUMBERS, np.int64), scratch(MOST_NUMBERS, np.float32)
    neurons, squares, items = scratch(MOST_HIDDEN, np.float32), 0.0, 0
    own, bounded = learnt[WEIGHT], record_at(numbers, 0, HEADER).bounded
    for row in range(batch.shape[0]):
        planes = inputs_of(rules, numbers, batch[row], whole)
        view = view_of(planes, numbers)
        count = collect(planes, numbers, weights, view, rows, amounts)
        output = forward(numbers, own, rows, amounts, count, neurons)
        target = targets[row] / weights[SCALE_AT]
        error = (target if view == 0 else -target) - (np.tanh(output) if bounded else output)
        squares += error * error
        _add_slopes(numbers, own, rows, amounts, count, neurons, np.float32(error), gradient)
        items += 1
        if items == ITEMS or row == batch.shape[0] - 1:
            adam_step(learnt, gradient, items, steps, rate)
            items = 0
    return squares
