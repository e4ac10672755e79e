"""Small networks, and states for them, which several tests share."""

from typing import Any

import numpy as np
import torch

from athenan.evaluation.architectures import (
    CNetwork,
    DenseNetwork,
    FullyConvolutionalNetwork,
    ResidualNetwork,
    TorchArchitecture,
)
from athenan.evaluation.networks import Network, build_network

SMALL: dict[str, TorchArchitecture] = {
    "c": CNetwork(filters=8, dense=16),
    "padded": CNetwork(filters=8, dense=16, padded=True),
    "residual": ResidualNetwork(filters=8, blocks=2, dense=16),
    "r1": ResidualNetwork(filters=8, blocks=2, pointwise=8, dense=16),
    "r2": ResidualNetwork(filters=8, blocks=3, dense=16, dense_layers=2),
    "pooled": ResidualNetwork(filters=8, blocks=1, squeeze=4, pointwise=16, pooling=True, dense=16),
    "convolutional": ResidualNetwork(filters=4, blocks=0, dense_layers=0),
    "mlp": DenseNetwork(dense=16),
    "fcn": FullyConvolutionalNetwork(filters=8, convolutions=2, blocks=1, dense=16),
}


def states(count: int, planes: tuple[int, int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (count, *planes), np.int8)


def network(
    planes: tuple[int, int, int] = (3, 9, 9), name: str = "c", scale: float = 25.5, bounded: bool = False, **more: Any
) -> Network:
    torch.manual_seed(0)
    return build_network(SMALL[name], planes, scale, bounded, **more)
