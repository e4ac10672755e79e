"""Layers of the trunks and heads of networks."""

from torch import Tensor, cat, nn, sigmoid
from torch.nn import functional


class Convolution(nn.Conv2d):
    """A square convolution of stride 1 with bias, and with ReLU if `relu` is set."""

    def __init__(self, inputs: int, filters: int, size: int = 3, padded: bool = True, relu: bool = False) -> None:
        super().__init__(inputs, filters, size, padding=size // 2 if padded else 0)
        self.relu = relu

    def forward(self, planes: Tensor) -> Tensor:
        planes = super().forward(planes)
        return functional.relu(planes) if self.relu else planes


class Cut(nn.Module):
    """The planes without some rings of cells at their edge."""

    def __init__(self, rings: int) -> None:
        super().__init__()
        self.rings = rings

    def forward(self, planes: Tensor) -> Tensor:
        return planes[:, :, self.rings : -self.rings, self.rings : -self.rings]


class Dense(nn.Linear):
    """A dense layer with ReLU."""

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.relu(super().forward(inputs))


class SqueezeExcitation(nn.Module):
    """Weighs the filters by their means over the board (Hu, Shen and Sun, 2018); without biases."""

    def __init__(self, filters: int, ratio: int) -> None:
        super().__init__()
        hidden = max(1, filters // ratio)
        self.squeeze = nn.Linear(filters, hidden, bias=False)
        self.excite = nn.Linear(hidden, filters, bias=False)

    def forward(self, planes: Tensor) -> Tensor:
        weights = sigmoid(self.excite(functional.relu(self.squeeze(planes.mean((2, 3))))))
        return planes * weights[:, :, None, None]


class Block(nn.Module):
    """A residual block: planes + convolution(ReLU(convolution(ReLU(planes))))."""

    def __init__(self, filters: int, squeeze: int) -> None:
        super().__init__()
        self.first = Convolution(filters, filters, relu=True)
        self.second = Convolution(filters, filters)
        self.weigh = SqueezeExcitation(filters, squeeze) if squeeze else nn.Identity()

    def forward(self, planes: Tensor) -> Tensor:
        added: Tensor = self.weigh(self.second(self.first(functional.relu(planes))))
        return planes + added


class SumPooling(nn.Module):
    """The sum of each filter over the board (Aich and Stavness, 2018): [n, filters, rows, columns] -> [n, filters]."""

    def forward(self, planes: Tensor) -> Tensor:
        return planes.sum((2, 3))


class MeanMaxPooling(nn.Module):
    """The means of the filters over the board, then their largest: [n, filters, rows, columns] -> [n, 2 filters].

    Polygames (Cazenave et al., 2020) pools global averages; KataGo (Wu, 2019, section 3.3) pools mean and maximum
    together. KataGo's terms for the width of the board are left out here.
    """

    def forward(self, planes: Tensor) -> Tensor:
        cells = planes.permute(0, 2, 3, 1).flatten(1, 2)  # channels_last's order in memory: one run each
        return cat([cells.mean(1), cells.amax(1)], 1)
