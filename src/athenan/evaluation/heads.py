"""Heads: the answers of a network for a state, computed from the neurons of its trunk.

| head | answer | learnt by |
| --- | --- | --- |
| values | the value of the state, float32[n] | the mean squared error of value / scale, or `divergence` |
| policies | logits of all actions, float32[n, actions] | the cross-entropy with given probabilities |
| action_values | v(s, a) of all actions, float32[n, actions] | as values, and by differences between actions |

A head has the name of the field of a batch from which it learns, which is also the name of its field in `Leaves`. To
add your own head, add a `Head` to `HEADS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from athenan.evaluation.layers import Convolution
from athenan.rules.game import Game

MOST_ACTIONS = 20_000
"""Most actions of a game with such a head; a batch has a number for each action of each state."""
_FILTERS = 16  # filters of the convolutions for action values alone
_LEAST_DIFFERENCES = 1e-6  # least sum of squares: equal values must not divide by zero


@dataclass(frozen=True, eq=False)
class ActionSpace:
    """The actions of a game and their places on the board."""

    count: int = 0
    planes: int = 0
    """`Game.action_planes`"""
    places: NDArray[np.int32] | None = None
    """`Game.action_places`"""

    @classmethod
    def of(cls, game: Game) -> "ActionSpace":
        """The actions of a game."""
        return cls(game.action_count, game.action_planes, game.action_places)


@dataclass(frozen=True, eq=False)
class Trunk:
    """The trunk on which a head is built."""

    planes: tuple[int, int, int]
    """Shape of an encoded state: planes, rows, columns."""
    features: tuple[int, int, int]
    """Shape of the output of the convolutions: filters, rows, columns; (0, 0, 0) for a trunk without convolutions."""
    hidden: int
    """Number of hidden neurons."""
    actions: ActionSpace
    scale: float
    """The scale of the values."""
    bounded: bool
    """Whether every value is within [-scale, scale]."""

    @property
    def keeps_board(self) -> bool:
        """Whether the features have the board's rows and columns."""
        return self.features[0] > 0 and self.features[1:] == self.planes[1:]


class Neurons(NamedTuple):
    """The trunk's output for n states, in the number format of the trunk; heads compute in float32."""

    features: Tensor
    """[n, filters, rows, columns]"""
    hidden: Tensor
    """[n, hidden]; empty if no head reads it."""
    planes: Tensor
    """The encoded states, [n, planes, rows, columns]."""


class Head(nn.Module, ABC):
    """One head of a network."""

    reads_hidden = True
    """Whether it needs `Neurons.hidden`."""

    @abstractmethod
    def forward(self, neurons: Neurons) -> Tensor:
        """The output for each state, float32[n, ...], of order 1, from which the loss is computed."""

    def answer(self, output: Tensor) -> Tensor:
        """The evaluator's answer: the output in its proper scale, float32[n, ...]."""
        return output

    @abstractmethod
    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        """The loss of outputs as one number; `wanted` is the batch's field with the head's name, float32[n, ...]."""


class ValueHead(Head):
    """The value of a state from one neuron, which ends in tanh in a bounded network.

    It computes in float32 even after a trunk in bfloat16, whose 8 significant bits would make different values equal.
    """

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.scale, self.bounded = trunk.scale, trunk.bounded
        self.weight = nn.Parameter(torch.zeros(1, trunk.hidden))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, neurons: Neurons) -> Tensor:
        return functional.linear(neurons.hidden.float(), self.weight, self.bias)[:, 0]

    def _relative(self, output: Tensor) -> Tensor:
        """The value as a share of the scale."""
        return torch.tanh(output) if self.bounded else output

    def answer(self, output: Tensor) -> Tensor:
        return self.scale * self._relative(output)

    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        return functional.mse_loss(self._relative(output), wanted / self.scale)

    def divergence(self, output: Tensor, wanted: Tensor) -> Tensor:
        """-z log p - (1 - z) log(1 - p), where p and z are (value / scale + 1) / 2 (003, section 8.1).

        tanh(x) is 2 σ(2x) - 1, so p = σ(2x). The network must be bounded.
        """
        return functional.binary_cross_entropy_with_logits(2 * output, (wanted / self.scale + 1) / 2)


