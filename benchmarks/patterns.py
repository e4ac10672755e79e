"""Pattern networks beside the C-network: states evaluated in a search, and items learnt, a second of processor time.

    python benchmarks/patterns.py connect_four othello:8 breakthrough:6 hex:7

Both search the same match by Descent for `--seconds` of processor time, in one thread, with random weights, and learn
states of random play in minibatches of 128. Each figure is the median of `--repetitions`, which alternate.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
import torch

from athenan import Budget, Descent, Game, Search, make
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.networks import build_network
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.report.tables import Table, as_text
from athenan.rules.leaves import Evaluate
from athenan.rules.playouts import encoded_states, random_states

BATCH = 128
LEARNT = 100 * BATCH


def searched(game: Game, evaluate: Evaluate, seconds: float) -> float:
    """States evaluated by Descent in a second of processor time."""
    search = Search(game, evaluate, settings=Descent())
    search.reset(game.initial())
    search.run(Budget(iterations=2))
    before, began = search.evaluations, process_time()
    search.start(Budget(seconds=1e6))
    while process_time() - began < seconds:
        if not search.round() and len(search.done()):
            search.reset(game.initial())
            search.start(Budget(seconds=1e6))
    return (search.evaluations - before) / (process_time() - began)


def learnt(step: Callable[[np.ndarray, np.ndarray], object], game: Game, items: int) -> float:
    """Items learnt in a second of processor time."""
    planes = encoded_states(game, random_states(game, items))
    targets = np.random.default_rng(0).uniform(-1, 1, items).astype(np.float32)
    step(planes[:BATCH], targets[:BATCH])
    began = process_time()
    for row in range(0, items, BATCH):
        step(planes[row : row + BATCH], targets[row : row + BATCH])
    return items / (process_time() - began)


def measured(game: Game, seconds: float) -> list[float]:
    """States searched and items learnt a second: of patterns, then of the C-network."""
    patterns = PatternNetwork(game)
    patterns.weights[1:] = np.random.default_rng(0).normal(0, 0.05, len(patterns.weights) - 1)
    network = build_network(parse_architecture("c"), game.planes, 1.0, True)
    learner = TorchLearner(network)
    return [
        searched(game, patterns, seconds),
        learnt(lambda planes, targets: patterns.learn(planes, targets, 0.5), game, 10 * LEARNT),
        searched(game, Evaluator(network, "cpu"), seconds),
        learnt(lambda planes, targets: learner.step(Batch(planes, targets)), game, LEARNT),
    ]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for name in options.games:
        game = make(name)
        found = np.array([measured(game, options.seconds) for _ in range(options.repetitions)])
        evaluated, learning, by_c, by_learner = (median(column) for column in found.T)
        rows.append((
            name, f"{evaluated:,.0f}", f"{by_c:,.0f}", f"{evaluated / by_c:.0f}",
            f"{learning:,.0f}", f"{by_learner:,.0f}", f"{learning / by_learner:.0f}",
        ))  # fmt: skip
    header = ("game", "states/s", "by c", "ratio", "items learnt/s", "by c", "ratio")
    print(as_text(Table("Pattern networks and the C-network, a second of processor time", header, tuple(rows))))


if __name__ == "__main__":
    main()
