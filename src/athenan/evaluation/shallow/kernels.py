"""The values of shallow networks, in compiled code.

Few numbers are not 0. Each adds its row of weights, times itself, to the hidden neurons.
"""

import numpy as np
from numba import types

from athenan.evaluation.patterns.header import INPUTS
from athenan.evaluation.patterns.inputs import complete, inputs_of
from athenan.rules import calls
from athenan.rules.arrays import FLOATS, NUMBERS, PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.geometry.bits import lowest
from athenan.rules.kernels import RULES
from athenan.rules.lanes import COUNT, lanes, most, put, spread, total
from athenan.rules.leaf import LEAF_VALUES
from athenan.rules.memory import load64, record_at, scratch

MOST_NUMBERS, MOST_HIDDEN = 16_384, 512
"""Numbers of a state with its features, and hidden neurons, for which there is room on the machine's stack."""
BLOCK = 4 * COUNT
"""Hidden neurons that are computed at once."""
HEADER = np.dtype(
    [
        *INPUTS.descr,
        ("hidden", np.int64),  # neurons
        ("bounded", np.int64),
        ("side", np.int64),  # the number that is 0 if the second player is to move; -1: all states are seen as they are
        ("slots_at", np.int64),  # int[2 views, numbers]: the rows that they read (`inputs.rows_of`)
        ("factors_at", np.int64),  # in the weights: where the factors of the inputs begin
        ("rows_at", np.int64),  # in the weights: where the rows begin
    ],
    align=True,
)
"""The record with which the numbers of a shallow network begin."""
SCALE_AT = 0
OFFSETS_AT = 16
"""Where the offsets of the hidden neurons begin in the weights; then come their weights in the output, its offset, the
factors of the inputs, and the rows."""


@helper
def view_of(planes, numbers):
    """1 if the state is seen as its image."""
    side = record_at(numbers, 0, HEADER).side
    return np.int64(side >= 0 and planes[side] == 0)


@helper
def collect(planes, numbers, weights, view, rows, amounts):
    """Lists where the weights of the numbers that are not 0 begin, and these numbers times their factors; returns how
    many there are.
    """
    header = record_at(numbers, 0, HEADER)
    factors = weights[header.factors_at : header.rows_at]
    size, hidden, begin, count = header.size + header.features, header.hidden, header.rows_at, 0
    slots = numbers[header.slots_at + view * size : header.slots_at + (view + 1) * size]
    for start in range(0, size, 8):
        if start + 8 <= size:
            word = load64(planes, start)
        else:
            word = np.uint64(0)
            for place in range(start, size):
                word |= np.uint64(np.uint8(planes[place])) << np.uint64(8 * (place - start))
        while word:
            byte = lowest(word) >> 3
            word &= ~(np.uint64(0xFF) << np.uint64(8 * byte))
            where = np.uint64(start + byte)
            if slots[where] >= 0:
                rows[count] = begin + slots[where] * hidden
                amounts[count] = np.float32(planes[where]) * factors[np.uint64(slots[where])]
                count += 1
    return count


@helper
def forward(numbers, weights, rows, amounts, count, neurons):
    """The output for the numbers of `collect`; writes the hidden neurons."""
    hidden = record_at(numbers, 0, HEADER).hidden
    nought = spread(np.float32(0))
    output = nought
    for first in range(0, hidden, BLOCK):
        at = OFFSETS_AT + first
        one, two = lanes(weights, at), lanes(weights, at + COUNT)
        three, four = lanes(weights, at + 2 * COUNT), lanes(weights, at + 3 * COUNT)
        for number in range(count):
            at, amount = rows[number] + first, spread(amounts[number])
            one = one + amount * lanes(weights, at)
            two = two + amount * lanes(weights, at + COUNT)
            three = three + amount * lanes(weights, at + 2 * COUNT)
            four = four + amount * lanes(weights, at + 3 * COUNT)
        one, two, three, four = most(one, nought), most(two, nought), most(three, nought), most(four, nought)
        put(neurons, first, one)
        put(neurons, first + COUNT, two)
        put(neurons, first + 2 * COUNT, three)
        put(neurons, first + 3 * COUNT, four)
        at = OFFSETS_AT + hidden + first
        output = output + one * lanes(weights, at) + two * lanes(weights, at + COUNT)
        output = output + three * lanes(weights, at + 2 * COUNT) + four * lanes(weights, at + 3 * COUNT)
    return total(output) + weights[OFFSETS_AT + 2 * hidden]


@helper
def _value(planes, numbers, weights, rows, amounts, neurons):
    view = view_of(planes, numbers)
    count = collect(planes, numbers, weights, view, rows, amounts)
    found = forward(numbers, weights, rows, amounts, count, neurons)
    value = np.tanh(found) if record_at(numbers, 0, HEADER).bounded else found
    return weights[SCALE_AT] * (value if view == 0 else -value)


@kernel(LEAF_VALUES)
def shallow_values(rules, parent, states, numbers, weights, values):
    """The values of states by a shallow network; see `LEAF_VALUES`."""
    whole = scratch(MOST_NUMBERS, np.int8)
    rows, amounts = scratch(MOST_NUMBERS, np.int64), scratch(MOST_NUMBERS, np.float32)
    neurons = scratch(MOST_HIDDEN, np.float32)
    planes = whole[: record_at(numbers, 0, HEADER).size]
    for row in range(states.shape[0]):
        calls.encode(rules, states[row], planes)
        complete(rules, numbers, whole)
        values[row] = _value(whole, numbers, weights, rows, amounts, neurons)


@kernel(types.void(RULES, PLANES, NUMBERS, FLOATS, FLOATS))
def shallow_values_of_planes(rules, batch, numbers, weights, values):
    """The values of encoded states, int8[n, planes * rows * columns]."""
    whole = scratch(MOST_NUMBERS, np.int8)
    rows, amounts = scratch(MOST_NUMBERS, np.int64), scratch(MOST_NUMBERS, np.float32)
    neurons = scratch(MOST_HIDDEN, np.float32)
    for row in range(batch.shape[0]):
        planes = inputs_of(rules, numbers, batch[row], whole)
        values[row] = _value(planes, numbers, weights, rows, amounts, neurons)
