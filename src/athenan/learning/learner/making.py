"""The learner that a configuration describes. PyTorch is loaded only for a network that is made of it."""

from athenan.evaluation.architectures import NativeArchitecture, may_take_gpu, parse_architecture, require_what_computes
from athenan.evaluation.heuristics import Heuristic
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.rules.game import Game
from athenan.runs.checkpoint import Tensors


def make_learner(config: TrainingConfig, game: Game, heuristic: Heuristic, saved: Tensors | None = None) -> Learner:
    """A learner with the weights of a new network, which follow from the seed of the training.

    `saved` is what `Learner.as_arrays` gave for the training to restore. Raises ValueError if the configuration asks
    for what such a network lacks, or there is no such device.
    """
    architecture = parse_architecture(config.run.network)
    if isinstance(architecture, NativeArchitecture):
        if "action_values" in config.heads:
            raise ValueError(f"{config.run.network} gives no action values, which this training needs: use network c")
        if config.replay.method == "all":
            raise ValueError(f"replay all needs a network of PyTorch, such as c, not {config.run.network}")
        heads = config.heads
        return NativeLearner(game, architecture, heuristic.scale, heuristic.bounded, config.learning, saved, heads)
    require_what_computes(config.run.network)
    from athenan.learning.learner.torch_learner import torch_learner

    return torch_learner(config, game, heuristic, architecture, saved)


def takes_gpu(config: TrainingConfig) -> bool:
    """Whether a training takes a GPU where there is one (`may_take_gpu`)."""
    return may_take_gpu(config.run.network, config.learning.device)


def check_device(config: TrainingConfig) -> None:
    """Raises ValueError if PyTorch, where the network needs it, or the device is missing."""
    require_what_computes(config.run.network, "train one that needs none: --network patterns")
    if isinstance(parse_architecture(config.run.network), NativeArchitecture):
        return
    from athenan.evaluation.devices import choose_device

    choose_device(config.learning.device)
