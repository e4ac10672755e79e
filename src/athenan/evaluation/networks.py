"""Networks f_θ: a trunk described by an architecture, and heads.

A network takes states as float planes [n, planes, rows, columns]. It gives their values, float32[n], from the first
player's point of view, and the answers of its other heads. Heads compute outputs of order 1 (value / scale for values),
so learning rates mean the same for every reinforcement heuristic. With a bounded heuristic (classic), value outputs end
in tanh.

    >>> from athenan.evaluation.architectures import parse_architecture
    >>> network = build_network(parse_architecture("c"), planes=(3, 9, 9), scale=25.5, bounded=False)
    >>> network(torch.zeros(2, 3, 9, 9)).shape
    torch.Size([2])
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from athenan.evaluation.architectures import Architecture, NativeArchitecture, OwnNetwork, TorchArchitecture
from athenan.evaluation.heads import HEADS, ActionSpace, Head, Neurons, Trunk, ValueHead
from athenan.evaluation.own_module import OwnModule, OwnPolicyHead, OwnValueHead
from athenan.rules.heads import VALUES

MAX_WEIGHTS = 200_000_000
"""Most weights of a network: 800 MB in float32."""
_OTHERS = "others."


class Network(nn.Module):
    """A trunk `body` from planes to hidden neurons, the value head `last`, and the `others`."""

    def __init__(
        self,
        architecture: TorchArchitecture | OwnNetwork,
        planes: tuple[int, int, int],
        scale: float,
        bounded: bool,
        heads: Sequence[str],
        actions: ActionSpace,
        most: int,
    ) -> None:
        super().__init__()
        self.planes, self.scale, self.bounded = planes, scale, bounded
        self.own = isinstance(architecture, OwnNetwork)
        """Whether it is a user's module, which gives its answers itself."""
        if isinstance(architecture, OwnNetwork):
            self._take(architecture, heads, actions, most)
            return
        weights = _checked(_weights(lambda: chain(*architecture.layers(planes))), most)
        convolutions, dense = architecture.layers(planes)
        self.body = nn.Sequential(*convolutions, *dense)
        self._convolutions = len(convolutions)
        with torch.no_grad():
            features, hidden, _ = self._run(torch.zeros(1, *planes))
        filters, rows, columns = features.shape[1:] if convolutions else (0, 0, 0)
        trunk = Trunk(planes, (filters, rows, columns), hidden.shape[1], actions, scale, bounded)
        names = [name for name in heads if name not in VALUES]
        _checked(weights + _weights(lambda: (ValueHead(trunk), *(HEADS[name](trunk) for name in names))), most)
        self.last = ValueHead(trunk)
        self.others = nn.ModuleDict({name: HEADS[name](trunk) for name in names})

    def _take(self, architecture: OwnNetwork, heads: Sequence[str], actions: ActionSpace, most: int) -> None:
        """Takes a user's module as the trunk, whose neurons are the answers."""
        name, module = architecture.part.text, OwnModule(architecture, self.planes, actions.count)
        _checked(sum(parameter.numel() for parameter in module.parameters()), most)
        self.body, self._convolutions = nn.Sequential(module), 0
        trunk = Trunk(self.planes, (0, 0, 0), module.outputs, actions, self.scale, self.bounded)
        self.last = OwnValueHead(trunk)
        self.others = nn.ModuleDict({"policies": OwnPolicyHead(trunk)} if module.outputs > 1 else {})
        if missing := [head for head in heads if head not in self.heads]:
            lacking = missing[0].replace("_", " ")
            raise ValueError(f"network {name} gives no {lacking}, which this training or search needs")

    @property
    def heads(self) -> dict[str, Head]:
        """The heads by name."""
        return {"values": self.last} | cast(dict[str, Head], dict(self.others.items()))

    def forward(self, planes: Tensor) -> Tensor:
        """The values of states: float[n, planes, rows, columns] -> float32[n]."""
        return self.answers(planes, VALUES)[0]

    def answers(self, planes: Tensor, names: Sequence[str]) -> list[Tensor]:
        """The answers of some heads for states, each float32[n, ...]."""
        neurons, heads = self.neurons(planes, names), self.heads
        return [heads[name].answer(heads[name](neurons)) for name in names]

    def neurons(self, planes: Tensor, names: Sequence[str] = VALUES) -> Neurons:
        """The trunk's output for some heads, with hidden neurons only if one of them reads these."""
        heads = self.heads
        return self._run(planes, any(heads[name].reads_hidden for name in names))

    def _run(self, planes: Tensor, hidden: bool = True) -> Neurons:
        layers, found = list(self.body), planes
        for layer in layers[: self._convolutions]:
            found = layer(found)
        features = found
        if not hidden:
            return Neurons(features, features.new_empty(len(features), 0), planes)
        for layer in layers[self._convolutions :]:
            found = layer(found)
        return Neurons(features, found, planes)


