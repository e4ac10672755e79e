"""Learning steps: the network's values are moved towards the targets (003, Algorithm 7).

`Search.learnable` says which states are learnt with which values, `learning.replay` how often.

    >>> from athenan.evaluation.networks import ARCHITECTURES, build_network
    >>> network = build_network(ARCHITECTURES["c"], planes=(3, 9, 9), scale=25.5, bounded=False)
    >>> learner = Learner(network, precision="float32")
    >>> loss = learner.step(np.zeros((128, 3, 9, 9), np.int8), np.full(128, 20, np.float32))
"""

import copy
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from athenan.evaluation.evaluator import check_precision, faster
from athenan.evaluation.networks import Network

_TRIAL_BATCH = 128
_ADAM = ("step", "exp_avg", "exp_avg_sq")


class Learner:
    """Adam with L2 regularization on the mean squared error of value / scale.

    `network` is changed in place, on the device where it is. `precision` is that of its body, forward and backward
    (weights and sums stay in float32): float32, bfloat16, or auto: bfloat16 where a short trial finds it clearly
    faster. The choice is kept in the attribute `precision`; a run that must repeat another exactly is given it.
    """

    def __init__(
        self,
        network: Network,
        learning_rate: float = 0.001,
        l2: float = 0.001,
        precision: str = "auto",
        averaging: float = 0.0,
    ) -> None:
        """Starts with an optimizer that has seen nothing.

        `l2`: the papers' penalty l2 * sum(w²), on all weights but biases, beside the squared error of values; beside
        that of value / scale it is l2 / scale².
        `averaging`: the decay of the running average of the weights, per step; 0 averages nothing, as in the papers.
        Adam has the papers' parameters β1 = 0.9, β2 = 0.999, ε = 1e-7. Raises ValueError if there is no such precision.
        """
        self.network = network
        self.averaging = averaging
        self.average = copy.deepcopy(network).requires_grad_(False) if averaging else network
        """The network with averaged weights: steadier than the last step's."""
        self._device = next(network.parameters()).device
        weights = [parameter for parameter in network.parameters() if parameter.ndim > 1]
        biases = [parameter for parameter in network.parameters() if parameter.ndim == 1]
        self._optimizer = torch.optim.Adam(
            # torch adds weight_decay * w to the gradient; that of the penalty is 2 * l2 / scale² * w
            [{"params": weights, "weight_decay": 2 * l2 / network.scale**2}, {"params": biases, "weight_decay": 0.0}],
            lr=learning_rate, betas=(0.9, 0.999), eps=1e-7, fused=True,
        )  # fmt: skip
        self.precision = check_precision(precision, auto=self._faster)

    def step(self, planes: NDArray[np.int8], targets: NDArray[np.float32]) -> float:
        """One step of the optimizer on a batch: int8[n, planes, rows, columns] (or flattened) and values float32[n].

        Returns the loss before the step: the mean of ((value - target) / scale)², without the penalty.
        """
        states = torch.from_numpy(planes.reshape(-1, *self.network.planes)).to(self._device)
        wanted = torch.from_numpy(targets).to(self._device) / self.network.scale
        batch = states.to(torch.float32, memory_format=torch.channels_last)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            hidden = self.network.body(batch)
        loss = torch.nn.functional.mse_loss(self.network.head(hidden), wanted)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        if self.averaging:
            self._update_average()
        return loss.item()

    def _update_average(self) -> None:
        """Moves the average towards the weights; faster in the beginning, when they come from nowhere."""
        weights: list[Tensor] = list(self.network.parameters())
        steps = float(self._optimizer.state[weights[0]]["step"])
        decay = min(self.averaging, steps / (steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_([*self.average.parameters()], weights, 1 - decay)

    def state_dict(self) -> dict[str, Tensor]:
        """The optimizer's state as tensors by name; empty before the first step. The network's own is not in it."""
        return {
            f"{name}.{part}": self._optimizer.state[parameter][part].detach().clone()
            for name, parameter in self.network.named_parameters()
            if parameter in self._optimizer.state
            for part in _ADAM
        }

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Takes a state that `state_dict` gave. Raises ValueError, and takes nothing, if it is another network's."""
        shapes = {name: tuple(tensor.shape) for name, tensor in state.items()}
        parameters = dict(self.network.named_parameters())
        expected = {
            f"{name}.{part}": () if part == "step" else tuple(parameter.shape)
            for name, parameter in parameters.items()
            for part in _ADAM
        }
        if shapes and shapes != expected:
            wrong = sorted(set(shapes.items()) ^ set(expected.items()))[0][0]
            raise ValueError(f"the optimizer's state is not of this network: see {wrong!r}")
        self._optimizer.state.clear()
        for name, parameter in parameters.items() if shapes else ():
            self._optimizer.state[parameter] = {
                part: state[f"{name}.{part}"].to(self._device, torch.float32, copy=True) for part in _ADAM
            }

    def _faster(self) -> str:
        """The precision whose steps are faster, tried on a copy of the network."""

        def trial(precision: str) -> Callable[[], object]:
            learner = Learner(copy.deepcopy(self.network), precision=precision)
            planes = np.zeros((_TRIAL_BATCH, *self.network.planes), np.int8)
            targets = np.zeros(_TRIAL_BATCH, np.float32)
            return lambda: learner.step(planes, targets)

        return faster({precision: trial(precision) for precision in ("float32", "bfloat16")}, seconds=0.2)
