"""The recipe: the configuration of a training that follows from its game and the length of the run.

The rules come from measurements (docs/results.md, docs/algorithms/patterns_measured.md). Pattern networks are the
default of tree learning and AlphaZero unless the game advises otherwise; their searches are a tenth as long. The search
time per action follows from the length of the run (`seconds_per_action`); if an iteration of Descent takes much longer,
actions borrow time from each other. In games with few actions, several matches share the batches of the network, and
one random symmetry of each state is learnt instead of two, so that learning keeps up with playing. A network that
compiled code evaluates is played and learnt by each thread. Of one on PyTorch, half of the threads play, with at least
two actors, so that no core is idle while there is nothing to learn. A run that is not timed must be repeatable, so it
plays one match at a time and learns it before the next, in one thread. The network that plays is the average of about
the last thousand learning steps, which is stronger than the last step.
"""

import math
from dataclasses import replace

from athenan.evaluation.architectures import NativeArchitecture, Patterns, Shallow, parse_architecture
from athenan.evaluation.heuristics import default_heuristic
from athenan.evaluation.patterns.codes import has_codes
from athenan.games.catalogue import USUAL, make
from athenan.learning.algorithms import (
    ITERATIONS,
    POLICY_LEARNING,
    TRAININGS,
    TREE_LEARNING,
    default_algorithm,
    is_image,
)
from athenan.learning.config import LearningSettings, PlayingSettings, TrainingConfig, named
from athenan.learning.replay import ReplayConfig
from athenan.loading import LoadingError
from athenan.networks.catalogue import named as named_network
from athenan.networks.catalogue import path_of
from athenan.rules.game import Game
from athenan.rules.playouts import decision_share, mean_actions
from athenan.runs.description import describe
from athenan.runs.run import RunSettings
from athenan.search.algorithms.best_first import BestFirstSettings
from athenan.search.budget import ActionLimits
from athenan.search.named import known_search
from athenan.search.settings import Evaluation
from athenan.system.cores import available_cores

_MANY_ACTIONS, _VERY_MANY_ACTIONS = 12, 60
_FULL_BATCH = 40  # states that the network evaluates together at nearly its full rate
_VALUES_PER_SECOND = 30_000  # of the network on one core, roughly
_MOST_ACTORS = 8  # Python runs in one of them at a time
_MOST_WORKERS = 64
_REFINED, _DRAWN, _REFINING_MATCHES = 16, 4, 16  # with action values: evaluated children of a state; matches at once
_SAVING = 30.0  # seconds
_ITEMS = 1024
_MUCH_LONGER = 4  # times the search time of an action
_MATCHES = {False: 1000, True: 10_000}  # in five minutes, by whether the network is native
_LEAST_SECONDS = {False: 0.005, True: 0.0003}
_LONG = 20.0
"""Minutes from which a run learns the larger network of its game, if it has one, and has a cooldown."""
_COOLDOWN = 0.33


