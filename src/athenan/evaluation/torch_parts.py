"""All that is used of PyTorch beyond its documented interface; `tests/test_private_parts.py` tests each part.

PyTorch makes these operators for compiled models, and for its optimizers. A new version may change them.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor


def fused_layers(dtype: torch.dtype) -> bool:
    """Whether this PyTorch and this processor have oneDNN's fused layers in that format."""
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_convolution_pointwise"):
        return False
    return dtype == torch.float32 or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def reordered(weight: Tensor, padding: list[int]) -> Tensor:
    """The weights of a convolution in the order that oneDNN prefers."""
    return torch._C._nn.mkldnn_reorder_conv2d_weight(weight.to_mkldnn(), padding, [1, 1], [1, 1], 1)


def convolution(planes: Tensor, weight: Tensor, bias: Tensor, padding: list[int], activation: str) -> Tensor:
    """A convolution with reordered weights, followed by "relu" or "none", in one call."""
    return cast(Tensor, torch.ops.mkldnn._convolution_pointwise(
        planes, weight, bias, padding, [1, 1], [1, 1], 1, activation, [], ""
    ))  # fmt: skip


def dense(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A dense layer followed by ReLU, in one call."""
    return cast(Tensor, torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "relu", [], ""))


def move_towards(averages: Sequence[Tensor], weights: Sequence[Tensor], share: float) -> None:
    """Moves each average by this share of the way to its weights, all in one call."""
    torch._foreach_lerp_(list(averages), list(weights), share)


def fused_adam(
    weights: list[Tensor], gradients: list[Tensor], means: list[Tensor], squares: list[Tensor], steps: list[Tensor],
    rate: float, decay: float,
) -> None:  # fmt: skip
    """A step of Adam with β1 = 0.9, β2 = 0.999, ε = 1e-7, all in one call, after `decay` times each weight is added to
    its gradient. `steps` are counted up.
    """
    torch._foreach_add_(steps, 1)
    torch._fused_adam_(
        weights, gradients, means, squares, [], steps, lr=rate, beta1=0.9, beta2=0.999, weight_decay=decay, eps=1e-7,
        amsgrad=False, maximize=False,
    )  # fmt: skip
