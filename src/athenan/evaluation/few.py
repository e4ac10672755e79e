"""The forward pass of a network for a few states, compiled: one call, where PyTorch's operators take most of the time.

A layer is a table of taps: output place p is the bias plus the sum, over the taps t, of input place `places[t, p]`
times the matrix of the tap. So a convolution has size² taps and a place per cell, a dense layer a tap per cell and one
place. Buffers hold the channels of a place together, padded to a multiple of 4 by zeros, and end with a place of zeros,
which is what lies outside of the board. All is in float32.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray
from torch import nn

from athenan.evaluation.heads import ActionHead, ActionValueHead, PolicyHead, ValueHead
from athenan.evaluation.layers import Block, Convolution, Dense
from athenan.evaluation.networks import Network
from athenan.rules.compiler import helper, kernel, prepare

MOST_WORK = 8_000_000
"""Multiplications of a call up to which it is made here: about 0.3 ms on a core of 2.6 GHz with AVX-512."""

LAYER = np.dtype(
    [
        ("source", np.int64),  # where its input begins in the buffer
        ("target", np.int64),  # where its output begins
        ("added", np.int64),  # where what is added to the output begins; -1 for nothing
        ("places", np.int64),  # where its table of places begins
        ("weights", np.int64),  # where its matrices begin, [taps, padded channels, filters]; the bias is before them
        ("taps", np.int64),
        ("outputs", np.int64),  # places of the output
        ("channels", np.int64),  # of the input, padded
        ("filters", np.int64),
        ("relu_before", np.int64),
        ("relu_after", np.int64),
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
    """Where in the buffer each answer is; int32[answers]"""
    scales: NDArray[np.float32]
    """The scale of each answer; float32[answers]"""
    bounded: NDArray[np.uint8]
    """Whether an answer ends in tanh; uint8[answers]"""


class _Places(NamedTuple):
    """An array in the buffer, of rows x columns places."""

    begin: int
    channels: int
    rows: int
    columns: int

    @property
    def outside(self) -> int:
        """The place of zeros."""
        return self.rows * self.columns


class FewStates:
    """Evaluates a few states by a network with the answers of `Evaluator`, on the CPU, in float32."""

    def __init__(self, network: Network, heads: Sequence[str]) -> None:
        """Raises TypeError if the network has layers or heads that are not known here."""
        prepare(forward)
        self.multiplications = 0
        """Of one state."""
        self._layers: list[tuple[Any, ...]] = []
        self._places: list[NDArray[np.int32]] = []
        self._loads: list[tuple[nn.Module, _Places]] = []
        self._size = self._place_count = self._weight_count = 0
        planes = self._array(*network.planes)
        answers, scales, bounded = self._build(network, heads, planes)
        self._ends = list(itertools.accumulate(map(len, answers), initial=0))
        self._plan = Plan(
            np.array(self._layers, LAYER), np.concatenate(self._places), np.zeros(self._weight_count, np.float32),
            np.zeros(self._size, np.float32), np.concatenate(answers).astype(np.int32),
            np.repeat(np.array(scales, np.float32), np.diff(self._ends)),
            np.repeat(np.array(bounded, np.uint8), np.diff(self._ends)),
        )  # fmt: skip
        self._single = [head == "values" for head in heads]
        self._forward = forward.bound(self._plan, planes.outside)
        self.refresh()

    def suits(self, states: int) -> bool:
        """Whether so many states are few enough."""
        return states * self.multiplications <= MOST_WORK

    def __call__(self, planes: NDArray[np.int8]) -> list[NDArray[np.float32]]:
        """The answers of the heads for encoded states, int8[n, planes * rows * columns]; one thread at a time."""
        found = np.empty((len(planes), self._ends[-1]), np.float32)
        self._forward(np.ascontiguousarray(planes), found)
        parts = [np.ascontiguousarray(found[:, begin:end]) for begin, end in itertools.pairwise(self._ends)]
        return [part[:, 0] if single else part for part, single in zip(parts, self._single, strict=True)]

    def refresh(self) -> None:
        """Copies the present weights of the network."""
        for record, (layer, source) in zip(self._plan.layers, self._loads, strict=True):
            self._load(record, layer, source)

    def _load(self, record: Any, layer: Any, source: _Places) -> None:
        filters, taps, channels = int(record["filters"]), int(record["taps"]), int(record["channels"])
        weight, begin = layer.weight.detach().cpu().numpy(), int(record["weights"])
        if weight.ndim == 2:  # of a dense layer, whose input is flattened with the channels first
            weight = weight.reshape(filters, source.channels, source.rows * source.columns)
        matrices = self._plan.weights[begin : begin + taps * channels * filters].reshape(taps, channels, filters)
        matrices[:, : source.channels] = weight.reshape(filters, source.channels, taps).transpose(2, 1, 0)
        self._plan.weights[begin - filters : begin] = layer.bias.detach().cpu().numpy()

    def _build(
        self, network: Network, heads: Sequence[str], planes: _Places
    ) -> tuple[list[NDArray[np.int64]], list[float], list[bool]]:
        """Adds all layers; returns for each head where its answers are, their scale, and whether they end in tanh."""
        features, hidden = self._trunk(network, planes, any(network.heads[name].reads_hidden for name in heads))
        answers, scales, bounded = [], [], []
        for name in heads:
            head: Any = network.heads[name]
            if type(head) is ValueHead:
                answers.append(np.array([self._dense(head, hidden, relu=False).begin]))
            elif type(head) in (PolicyHead, ActionValueHead):
                answers.append(self._actions(head, features, hidden))
            else:
                raise TypeError(f"there is no compiled form of the head {name}")
            scales.append(1.0 if type(head) is PolicyHead else head.scale)
            bounded.append(type(head) is not PolicyHead and head.bounded)
        return answers, scales, bounded

    def _trunk(self, network: Network, planes: _Places, hidden: bool) -> tuple[_Places, _Places]:
        """The features and the hidden neurons; without `hidden` the features twice."""
        found, features = planes, None
        for layer in network.body:
            if isinstance(layer, Convolution):
                found = self._convolution(layer, found)
            elif isinstance(layer, Block):
                first = self._convolution(layer.first, found, relu_before=True)
                if not isinstance(layer.weigh, nn.Identity):
                    raise TypeError("there is no compiled form of squeeze-and-excitation")
                found = self._convolution(layer.second, first, added=found)
            elif isinstance(layer, nn.Flatten):
                features = found
                if not hidden:
                    return found, found
            elif isinstance(layer, Dense):
                found = self._dense(layer, found)
            else:
                raise TypeError(f"there is no compiled form of the layer {type(layer).__name__}")
        return features or found, found

    def _actions(self, head: ActionHead, features: _Places, hidden: _Places) -> NDArray[np.int64]:
        """Where in the buffer the numbers of the actions are."""
        where, found = head.get_buffer("where").cpu().numpy(), list[NDArray[np.int64]]()
        if head.convolution is not None:
            output = self._convolution(head.convolution, features)
            places = np.arange(output.rows * output.columns) * _padded(output.channels)
            found.append((output.begin + np.arange(output.channels)[:, None] + places).ravel())
        if head.dense is not None:
            output = self._dense(head.dense, hidden, relu=False)
            found.append(output.begin + np.arange(output.channels))
        return cast(NDArray[np.int64], np.concatenate(found)[where])

    def _convolution(
        self, layer: Convolution, source: _Places, relu_before: bool = False, added: _Places | None = None
    ) -> _Places:
        size, padding = int(layer.kernel_size[0]), int(cast(tuple[int, int], layer.padding)[0])
        rows, columns = source.rows + 2 * padding - size + 1, source.columns + 2 * padding - size + 1
        inside = np.full((source.rows + 2 * padding, source.columns + 2 * padding), source.outside, np.int32)
        own = np.arange(source.rows * source.columns).reshape(source.rows, source.columns)
        inside[padding : padding + source.rows, padding : padding + source.columns] = own
        taps = [inside[row : row + rows, column : column + columns] for row in range(size) for column in range(size)]
        target = self._array(layer.out_channels, rows, columns)
        self._add(layer, source, target, np.stack(taps).reshape(len(taps), -1), layer.relu, relu_before, added)
        return target

    def _dense(self, layer: nn.Module, source: _Places, relu: bool = True) -> _Places:
        target = self._array(len(cast(Any, layer).weight), 1, 1)
        self._add(layer, source, target, np.arange(source.outside, dtype=np.int32)[:, None], relu)
        return target

    def _add(
        self, layer: nn.Module, source: _Places, target: _Places, places: NDArray[np.int32], relu: bool,
        relu_before: bool = False, added: _Places | None = None,
    ) -> None:  # fmt: skip
        taps, outputs = places.shape
        channels, filters = _padded(source.channels), target.channels
        self._layers.append(
            (source.begin, target.begin, -1 if added is None else added.begin, self._place_count,
             self._weight_count + filters, taps, outputs, channels, filters, relu_before, relu)
        )  # fmt: skip
        self._loads.append((layer, source))
        self._places.append(places.ravel())
        self._place_count += places.size
        self._weight_count += filters * (1 + taps * channels)
        self.multiplications += places.size * channels * filters

    def _array(self, channels: int, rows: int, columns: int) -> _Places:
        """A new array at the end of the buffer."""
        found = _Places(self._size, channels, rows, columns)
        self._size += (rows * columns + 1) * _padded(channels)
        return found


def few_states(network: Network, heads: Sequence[str]) -> FewStates | None:
    """The compiled form of a network; None if it has none, or a single state is too much for it."""
    try:
        found = FewStates(network, heads)
    except TypeError:
        return None
    return found if found.suits(1) else None


def _padded(channels: int) -> int:
    return -(-channels // 4) * 4


@intrinsic
def _fma(typing_context: Any, one: Any, other: Any, added: Any) -> Any:
    """_fma(one, other, added): one * other + added of float32, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fma(*values)

    return types.float32(types.float32, types.float32, types.float32), generate


