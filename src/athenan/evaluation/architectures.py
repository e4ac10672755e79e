"""Architectures: networks described by frozen dataclasses and written as text.

Trunks are layers of PyTorch; pattern networks and shallow ones are arrays that compiled code reads. This module does
not load PyTorch.

A network of your own is a `torch.nn.Module` in a file (docs/algorithms/own_network.md), named by the file as in
`./mine.py:width=64`, or a frozen dataclass with a method `layers`, in a file or in `ARCHITECTURES`.

    >>> parse_architecture("c:filters=32,dense=50")
    CNetwork(filters=32, convolutions=3, dense=50, padded=False)
"""

import sys
from dataclasses import dataclass, is_dataclass
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from athenan.extras import require
from athenan.settings import Between, Checked, Kind, Mebibytes, Part, check, classes

if TYPE_CHECKING:
    from torch import nn

Layers = tuple[list["nn.Module"], list["nn.Module"]]


class TorchArchitecture(Protocol):
    """The settings of a trunk of layers: a frozen dataclass."""

    def layers(self, planes: tuple[int, int, int]) -> Layers:
        """The layers for states of shape `planes`, with any weights, in two lists.

        The first list maps [n, planes, rows, columns] to the features, [n, filters, ...]. The second list maps the
        features to the hidden neurons, [n, hidden].
        """


