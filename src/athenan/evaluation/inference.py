"""Copies a network for evaluation only, with its own precision and memory layout, and oneDNN's fused layers on CPUs.

On CPUs a layer becomes one call of oneDNN, with weights reordered once and ReLU inside. These are PyTorch's own
operators for compiled models (`torch.ops.mkldnn`), used here without a compiler. If PyTorch lacks them, the plain
layers run.
"""

import copy
from typing import cast

import torch
from torch import Tensor, nn

from athenan.evaluation.layers import Convolution, Dense
from athenan.evaluation.networks import Network

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
        self.weight = torch._C._nn.mkldnn_reorder_conv2d_weight(weight.to_mkldnn(), self.padding, [1, 1], [1, 1], 1)
        self.bias = cast(Tensor, layer.bias).detach().to(self.dtype, copy=True)

    def forward(self, planes: Tensor) -> Tensor:
        return cast(Tensor, torch.ops.mkldnn._convolution_pointwise(
            planes, self.weight, self.bias, self.padding, [1, 1], [1, 1], 1, self.activation, [], ""
        ))  # fmt: skip


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
        return cast(Tensor, torch.ops.mkldnn._linear_pointwise(inputs, self.weight, self.bias, "relu", [], ""))


def inference_copy(network: Network, device: torch.device, precision: str) -> Network:
    """A network with the same answers (up to the precision), for evaluation only."""
    dtype = PRECISIONS[precision]
    model = copy.deepcopy(network).to(device).eval().requires_grad_(False)
    model.body.to(dtype=dtype)
    if device.type == "cpu" and _fusible(dtype):
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


def _fusible(dtype: torch.dtype) -> bool:
    """Whether this PyTorch and this processor have oneDNN's fused layers in a format."""
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_convolution_pointwise"):
        return False
    return dtype == torch.float32 or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
