"""The speed of rules, searches and networks on this machine, for `athenan bench`.

Each figure is the median of `REPEATS` measurements. Work in one thread (rules, MCTS, the tree) is measured in processor
time, so that other programs on the machine disturb it less. Searches are measured in wall-clock time.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.evaluation.architectures import NativeArchitecture, parse_architecture
from athenan.evaluation.heuristics import default_heuristic, make_heuristic
from athenan.evaluation.native import NativeNetwork, native_network
from athenan.learning.algorithms import default_algorithm
from athenan.learning.recipe import default_network
from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, STATE, STATES
from athenan.rules.compiler import kernel, prepare
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.perft import perft
from athenan.rules.playouts import random_play
from athenan.rules.randomness import streams
from athenan.rules.state import ONGOING
from athenan.runs.run import RunSettings
from athenan.search import searcher
from athenan.search.algorithms.best_first import Descent
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.named import make_search
from athenan.search.settings import SearchSettings
from athenan.search.trees.algorithm import Asks
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.system.cores import available_cores
from athenan.version import environment

if TYPE_CHECKING:
    from athenan.evaluation.evaluator import Evaluator

REPEATS = 5

_ROLLOUTS = 1000
_WARM = 10
"""Iterations of a search in which it calls all of its kernels."""


@dataclass(frozen=True)
class SearchSpeed:
    """A search from the initial state, with some evaluation function."""

    expansions: float
    """States expanded per second."""
    evaluations: float
    """States evaluated per second: children, or states themselves."""
    evaluator_share: float | None
    """Share of the time that the evaluation function takes, from 0 to 1; None if the search's compiled code includes
    it."""


@dataclass(frozen=True)
class Speed:
    """The figures of one game, per second unless stated otherwise."""

    game: str
    random_steps: float
    """Actions of uniformly random matches."""
    perft_nodes: float
    """Action sequences of the greatest length counted by perft."""
    mcts_rollouts: float
    """Rollouts of UCT, in searches of 1,000 from the initial state."""
    search: SearchSpeed
    """A search with an evaluation function that costs nothing: zeros."""
    round_microseconds: float
    """The cost of an `advance`/`receive` round beyond the rules, that is, without the game's kernels that it calls."""
    network: SearchSpeed
    """A search with an untrained network on the CPU."""
    architecture: str
    """The architecture of that network."""
    precision: str
    """The precision of that network."""


def machine() -> dict[str, Any]:
    """The machine on which the figures were measured, and the versions of what is installed."""
    return {**environment(), "cores": available_cores()}


def measure(
    game: Game,
    seconds: float = 1.0,
    threads: int = 1,
    network: str = RunSettings.network,
    settings: SearchSettings = Descent(),
) -> Speed:
    """All figures of a game. Each takes about `seconds`; the network has `threads` threads, or its search."""
    evaluator = _untrained(game, network, threads, settings.heads(game.stochastic))
    free, cost = _search_speed(game, partial(_zeros, game), settings, seconds, 1)
    learned, _ = _search_speed(game, evaluator, settings, seconds, threads)
    return Speed(
        game=game.name,
        random_steps=_random_steps(game, seconds),
        perft_nodes=_perft_nodes(game, seconds),
        mcts_rollouts=_mcts_rollouts(game, seconds),
        search=free,
        round_microseconds=cost,
        network=learned,
        architecture=network,
        precision=evaluator.precision,
    )


def usual_network(game: Game, settings: SearchSettings) -> str:
    """The architecture with which trainings begin in this game by default, if it has what the search asks for.

    >>> from athenan import make
    >>> usual_network(make("hex:7"), Descent()), usual_network(make("hex:7"), Descent(evaluate="action_values"))
    ('patterns:entries=512,vector=16', 'c')
    """
    heads = settings.heads(game.stochastic)
    if "action_values" in heads:
        return RunSettings.network
    algorithm = "alphazero" if "policies" in heads else default_algorithm(game)
    return default_network(game, algorithm) or RunSettings.network


def as_json(speeds: list[Speed]) -> dict[str, Any]:
    """The machine and the figures as JSON data."""
    return {"machine": machine(), "games": [asdict(speed) for speed in speeds]}


def _rate(run: Callable[[int], int], seconds: float) -> float:
    """Units per second of `run(n)`, which does about n units and returns their number; n is chosen by trial."""
    run(1)  # on a first start this compiles, which is not to be measured
    size = 1
    while True:
        began = thread_time()
        run(size)
        taken = thread_time() - began
        if taken >= seconds / REPEATS / 4:
            break
        size *= 2
    size = max(1, int(size * seconds / REPEATS / taken))
    rates = []
    for _ in range(REPEATS):
        began = thread_time()
        done = run(size)
        rates.append(done / (thread_time() - began))
    return median(rates)


def _random_steps(game: Game, seconds: float) -> float:
    random = streams(0, 1)

    def run(steps: int) -> int:
        random_play(game, random, steps)
        return steps

    return _rate(run, seconds)


