"""Carries a network from one training to another, perhaps of another board size: learning begins with its weights.

A network learns value / scale, with the scale of the game's heuristic, so its outputs keep their meaning on a board of
another size. PyTorch is loaded only for a network that is made of it.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import NativeArchitecture, OwnNetwork, parse_architecture
from athenan.games.catalogue import carries_over, known
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.networks.catalogue import path_of
from athenan.rules.game import family_of
from athenan.runs.checkpoint import CheckpointError, NetworkCheckpoint, load_network
from athenan.runs.learnt import tell_carried
from athenan.runs.run import RunSettings, settings_of

if TYPE_CHECKING:
    from athenan.learning.learner.torch_learner import TorchLearner

Shapes = dict[str, tuple[int, ...]]


def carry_network(path: str, run: RunSettings, learner: Learner) -> None:
    """Gives the learner's network and its average the weights of the run directory or checkpoint `path`.

    If `path` is athenan, they come from the package's network of the game. If both trainings average, the average gets
    the weights that play, and the network the weights that learning steps change.
    Raises CheckpointError, which says what would fit, unless the game is of the same family, such as hex, and planes,
    heads and the shapes of all weights are the same. Pattern networks and shallow ones need the same game, or one that
    it carries over to.
    """
    saved = load_network(path_of(path, known(run.game)))
    old = initial_settings(path, saved.configuration, run)
    try:
        trained, game = known(old.game), known(run.game)
        other_options = trained.name != game.name and carries_over(trained, game)
        if isinstance(learner, NativeLearner):
            _carry_native(saved, old, run, learner)
        else:
            _carry_layers(saved, old, run, cast("TorchLearner", learner), other_options)
    except ValueError as error:
        raise _unfit(path, run, error) from None
    if other_options:
        tell_carried(f"{path} has learnt {trained.name}: with its network begins a training of {game.name}")


def initial_settings(path: str, configuration: Mapping[str, Any], run: RunSettings) -> RunSettings:
    """The settings of the run `path`, which has this configuration.

    Raises CheckpointError if a training of another family would begin with it.
    """
    try:
        old = settings_of(configuration)
        if family_of(old.game) != family_of(run.game):
            raise ValueError(f"that is a run of {old.game}; give one of {family_of(run.game)}")
    except ValueError as error:
        raise _unfit(path, run, error) from None
    return old


def _unfit(path: str, run: RunSettings, error: ValueError) -> CheckpointError:
    return CheckpointError(f"a training of {run.game} cannot begin with {path}: {error}")


def _carry_native(saved: NetworkCheckpoint, old: RunSettings, new: RunSettings, learner: NativeLearner) -> None:
    if parse_architecture(old.network) != parse_architecture(new.network):
        raise ValueError(_other_network(old, new))
    if old.game != new.game and not carries_over(known(old.game), known(new.game)):
        raise ValueError(f"the network of {old.game} is of its board; give a run of {new.game}")
    learner.carry(saved.tensors, saved.learner)


def _carry_layers(
    saved: NetworkCheckpoint, old: RunSettings, new: RunSettings, learner: "TorchLearner", other_options: bool
) -> None:
    from athenan.evaluation.networks import carried_weights, load_weights, saved_heads

    tensors, learnt = saved.tensors, saved.learner or saved.tensors
    wanted = _shapes({name: tensor.numpy(force=True) for name, tensor in learner.network.state_dict().items()})
    if isinstance(parse_architecture(old.network), NativeArchitecture):
        raise ValueError(_other_network(old, new))
    if other_options and saved_heads(tensors) == saved_heads(wanted):
        tensors, learnt = (carried_weights(learner.network, weights) for weights in (tensors, learnt))
    if (found := _shapes(tensors)) != wanted or _layers(old) != _layers(new):
        raise ValueError(_difference(old, new, found, wanted))
    load_weights(learner.average, tensors)
    if learner.averaging:
        load_weights(learner.network, learnt)


def _shapes(weights: Mapping[str, NDArray[np.float32]]) -> Shapes:
    return {name: array.shape for name, array in weights.items()}


def _difference(old: RunSettings, new: RunSettings, found: Shapes, wanted: Shapes) -> str:
    """Why the shapes of weights differ, and what would fit."""
    from athenan.evaluation.networks import saved_heads

    planes, needed = (known(run.game).planes[0] for run in (old, new))
    if planes != needed:
        return f"states of {old.game} have {planes} planes, not {needed}; give a run of {new.game}"
    if parse_architecture(old.network) != parse_architecture(new.network):
        return _other_network(old, new)
    if (has := saved_heads(found)) != (needs := saved_heads(wanted)):
        return f"its network has the heads {_list(has)}, not {_list(needs)}; give a run that has learnt these"
    if _layers(old) == _layers(new):
        return f"weights of the heads {_list(has)} depend on the board's size; give a run of {new.game}"
    fitting = f"give a run of {new.game}, or one of another size with the network fcn"
    return f"the weights of its network {old.network} depend on the board's size; {fitting}"


def _other_network(old: RunSettings, new: RunSettings) -> str:
    return f"its network is {old.network}, not {new.network}; train with --network {old.network}"


def _layers(run: RunSettings) -> str:
    """The layers of the trunk; padding that follows the board's size may differ where weights have the same shape."""
    architecture = parse_architecture(run.network)
    assert not isinstance(architecture, NativeArchitecture)
    if isinstance(architecture, OwnNetwork):
        return run.network
    from torch import device

    with device("meta"):
        return str(architecture.layers(known(run.game).planes))


def _list(names: Collection[str]) -> str:
    return " and ".join(name.replace("_", " ") for name in names)
