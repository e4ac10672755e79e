"""Pattern networks beside the C-network: states evaluated in a search, and items learnt, a second of processor time.

    python benchmarks/patterns.py connect_four othello:8 hex:9 breakthrough:8 gomoku:15

Both search the same match by Descent, in one thread, with random weights, and then learn states of random play in
minibatches, each for `--seconds` of processor time. The networks take turns, `--repetitions` times. Rates are medians,
and so are the ratios of the rates of one turn, which depend less on what else the machine does.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from time import process_time

import numpy as np
import torch

from athenan import Budget, Descent, Game, Search, make
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.networks import build_network
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.vector_weights import weights_to_learn
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.report.tables import Table, as_text
from athenan.rules.leaves import Evaluate
from athenan.rules.playouts import encoded_states, random_states

BATCH = 128
LEARNT = 100 * BATCH
"""States of random play that are learnt, again and again."""

Step = Callable[[Batch], float]


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


def learnt(step: Step, batches: list[Batch], seconds: float) -> float:
    """Items learnt in a second of processor time."""
    step(batches[0])
    following, items, began = cycle(batches), 0, process_time()
    while process_time() - began < seconds:
        items += len(batch := next(following))
        step(batch)
    return items / (process_time() - began)


def measured(game: Game, network: str, seconds: float, repetitions: int) -> Iterator[tuple[float, float, float, float]]:
    """States searched and items learnt a second: of patterns, then of the C-network."""
    planes = encoded_states(game, random_states(game, LEARNT))
    targets = np.random.default_rng(0).uniform(-1, 1, LEARNT).astype(np.float32)
    batches = [Batch(planes[row : row + BATCH], targets[row : row + BATCH]) for row in range(0, LEARNT, BATCH)]
    architecture = parse_architecture(network)
    patterns = PatternNetwork(game, architecture)
    patterns.entries[:] = np.random.default_rng(0).normal(0, 0.05, patterns.entries.shape)
    weights = weights_to_learn(patterns)
    c_network = build_network(parse_architecture("c"), game.planes, 1.0, True)
    evaluate, learner = Evaluator(c_network, "cpu"), TorchLearner(c_network)
    for _ in range(repetitions):
        yield (
            searched(game, patterns, seconds),
            learnt(lambda batch: weights.step(batch.planes, batch.values, 0.5), batches, seconds),
            searched(game, evaluate, seconds),
            learnt(learner.step, batches, seconds),
        )


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--network", default="patterns", help="the pattern network")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for name in options.games:
        found = np.array(list(measured(make(name), options.network, options.seconds, options.repetitions)))
        rates = [f"{median(column):,.0f}" for column in found.T]
        ratios = [f"{median(found[:, one] / found[:, one + 2]):.0f}" for one in (0, 1)]
        rows.append((name, rates[0], rates[2], ratios[0], rates[1], rates[3], ratios[1]))
    header = ("game", "states/s", "by c", "ratio", "items learnt/s", "by c", "ratio")
    print(as_text(Table(f"{options.network} and c, a second of processor time", header, tuple(rows))))


if __name__ == "__main__":
    main()
