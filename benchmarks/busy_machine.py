"""What busy neighbours cost a search with a network: `python benchmarks/busy_machine.py [GAME ...]`.

Prints, for one thread and for one a core, search iterations a second on a machine that has nothing else to do, the same
beside as many busy processes as it has cores, and their ratio (medians of nine seconds each, taken in turns).
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import torch

from athenan import Budget, Search, make
from athenan.evaluation.architectures import ARCHITECTURES
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heuristics import default_heuristic, make_heuristic
from athenan.evaluation.networks import build_network
from athenan.search.algorithms.best_first import Ubfm

CORES = len(os.sched_getaffinity(0))
REPEATS = 9


def searcher(specification: str, threads: int) -> Search:
    """A search from the initial state with an untrained network."""
    game = make(specification)
    heuristic = make_heuristic(default_heuristic(game), game)
    torch.manual_seed(0)
    network = build_network(ARCHITECTURES["c"], game.planes, heuristic.scale, heuristic.bounded)
    evaluate = Evaluator(network, "cpu", threads=threads)
    return Search(game, evaluate, heuristic, Ubfm())


def rate(search: Search, seconds: float = 1.0) -> float:
    """Iterations a second."""
    search.reset(search.game.initial())
    began = time.perf_counter()
    search.run(Budget(seconds=seconds))
    return float(search.forest.slots[0]["iterations"] / (time.perf_counter() - began))


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that do nothing but use the processor."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        time.sleep(0.2)
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def main() -> None:
    """Prints the table, of the games named on the command line or of two."""
    print(f"| game | threads | quiet | beside {CORES} busy processes | ratio |\n| --- | --- | --- | --- | --- |")
    for specification in sys.argv[1:] or ("hex:7", "othello:8"):
        searches = {threads: searcher(specification, threads) for threads in (1, CORES)}
        for search in searches.values():
            rate(search)  # warms up
        rates: dict[tuple[int, int], list[float]] = {}
        for _ in range(REPEATS):
            for neighbours in (0, CORES):
                with busy(neighbours):
                    for threads, search in searches.items():
                        rates.setdefault((threads, neighbours), []).append(rate(search))
        for threads in searches:
            quiet, beside = median(rates[threads, 0]), median(rates[threads, CORES])
            print(f"| {specification} | {threads} | {quiet:,.0f} | {beside:,.0f} | {beside / quiet:.2f} |")


if __name__ == "__main__":
    main()