def recommended(
    game: str = USUAL,
    minutes: float | None = None,
    matches: int | None = None,
    timed: bool = True,
    threads: int | None = None,
    algorithm: str | None = None,
    initial: str | None = None,
    evaluate: Evaluation | None = None,
    network: str | None = None,
    torch: bool = False,
) -> TrainingConfig:
    """The default configuration for a game and the length of a run; `timed=False` leaves the search budget open.

    `threads` is the number of threads that a timed run may use; default: one for each core. `algorithm` is one of
    `TRAININGS`, by default `default_algorithm`. Some, such as alphazero, search a fixed number of iterations for each
    action. `initial` is a run whose network the training begins with, or athenan for the package's network of the game.
    The training keeps the network and the heuristic of that run, unless the algorithm needs another heuristic.
    `evaluate` is what the network evaluates (`BestFirstSettings.evaluate`). By default it evaluates children; with
    Descent, action values if actions are very many, or whatever the run of the `initial` network evaluated.
    `action_values` changes the network, unless there is an `initial` one, and how much is played at once. `network` is
    an architecture, on which other defaults depend. None takes the architecture of the `initial` run, or the one for
    the game and the algorithm, on PyTorch if `torch`. Raises ValueError for an unknown algorithm, for an algorithm that
    cannot evaluate in this way, or if the package has no network of the game, and CheckpointError if there is no such
    run, or it is of another family of games.
    """
    rules = make(game)
    if network is not None:
        network = named("run", {"network": network})["network"]
    algorithm = algorithm or default_algorithm(rules)
    if algorithm not in TRAININGS:
        raise ValueError(f"there is no algorithm {algorithm!r}; the algorithms are {', '.join(TRAININGS)}")
    timed = timed or algorithm in ITERATIONS
    threads = (threads or available_cores()) if timed else 1
    run = _begun(
        RunSettings(rules.name, minutes, matches, heuristic=default_heuristic(rules), threads=threads), initial
    )
    if network is None and initial is None and evaluate != "action_values" and not torch:
        network = default_network(rules, algorithm, long=matches is None if minutes is None else minutes >= _LONG)
    native = _native(network or run.network)
    config = TRAININGS[algorithm](_common(rules, run, seconds_per_action(rules, minutes, native), timed))
    evaluate = evaluate or ("children" if native else _default_evaluation(algorithm, initial, rules))
    if evaluate == "action_values":
        config = _by_action_values(config, timed)
    if network is not None:
        config = config.changed(run={"network": network})
    return _with_native(config) if _native(config.run.network) else config


