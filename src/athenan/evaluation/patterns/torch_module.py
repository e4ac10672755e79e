"""A pattern network as a module of PyTorch, for export: the same values by other means, from the same arrays."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from athenan.evaluation.patterns.header import HEADER, record_in
from athenan.evaluation.patterns.indices import MIXING
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.rules.heads import VALUES

_MIXING = int(MIXING) - 2**64
"""The factor of hashing as a signed number."""


class PatternModule(nn.Module):
    """Planes in, values out, as `networks.Network` does."""

    heads = VALUES
    codes: Tensor
    chosen: Tensor
    begins: Tensor
    cells: Tensor
    steps: Tensor
    beneath: Tensor
    bottom: Tensor
    starts: Tensor
    weights: Tensor
    offsets: Tensor
    layer: Tensor
    thresholds: Tensor
    out: Tensor

    def __init__(self, network: PatternNetwork) -> None:
        """Raises ValueError if the network reads features, which only compiled code computes, or gives a policy."""
        super().__init__()
        if network.heads != VALUES:
            raise ValueError("a pattern network with a policy cannot be exported: train one by descent")
        header = record_in(network.layout.numbers, HEADER)
        if header["features"]:
            raise ValueError(
                f"a network that reads features of {network.game.family} cannot be exported: train one with "
                "--network patterns:features=false"
            )
        layout, numbers = network.layout, torch.from_numpy(network.layout.numbers)
        codes = network.codes
        tuples, length, views = int(header["tuples"]), int(header["length"]), 2

        def part(name: str, *shape: int) -> Tensor:
            size = int(torch.tensor(shape).prod())
            return numbers[int(header[name]) :][:size].reshape(shape).clone()

        self.shift = int(header["shift"])
        self.scale, self.bounded = network.scale, bool(header["bounded"])
        self.phases, self.stride = network.settings.phases, layout.stride
        self.empty, self.fewest, self.spread = (int(header[name]) for name in ("empty", "fewest", "spread"))
        self.local = [[int(plane) for plane in layer if plane >= 0] for layer in codes.local]
        self.bits = codes.local.shape[1]
        self.shared: list[int] = codes.shared.tolist()
        self.register_buffer("codes", part("codes_at", views, len(codes.code_of)))
        self.register_buffer("chosen", part("tables_at", len(codes.table_of), 2))
        self.register_buffer("begins", part("begins_at", tuples))
        self.register_buffer("cells", part("cells_at", views, length, tuples).swapaxes(1, 2).contiguous())
        self.register_buffer("steps", part("steps_at", length, tuples).T.contiguous())
        self.marks = len(codes.beneath) > 0
        beneath = torch.from_numpy(codes.beneath)
        self.register_buffer("bottom", beneath < 0)
        self.register_buffer("beneath", beneath.clamp(min=0))
        self.register_buffer("starts", torch.from_numpy(codes.starts))
        self.register_buffer("weights", torch.from_numpy(network.entries.copy()))
        self.vector, hidden = network.settings.vector, network.settings.hidden
        if self.vector > 1:
            sizes = (self.vector, self.vector * hidden, hidden, hidden)
            offsets, layer, thresholds, out = (one.clone() for one in torch.from_numpy(network.dense).split(sizes))
            self.register_buffer("offsets", offsets)
            self.register_buffer("layer", layer.reshape(self.vector, hidden))
            self.register_buffer("thresholds", thresholds)
            self.register_buffer("out", out)

    def answers(self, planes: Tensor, names: Sequence[str]) -> list[Tensor]:
        """The values of states, float32[n], from float32[n, planes, rows, columns]."""
        flat = (planes.flatten(2) != 0).to(torch.int64)
        pieces = torch.cat([_number(flat[:, layer]) for layer in self.local], 1) + self.starts
        masks = pieces
        if self.marks:
            supported = (pieces[:, self.beneath] != 0) | self.bottom
            masks = pieces + (((pieces == 0) & supported).long() << self.bits)
        chosen = self.chosen[_number(flat[:, self.shared, 0]) if self.shared else masks[:, 0] * 0]
        count = (pieces != self.empty).sum(1)
        phase = ((count - self.fewest) * self.phases).div(self.spread, rounding_mode="floor").clamp(0, self.phases - 1)
        begin = (chosen[:, 0] * self.phases + phase) * self.stride
        sums = []
        for view in range(2):
            found = self.codes[view][masks][:, self.cells[view]]
            index = (found * self.steps).sum(2)
            index = (_hashed(index, self.shift) if self.shift else index) + self.begins + begin[:, None]
            sums.append(self.weights[index].sum(1))
        exchanged = chosen[:, 1] == 1
        chosen_sums = torch.where(exchanged.reshape(-1, *[1] * (sums[0].ndim - 1)), sums[1], sums[0])
        total = self._through_dense(chosen_sums) if self.vector > 1 else chosen_sums
        value = torch.tanh(total) if self.bounded else total
        return [self.scale * torch.where(exchanged, -value, value)]

    def _through_dense(self, sums: Tensor) -> Tensor:
        neurons = torch.relu((sums + self.offsets).clamp(0, 1) @ self.layer + self.thresholds)
        return sums[:, 0] + neurons @ self.out


def _hashed(index: Tensor, shift: int) -> Tensor:
    """The highest 64 - `shift` bits of 64-bit products, as in `kernels`, without unsigned numbers; 32 <= shift < 64."""
    mixed = index * _MIXING
    upper = torch.remainder(torch.div(mixed - torch.remainder(mixed, 2**32), 2**32, rounding_mode="trunc"), 2**32)
    return torch.div(upper - torch.remainder(upper, 2 ** (shift - 32)), 2 ** (shift - 32), rounding_mode="trunc")


def _number(planes: Tensor) -> Tensor:
    """Planes of 0 and 1, int64[n, planes, ...], as the bits of numbers, the first plane the lowest."""
    bits = torch.tensor([1 << bit for bit in range(planes.shape[1])], device=planes.device)
    return (planes * bits.reshape(1, -1, *[1] * (planes.ndim - 2))).sum(1)
