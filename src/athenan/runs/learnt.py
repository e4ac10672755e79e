"""The network of a run, ready for use."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import parent_process
from pathlib import Path

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import Heuristic, carried_heuristic, restored_heuristic
from athenan.evaluation.networks import (
    VALUES,
    Network,
    build_network,
    carried_weights,
    load_weights,
    saved_heads,
)
from athenan.games.catalogue import carries_over, known
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, load_network
from athenan.runs.run import settings_of
from athenan.search.named import known_search
from athenan.search.settings import SearchSettings

_log = logging.getLogger("athenan")


@dataclass(frozen=True)
class SavedNetwork:
    """The network of a run as it was saved, on the CPU."""

    game: Game
    heuristic: Heuristic
    network: Network
    architecture: str
    """Its name, such as c:filters=32."""
    heuristic_name: str
    trained: str
    """The name of the game that it has learnt."""


def saved_network(path: str | Path, game: Game | None = None) -> SavedNetwork:
    """The network of a run directory, of RUN@MINUTES or of a checkpoint, with all of its heads.

    `game` is another game to which the network carries over (`Game.carries_over`), by default that of the run. If it
    has actions of which the network has learnt nothing, the heads for actions are left out. Raises CheckpointError if
    the run is damaged, if the network does not carry over, or if the run is of a user's game that was not named in this
    process: reading a run never runs code.
    """
    saved = load_network(path)
    try:
        run = settings_of(saved.configuration)
        trained = known(run.game)
        heuristic = restored_heuristic(run.heuristic, trained, saved.heuristic)
        played, heads, tensors = trained, saved_heads(saved.tensors), saved.tensors
        if game is not None and game.name != trained.name:
            if not carries_over(trained, game):
                raise ValueError(f"it has learnt {trained.name}, not {game.name}")
            played, heuristic = game, carried_heuristic(heuristic, trained, game)
            heads = heads if played.action_count <= trained.action_count else VALUES
        network = build_network(
            parse_architecture(run.network), played.planes, heuristic.scale, heuristic.bounded,
            heads, ActionSpace.of(played),
        )  # fmt: skip
        if played is not trained:
            tensors = carried_weights(network, tensors)
        load_weights(network, tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} holds no network that can be used: {error}") from None
    if played is not trained:
        tell_carried(f"{path} has learnt {trained.name}: its network plays {played.name}")
    return SavedNetwork(played, heuristic, network, run.network, run.heuristic, trained.name)


def tell_carried(line: str) -> None:
    """Tells once a process that a network carries over to another game; workers leave that to who started them."""
    if parent_process() is None:
        _tell(line)


@cache
def _tell(line: str) -> None:
    _log.warning(line)


@dataclass(frozen=True)
class LearntNetwork:
    """The network of a run, ready to evaluate states of its game."""

    game: Game
    """With states that hold what the heuristic depends on."""
    evaluate: Evaluator
    heuristic: Heuristic


def learnt_network(
    path: str | Path,
    device: str = "auto",
    precision: str = "auto",
    threads: int = 1,
    heads: Sequence[str] = VALUES,
    game: Game | None = None,
) -> LearntNetwork:
    """The network of a run directory or checkpoint; `heads` are those that are evaluated.

    `game` is the game to play, if the network carries over to it from that of the run. Raises CheckpointError as
    `saved_network` does, and if the network has not these heads.
    """
    saved = saved_network(path, game)
    network, heuristic = saved.network, saved.heuristic
    if missing := [name.replace("_", " ") for name in heads if name not in network.heads]:
        of = "" if saved.game.name == saved.trained else f" for {saved.game.name}"
        raise CheckpointError(f"this search needs a network with {' and '.join(missing)}{of}, which {path} has not")
    evaluate = Evaluator(network, device, precision, threads, heads)
    return LearntNetwork(heuristic.tracked(saved.game), evaluate, heuristic)


def playing_search(path: str | Path) -> SearchSettings:
    """The search with which players use the network of a run, unless they are told another.

    See `SearchSettings.for_play`. Raises CheckpointError if the run's configuration is not valid.
    """
    saved = load_network(path)
    try:
        return known_search(saved.configuration.get("search")).for_play()
    except ValueError as error:
        raise CheckpointError(f"{path} has no valid configuration: {error}") from None
