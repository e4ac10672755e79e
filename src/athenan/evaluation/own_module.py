"""A user's `nn.Module` as a network: its outputs are the answers, without heads of the package."""

import torch
from torch import Tensor, nn

from athenan.evaluation.architectures import OwnNetwork
from athenan.evaluation.heads import Neurons, PolicyHead, Trunk, ValueHead
from athenan.loading import telling

_TRIED = 1, 64
"""The numbers of states of a trial: searches and learning ask for batches of many sizes."""


class OwnModule(nn.Module):
    """Calls the module, and puts its values and logits side by side: [n, 1] or [n, 1 + actions]."""

    def __init__(self, architecture: OwnNetwork, planes: tuple[int, int, int], actions: int) -> None:
        """Makes the module and tries it on a few states. Raises ValueError if it is not what it claims."""
        super().__init__()
        self._name = name = f"network {architecture.part.text}"
        self.module = module = architecture.module(planes, actions)
        if not isinstance(module, nn.Module):
            raise ValueError(f"{name} must be a torch.nn.Module, not {type(module).__name__}")
        with telling(self._name, ": does its __init__ call super().__init__() first?"):
            parameters = dict(module.named_parameters())
            kept = [one for one in module.state_dict() if one not in parameters]
        if not parameters:
            raise ValueError(f"{name} must have parameters to learn")
        if kept:
            raise ValueError(
                f"{name} must have no buffers such as {kept[0]}, which are not learnt: take LayerNorm or GroupNorm in "
                "place of BatchNorm"
            )
        if any(parameter.dtype != torch.float32 for parameter in parameters.values()):
            raise ValueError(f"{name} must have parameters in float32")
        for states in _TRIED:
            found = self._tried(torch.zeros(states, *planes), actions)
        self.outputs: int = found.shape[1]

    def _tried(self, planes: Tensor, actions: int) -> Tensor:
        """The answers for these planes. Raises ValueError unless they can be learnt."""
        with torch.enable_grad():
            found: Tensor = self(planes)
        states, outputs = found.shape
        if outputs not in (1, 1 + actions):
            raise ValueError(
                f"{self._name} must return logits [n, {actions}] after the values, not {[states, outputs - 1]}"
            )
        if not torch.isfinite(found).all():
            raise ValueError(f"{self._name} must return finite numbers, and gives NaN or infinity for empty planes")
        if not found.requires_grad:
            raise ValueError(
                f"{self._name} must return answers that depend on its parameters by operations of torch: there is no "
                "gradient to learn from, as after detach or under no_grad"
            )
        return found

    def forward(self, planes: Tensor) -> Tensor:
        """float[n, planes, rows, columns] -> [n, 1] or [n, 1 + actions]."""
        with telling(self._name, f", for planes of the shape {list(planes.shape)}"):
            answer = self.module(planes)
        parts = list(answer) if isinstance(answer, tuple | list) else [answer]
        good = 1 <= len(parts) <= 2 and all(isinstance(one, Tensor) for one in parts)
        if not good or parts[0].shape not in ((len(planes),), (len(planes), 1)):
            shapes = [list(getattr(one, "shape", ())) for one in parts]
            raise ValueError(
                f"{self._name} must return values [n] or [n, 1], and any logits [n, actions], not {shapes}"
            )
        if len(parts) == 2 and (parts[1].ndim != 2 or len(parts[1]) != len(planes)):
            raise ValueError(f"{self._name} must return logits [n, actions], not {list(parts[1].shape)}")
        parts[0] = parts[0].reshape(-1, 1)
        return torch.cat(parts, 1)


class OwnValueHead(ValueHead):
    """The value that the module gives; it ends in tanh in a bounded network."""

    def __init__(self, trunk: Trunk) -> None:
        nn.Module.__init__(self)
        self.scale, self.bounded = trunk.scale, trunk.bounded
        self.share = nn.Parameter(torch.ones(1), requires_grad=False)
        """1, or 0 while values are not learnt, as in the first stage of expert iteration."""

    def reset_parameters(self) -> None:
        """Gives the module's value again."""
        nn.init.ones_(self.share)

    def forward(self, neurons: Neurons) -> Tensor:
        return self.share * neurons.hidden[:, 0].float()


class OwnPolicyHead(PolicyHead):
    """The logits that the module gives."""

    def __init__(self, trunk: Trunk) -> None:
        nn.Module.__init__(self)
        self.reads_hidden = True

    def forward(self, neurons: Neurons) -> Tensor:
        return neurons.hidden[:, 1:].float()
