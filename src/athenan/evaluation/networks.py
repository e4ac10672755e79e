"""Networks f_θ: the papers' value networks, described by frozen dataclasses.

A network sees a state as float planes [n, planes, rows, columns] and gives its value, float32[n], first player's
point of view. It computes output = value / scale, of order 1, so that learning rates mean the same for every
reinforcement heuristic: `network.output(planes)` is what the loss is taken on, `network(planes)` is
scale * output. For a bounded heuristic (classic) the output ends in tanh.

    >>> network = build_network(ARCHITECTURES["c"], planes=(3, 9, 9), scale=25.5, bounded=False)
    >>> network(torch.zeros(2, 3, 9, 9)).shape
    torch.Size([2])
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

MAX_WEIGHTS = 200_000_000
"""No network may have more: 800 MB in float32."""


def _require(architecture: object, **bounds: tuple[int, int]) -> None:
    """Raises ValueError unless every number is a whole one within its bounds, and every switch true or false."""
    for field in fields(architecture):  # type: ignore[arg-type]
        value = getattr(architecture, field.name)
        if field.name in bounds:
            low, high = bounds[field.name]
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"a network's {field.name} must be from {low} to {high}, not {value!r}")
        elif type(value) is not bool:
            raise ValueError(f"a network's {field.name} must be true or false, not {value!r}")


@dataclass(frozen=True)
class CNetwork:
    """Convolutions, one dense hidden layer, one output (003, section 3.3.1; the C-network of 004, Table 2).

    The convolutions are 3x3 with ReLU, without padding. On a board too small for that, the first of them keep the
    board's size by padding, so that as many of the last as fit go without.
    """

    filters: int = 64
    """Filters of each convolution, from 1 to 1024."""
    convolutions: int = 3
    """Number of convolutions, from 1 to 64."""
    dense: int = 100
    """Neurons of the hidden layer, from 1 to 8192."""

    def __post_init__(self) -> None:
        _require(self, filters=(1, 1024), convolutions=(1, 64), dense=(1, 8192))


@dataclass(frozen=True)
class ResidualNetwork:
    """A convolution, residual blocks, dense hidden layers, one output (R1 and R2 of 004, Table 2; 003, 8.4 to 12.4).

    All 3x3 convolutions are padded. A block is ReLU, convolution, ReLU, convolution, then the block's input added.
    """

    filters: int = 64
    """Filters of each 3x3 convolution, from 1 to 1024."""
    blocks: int = 4
    """Number of residual blocks, from 0 to 64."""
    squeeze: int = 0
    """Ratio of the squeeze-and-excitation layer that ends each block, from 1 to 256; 0 for none."""
    pointwise: int = 0
    """Filters of a 1x1 convolution with ReLU after the blocks, from 1 to 8192; 0 for none."""
    pooling: bool = False
    """Whether each filter is summed over the board (global sum pooling) before the dense layers."""
    dense: int = 100
    """Neurons of each hidden layer, from 1 to 8192."""
    dense_layers: int = 1
    """Number of dense hidden layers, from 0 to 8."""

    def __post_init__(self) -> None:
        _require(
            self, filters=(1, 1024), blocks=(0, 64), squeeze=(0, 256), pointwise=(0, 8192), dense=(1, 8192),
            dense_layers=(0, 8),
        )  # fmt: skip


Architecture = CNetwork | ResidualNetwork

_KINDS: dict[str, type[CNetwork] | type[ResidualNetwork]] = {"C": CNetwork, "residual": ResidualNetwork}

ARCHITECTURES: dict[str, Architecture] = {
    "c": CNetwork(),  # 003, section 3.3.1
    "r1": ResidualNetwork(blocks=2, pointwise=64),  # 004, Table 2
    "r2": ResidualNetwork(filters=132, blocks=8, dense=155, dense_layers=2),  # 004, Table 3, Hex 13; 003, 8.4.1
    "hex_11": ResidualNetwork(filters=83, blocks=4, dense=74),  # 003, section 9.3.1
    "hex_13": ResidualNetwork(filters=186, blocks=8, dense=220, dense_layers=2),  # 003, section 9.4.1
    "othello_10": ResidualNetwork(373, 8, squeeze=16, pointwise=4453, pooling=True, dense=4453),  # 003, 10.3
    "arimaa": ResidualNetwork(263, 4, pointwise=2217, pooling=True, dense=2217),  # 003, section 11.4
    "morpion": ResidualNetwork(186, 8, squeeze=16, dense=104, dense_layers=2),  # 003, section 12.4
}
"""The architectures of the papers, by name."""


def describe(architecture: Architecture) -> dict[str, int | bool | str]:
    """The architecture as plain data for a JSON file; `from_description` reads it."""
    kind = next(name for name, kind in _KINDS.items() if isinstance(architecture, kind))
    return {"kind": kind, **asdict(architecture)}


def from_description(description: Mapping[str, object]) -> Architecture:
    """The architecture that `describe` wrote. Raises ValueError if it is not one, or is out of bounds."""
    given = dict(description)
    name = given.pop("kind", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"a network's kind must be one of {', '.join(_KINDS)}, not {name!r}")
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(given) - known, key=str):
        raise ValueError(f"a {name} network has no {unknown[0]!r}; it has {', '.join(sorted(known))}")
    return kind(**given)  # type: ignore[arg-type]  # the dataclass checks the types


def parse_architecture(text: str) -> Architecture:
    """The architecture that a text such as "c", "r1" or "c:filters=32,dense=50" names.

    Raises ValueError if there is no such architecture, or no such number or switch in it.
    """
    name, _, changes = text.strip().partition(":")
    if name not in ARCHITECTURES:
        raise ValueError(f"there is no network {name!r}; the networks are {', '.join(ARCHITECTURES)}")
    description = describe(ARCHITECTURES[name])
    for change in filter(None, changes.split(",")):
        key, _, value = change.partition("=")
        if value.isdecimal() and len(value) < 10:
            description[key] = int(value)
        elif value in ("true", "false"):
            description[key] = value == "true"
        else:
            raise ValueError(f"network {text!r}: {change!r} must be NAME=NUMBER, NAME=true or NAME=false")
    return from_description(description)


class Convolution(nn.Conv2d):
    """A square convolution of stride 1 with bias, and ReLU where `relu` is set."""

    def __init__(self, inputs: int, filters: int, size: int = 3, padded: bool = True, relu: bool = False) -> None:
        super().__init__(inputs, filters, size, padding=size // 2 if padded else 0)
        self.relu = relu

    def forward(self, planes: Tensor) -> Tensor:
        planes = super().forward(planes)
        return functional.relu(planes) if self.relu else planes


class Dense(nn.Linear):
    """A dense layer with ReLU."""

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.relu(super().forward(inputs))


class SqueezeExcitation(nn.Module):
    """Weighs the filters by what they hold on the whole board (Hu, Shen and Sun, 2018); without biases."""

    def __init__(self, filters: int, ratio: int) -> None:
        super().__init__()
        hidden = max(1, filters // ratio)
        self.squeeze = nn.Linear(filters, hidden, bias=False)
        self.excite = nn.Linear(hidden, filters, bias=False)

    def forward(self, planes: Tensor) -> Tensor:
        weights = torch.sigmoid(self.excite(functional.relu(self.squeeze(planes.mean((2, 3))))))
        return planes * weights[:, :, None, None]


class Block(nn.Module):
    """A residual block: planes + convolution(ReLU(convolution(ReLU(planes))))."""

    def __init__(self, filters: int, squeeze: int) -> None:
        super().__init__()
        self.first = Convolution(filters, filters, relu=True)
        self.second = Convolution(filters, filters)
        self.weigh = SqueezeExcitation(filters, squeeze) if squeeze else nn.Identity()

    def forward(self, planes: Tensor) -> Tensor:
        added: Tensor = self.weigh(self.second(self.first(functional.relu(planes))))
        return planes + added


class SumPooling(nn.Module):
    """The sum of each filter over the board (Aich and Stavness, 2018): [n, filters, rows, columns] -> [n, filters]."""

    def forward(self, planes: Tensor) -> Tensor:
        return planes.sum((2, 3))


class Network(nn.Module):
    """A value network: `body` from planes to hidden neurons, one `last` neuron, and the scale of its values."""

    def __init__(
        self, planes: tuple[int, int, int], body: nn.Sequential, hidden: int, scale: float, bounded: bool
    ) -> None:
        super().__init__()
        self.planes = planes
        self.body = body
        self.last = nn.Linear(hidden, 1)
        self.scale = scale
        self.bounded = bounded

    def forward(self, planes: Tensor) -> Tensor:
        """The values of states: float[n, planes, rows, columns] -> float32[n]."""
        return self.scale * self.output(planes)

    def output(self, planes: Tensor) -> Tensor:
        """The same divided by the scale: what is compared with target / scale."""
        return self.head(self.body(planes))

    def head(self, hidden: Tensor) -> Tensor:
        """The output from the body's hidden neurons.

        In float32 even after a body in bfloat16, whose 8 significant bits would make different values equal.
        """
        output = self.last(hidden.float())[:, 0]
        return torch.tanh(output) if self.bounded else output


def build_network(architecture: Architecture, planes: tuple[int, int, int], scale: float, bounded: bool) -> Network:
    """A network with random weights from torch's generator, for states encoded as planes, rows, columns.

    `scale` and `bounded` are the heuristic's. Weights are Glorot uniform and biases zero, as in Keras.
    Raises ValueError if the network would have more than MAX_WEIGHTS weights.
    """
    body = _c_body if isinstance(architecture, CNetwork) else _residual_body
    with torch.device("meta"):
        empty = Network(planes, *body(architecture, planes), scale, bounded)  # type: ignore[arg-type]
    weights = sum(parameter.numel() for parameter in empty.parameters())
    if weights > MAX_WEIGHTS:
        raise ValueError(f"a network may have at most {MAX_WEIGHTS:,} weights, but this one would have {weights:,}")
    network = empty.to_empty(device="cpu")
    for parameter in network.parameters():
        if parameter.ndim > 1:
            nn.init.xavier_uniform_(parameter)
        else:
            nn.init.zeros_(parameter)
    return network


def load_weights(network: Network, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Gives a network saved weights, by their names. Raises ValueError if they are another network's, or not finite."""
    wanted = {name: (tuple(tensor.shape), np.dtype(np.float32)) for name, tensor in network.state_dict().items()}
    if {name: (array.shape, array.dtype) for name, array in weights.items()} != wanted:
        raise ValueError("the weights are not of this network")
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise ValueError("the weights are not finite numbers")
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


