"""The network of a run, ready for use."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import Heuristic, restored_heuristic
from athenan.evaluation.networks import VALUES, Network, build_network, load_weights, saved_heads
from athenan.games.catalogue import known
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, load_network
from athenan.runs.run import settings_of
from athenan.search.named import known_search
from athenan.search.settings import SearchSettings


@dataclass(frozen=True)
class SavedNetwork:
    """The network of a run as it was saved, on the CPU."""

    game: Game
    heuristic: Heuristic
    network: Network
    architecture: str
    """Its name, such as c:filters=32."""
    heuristic_name: str


def saved_network(path: str | Path) -> SavedNetwork:
    """The network of a run directory, of RUN@MINUTES or of a checkpoint, with all of its heads.

    Raises CheckpointError if the run is damaged, or is of a user's game that was not named in this process: reading a
    run never runs code.
    """
    saved = load_network(path)
    try:
        run = settings_of(saved.configuration)
        game = known(run.game)
        heuristic = restored_heuristic(run.heuristic, game, saved.heuristic)
        network = build_network(
            parse_architecture(run.network), game.planes, heuristic.scale, heuristic.bounded,
            saved_heads(saved.tensors), ActionSpace.of(game),
        )  # fmt: skip
        load_weights(network, saved.tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} holds no network that can be used: {error}") from None
    return SavedNetwork(game, heuristic, network, run.network, run.heuristic)


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
) -> LearntNetwork:
    """The network of a run directory or checkpoint; `heads` are those that are evaluated.

    Raises CheckpointError as `saved_network` does, and if the network has not these heads.
    """
    saved = saved_network(path)
    network, heuristic = saved.network, saved.heuristic
    if missing := [name.replace("_", " ") for name in heads if name not in network.heads]:
        raise CheckpointError(f"this search needs a network with {' and '.join(missing)}, which {path} has not")
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