@dataclass(frozen=True)
class CNetwork(Checked):
    """Convolutions and one dense hidden layer (003, section 3.3.1; the C-network of 004, Table 2).

    The convolutions are 3x3 with ReLU, without padding unless `padded`. If the board is too small, the first ones keep
    the board's size by padding, and as many of the last ones as fit have no padding.
    """

    filters: Annotated[int, Between(1, 1024)] = 64
    """Filters of each convolution."""
    convolutions: Annotated[int, Between(1, 64)] = 3
    """Number of convolutions."""
    dense: Annotated[int, Between(1, 8192)] = 100
    """Neurons of the hidden layer."""
    padded: bool = False
    """Whether all convolutions keep the board's size; convolutional heads need this."""

    def layers(self, planes: tuple[int, int, int]) -> Layers:
        """See `TorchArchitecture`."""
        from torch import nn

        from athenan.evaluation.layers import Convolution, Dense

        channels, rows, columns = planes
        unpadded = 0 if self.padded else min(self.convolutions, (min(rows, columns) - 1) // 2)
        convolutions: list[nn.Module] = []
        for number in range(self.convolutions):
            padded = number < self.convolutions - unpadded
            convolutions.append(Convolution(channels, self.filters, padded=padded, relu=True))
            channels = self.filters
        cells = (rows - 2 * unpadded) * (columns - 2 * unpadded)
        return convolutions, [nn.Flatten(), Dense(channels * cells, self.dense)]


@dataclass(frozen=True)
class ResidualNetwork(Checked):
    """A convolution, residual blocks and dense hidden layers (R1 and R2 of 004, Table 2; 003, 8.4 to 12.4).

    All 3x3 convolutions are padded. A block is ReLU, convolution, ReLU, convolution, then the block's input added.
    """

    filters: Annotated[int, Between(1, 1024)] = 64
    """Filters of each 3x3 convolution."""
    blocks: Annotated[int, Between(0, 64)] = 4
    """Number of residual blocks."""
    squeeze: Annotated[int, Between(0, 256)] = 0
    """Ratio of the squeeze-and-excitation layer that ends each block; 0 for none."""
    pointwise: Annotated[int, Between(0, 8192)] = 0
    """Filters of a 1x1 convolution with ReLU after the blocks; 0 for none."""
    pooling: bool = False
    """Whether each filter is summed over the board (global sum pooling) before the dense layers."""
    dense: Annotated[int, Between(1, 8192)] = 100
    """Neurons of each hidden layer."""
    dense_layers: Annotated[int, Between(0, 8)] = 1
    """Number of dense hidden layers."""
    cut: Annotated[int, Between(0, 4)] = 0
    """Rings of cells that are cut from the edge of the planes first. 1 leaves out the border that Hex and Havannah show
    around the board, as in 003, section 8, and 004."""

    def layers(self, planes: tuple[int, int, int]) -> Layers:
        """See `TorchArchitecture`. Raises ValueError if cutting leaves no cells."""
        from torch import nn

        from athenan.evaluation.layers import Block, Convolution, Cut, Dense, SumPooling

        channels, rows, columns = planes[0], planes[1] - 2 * self.cut, planes[2] - 2 * self.cut
        if min(rows, columns) < 1:
            raise ValueError(f"cut must leave cells of {planes[1]} x {planes[2]}: {self.cut} is too large")
        convolutions: list[nn.Module] = [Cut(self.cut)] if self.cut else []
        convolutions.append(Convolution(channels, self.filters))
        convolutions += [Block(self.filters, self.squeeze) for _ in range(self.blocks)]
        channels = self.filters
        if self.pointwise:
            convolutions.append(Convolution(channels, self.pointwise, size=1, relu=True))
            channels = self.pointwise
        dense: list[nn.Module] = [SumPooling() if self.pooling else nn.Flatten()]
        neurons = channels if self.pooling else channels * rows * columns
        for _ in range(self.dense_layers):
            dense.append(Dense(neurons, self.dense))
            neurons = self.dense
        return convolutions, dense


@dataclass(frozen=True)
class FullyConvolutionalNetwork(Checked):
    """Padded convolutions, residual blocks, pooling over the board, dense hidden layers: weights for any board size.

    As in Polygames (Cazenave et al., 2020; 004), no layer between the planes and the pooling is dense, so a network can
    be carried from one board size to another. All 3x3 convolutions are padded and have ReLU. The blocks are the same as
    in `ResidualNetwork`. The hidden layers read the mean and the maximum of each filter over the board.
    """

    filters: Annotated[int, Between(1, 1024)] = 64
    """Filters of each convolution."""
    convolutions: Annotated[int, Between(1, 64)] = 4
    """Number of convolutions before the blocks."""
    blocks: Annotated[int, Between(0, 64)] = 0
    """Number of residual blocks."""
    dense: Annotated[int, Between(1, 8192)] = 100
    """Neurons of each hidden layer."""
    dense_layers: Annotated[int, Between(1, 8)] = 1
    """Number of dense hidden layers."""

    def layers(self, planes: tuple[int, int, int]) -> Layers:
        """See `TorchArchitecture`."""
        from torch import nn

        from athenan.evaluation.layers import Block, Convolution, Dense, MeanMaxPooling

        channels = (planes[0], *[self.filters] * self.convolutions)
        convolutions: list[nn.Module] = [
            Convolution(inputs, filters, relu=True) for inputs, filters in pairwise(channels)
        ]
        convolutions += [Block(self.filters, squeeze=0) for _ in range(self.blocks)]
        neurons = (2 * self.filters, *[self.dense] * self.dense_layers)
        dense = [Dense(inputs, outputs) for inputs, outputs in pairwise(neurons)]
        return convolutions, [MeanMaxPooling(), *dense]


@dataclass(frozen=True)
class DenseNetwork(Checked):
    """Dense hidden layers with ReLU on all planes, as in TD-Gammon (Tesauro 1992), which has one layer.

    It suits games whose board is not an image: a convolution would share weights between places with little in common.
    """

    dense: Annotated[int, Between(1, 8192)] = 128
    """Neurons of each hidden layer."""
    dense_layers: Annotated[int, Between(1, 8)] = 2
    """Number of hidden layers."""

    def layers(self, planes: tuple[int, int, int]) -> Layers:
        """See `TorchArchitecture`."""
        from torch import nn

        from athenan.evaluation.layers import Dense

        channels, rows, columns = planes
        neurons = (channels * rows * columns, *[self.dense] * self.dense_layers)
        return [], [nn.Flatten(), *(Dense(inputs, outputs) for inputs, outputs in pairwise(neurons))]


@dataclass(frozen=True)
class Patterns:
    """A pattern network: the sum of table entries, one for what stands on each tuple of cells (`evaluation.patterns`).

    It gives values and, where the training learns one, a policy. It is evaluated and learnt on the CPU.
    """

    walks: Annotated[int, Between(0, 4096)] = 32
    """Random walks over the board, not counting their images."""
    windows: bool = True
    """Whether every rectangle of neighbouring cells is a tuple: 3x3, 2x4 and 4x2 where cells have three codes."""
    lines: bool = False
    """Whether every straight line of cells is a tuple: rows, columns and diagonals."""
    length: Annotated[int, Between(0, 32)] = 0
    """Cells of a tuple; 0: the most that have at most `entries` combinations of codes. Longer tuples share entries by
    hashing."""
    entries: Annotated[int, Between(2, 2**24)] = 2**16
    """Most entries of a tuple."""
    vector: Literal[1, 8, 16, 32, 64] = 1
    """Weights of an entry; with more than 1, their sums go through a small dense part."""
    hidden: Literal[8, 16, 32, 64] = 16
    """Neurons of the hidden layer of the dense part."""
    phases: Annotated[int, Between(1, 64)] = 1
    """Phases of a match, each with its own tables; the number of occupied cells gives the phase."""
    colours: bool = True
    """See states of the second player as their images for the first, where the rules are the same for both."""
    layers: bool = False
    """Whether marks upon what stands on a cell, such as frozen pieces, are a layer of cells of their own."""
    shared: bool = True
    """Whether all planes that are the same on all cells choose the table; false: only the side to move does."""
    features: bool = True
    """Whether the network sees the features that the game declares (`Game.features`)."""
    estimate: bool = False
    """Whether the output begins with the estimate that the game declares among its features (`Features.estimate`)."""
    memory: Mebibytes = 1024
    """MiB that the tables may take, with what learning keeps of each weight."""
    seed: Annotated[int, Between(0, 2**31)] = 0
    """Seed of the walks and of the initial weights of the dense part."""

    def __post_init__(self) -> None:
        check(self)
        if not (self.walks or self.windows or self.lines):
            raise ValueError("walks must be above 0 without windows and lines: a network needs tuples")


@dataclass(frozen=True)
class Shallow:
    """One dense hidden layer with ReLU on all planes and features, as in TD-Gammon (`evaluation.shallow`).

    It gives values only, and is evaluated and learnt on the CPU, without PyTorch.
    """

    hidden: Annotated[int, Between(32, 512)] = 160
    """Neurons of the hidden layer, a multiple of 32."""
    colours: bool = True
    """See states of the second player as their images for the first, where the rules are the same for both."""
    features: bool = True
    """Whether the network sees the features that the game declares (`Game.features`)."""
    seed: Annotated[int, Between(0, 2**31)] = 0
    """Seed of the initial weights."""

    def __post_init__(self) -> None:
        check(self)
        if self.hidden % 32:
            raise ValueError(f"hidden must be a multiple of 32, not {self.hidden}")


NativeArchitecture = Patterns | Shallow
"""Networks that searches evaluate in compiled code, and that are learnt without PyTorch."""


@dataclass(frozen=True)
class OwnNetwork:
    """A user's `nn.Module`, which gives the values itself and, if it likes, the logits of all actions."""

    part: Part

    def module(self, planes: tuple[int, int, int], actions: int) -> "nn.Module":
        """The module for states of shape `planes`. Raises ValueError if that fails; a user's code may raise anything.

        It takes float32[n, planes, rows, columns] and returns values, [n] or [n, 1], of order 1 (value / scale), or
        these and logits, [n, actions].
        """
        made: nn.Module = self.part.make(planes=planes, actions=actions)
        return made


Architecture = TorchArchitecture | NativeArchitecture | OwnNetwork

ARCHITECTURES: dict[str, Architecture] = {
    "c": CNetwork(),  # 003, section 3.3.1
    "fcn": FullyConvolutionalNetwork(),  # for any board size
    "mlp": DenseNetwork(),
    "r1": ResidualNetwork(blocks=2, pointwise=64),  # 004, Table 2
    "r2": ResidualNetwork(filters=132, blocks=8, dense=155, dense_layers=2),  # 004, Table 3, Hex 13; 003, 8.4.1
    "hex_11": ResidualNetwork(filters=83, blocks=4, dense=74),  # 003, section 9.3.1
    "hex_13": ResidualNetwork(filters=186, blocks=8, dense=220, dense_layers=2),  # 003, section 9.4.1
    "othello_10": ResidualNetwork(373, 8, squeeze=16, pointwise=4453, pooling=True, dense=4453),  # 003, 10.3
    "arimaa": ResidualNetwork(263, 4, pointwise=2217, pooling=True, dense=2217),  # 003, section 11.4
    "morpion": ResidualNetwork(186, 8, squeeze=16, dense=104, dense_layers=2),  # 003, section 12.4
    "patterns": Patterns(),
    "shallow": Shallow(),
}
"""The architectures by name: the papers' and yours."""


def _in_module(module: ModuleType) -> list[Any]:
    """The networks in a user's module: of several modules of PyTorch, those that are called Network."""
    torch = sys.modules.get("torch")
    found = classes(module, torch.nn.Module) if torch else []
    if len(found) > 1:
        found = [one for one in found if one.__name__ == "Network"] or found
    return [*found, *(one for one in classes(module, object) if is_dataclass(one) and hasattr(one, "layers"))]


KIND = Kind(
    "network", "--network", ARCHITECTURES, _in_module,
    "one class that derives from torch.nn.Module, or among several one that is called Network",
    given=frozenset({"planes", "actions"}),
)  # fmt: skip
"""Networks among the parts that a user's file may bring."""


def require_what_computes(network: str, otherwise: str = "") -> None:
    """Raises MissingError if the network needs PyTorch, which is not installed, and ValueError for an unknown one.

    `otherwise` is what the user can do without it.
    """
    if not isinstance(parse_architecture(network), NativeArchitecture):
        require("torch", f"the architecture {network}", otherwise)


def parse_architecture(text: str) -> Architecture:
    """The architecture that a text such as "c", "r1" or "c:filters=32,dense=50" names.

    A user's file must have been named before, to `KIND.named` or on the command line. Raises ValueError with valid
    choices for an unknown architecture or setting, or a value out of bounds.
    """
    part = KIND.known(text)
    torch = sys.modules.get("torch")
    if torch and isinstance(part.definition, type) and issubclass(part.definition, torch.nn.Module):
        return OwnNetwork(part)
    made: Architecture = part.make()
    return made


def may_take_gpu(network: str, device: str) -> bool:
    """Whether a network takes a GPU where there is one: it is on PyTorch, and its device is not the CPU."""
    return device != "cpu" and not isinstance(parse_architecture(network), NativeArchitecture)