_vector = types.Array(types.float32, 1, "C")
_integers = types.Array(types.int32, 1, "C")
_layers = types.Array(numba.from_dtype(LAYER), 1, "C")
PLAN = types.NamedTuple(
    [_layers, _integers, _vector, _vector, _integers, _vector, types.Array(types.uint8, 1, "C")], Plan
)


@helper
def _begin(plan, layer):
    """Sets the output of a layer to the bias, and to what is added to it."""
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
    """Where four channels of an input place begin."""
    return layer.source + plan.places[place] * layer.channels + channel


@helper
def _read(buffer, position, relu):
    found = buffer[position]
    return max(found, np.float32(0)) if relu else found


@helper
def _add_four(plan, layer, tap, channel):
    """Adds the part of four input channels of a tap to all outputs, for two places at a time.

    The weights then are in registers or the nearest cache.
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
def _run(plan, layer):
    """Computes one layer."""
    _begin(plan, layer)
    for tap in range(layer.taps):
        for channel in range(0, layer.channels, 4):
            _add_four(plan, layer, tap, channel)
    if layer.relu_after:
        stride = (layer.filters + 3) // 4 * 4
        output = plan.buffer[layer.target : layer.target + layer.outputs * stride]
        for number in range(len(output)):
            output[number] = max(output[number], np.float32(0))


@kernel(types.void(PLAN, types.int64, types.Array(types.int8, 2, "C"), types.Array(types.float32, 2, "C")))
def forward(plan, cells, planes, found):
    """Writes the answers for each row of `planes`, int8[n, channels * cells], into that of `found`."""
    channels = planes.shape[1] // cells
    stride = (channels + 3) // 4 * 4
    for row in range(planes.shape[0]):
        for channel in range(channels):
            for cell in range(cells):
                plan.buffer[cell * stride + channel] = planes[row, channel * cells + cell]
        for number in range(len(plan.layers)):
            _run(plan, plan.layers[number])
        for number in range(len(plan.answers)):
            answer = plan.buffer[plan.answers[number]]
            found[row, number] = plan.scales[number] * (np.tanh(answer) if plan.bounded[number] else answer)
