"""What a run has learnt: its network, ready to evaluate."""

from dataclasses import dataclass
from pathlib import Path

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heuristics import Heuristic, restored_heuristic
from athenan.evaluation.networks import build_network, load_weights
from athenan.games.catalogue import known
from athenan.learning.checkpoint import CheckpointError, load_network
from athenan.learning.config import config_from_json
from athenan.rules.game import Game


@dataclass(frozen=True)
class LearntNetwork:
    """The network of a run, ready to evaluate states of its game."""

    game: Game
    evaluate: Evaluator
    heuristic: Heuristic


def learnt_network(path: str | Path, device: str = "auto", precision: str = "auto", threads: int = 1) -> LearntNetwork:
    """The network of a run directory or checkpoint. Raises CheckpointError if it is damaged or holds none."""
    saved = load_network(path)
    try:
        config = config_from_json(saved.configuration)
        game = known(config.game)
        heuristic = restored_heuristic(config.heuristic, game, saved.heuristic)
        network = build_network(parse_architecture(config.network), game.planes, heuristic.scale, heuristic.bounded)
        load_weights(network, saved.tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} holds no network that can be used: {error}") from None
    return LearntNetwork(game, Evaluator(network, device, precision, threads), heuristic)


def game_name(path: str | Path) -> str:
    """The game of a run directory or checkpoint. Raises CheckpointError if there is none."""
    try:
        return known(config_from_json(load_network(path).configuration).game).name
    except CheckpointError:
        raise
    except ValueError as error:
        raise CheckpointError(f"{path} has no valid configuration: {error}") from None
