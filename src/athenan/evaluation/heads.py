"""Heads: the answers of a network for a state, computed from the neurons of its trunk.

| head | answer | learnt by |
| --- | --- | --- |
| values | the value of the state, float32[n] | the mean squared error of value / scale, or `divergence` |
| policies | logits of all actions, float32[n, actions] | the cross-entropy with given probabilities |
| action_values | v(s, a) of all actions, float32[n, actions] | as values, and by differences between actions |

A head has the name of the field of a batch that it learns from, and of its field in `Leaves`. A head of your own is a
`Head`, added to `HEADS`.
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
"""The actions of a game that a head may have; a batch has a number for each, of each state."""
_FILTERS = 16  # of the convolutions of action values alone
_LEAST_DIFFERENCES = 1e-6  # the sum of squares, so that equal values are no division by zero


@dataclass(frozen=True, eq=False)
class ActionSpace:
    """The actions of a game, and where they lie on the board."""

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
    """The trunk that a head is built on."""

    planes: tuple[int, int, int]
    """Shape of an encoded state: planes, rows, columns."""
    features: tuple[int, int, int]
    """Shape of the output of the convolutions: filters, rows, columns; (0, 0, 0) if the trunk has none."""
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
        """The output for each state, float32[n, ...], of order 1, for the loss."""

    def answer(self, output: Tensor) -> Tensor:
        """The answer of the evaluator: the output in its proper scale, float32[n, ...]."""
        return output

    @abstractmethod
    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        """The loss of outputs, one number; `wanted` is the batch's field with the head's name, float32[n, ...]."""


class ValueHead(Head):
    """The value of a state, by one neuron; in a bounded network it ends in tanh.

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

        tanh(x) is 2 σ(2x) - 1, so that p = σ(2x). For bounded networks.
        """
        return functional.binary_cross_entropy_with_logits(2 * output, (wanted / self.scale + 1) / 2)


class ActionHead(Head):
    """A number for each action.

    If the trunk keeps the board's size, a 1x1 convolution computes the numbers of actions with a place on the board. A
    dense layer on the hidden neurons computes all others.
    """

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        actions = trunk.actions
        if not actions.count:
            raise ValueError("a head for actions needs the actions of the game: ActionSpace.of(game)")
        if actions.count > MOST_ACTIONS:
            raise ValueError(
                f"a head for actions may have at most {MOST_ACTIONS:,} of them, and this game has {actions.count:,}"
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

    The cross-entropy is with the softmax over all actions, including illegal ones, as in AlphaZero; a state without
    probabilities does not count.
    """

    def loss(self, output: Tensor, wanted: Tensor) -> Tensor:
        known = (wanted.sum(1) > 0).sum().clamp(min=1)
        return -(wanted * functional.log_softmax(output, 1)).sum() / known


class ActionFeatures(nn.Module):
    """Features for the actions alone: two convolutions, of the trunk's features and of the planes."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.of_features = Convolution(trunk.features[0], _FILTERS)
        self.of_planes = Convolution(trunk.planes[0], _FILTERS)
        self.second = Convolution(_FILTERS, _FILTERS, relu=True)

    def forward(self, features: Tensor, planes: Tensor) -> Tensor:
        first = functional.relu(self.of_features(features.float()) + self.of_planes(planes.float()))
        return cast(Tensor, self.second(first))


class ActionValueHead(ActionHead):
    """The values of all actions, on the scale of the value; NaN in `wanted` is an unknown value and does not count.

    It learns from what the trunk has learnt, and does not change that: a trunk that learns both gives worse values.
    Where a convolution computes the actions, it has features of its own, and a neuron on the hidden ones adds the same
    number to all: how good the state is.
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
        """The mean squared error, and the share of the differences within states that is not explained.

        Actions of a state differ far less than states do: the mean squared error alone hardly learns which are better.
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