def build_network(
    architecture: Architecture,
    planes: tuple[int, int, int],
    scale: float,
    bounded: bool,
    heads: Sequence[str] = VALUES,
    actions: ActionSpace = ActionSpace(),
    seed: int | None = None,
    saved: Mapping[str, NDArray[np.float32]] | None = None,
) -> Network:
    """A network with random weights from torch's generator, for states encoded as planes, rows, columns.

    `seed` is for that generator; None leaves it as it is. `saved` are weights to be loaded afterwards: a network that
    has more is not built, so that a small file cannot ask for a large network.
    `scale` and `bounded` are the heuristic's. `heads` are names of `HEADS`. Every network has the value head, whose
    weights do not depend on the other heads. Heads for actions need the game's `actions`: `ActionSpace.of(game)`.
    Weights are Glorot uniform and biases zero, as in Keras, but a user's module has its own. Raises ValueError if a
    head does not exist, if the network would have more weights than MAX_WEIGHTS or `saved`, or if the architecture is
    not made of PyTorch's layers.
    """
    if isinstance(architecture, NativeArchitecture):
        raise ValueError("this network is not made of layers of PyTorch: choose one such as c, or `native_network`")
    if unknown := sorted(set(heads) - set(HEADS)):
        raise ValueError(f"there is no head {unknown[0]!r}; the heads are {', '.join(HEADS)}")

    most = MAX_WEIGHTS if saved is None else sum(array.size for array in saved.values())
    with torch.random.fork_rng(devices=[]):  # the layers' own weights are replaced
        if seed is not None:
            torch.manual_seed(seed)
        built = Network(architecture, planes, scale, bounded, heads, actions, most)
    if seed is not None:
        torch.manual_seed(seed)
    initialise(built)
    return built


def _weights(layers: Callable[[], Iterable[nn.Module]]) -> int:
    """The number of weights that layers would have, without allocating them.

    The layers are only made, on the device `meta`: computing with them there would import torch's compiler and take a
    second.
    """
    with torch.device("meta"):
        return sum(parameter.numel() for layer in layers() for parameter in layer.parameters())


def _checked(weights: int, most: int) -> int:
    """The number of weights. Raises ValueError if they are too many, or more than the `most` that a file has."""
    if weights > MAX_WEIGHTS:
        raise ValueError(
            f"a network may have at most {MAX_WEIGHTS:,} weights, but this one would have {weights:,} or more"
        )
    if weights > most:
        raise ValueError(f"the weights do not fit this network: it has {weights:,} or more, and they are {most:,}")
    return weights


def initialise(network: Network) -> None:
    """Gives the network random weights from torch's generator; a user's module chooses them itself."""
    if network.own:
        for module in network.modules():
            if callable(reset := getattr(module, "reset_parameters", None)):
                reset()
        return
    for parameter in network.parameters():
        if parameter.ndim > 1:
            nn.init.xavier_uniform_(parameter)
        else:
            nn.init.zeros_(parameter)


def saved_heads(names: Iterable[str]) -> tuple[str, ...]:
    """The heads of a network whose weights have these names, the value head first."""
    return (*VALUES, *sorted({name.split(".")[1] for name in names if name.startswith(_OTHERS)}))


def carried_weights(network: Network, weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """The weights of a network with more or fewer last actions, fitted to this network.

    Heads and dense neurons of actions that this network lacks are left out.
    """
    wanted = network.state_dict()

    def fitting(name: str, array: NDArray[np.float32]) -> NDArray[np.float32]:
        of_actions = name.startswith(_OTHERS) and ".dense." in name
        return array[: len(wanted[name])] if of_actions else array

    return {name: fitting(name, array) for name, array in weights.items() if name in wanted}


def load_weights(network: Network, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Loads saved weights by name. Raises ValueError if they do not fit the network or are not finite."""
    wanted = {name: (tuple(tensor.shape), np.dtype(np.float32)) for name, tensor in network.state_dict().items()}
    if {name: (array.shape, array.dtype) for name, array in weights.items()} != wanted:
        raise ValueError("the weights do not fit this network")
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise ValueError("the weights are not finite numbers")
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})
