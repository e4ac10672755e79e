"""Copies a network for evaluation only, with its own precision and memory layout, and oneDNN's fused layers on CPUs.

On CPUs a layer becomes one call of oneDNN: weights reordered once, ReLU inside. These are PyTorch's own operators
for compiled models (`torch_parts`), used here without a compiler. Where PyTorch lacks them, the plain layers run.
"""

import copy
from typing import cast

import torch
from torch import Tensor, nn

from athenan.evaluation.layers import Convolution, Dense
from athenan.evaluation.networks import Network
from athenan.evaluation.torch_parts import convolution, dense, fused_layers, reordered

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
"""The number formats of a network's trunk, by name; heads are always in float32."""


class FusedConvolution(nn.Module):
    """A `Convolution` as one oneDNN call."""

    def __init__(self, layer: Convolution, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.padding = list(cast(tuple[int, int], layer.padding))
        self.activation = "relu" if layer.relu else "none"
        self.load(layer)

    def load(self, layer: nn.Module) -> None:
        """Takes the layer's weights."""
        weight = cast(Tensor, layer.weight).detach().to(self.dtype, memory_format=torch.channels_last)
        self.weight = reordered(weight, self.padding)
        self.bias = cast(Tensor, layer.bias).detach().to(self.dtype, copy=True)

    def forward(self, planes: Tensor) -> Tensor:
        return convolution(planes, self.weight, self.bias, self.padding, self.activation)


class FusedDense(nn.Module):
    """A `Dense` layer as one oneDNN call."""

    def __init__(self, layer: Dense, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.load(layer)

    def load(self, layer: nn.Module) -> None:
        """Takes the layer's weights."""
        self.weight = cast(Tensor, layer.weight).detach().to(self.dtype, copy=True)
        self.bias = cast(Tensor, layer.bias).detach().to(self.dtype, copy=True)

    def forward(self, inputs: Tensor) -> Tensor:
        return dense(inputs, self.weight, self.bias)


def inference_copy(network: Network, device: torch.device, precision: str) -> Network:
    """A network with the same answers (up to the precision), for evaluation only."""
    dtype = PRECISIONS[precision]
    model = copy.deepcopy(network).to(device).eval().requires_grad_(False)
    model.body.to(dtype=dtype)
    if device.type == "cpu" and fused_layers(dtype):
        _fuse(model.body, dtype)
        _fuse(model.others, torch.float32)
    else:
        model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return model


def _fuse(part: nn.Module, dtype: torch.dtype) -> None:
    """Replaces layers by fused layers where these exist."""
    for name, layer in list(part.named_modules()):
        if isinstance(layer, Convolution):
            part.set_submodule(name, FusedConvolution(layer, dtype))
        elif isinstance(layer, Dense):
            part.set_submodule(name, FusedDense(layer, dtype))


def copy_weights(network: Network, model: Network) -> None:
    """Copies the network's current weights to its inference copy."""
    for name, layer in network.named_modules():
        target = model.get_submodule(name)
        if isinstance(target, FusedConvolution | FusedDense):
            target.load(layer)
        else:
            for parameter, source in zip(target.parameters(False), layer.parameters(False), strict=True):
                parameter.copy_(source)
