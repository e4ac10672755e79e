"""Adam takes the steps that PyTorch's own optimizer takes."""

import subprocess
import sys
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import Conv2d, Linear, Module, Parameter

from athenan.learning.learner.adam import Adam


class TwoHeads(Module):
    """A network of which one head may be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.one, self.other = Conv2d(3, 8, 3), Linear(72, 4), Linear(72, 2)

    def forward(self, planes: Tensor, both: bool) -> Tensor:
        neurons = self.trunk(planes).relu().flatten(1)
        loss: Tensor = self.one(neurons).square().mean()
        return loss + self.other(neurons).sum() if both else loss


def groups(network: Module) -> list[tuple[list[Parameter], float]]:
    parameters = list(network.parameters())
    return [([one for one in parameters if one.ndim > 1], 0.01), ([one for one in parameters if one.ndim == 1], 0.0)]


def test_steps_are_those_of_pytorchs_own_optimizer() -> None:
    torch.manual_seed(0)
    own, other = TwoHeads(), TwoHeads()
    other.load_state_dict(own.state_dict())
    ours = Adam(groups(own), 0.003)
    theirs = torch.optim.Adam(
        [{"params": parameters, "weight_decay": decay} for parameters, decay in groups(other)],
        lr=0.003, betas=(0.9, 0.999), eps=1e-7, fused=True,
    )  # fmt: skip
    for number in range(20):
        planes = torch.randn(16, 3, 5, 5)
        for network, optimizer in ((own, ours), (other, theirs)):
            optimizer.zero_grad()
            network(planes, number % 3 == 2).backward()
            optimizer.step()
    for one, same in zip(own.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, same)
        for part in Adam.PARTS:
            assert torch.equal(ours.state[one][part], theirs.state[same][part]), part


def test_a_training_loads_no_compiler_of_pytorch(tmp_path: Path) -> None:
    check = (
        "import sys\nfrom athenan.learning.training import train\nfrom small_trainings import quiet, small\n"
        f"train(small('tictactoe', matches=1, averaging=0.9), {str(tmp_path / 'run')!r}, quiet())\n"
        "assert 'torch' in sys.modules and 'torch._dynamo' not in sys.modules"
    )
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{check}"]
    subprocess.run(command, check=True)