def _perft_nodes(game: Game, seconds: float) -> float:
    depth, taken = 1, 0.0
    perft(game, depth)  # on a first start this compiles: the time of the next depths chooses one
    while taken < seconds / REPEATS / 10 and depth < game.max_length:
        depth += 1
        began = thread_time()
        perft(game, depth)
        taken = thread_time() - began

    def run(times: int) -> int:
        return sum(perft(game, depth)[-1] for _ in range(times))

    return _rate(run, seconds)


def _mcts_rollouts(game: Game, seconds: float) -> float:
    search, initial, budget = Mcts(game), game.initial(), Budget(iterations=_ROLLOUTS)

    def run(searches: int) -> int:
        for _ in range(searches):
            search.reset(initial)
            searcher.run(search, budget)
        return searches * _ROLLOUTS

    return _rate(run, seconds)


def _zeros(game: Game, planes: NDArray[np.int8]) -> Leaves:
    """An evaluation function that costs nothing."""
    of_actions = np.zeros((len(planes), game.action_count), np.float32)
    return Leaves(np.zeros(len(planes), np.float32), of_actions, of_actions)


def _untrained(game: Game, network: str, threads: int, heads: tuple[str, ...]) -> "Evaluator | NativeNetwork":
    heuristic, architecture = make_heuristic(default_heuristic(game), game), parse_architecture(network)
    if isinstance(architecture, NativeArchitecture):
        return native_network(game, architecture, heuristic.scale, heuristic.bounded, heads=heads)
    from athenan.evaluation.evaluator import Evaluator
    from athenan.evaluation.heads import ActionSpace
    from athenan.evaluation.networks import build_network

    untrained = build_network(
        architecture, game.planes, heuristic.scale, heuristic.bounded, heads, ActionSpace.of(game), seed=0
    )
    return Evaluator(untrained, "cpu", threads=threads, heads=heads)


def _search_speed(
    game: Game, evaluate: Evaluate, settings: SearchSettings, seconds: float, threads: int
) -> tuple[SearchSpeed, float]:
    """The speed of searches from the initial state, and the microseconds of a round beyond the rules.

    The latter is in processor time of this thread and includes the evaluation function, which must be free.
    """
    search = make_search(game, evaluate, settings=settings, memory=PLAYER_MEMORY, threads=threads)
    speeds, costs = [], []
    search.reset(game.initial())
    search.run(Budget(iterations=_WARM))  # on a first start this compiles
    prepare(_expand_all)
    search.reset(game.initial())
    search.run(Budget(seconds=seconds / REPEATS / 4))  # warms up
    for _ in range(REPEATS):
        search.reset(game.initial())
        evaluations, evaluating = search.evaluations, _seconds_evaluating(search)
        began, used = perf_counter(), thread_time()
        search.run(Budget(seconds=seconds / REPEATS))
        taken, used = perf_counter() - began, thread_time() - used
        evaluating, evaluations = _seconds_evaluating(search) - evaluating, search.evaluations - evaluations
        expanded = _expanded(search)
        speeds.append((len(expanded) / taken, evaluations / taken, evaluating / taken))
        of_rules = _rules_seconds(game, expanded, bool(search.algorithm.asks & Asks.CHILDREN))
        costs.append((used - of_rules) / len(expanded) * 1e6)
    expansions, values, share = (median(column) for column in zip(*speeds, strict=True))
    return SearchSpeed(expansions, values, None if isinstance(evaluate, NativeNetwork) else share), median(costs)


def _seconds_evaluating(search: ForestSearch) -> float:
    return search.evaluate.seconds if search.evaluate else 0.0


def _expanded(search: ForestSearch) -> State:
    """The states that the search has expanded; int8[n, state size]."""
    nodes = search.forest.nodes[0, : int(search.forest.slots[0]["nodes"])]
    return search.forest.states[0, : len(nodes)][nodes["edges"] > 0]


def _rules_seconds(game: Game, states: State, of_children: bool) -> float:
    """The time that the game's kernels need to expand these states, called natively one after the other.

    `of_children`: the children are evaluated, not the states themselves.
    """
    planes = np.empty((game.max_actions, int(np.prod(game.planes))), np.int8)
    following, actions = np.empty(game.state_size, np.int8), np.empty(game.max_actions, np.int32)
    began = thread_time()
    _expand_all(game.rules, states, of_children, planes, following, actions)
    return thread_time() - began


@kernel(types.int64(RULES, STATES, types.boolean, STATES, STATE, ACTION_LIST))
def _expand_all(rules, states, of_children, planes, following, actions):
    """The calls of the rules in an expansion: the actions, and the state, outcome and planes of each child."""
    total = 0
    for number in range(states.shape[0]):
        count = calls.actions(rules, states[number], actions)
        rows = 0
        for index in range(count):
            calls.play(rules, states[number], actions[index], following)
            if calls.outcome(rules, following) == ONGOING and of_children:
                calls.encode(rules, following, planes[rows])
                rows += 1
        if not of_children:
            calls.encode(rules, states[number], planes[rows])
            rows += 1
        total += rows
    return total