class ActionHead(Head):
    """A number for each action.

    If the trunk keeps the board's size, a 1x1 convolution computes the numbers of actions with a place on the board. A
    dense layer on the hidden neurons computes all other numbers.
    """

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        actions = trunk.actions
        if not actions.count:
            raise ValueError("a head for actions needs the actions of the game: ActionSpace.of(game)")
        if actions.count > MOST_ACTIONS:
            raise ValueError(
                f"a head for actions may have at most {MOST_ACTIONS:,} actions, but this game has {actions.count:,}"
            )
        places = np.full(actions.count, -1) if actions.places is None or not trunk.keeps_board else actions.places
        placed = places >= 0
        self.convolution = Convolution(trunk.features[0], actions.planes, size=1) if placed.any() else None
        self.reads_hidden = not placed.all()
        self.dense = nn.Linear(trunk.hidden, int((~placed).sum())) if self.reads_hidden else None
        where = np.empty(actions.count, np.int64)  # positions in the outputs of both, concatenated
        where[placed] = places[placed]
        where[~placed] = np.arange((~placed).sum()) + placed.any() * actions.planes * int(np.prod(trunk.planes[1:]))
        self.register_buffer("where", torch.from_numpy(where), persistent=False)

    def forward(self, neurons: Neurons) -> Tensor:
        numbers = []
        if self.convolution is not None:
            numbers.append(self.convolution(neurons.features.float()).flatten(1))
        if self.dense is not None:
            numbers.append(self.dense(neurons.hidden.float()))
        found = numbers[0] if len(numbers) == 1 else torch.cat(numbers, 1)
        return found.index_select(1, self.get_buffer("where"))


class PolicyHead(ActionHead):
    """Logits of all actions.

    The loss is the cross-entropy with the softmax over all actions, including illegal ones, as in AlphaZero. A state
    without probabilities does not count.
    """

    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        known = (wanted.sum(1) > 0).sum().clamp(min=1)
        return -(wanted * functional.log_softmax(output, 1)).sum() / known


class ActionFeatures(nn.Module):
    """Features for the actions alone, by a convolution of the trunk's features and one of the planes."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.of_features = Convolution(trunk.features[0], _FILTERS)
        self.of_planes = Convolution(trunk.planes[0], _FILTERS)
        self.second = Convolution(_FILTERS, _FILTERS, relu=True)

    def forward(self, features: Tensor, planes: Tensor) -> Tensor:
        first = functional.relu(self.of_features(features.float()) + self.of_planes(planes.float()))
        return cast(Tensor, self.second(first))


class ActionValueHead(ActionHead):
    """The values of all actions on the scale of the value; NaN in `wanted` is an unknown value and does not count.

    It learns from the trunk's output but does not train the trunk: a trunk that learns both gives worse values. If a
    convolution computes the actions, the head has its own features, and a neuron on the hidden neurons adds the same
    number to all actions: how good the state is.
    """

    def __init__(self, trunk: Trunk) -> None:
        super().__init__(replace(trunk, features=(_FILTERS, *trunk.features[1:])) if trunk.keeps_board else trunk)
        self.scale, self.bounded = trunk.scale, trunk.bounded
        self.reads_hidden = True
        self.own = ActionFeatures(trunk) if self.convolution is not None else None
        self.common = nn.Linear(trunk.hidden, 1) if self.convolution is not None else None

    def forward(self, neurons: Neurons) -> Tensor:
        features, hidden, planes = neurons.features.detach(), neurons.hidden.detach(), neurons.planes
        output = super().forward(Neurons(self.own(features, planes) if self.own else features, hidden, planes))
        if self.common is not None:
            output = output + self.common(hidden.float())
        return torch.tanh(output) if self.bounded else output

    def answer(self, output: Tensor) -> Tensor:
        return self.scale * output

    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        """The mean squared error plus the unexplained share of the differences within states.

        Actions of a state differ far less than states do: the mean squared error alone hardly learns the better ones.
        """
        known = ~torch.isnan(wanted)
        targets = torch.where(known, wanted, 0) / self.scale
        errors = torch.where(known, output - targets, 0)
        differences = (_centred(targets, known) ** 2).sum()
        unexplained = (_centred(errors, known) ** 2).sum() / (differences + _LEAST_DIFFERENCES)
        return (errors**2).sum() / known.sum().clamp(min=1) + unexplained


def _centred(numbers: Tensor, known: Tensor) -> Tensor:
    """The known numbers of each row, less their mean; [n, actions]."""
    means = numbers.sum(1, keepdim=True) / known.sum(1, keepdim=True).clamp(min=1)
    return torch.where(known, numbers - means, 0)


HEADS: dict[str, Callable[[Trunk], Head]] = {
    "values": ValueHead, "policies": PolicyHead, "action_values": ActionValueHead,
}  # fmt: skip
"""The heads by name. Add your own."""
