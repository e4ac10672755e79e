"""A shallow network as a module of PyTorch, for export: the same values by other means, from the same arrays."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from athenan.evaluation.patterns.header import record_in
from athenan.evaluation.shallow.kernels import HEADER
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.rules.heads import VALUES


class ShallowModule(nn.Module):
    """Planes in, values out, as `networks.Network` does."""

    heads = VALUES
    places: Tensor
    factors: Tensor
    layer: Tensor
    offsets: Tensor
    out: Tensor

    def __init__(self, network: ShallowNetwork) -> None:
        """Raises ValueError if the network reads features of its game, which only compiled code computes."""
        super().__init__()
        header = record_in(network.numbers, HEADER)
        if header["features"]:
            raise ValueError(
                f"a network that reads features of {network.game.family} cannot be exported: train one with "
                "--network shallow:features=false"
            )
        hidden = network.settings.hidden
        self.side, self.bounded = int(header["side"]), bool(header["bounded"])
        self.scale = network.scale
        places = np.stack([np.argsort(rows)[(rows < 0).sum() :] for rows in network.rows])
        self.register_buffer("places", torch.from_numpy(places))
        self.register_buffer("factors", torch.from_numpy(network.factors.copy()))
        self.register_buffer("layer", torch.from_numpy(network.layer.copy()))
        offsets, out, self.offset = network.output[:hidden], network.output[hidden:-1], float(network.output[-1])
        self.register_buffer("offsets", torch.from_numpy(offsets.copy()))
        self.register_buffer("out", torch.from_numpy(out.copy()))

    def answers(self, planes: Tensor, names: Sequence[str]) -> list[Tensor]:
        """The values of states, float32[n], from float32[n, planes, rows, columns]."""
        flat = planes.flatten(1)
        exchanged = flat[:, self.side] == 0 if self.side >= 0 else torch.zeros(len(flat), dtype=torch.bool)
        inputs = torch.where(exchanged[:, None], flat[:, self.places[1]], flat[:, self.places[0]]) * self.factors
        found = torch.relu(inputs @ self.layer + self.offsets) @ self.out + self.offset
        value = torch.tanh(found) if self.bounded else found
        return [self.scale * torch.where(exchanged, -value, value)]
