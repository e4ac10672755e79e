"""Whether the search trees of a training have room for its searches.

>>> from athenan import make, recommended
>>> config = recommended("hex:11", minutes=60, algorithm="exit")
>>> config = config.changed(action={"iterations": 2500}, playing={"parallel_matches": 500})
>>> shortage(config, make("hex:11"))
'search trees may fill up, which ends searches early: 500 side by side of 2,500 iterations need up to 4,188 MiB, \
and --memory is 2048'
"""

from athenan.learning.config import TrainingConfig
from athenan.rules.game import Game
from athenan.search.algorithms.best_first import ends
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.alpha_beta.stack import memory_beside
from athenan.search.settings import WalkSettings
from athenan.search.trees.algorithm import Algorithm, Asks
from athenan.search.trees.planting import Beside, memory_for
from athenan.search.trees.selection import safest
from athenan.search.walking.walk_search import room_for_ends

_MIB = 1 << 20


def memory_needed(config: TrainingConfig, game: Game) -> int | None:
    """MiB with which trees of the searched game have room for all iterations of a search; None if that is not known.

    It is known if actions are limited by iterations and each iteration expands one state, as in all searches but
    Descent and alpha-beta. A time limit says nothing. A tree that is kept from action to action has room for as much
    again, from the searches before.
    """
    algorithm, iterations = _algorithm(config), config.action.iterations
    if iterations is None or algorithm is None or algorithm.goes_on is not ends:
        return None
    passing = game.stochastic and bool(algorithm.asks & Asks.STATE)  # iterations pass through chance to an outcome
    preparation = config.search.preparation(config.action.budget)
    emptied = config.playing.matches_by == "policy" or (preparation is not None and not preparation.keeps_tree)
    expansions = iterations * (1 + passing) * (1 if emptied else 2)
    return _mebibytes(config, memory_for(game, 1, expansions, room_for_ends(algorithm)))


def shortage(config: TrainingConfig, game: Game) -> str | None:
    """A warning that trees of the searched game may be too small, with what they need; None if they are large enough.

    Trees whose need is unknown count as large enough.
    """
    needed, playing = memory_needed(config, game), config.playing
    if needed is None or needed <= playing.memory:
        return None
    return (
        f"search trees may fill up, which ends searches early: {_searches(config)} side by side of "
        f"{config.action.iterations:,} iterations need up to {needed:,} MiB, and --memory is {playing.memory}"
    )


def check_memory(config: TrainingConfig, game: Game) -> None:
    """Raises ValueError if the trees of the searched game are too small to begin with."""
    algorithm = _algorithm(config)
    room = room_for_ends(algorithm) if algorithm else 0
    beside = memory_beside(game) if isinstance(config.search, AlphaBeta) else Beside()
    least = _mebibytes(config, memory_for(game, 1, 0, room, beside))
    if config.playing.memory < least:
        needed = max(least, memory_needed(config, game) or least)
        raise ValueError(
            f"memory must be at least {least} (MiB) for {_searches(config)} searches of {game.name} side by side, not "
            f"{config.playing.memory}; with --memory {needed} their trees have room"
        )


def _algorithm(config: TrainingConfig) -> Algorithm | None:
    """The algorithm of the walk that the trees are for; None if there are no trees, or alpha-beta's."""
    search = config.search
    if config.playing.matches_by == "turns" or not isinstance(search, WalkSettings):
        return None
    return search.algorithm(safest)


def _searches(config: TrainingConfig) -> int:
    return config.playing.actors * config.playing.parallel_matches


def _mebibytes(config: TrainingConfig, per_tree: int) -> int:
    """The memory of all trees, in whole MiB."""
    return -(-_searches(config) * per_tree // _MIB)
