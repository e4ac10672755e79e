"""The network of a run, ready for use. PyTorch is loaded only for a network that needs it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from athenan.evaluation.architectures import (
    NativeArchitecture,
    OwnNetwork,
    Patterns,
    TorchArchitecture,
    parse_architecture,
    require_what_computes,
)
from athenan.evaluation.chances import Chances, restored_chances
from athenan.evaluation.heuristics import Heuristic, carried_heuristic, restored_heuristic
from athenan.evaluation.native import NativeNetwork, native_network
from athenan.games.catalogue import carries_over, known
from athenan.loading import LoadingError
from athenan.reading import WRONG_SHAPE, reason
from athenan.rules.game import Game
from athenan.rules.heads import VALUES
from athenan.rules.leaf import Native
from athenan.rules.leaves import Evaluate
from athenan.rules.playouts import mean_actions
from athenan.runs.checkpoint import CheckpointError, Tensors, load_network
from athenan.runs.description import describe
from athenan.runs.run import settings_of
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.monte_carlo.prior import Prior
from athenan.search.named import known_search
from athenan.search.settings import SearchSettings

if TYPE_CHECKING:
    from athenan.evaluation.networks import Network

_log = logging.getLogger("athenan")
_LEAVES, _MANY_ACTIONS = 4, 27
"""Leaves in a batch of a search in play, and the mean number of actions from which it takes one leaf at a time."""


@dataclass(frozen=True)
class SavedNetwork:
    """The network of a run as it was saved, on the CPU."""

    game: Game
    heuristic: Heuristic
    network: "Network | NativeNetwork"
    architecture: str
    """Its name, such as c:filters=32."""
    heuristic_name: str
    trained: str
    """The name of the game that it has learnt."""
    chances: Chances | None
    """What its values mean as win chances, if that was learnt for this game."""


def saved_network(path: str | Path, game: Game | None = None, called: str | None = None) -> SavedNetwork:
    """The network of a run directory, of RUN@MINUTES or of a checkpoint, with all of its heads.

    `game` is another game to which the network carries over (`Game.carries_over`), by default the run's. If it has
    actions about which the network has learnt nothing, the heads for actions are left out; the policy of patterns is
    left out unless both games have the same actions. `called` is the name of the run in messages, by default its path.

    Raises CheckpointError if the run is damaged, if the network does not carry over, or if the run is of a user's game
    that was not named in this process: reading a run never runs code.
    """
    saved = load_network(path)
    try:
        run = settings_of(saved.configuration)
        trained = known(run.game)
        heuristic = restored_heuristic(run.heuristic, trained, saved.heuristic)
        played, chances = trained, restored_chances(saved.chances)
        if game is not None and game.name != trained.name:
            if not carries_over(trained, game):
                raise ValueError(f"it has learnt {trained.name}, not {game.name}")
            played, heuristic, chances = game, carried_heuristic(heuristic, trained, game), None
        architecture = parse_architecture(run.network)
        network: Network | NativeNetwork
        if isinstance(architecture, NativeArchitecture):
            arrays = saved.tensors
            if played.action_count != trained.action_count:
                arrays = {name: array for name, array in arrays.items() if name != "policy"}
            network = native_network(played, architecture, heuristic.scale, heuristic.bounded, arrays)
        else:
            require_what_computes(run.network)
            network = _of_layers(architecture, saved.tensors, heuristic, trained, played)
    except WRONG_SHAPE as error:
        raise CheckpointError(f"the network of {called or path} cannot be used: {reason(error)}") from None
    if played is not trained:
        tell_carried(f"{called or path} has learnt {trained.name}: its network plays {played.name}")
    return SavedNetwork(played, heuristic, network, run.network, run.heuristic, trained.name, chances)


def _of_layers(
    architecture: TorchArchitecture | OwnNetwork, tensors: Tensors, heuristic: Heuristic, trained: Game, played: Game
) -> "Network":
    from athenan.evaluation.heads import ActionSpace
    from athenan.evaluation.networks import build_network, carried_weights, load_weights, saved_heads

    heads = saved_heads(tensors) if played.action_count <= trained.action_count else VALUES
    network = build_network(
        architecture, played.planes, heuristic.scale, heuristic.bounded, heads, ActionSpace.of(played), saved=tensors
    )
    load_weights(network, tensors if played is trained else carried_weights(network, tensors))
    return network


def tell_carried(line: str) -> None:
    """Tells once a process that a network carries over to another game; workers leave that to their parent."""
    if parent_process() is None:
        _tell(line)


@cache
def _tell(line: str) -> None:
    _log.warning(line)


@dataclass(frozen=True)
class LearntNetwork:
    """The network of a run, ready to evaluate states of its game."""

    game: Game
    """The game, with states that hold what the heuristic depends on."""
    evaluate: Evaluate
    heuristic: Heuristic
    chances: Chances | None = None
    """What values of its searches mean as win chances; None if that was not learnt for this game."""

    def prior(self, game: Game) -> Prior:
        """What it says in advance to a search of the game by RAVE, in a match's states.

        Raises ValueError if compiled code cannot evaluate the network.
        """
        if not isinstance(self.evaluate, Native):
            raise ValueError("RAVE asks only networks that compiled code evaluates: patterns and shallow")
        scale = self.heuristic.scale
        values, chances = (self.chances.values, self.chances.points) if self.chances else ((-scale, scale), (0.0, 1.0))
        return Prior.of(game, self.evaluate.leaf, values, chances)


def learnt_network(
    path: str | Path,
    device: str = "auto",
    precision: str = "auto",
    threads: int = 1,
    heads: Sequence[str] = VALUES,
    game: Game | None = None,
    called: str | None = None,
) -> LearntNetwork:
    """The network of a run directory or checkpoint; `heads` are the heads to evaluate. Patterns and shallow
    networks run on the CPU.

    `game` is the game to play, if the network carries over to it from the run's game; `called` is the name of the run
    in messages, by default its path. Raises ValueError if this machine lacks the device, or the network needs the CPU,
    and CheckpointError as `saved_network` does, or if the network lacks these heads.
    """
    saved = saved_network(path, game, called)
    network, heuristic = saved.network, saved.heuristic
    if missing := [name.replace("_", " ") for name in heads if name not in network.heads]:
        of = "" if saved.game.name == saved.trained else f" for {saved.game.name}"
        raise CheckpointError(
            f"the network of {called or path} has no {' and no '.join(missing)}{of}, which this search needs"
        )
    evaluate = _evaluator(network, device, precision, threads, heads, saved.game)
    return LearntNetwork(heuristic.tracked(saved.game), evaluate, heuristic, saved.chances)


def _evaluator(
    network: "Network | NativeNetwork", device: str, precision: str, threads: int, heads: Sequence[str], game: Game
) -> Evaluate:
    if isinstance(network, NativeNetwork):
        if device not in ("auto", "cpu"):
            raise ValueError(f"device must be cpu for this network, or auto, not {device}")
        return network
    from athenan.evaluation.devices import gpus
    from athenan.evaluation.evaluator import Evaluator

    usual = {"usual": round(mean_actions(game))} if gpus() else {}  # a search evaluates the children of a state
    return Evaluator(network, device, precision, threads, heads, **usual)


def plays_by_turns(path: str | Path) -> bool:
    """Whether the run's own search plays by whole turns. False if that is a user's code that this process may not load.

    Raises CheckpointError if the run's configuration is not valid.
    """
    try:
        return known_search(describe(path, whole=False).configuration.get("search")).for_play().turns
    except LoadingError:
        return False
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def playing_search(path: str | Path) -> SearchSettings:
    """The search with which players use the network of a run, unless they are given another.

    See `SearchSettings.for_play`. After UBFM and Descent, alpha-beta plays with networks that compiled code evaluates
    if the game advises it, and UBFM explores with pattern networks, but not in games of one player. With PyTorch UBFM
    evaluates several leaves together if states do not have many actions (docs/algorithms/best_first.md). The network
    itself is not read. Raises CheckpointError if the run's configuration is not valid.
    """
    saved = describe(path, whole=False)
    run = saved.settings
    try:
        search = known_search(saved.configuration.get("search")).for_play()
        if search not in (Ubfm(), Ubfm(turns=True)):
            return search
        architecture, game = parse_architecture(run.network), known(run.game)
        native = isinstance(architecture, NativeArchitecture)
        if native and game.advice.search == "alphabeta":
            return AlphaBeta(turns=search.turns, reductions=not game.stochastic)
        if search.turns:
            return search
        leaves = _LEAVES if not native and mean_actions(game) < _MANY_ACTIONS else 1
        explores = isinstance(architecture, Patterns) and game.players == 2
        counts_points = run.heuristic == "score" and game.players == 2 and not game.stochastic
        exploration = game.advice.exploration if explores else 0.0
        return Ubfm(leaves=leaves, exploration=exploration, ends=game.advice.ends, margin=counts_points)
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None
