"""Speed of searches in play with several threads, with the package's networks: states evaluated a second.

    python benchmarks/threads.py othello:8 hex:9 --threads 1 2

Searches of all numbers of threads take turns, from the initial state; medians. The cores must be free.
"""

import argparse
import time
from statistics import median

from athenan import Budget, make
from athenan.arena.roster import load_player
from athenan.bench import processor
from athenan.networks.catalogue import network_of
from athenan.search.forest_search import ForestSearch


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="games of which the package has a network")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="numbers of threads to compare")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds of each search")
    parser.add_argument("--repetitions", type=int, default=5, help="searches of each")
    options = parser.parse_args()
    print(processor())
    for name in options.games:
        found = searches(name, options.threads)
        for search in found.values():
            speed(search, options.seconds)  # warms up
        speeds = {number: list[tuple[float, float]]() for number in found}
        for _ in range(options.repetitions):
            for number, search in found.items():
                speeds[number].append(speed(search, options.seconds))
        first = median(states for _, states in speeds[options.threads[0]])
        for number, measured in speeds.items():
            iterations, states = (median(column) for column in zip(*measured, strict=True))
            print(f"{name} {number}: {iterations:,.0f} iterations/s, {states:,.0f} states/s, {states / first:.2f}")


if __name__ == "__main__":
    main()