def _c_body(architecture: CNetwork, planes: tuple[int, int, int]) -> tuple[nn.Sequential, int]:
    """The layers up to the hidden neurons, and their number. Likewise below."""
    channels, height, width = planes
    unpadded = min(architecture.convolutions, (min(height, width) - 1) // 2)
    layers: list[nn.Module] = []
    for number in range(architecture.convolutions):
        padded = number < architecture.convolutions - unpadded
        layers.append(Convolution(channels, architecture.filters, padded=padded, relu=True))
        channels = architecture.filters
    cells = (height - 2 * unpadded) * (width - 2 * unpadded)
    layers += [nn.Flatten(), Dense(channels * cells, architecture.dense)]
    return nn.Sequential(*layers), architecture.dense


def _residual_body(architecture: ResidualNetwork, planes: tuple[int, int, int]) -> tuple[nn.Sequential, int]:
    channels, height, width = planes
    layers: list[nn.Module] = [Convolution(channels, architecture.filters)]
    layers += [Block(architecture.filters, architecture.squeeze) for _ in range(architecture.blocks)]
    channels = architecture.filters
    if architecture.pointwise:
        layers.append(Convolution(channels, architecture.pointwise, size=1, relu=True))
        channels = architecture.pointwise
    layers.append(SumPooling() if architecture.pooling else nn.Flatten())
    neurons = channels if architecture.pooling else channels * height * width
    for _ in range(architecture.dense_layers):
        layers.append(Dense(neurons, architecture.dense))
        neurons = architecture.dense
    return nn.Sequential(*layers), neurons
