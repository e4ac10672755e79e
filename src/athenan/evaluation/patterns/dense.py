"""The small dense part of a pattern network whose entries are vectors, in compiled code.

The entries that a state reads are added up. The first number of the sum goes straight to the output, so that a plain
pattern network is contained. All numbers of the sum, each with an offset, are clipped to 0 .. 1 and go through a hidden
layer with ReLU, whose output is added.
"""

import numpy as np

from athenan.evaluation.patterns.header import HEADER
from athenan.rules.compiler import helper
from athenan.rules.lanes import COUNT, lanes, least, most, put, spread, total
from athenan.rules.memory import record_at

MOST_VECTOR, MOST_HIDDEN = 64, 64
MOST_DENSE = MOST_VECTOR + (MOST_VECTOR + 2) * MOST_HIDDEN
"""Weights of the largest dense part."""


@helper
def forward(numbers, dense, at, sums, inputs, neurons):
    """The output for the sums of entries, by the weights of the dense part from `at` on in `dense`.

    Writes the clipped inputs and the hidden neurons.
    """
    header = record_at(numbers, 0, HEADER)
    vector, hidden = header.vector, header.hidden
    nought, one = spread(np.float32(0)), spread(np.float32(1))
    for first in range(0, vector, COUNT):
        put(inputs, first, most(least(lanes(sums, first) + lanes(dense, at + first), one), nought))
    layer = at + vector
    offsets = layer + vector * hidden
    output = nought
    for first in range(0, hidden, COUNT):
        found = lanes(dense, offsets + first)
        for number in range(vector):
            found = found + spread(inputs[number]) * lanes(dense, layer + number * hidden + first)
        found = most(found, nought)
        put(neurons, first, found)
        output = output + found * lanes(dense, offsets + hidden + first)
    return sums[0] + total(output)


@helper
def backward(numbers, dense, inputs, neurons, error, gradient, slopes):
    """Adds the error times the slope of the output by each weight of the dense part, and writes the slopes by the sums.

    The inputs and neurons come from `forward` with at = 0.
    """
    header = record_at(numbers, 0, HEADER)
    vector, hidden = header.vector, header.hidden
    layer, offsets = vector, vector * (hidden + 1)
    nought, errors = spread(np.float32(0)), spread(np.float32(error))
    for first in range(0, hidden, COUNT):
        place = offsets + hidden + first
        put(gradient, place, lanes(gradient, place) + errors * lanes(neurons, first))
    for first in range(0, hidden, COUNT):
        for neuron in range(first, first + COUNT):  # from here on, the slope of the output by what goes into a neuron
            neurons[neuron] = dense[offsets + hidden + neuron] if neurons[neuron] > 0 else np.float32(0)
        place = offsets + first
        put(gradient, place, lanes(gradient, place) + errors * lanes(neurons, first))
    for number in range(vector):
        slope, amount = nought, errors * spread(inputs[number])
        for first in range(0, hidden, COUNT):
            place = layer + number * hidden + first
            slope = slope + lanes(neurons, first) * lanes(dense, place)
            put(gradient, place, lanes(gradient, place) + amount * lanes(neurons, first))
        inside = 0 < inputs[number] < 1
        slopes[number] = total(slope) if inside else np.float32(0)
        gradient[number] += np.float32(error) * slopes[number]
    slopes[0] += np.float32(1)
