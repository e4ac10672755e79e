"""Evaluates a few states by one call of compiled code, since PyTorch's operators would take most of the time."""

import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from athenan.evaluation.forward import LAYER, Plan, forward
from athenan.evaluation.heads import ActionFeatures, ActionHead, ActionValueHead, PolicyHead, ValueHead
from athenan.evaluation.layers import Block, Convolution, Dense
from athenan.evaluation.networks import Network
from athenan.rules.compiler import prepare
from athenan.rules.heads import VALUES

MOST_WORK = 6_000_000
"""Most multiplications of a call that runs here; beyond that PyTorch is as fast."""
MOST_OF_A_SPARSE_STATE = 20_000
"""Most multiplications of a state, after a first dense layer, for which any number of states is faster here."""


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
    """Evaluates a few states by a network on the CPU in float32, with the answers of `Evaluator`."""

    def __init__(self, network: Network, heads: Sequence[str]) -> None:
        """Raises TypeError if the network has layers or heads without a compiled form."""
        self.multiplications = 0
        """Multiplications of one state, without the few of a dense layer with the planes."""
        self._layers: list[tuple[Any, ...]] = []
        self._places: list[NDArray[np.int32]] = []
        self._loads: list[tuple[nn.Module, _Places]] = []
        self._size = self._place_count = self._weight_count = 0
        planes = self._array(*network.planes)
        answers, common, scales, bounded = self._build(network, heads, planes)
        self._ends = list(itertools.accumulate(map(len, answers), initial=0))
        self._plan = Plan(
            np.array(self._layers, LAYER), np.concatenate(self._places), np.zeros(self._weight_count, np.float32),
            np.zeros(self._size, np.float32), np.concatenate(answers).astype(np.int32),
            np.repeat(np.array(common, np.int32), np.diff(self._ends)),
            np.repeat(np.array(scales, np.float32), np.diff(self._ends)),
            np.repeat(np.array(bounded, np.uint8), np.diff(self._ends)),
        )  # fmt: skip
        self._single = [head == "values" for head in heads]
        self._outside = planes.outside
        self.refresh()

    @cached_property
    def _forward(self) -> Callable[[NDArray[np.int8], NDArray[np.float32]], None]:
        return forward.bound(self._plan, self._outside)

    def suits(self, states: int) -> bool:
        """Whether `states` states are few enough. A small network with sparse planes takes any number."""
        small = self._plan.layers[0]["sparse"] and self.multiplications <= MOST_OF_A_SPARSE_STATE
        return bool(small) or states * self.multiplications <= MOST_WORK

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
        if weight.ndim == 2:  # a dense layer's, whose input is flattened with the channels first
            weight = weight.reshape(filters, source.channels, source.rows * source.columns)
        matrices = self._plan.weights[begin : begin + taps * channels * filters].reshape(taps, channels, filters)
        matrices[:, : source.channels] = weight.reshape(filters, source.channels, taps).transpose(2, 1, 0)
        self._plan.weights[begin - filters : begin] = layer.bias.detach().cpu().numpy()

    def _build(
        self, network: Network, heads: Sequence[str], planes: _Places
    ) -> tuple[list[NDArray[np.int64]], list[int], list[float], list[bool]]:
        """Adds all layers.

        Returns for each head the places of its answers, the place of what is added to all of them, their scale, and
        whether they end in tanh.
        """
        features, hidden = self._trunk(network, planes, any(network.heads[name].reads_hidden for name in heads))
        answers, common, scales, bounded = [], list[int](), [], []
        for name in heads:
            head: Any = network.heads[name]
            added = getattr(head, "common", None)
            zero = planes.begin + planes.outside * _padded(planes.channels)
            common.append(zero if added is None else self._dense(added, hidden, relu=False).begin)
            if type(head) is ValueHead:
                answers.append(np.array([self._dense(head, hidden, relu=False).begin]))
            elif type(head) is PolicyHead:
                answers.append(self._actions(head, features, hidden))
            elif type(head) is ActionValueHead:
                answers.append(self._actions(head, self._own(head.own, features, planes), hidden))
            else:
                raise TypeError(f"there is no compiled form of the head {name}")
            scales.append(1.0 if type(head) is PolicyHead else head.scale)
            bounded.append(type(head) is not PolicyHead and head.bounded)
        return answers, common, scales, bounded

    def _trunk(self, network: Network, planes: _Places, hidden: bool) -> tuple[_Places, _Places]:
        """The features and the hidden neurons; without `hidden`, the features twice."""
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

    def _own(self, own: ActionFeatures | None, features: _Places, planes: _Places) -> _Places:
        """The features for the actions alone, if any."""
        if own is None:
            return features
        first = self._convolution(own.of_features, features, added=self._convolution(own.of_planes, planes))
        return self._convolution(own.second, first, relu_before=True)

    def _actions(self, head: ActionHead, features: _Places, hidden: _Places) -> NDArray[np.int64]:
        """The places in the buffer of the actions' numbers."""
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
        sparse = source.begin == 0  # the planes: a single place for all their numbers
        if sparse:
            source = _Places(0, source.channels * source.outside, 1, 1)
        self._add(layer, source, target, np.arange(source.outside, dtype=np.int32)[:, None], relu, sparse=sparse)
        return target

    def _add(
        self, layer: nn.Module, source: _Places, target: _Places, places: NDArray[np.int32], relu: bool,
        relu_before: bool = False, added: _Places | None = None, sparse: bool = False,
    ) -> None:  # fmt: skip
        taps, outputs = places.shape
        channels, filters = _padded(source.channels), target.channels
        self._layers.append(
            (source.begin, target.begin, -1 if added is None else added.begin, self._place_count,
             self._weight_count + filters, taps, outputs, channels, filters, relu_before, relu, sparse)
        )  # fmt: skip
        self._loads.append((layer, source))
        self._places.append(places.ravel())
        self._place_count += places.size
        self._weight_count += filters * (1 + taps * channels)
        if not sparse:
            self.multiplications += places.size * channels * filters

    def _array(self, channels: int, rows: int, columns: int) -> _Places:
        """A new array at the end of the buffer."""
        found = _Places(self._size, channels, rows, columns)
        self._size += (rows * columns + 1) * _padded(channels)
        return found


def few_states(network: Network, heads: Sequence[str]) -> FewStates | None:
    """The compiled form of a network; None if it has no such form, or if a single state is too much for it.

    Searches that ask for values alone evaluate many states at a time. Then the form must suit any number of states.
    """
    try:
        found = FewStates(network, heads)
    except TypeError:
        return None
    suits = found.suits(MOST_WORK) if heads == VALUES else found.suits(1)
    if not suits:
        return None
    prepare(forward)
    return found


def _padded(channels: int) -> int:
    return -(-channels // 4) * 4
