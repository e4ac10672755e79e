"""Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015) for the weights of a PyTorch network."""

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor
from torch.nn import Parameter

from athenan.evaluation.torch_parts import fused_adam


class Adam:
    """What `torch.optim.Adam(..., fused=True)` does, by the same operator and so with the same numbers.

    That one loads PyTorch's compiler with its first step, which takes two seconds at each start of a training.
    """

    PARTS: Final = ("step", "exp_avg", "exp_avg_sq")
    """What it keeps of each weight: the number of steps, and running means of the gradient and of its square."""

    def __init__(self, groups: Sequence[tuple[Sequence[Parameter], float]], learning_rate: float) -> None:
        """`groups`: weights, and what times a weight is added to its gradient."""
        self._groups, self._learning_rate = groups, learning_rate
        self.state: dict[Parameter, dict[str, Tensor]] = {}
        """The parts of each weight that has had a gradient."""

    def zero_grad(self) -> None:
        """Forgets the gradients."""
        for parameters, _ in self._groups:
            for parameter in parameters:
                parameter.grad = None

    @torch.no_grad()
    def step(self, rate_left: float = 1.0) -> None:
        """Moves the weights that have a gradient, by this share of the learning rate."""
        rate = self._learning_rate * rate_left
        for parameters, decay in self._groups:
            gradients = {one: one.grad for one in parameters if one.grad is not None}
            for parameter in gradients:
                if parameter not in self.state:
                    self.state[parameter] = _begun(parameter)
            if gradients:
                steps, means, squares = ([self.state[one][part] for one in gradients] for part in self.PARTS)
                fused_adam(list(gradients), list(gradients.values()), means, squares, steps, rate, decay)


def _begun(parameter: Parameter) -> dict[str, Tensor]:
    zeros = torch.zeros_like(parameter, memory_format=torch.preserve_format)
    return {
        "step": torch.zeros((), dtype=torch.float32, device=parameter.device),
        "exp_avg": zeros, "exp_avg_sq": zeros.clone(),
    }  # fmt: skip
