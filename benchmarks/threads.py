"""Speed of searches in play with several threads, with the package's networks.

    python benchmarks/threads.py othello:8 hex:9 --threads 1 2      states evaluated a second
    python benchmarks/threads.py xiangqi shobu --threads 1 2        of alpha-beta: the time to a depth

Searches of all numbers of threads take turns. The cores must be free. States a second are medians. Threads of
alpha-beta search some states twice, so that states a second say little: here they search to the depth that the first
number of threads completes in the seconds of each search, in positions of a match after four random actions, and the
factor is the geometric mean.
"""

import argparse
import time
from statistics import geometric_mean, median

import numpy as np

from athenan import Budget, make
from athenan.arena.learnt_players import load_player
from athenan.networks.catalogue import network_of
from athenan.rules.game import State
from athenan.rules.state import CHANCE
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.trees.forest_search import ForestSearch
from athenan.version import processor

_RANDOM, _APART, _DEPTH = 4, 3, 3
"""Random actions at first; actions between two positions, and the depth with which they are chosen."""
_LONG = 3600.0


def searches(name: str, numbers: list[int]) -> dict[int, ForestSearch]:
    """The searches of a game with these numbers of threads."""
    game = make(name)
    file = network_of(game).file
    found = dict[int, ForestSearch]()
    for number in numbers:
        searcher = load_player(file, game, threads=number).searcher
        assert isinstance(searcher, ForestSearch)
        found[number] = searcher
    return found


def speed(search: ForestSearch, seconds: float) -> tuple[float, float]:
    """Iterations and states a second."""
    search.reset(search.game.initial())
    began, evaluated = time.perf_counter(), search.evaluations
    search.run(Budget(seconds=seconds))
    taken = time.perf_counter() - began
    return search.effort().iterations / taken, (search.evaluations - evaluated) / taken


def compare_speeds(name: str, found: dict[int, ForestSearch], seconds: float, repetitions: int) -> None:
    """Prints iterations and states a second, and the states as a ratio to the first number of threads."""
    for search in found.values():
        speed(search, seconds)  # warms up
    speeds = {number: list[tuple[float, float]]() for number in found}
    for _ in range(repetitions):
        for number, search in found.items():
            speeds[number].append(speed(search, seconds))
    first = median(states for _, states in next(iter(speeds.values())))
    for number, measured in speeds.items():
        iterations, states = (median(column) for column in zip(*measured, strict=True))
        print(f"{name} {number}: {iterations:,.0f} iterations/s, {states:,.0f} states/s, {states / first:.2f}")


def positions(search: ForestSearch, number: int) -> list[State]:
    """Positions of a match, or of several if the first is short."""
    game, random, found = search.game, np.random.default_rng(1), list[State]()
    while len(found) < number:
        state, played = game.initial(), 0
        while game.outcome(state) is None and len(found) < number:
            if played >= _RANDOM and played % _APART == 0 and game.player(state) != CHANCE:
                found.append(state)
            if game.player(state) == CHANCE:
                action = game.draw(state, random)
            elif played < _RANDOM:
                action = int(random.choice(game.actions(state)))
            else:
                search.reset(state)
                search.run(Budget(iterations=_DEPTH))
                root = search.root()
                action = int(root.actions[search.choose(root, random)])
            state, played = game.play(state, action), played + 1
    return found


def compare_times(name: str, found: dict[int, ForestSearch], seconds: float, repetitions: int) -> None:
    """Prints the mean time to a depth, and how many times as fast that is as with the first number of threads."""
    first = next(iter(found))
    times = {number: list[float]() for number in found}
    for state in positions(found[first], repetitions):
        found[first].reset(state)
        found[first].run(Budget(seconds=seconds))
        depth = found[first].effort().iterations
        for number, search in found.items():
            search.reset(state)
            began = time.perf_counter()
            search.run(Budget(iterations=depth, seconds=_LONG))
            times[number].append(time.perf_counter() - began)
    for number, taken in times.items():
        ratios = [one / other for one, other in zip(times[first], taken, strict=True)]
        faster = f"{geometric_mean(ratios):.2f} times as fast, {min(ratios):.2f} to {max(ratios):.2f}"
        print(f"{name} {number}: {sum(taken) / len(taken):.2f} s, {faster}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="games of which the package has a network")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="numbers of threads to compare")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds of each search")
    parser.add_argument("--repetitions", type=int, default=5, help="searches of each, or positions")
    options = parser.parse_args()
    print(processor())
    for name in options.games:
        found = searches(name, options.threads)
        by_depth = any(isinstance(search, AlphaBetaSearch) for search in found.values())
        (compare_times if by_depth else compare_speeds)(name, found, options.seconds, options.repetitions)


if __name__ == "__main__":
    main()
