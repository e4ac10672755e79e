"""What a run has learnt, ready to be used."""

from dataclasses import dataclass
from pathlib import Path

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heuristics import Heuristic, restored_heuristic
from athenan.evaluation.networks import build_network, load_weights
from athenan.games.catalogue import known
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError, NetworkCheckpoint, load_network
from athenan.runs.run import RunSettings
from athenan.settings import from_json


@dataclass(frozen=True)
class LearntNetwork:
    """The network of a run, ready to evaluate states of its game."""

    game: Game
    """With states that hold what the heuristic depends on."""
    evaluate: Evaluator
    heuristic: Heuristic


def learnt_network(path: str | Path, device: str = "auto", precision: str = "auto", threads: int = 1) -> LearntNetwork:
    """The network of a run directory or checkpoint.

    Raises CheckpointError if it is damaged, holds none, or is of a game that is code nobody has named in this process:
    reading a run never runs code.
    """
    saved = load_network(path)
    try:
        run = _settings(saved)
        game = known(run.game)
        heuristic = restored_heuristic(run.heuristic, game, saved.heuristic)
        network = build_network(parse_architecture(run.network), game.planes, heuristic.scale, heuristic.bounded)
        load_weights(network, saved.tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} holds no network that can be used: {error}") from None
    return LearntNetwork(heuristic.tracked(game), Evaluator(network, device, precision, threads), heuristic)


def game_name(path: str | Path) -> str:
    """The game of a run directory or checkpoint. Raises CheckpointError if there is none."""
    saved = load_network(path)
    try:
        return known(_settings(saved).game).name
    except ValueError as error:
        raise CheckpointError(f"{path} has no valid configuration: {error}") from None


def _settings(saved: NetworkCheckpoint) -> RunSettings:
    """The settings of a run. Raises ValueError if they are none."""
    settings: RunSettings = from_json(RunSettings, saved.configuration.get("run"))
    return settings
