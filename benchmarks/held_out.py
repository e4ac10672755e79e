"""What pattern networks know of states that they have not learnt, from the last matches of a run.

python benchmarks/held_out.py runs/hex-7 --networks patterns patterns:entries=4096,vector=16 --rates 1 1

Each network learns the states of the first nine tenths of the matches, in random order, as often as there are rates,
with these learning rates. After each pass it evaluates the states of the other matches. The error is the mean square of
value / scale. Rates of learning are items a second of processor time of one thread.

With --start, networks are runs, checkpoints or athenan, the package's network, and learn on from their weights. Their
first error is the one before the first pass.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from athenan import Game
from athenan.evaluation.architectures import Patterns, parse_architecture
from athenan.evaluation.heuristics import Heuristic
from athenan.learning.config import LearningSettings
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.native_learner import NativeLearner
from athenan.networks.catalogue import path_of
from athenan.rules.playouts import encoded_states
from athenan.runs.checkpoint import Tensors, load, load_network
from athenan.runs.learnt import saved_network

BATCH = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--networks", nargs="+", default=["patterns", "patterns:entries=4096,vector=16"])
    parser.add_argument("--start", action="store_true", help="learn on from networks that have learnt")
    parser.add_argument("--rates", nargs="+", type=float, default=[1.0, 1.0], help="a learning rate for each pass")
    parser.add_argument("--states", type=int, default=100_000, help="the most states of all matches together")
    parser.add_argument("--seed", type=int, default=0, help="of the order of learning")
    options = parser.parse_args()
    saved, matches = saved_network(options.run), list(load(options.run).matches.values())
    game, end = saved.game, len(matches) * 9 // 10
    step = -(-sum(len(match["values"]) for match in matches) // options.states)
    known, held_out = joined(game, matches[:end], step), joined(game, matches[end:], step)
    print(f"{game.name}: {len(known):,} states to learn, {len(held_out):,} others")
    print("| network | error after each pass | items learnt a second |")
    print("| --- | --- | --- |")
    for name in options.networks:
        learner = learner_from(game, name) if options.start else learner_of(game, name, saved.heuristic)
        errors, speed = measured(learner, saved.heuristic.scale, known, held_out, options)
        print(f"| `{name}` | {', '.join(f'{error:.4f}' for error in errors)} | {speed:,.0f} |", flush=True)


def joined(game: Game, matches: Sequence[Tensors], step: int) -> Batch:
    """The states of some matches, each step-th, with their values."""
    states, values = (np.concatenate([match[name] for match in matches])[::step] for name in ("states", "values"))
    return Batch(encoded_states(game, states).reshape(len(states), -1), values)


def learner_of(game: Game, network: str, heuristic: Heuristic) -> NativeLearner:
    """A learner that has learnt nothing. Raises ValueError unless the network is one of patterns."""
    architecture = parse_architecture(network)
    if not isinstance(architecture, Patterns):
        raise ValueError(f"networks are of patterns here, not {network}")
    return NativeLearner(game, architecture, heuristic.scale, heuristic.bounded, LearningSettings())


def learner_from(game: Game, network: str) -> NativeLearner:
    """A learner with the weights of a run, a checkpoint or, for athenan, the package's network."""
    path = path_of(network, game)
    saved = saved_network(path, game)
    learner = learner_of(game, saved.architecture, saved.heuristic)
    learner.carry(load_network(path).tensors, {})
    return learner


def measured(
    learner: NativeLearner, scale: float, known: Batch, held_out: Batch, options: argparse.Namespace
) -> tuple[list[float], float]:
    """The errors after each pass, and the items learnt a second."""
    random, errors, spent = np.random.default_rng(options.seed), list[float](), 0.0
    if options.start:
        errors.append(error_of(learner, scale, held_out))
    for rate in options.rates:
        order, began = random.permutation(len(known)), time.process_time()
        for first in range(0, len(order), BATCH):
            some = order[first : first + BATCH]
            learner.weights.step(known.planes[some], known.values[some], rate)
        spent += time.process_time() - began
        learner.weights.publish(1.0)
        errors.append(error_of(learner, scale, held_out))
    return errors, len(known) * len(options.rates) / spent


def error_of(learner: NativeLearner, scale: float, held_out: Batch) -> float:
    """The error of the network that plays."""
    found = learner.network(held_out.planes).values
    return float(np.mean(((found - held_out.values) / scale) ** 2))


if __name__ == "__main__":
    main()
