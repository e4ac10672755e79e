"""The compiled forward pass of a network: layers as tables of taps, one state after the other, in float32.

Output place p of a layer is the bias plus the sum, over the taps t, of input place `places[t, p]` times the matrix of
the tap. So a convolution has size² taps and a place per cell. A dense layer has a tap per cell and one place. Buffers
hold the channels of a place together, padded with zeros to a multiple of 4, and end with a place of zeros, which stands
for the outside of the board. If the first layer is dense, it adds only the few nonzero numbers of the planes, and the
planes are not copied to the buffer.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOAT_ROWS, FLOATS, PLANES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.geometry.bits import lowest
from athenan.rules.intrinsics import emits
from athenan.rules.memory import load64, scratch

LAYER = np.dtype(
    [
        ("source", np.int64),  # where its input begins in the buffer
        ("target", np.int64),  # where its output begins
        ("added", np.int64),  # where the numbers added to the output begin; -1 without
        ("places", np.int64),  # where its table of places begins
        ("weights", np.int64),  # where its matrices begin, [taps, padded channels, filters], after the bias
        ("taps", np.int64),
        ("outputs", np.int64),  # number of places of the output
        ("channels", np.int64),  # of the input, padded
        ("filters", np.int64),
        ("relu_before", np.int64),
        ("relu_after", np.int64),
        ("sparse", np.int64),  # whether it reads the planes themselves, which are mostly zeros
    ],
    align=True,
)


class Plan(NamedTuple):
    """A network for compiled code."""

    layers: NDArray[np.void]
    """LAYER[layers]"""
    places: NDArray[np.int32]
    weights: NDArray[np.float32]
    buffer: NDArray[np.float32]
    """The planes of a state, then the outputs of the layers."""
    answers: NDArray[np.int32]
    """The place in the buffer of each answer; int32[answers]"""
    common: NDArray[np.int32]
    """The place of the number added to each answer; int32[answers]"""
    scales: NDArray[np.float32]
    """The scale of each answer; float32[answers]"""
    bounded: NDArray[np.uint8]
    """Whether an answer ends in tanh; uint8[answers]"""


@emits(lambda one, other, added: types.float32(types.float32, types.float32, types.float32))
def _fma(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """_fma(one, other, added): one * other + added of float32, rounded once."""
    return builder.fma(*values)


_layers, _places = array_of(LAYER), array_of(np.int32)
PLAN = types.NamedTuple([_layers, _places, FLOATS, FLOATS, _places, _places, FLOATS, array_of(np.uint8)], Plan)


@helper
def _begin(plan, layer):
    """Sets the output of a layer to the bias plus the numbers added to it."""
    buffer, filters = plan.buffer, layer.filters
    stride = (filters + 3) // 4 * 4
    for place in range(layer.outputs):
        output = buffer[layer.target + place * stride : layer.target + place * stride + filters]
        for number in range(filters):
            output[number] = plan.weights[layer.weights - filters + number]
        if layer.added >= 0:
            for number in range(filters):
                output[number] += buffer[layer.added + place * stride + number]


@helper
def _input(plan, layer, place, channel):
    """The index at which four channels of an input place begin."""
    return layer.source + plan.places[place] * layer.channels + channel


@helper
def _read(buffer, position, relu):
    found = buffer[position]
    return max(found, np.float32(0)) if relu else found


@helper
def _add_four(plan, layer, tap, channel):
    """Adds the part of four input channels of a tap to all outputs, two places at a time.

    The weights are then in registers or the nearest cache.
    """
    buffer, filters, relu = plan.buffer, layer.filters, layer.relu_before
    stride = (filters + 3) // 4 * 4
    at = layer.weights + (tap * layer.channels + channel) * filters
    w0, w1 = plan.weights[at : at + filters], plan.weights[at + filters : at + 2 * filters]
    w2, w3 = plan.weights[at + 2 * filters : at + 3 * filters], plan.weights[at + 3 * filters : at + 4 * filters]
    place, row = layer.places + tap * layer.outputs, 0
    while row + 1 < layer.outputs:
        one, other = _input(plan, layer, place + row, channel), _input(plan, layer, place + row + 1, channel)
        a0, a1 = _read(buffer, one, relu), _read(buffer, one + 1, relu)
        a2, a3 = _read(buffer, one + 2, relu), _read(buffer, one + 3, relu)
        b0, b1 = _read(buffer, other, relu), _read(buffer, other + 1, relu)
        b2, b3 = _read(buffer, other + 2, relu), _read(buffer, other + 3, relu)
        start = layer.target + row * stride
        first, second = buffer[start : start + filters], buffer[start + stride : start + stride + filters]
        for j in range(filters):
            first[j] = _fma(a0, w0[j], _fma(a1, w1[j], _fma(a2, w2[j], _fma(a3, w3[j], first[j]))))
            second[j] = _fma(b0, w0[j], _fma(b1, w1[j], _fma(b2, w2[j], _fma(b3, w3[j], second[j]))))
        row += 2
    if row < layer.outputs:
        one = _input(plan, layer, place + row, channel)
        a0, a1 = _read(buffer, one, relu), _read(buffer, one + 1, relu)
        a2, a3 = _read(buffer, one + 2, relu), _read(buffer, one + 3, relu)
        start = layer.target + row * stride
        first = buffer[start : start + filters]
        for j in range(filters):
            first[j] = _fma(a0, w0[j], _fma(a1, w1[j], _fma(a2, w2[j], _fma(a3, w3[j], first[j]))))


@helper
def _add_numbers(plan, layer, planes, where, count):
    """Adds the parts of up to four numbers of the planes to the output of a dense layer."""
    buffer, filters = plan.buffer, layer.filters
    for other in range(count, 4):
        where[other] = where[0]
    a0, a1 = np.float32(planes[where[0]]), np.float32(planes[where[1]] if count > 1 else 0)
    a2, a3 = np.float32(planes[where[2]] if count > 2 else 0), np.float32(planes[where[3]] if count > 3 else 0)
    b0, b1 = layer.weights + where[0] * filters, layer.weights + where[1] * filters
    b2, b3 = layer.weights + where[2] * filters, layer.weights + where[3] * filters
    w0, w1 = plan.weights[b0 : b0 + filters], plan.weights[b1 : b1 + filters]
    w2, w3 = plan.weights[b2 : b2 + filters], plan.weights[b3 : b3 + filters]
    output = buffer[layer.target : layer.target + filters]
    for j in range(filters):
        output[j] = _fma(a0, w0[j], _fma(a1, w1[j], _fma(a2, w2[j], _fma(a3, w3[j], output[j]))))


@helper
def _add_planes(plan, layer, planes):
    """Adds the parts of all nonzero numbers of the planes, searched eight at a time."""
    where, count, whole = scratch(4, np.int64), 0, len(planes) // 8 * 8
    for start in range(0, len(planes), 8):
        if start < whole:
            word = load64(planes, start)
        else:
            word = np.uint64(0)
            for number in range(start, len(planes)):
                word |= np.uint64(np.uint8(planes[number])) << np.uint64(8 * (number - start))
        while word:
            byte = lowest(word) >> 3
            word &= ~(np.uint64(0xFF) << np.uint64(8 * byte))
            where[count] = start + byte
            count += 1
            if count == 4:
                _add_numbers(plan, layer, planes, where, 4)
                count = 0
    if count:
        _add_numbers(plan, layer, planes, where, count)


@helper
def _run(plan, layer, planes):
    """Computes one layer."""
    _begin(plan, layer)
    if layer.sparse:
        _add_planes(plan, layer, planes)
    else:
        for tap in range(layer.taps):
            for channel in range(0, layer.channels, 4):
                _add_four(plan, layer, tap, channel)
    if layer.relu_after:
        stride = (layer.filters + 3) // 4 * 4
        output = plan.buffer[layer.target : layer.target + layer.outputs * stride]
        for number in range(len(output)):
            output[number] = max(output[number], np.float32(0))


@kernel(types.void(PLAN, types.int64, PLANES, FLOAT_ROWS))
def forward(plan, cells, planes, found):
    """Writes the answers for each row of `planes`, int8[n, channels * cells], into the same row of `found`."""
    channels = planes.shape[1] // cells
    stride = (channels + 3) // 4 * 4
    for row in range(planes.shape[0]):
        if not plan.layers[0].sparse:
            for channel in range(channels):
                for cell in range(cells):
                    plan.buffer[cell * stride + channel] = planes[row, channel * cells + cell]
        for number in range(len(plan.layers)):
            _run(plan, plan.layers[number], planes[row])
        for number in range(len(plan.answers)):
            answer = plan.buffer[plan.answers[number]] + plan.buffer[plan.common[number]]
            found[row, number] = plan.scales[number] * (np.tanh(answer) if plan.bounded[number] else answer)