def _common(rules: Game, run: RunSettings, seconds: float, timed: bool) -> TrainingConfig:
    """The configuration for a network on PyTorch that all algorithms change, with this many seconds per action."""
    actions = mean_actions(rules)
    iteration = rules.typical_length * actions / _VALUES_PER_SECOND
    return TrainingConfig(
        run=run,
        action=ActionLimits(seconds if timed else None),
        playing=PlayingSettings(
            parallel_matches=max(1, min(8, round(_FULL_BATCH / actions))) if timed else 1,
            actors=max(2, min(run.threads // 2, _MOST_ACTORS)) if run.threads > 1 else 1,
            borrowing=timed and iteration > _MUCH_LONGER * seconds,
        ),
        learning=LearningSettings(averaging=0.999, overlap=run.threads > 1),
        replay=_replay(actions),
    )


def _native(network: str) -> bool:
    """Whether the search evaluates the network itself, in compiled code."""
    return isinstance(parse_architecture(network), NativeArchitecture)


def _with_native(config: TrainingConfig) -> TrainingConfig:
    """The configuration for a network evaluated inside the search, where parallel matches gain nothing.

    Each thread plays, and learns the matches that it has played. Checkpoints are written now and then: one after every
    phase would take a tenth of the time of whole turns, and the tables of patterns are large.
    """
    game, by_turns = make(config.run.game), config.playing.matches_by == "turns"
    shallow = isinstance(parse_architecture(config.run.network), Shallow)
    actors = min(config.run.threads, _MOST_WORKERS)
    parallel = config.playing.parallel_matches if shallow and by_turns else 1
    config = config.changed(
        run={"saving": _SAVING},
        playing={"actors": actors, "parallel_matches": parallel, "borrowing": False, "precision": "float32"},
        learning={"overlap": False, "learning_precision": "float32", "device": "cpu"},
        replay={"colours": False},
    )
    return _with_shallow(config, game, by_turns) if shallow else _with_patterns(config, game, by_turns)


def _with_shallow(config: TrainingConfig, game: Game, by_turns: bool) -> TrainingConfig:
    """The configuration for a shallow network, which exchanges the players itself, but does not turn the board.

    Whole turns are played so quickly that a new match costs little more than learning an old one again.
    """
    turned, rate = len(game.plane_symmetries) > 1, game.advice.shallow_rate
    return config.changed(
        learning={} if rate is None else {"learning_rate": rate},
        replay={"augmentation": "random" if turned else "none"} | ({"method": "none"} if by_turns else {}),
    )


def _with_patterns(config: TrainingConfig, game: Game, by_turns: bool) -> TrainingConfig:
    """The configuration for a pattern network.

    All images of a state read the same weights. States are learnt one by one, so a large batch only saves time between
    them. The average of the weights helps only where dice blur what is learnt. A cooldown makes some networks stronger
    that have learnt vectors from trees for long; single weights have steps that become shorter by themselves.
    """
    best, architecture = game.advice.pattern_heuristic, parse_architecture(config.run.network)
    learns_vectors = isinstance(architecture, Patterns) and architecture.vector > 1
    cools = learns_vectors and config.learning.target == "tree" and (config.run.minutes or 0) >= _LONG
    return config.changed(
        run={} if config.run.initial or best is None else {"heuristic": best},
        learning={"learning_rate": 1.0, "cooldown": _COOLDOWN * cools} | ({} if by_turns else {"averaging": 0.0}),
        replay={"augmentation": "none", "batch_size": _ITEMS},
    )


def _by_action_values(config: TrainingConfig, timed: bool) -> TrainingConfig:
    """The configuration for action values. Searches refine the best of them.

    The network has convolutional heads. More matches are played side by side, as few states of each are evaluated at
    once.
    """
    return config.changed(
        run={} if config.run.initial else {"network": "c:filters=32,convolutions=4,padded=true"},
        search={"evaluate": "action_values", "refining": _REFINED, "refining_random": _DRAWN},
        playing={"parallel_matches": _REFINING_MATCHES if timed else 1},
    )


def default_network(game: Game, algorithm: str, long: bool = False) -> str | None:
    """The network that the game advises, usually patterns; None: the network of the algorithm.

    Some games advise a larger one for `long` runs of tree learning. Patterns need cells that can be coded. Dice games
    whose states are no images have a shallow network.
    """
    by_turns = algorithm == "td" and game.stochastic and game.players == 2
    if by_turns and not is_image(game):
        return "shallow"
    if not by_turns and algorithm not in TREE_LEARNING + POLICY_LEARNING:
        return None
    if game.advice.network is None or not has_codes(game):
        return None
    larger = game.advice.long_network if long and algorithm in TREE_LEARNING else None
    return larger or game.advice.network


def _default_evaluation(algorithm: str, initial: str | None, game: Game) -> Evaluation:
    """Action values if Descent would evaluate very many children, or the initial network has learnt them."""
    if algorithm != "descent":
        return "children"
    if initial is None:
        return "action_values" if mean_actions(game) >= _VERY_MANY_ACTIONS else "children"
    try:
        search = known_search(describe(path_of(initial, game), whole=False).configuration.get("search"))
    except LoadingError:  # a user's search that was not named: the network still serves
        return "children"
    return search.evaluate if isinstance(search, BestFirstSettings) else "children"


def _begun(run: RunSettings, initial: str | None) -> RunSettings:
    """The settings of the run, with the network and the heuristic of the `initial` run, if given.

    The weights of the network are read later, when the training begins.
    """
    if initial is None:
        return run
    from athenan.learning.learner.carrying import initial_settings

    shipped = named_network(initial, make(run.game))
    saved = describe(shipped.file if shipped else initial, whole=False)
    old = initial_settings(initial, saved.configuration, run)
    return replace(run, initial=shipped.name if shipped else initial, network=old.network, heuristic=old.heuristic)


def _replay(actions: float) -> ReplayConfig:
    if actions >= _MANY_ACTIONS:
        return ReplayConfig()
    return ReplayConfig(duplication=2.0, augmentation="random")


def seconds_per_action(game: Game, minutes: float | None, native: bool = False) -> float:
    """The search time per action.

    About `_MATCHES` matches should fit into five minutes, and twice as many into four times as long. A run without a
    limit counts as a day. Actions of chance take no time.
    """
    minutes = 1440.0 if minutes is None else minutes
    if not 0 < minutes < math.inf:
        raise ValueError(f"minutes must be positive, not {minutes}")
    usual, least = _MATCHES[native], _LEAST_SECONDS[native]
    matches, actions = usual * math.sqrt(minutes / 5), game.typical_length * decision_share(game)
    return float(f"{min(2.0, max(least, 60 * minutes / (matches * actions))):.2g}")
