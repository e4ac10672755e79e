"""What policies of pattern networks know of states that they have not learnt, from the last matches of a run.

python benchmarks/policies.py runs/hex-7 --networks patterns --rates 1 3 6

For each network and rate, a policy learns the states of the first nine tenths of the matches, in random order, as often
as `--passes` says. The rate is a factor of `policy_weights.RATE`. After each pass it is asked for the states of the
other matches: the mean cross-entropy with what the run has learnt there, over the legal actions. Rates of learning are
items a second of processor time of one thread.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from athenan import Game
from athenan.evaluation.architectures import Patterns, parse_architecture
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.policy_weights import PolicyWeights
from athenan.learning.examples.examples import Batch, Examples
from athenan.learning.replay.encoding import Symmetries, encoded
from athenan.rules.heads import VALUES_AND_POLICIES
from athenan.runs.checkpoint import Tensors, load
from athenan.runs.learnt import saved_network

BATCH = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of alphazero or gumbel, with any network")
    parser.add_argument("--networks", nargs="+", default=["patterns"])
    parser.add_argument("--rates", nargs="+", type=float, default=[1.0])
    parser.add_argument("--passes", type=int, default=3)
    options = parser.parse_args()
    game, matches = saved_network(options.run).game, list(load(options.run).matches.values())
    end = len(matches) * 9 // 10
    known, held_out = joined(game, matches[:end]), joined(game, matches[end:])
    print(f"{game.name}: {len(known):,} states to learn, {len(held_out):,} others")
    print(f"uniform policies: {cross_entropy(np.zeros_like(wanted(held_out)), held_out):.3f}")
    print(f"the targets themselves: {cross_entropy(np.log(np.maximum(wanted(held_out), 1e-9)), held_out):.3f}")
    print("| network | rate | cross-entropy after each pass | of what was learnt | items learnt a second |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.networks:
        for rate in options.rates:
            entropies, last, speed = measured(game, name, rate, options.passes, known, held_out)
            passes = ", ".join(f"{entropy:.3f}" for entropy in entropies)
            print(f"| `{name}` | {rate} | {passes} | {last:.3f} | {speed:,.0f} |", flush=True)


def joined(game: Game, matches: Sequence[Tensors]) -> Batch:
    """The states of some matches, with their policies; those without one are left out."""
    examples = Examples.joined([Examples.from_arrays(match, game) for match in matches])
    if examples.policies is None:
        raise ValueError("the run has learnt no policy")
    examples = examples.take(np.flatnonzero(examples.policies.counts))
    return encoded(game, Symmetries.of(game, False), examples, np.zeros(len(examples), np.uint8))


def wanted(batch: Batch) -> np.ndarray:
    """The policies of a batch that has some."""
    assert batch.policies is not None
    return batch.policies


def cross_entropy(logits: np.ndarray, batch: Batch) -> float:
    """The mean cross-entropy of the policies of a batch with the softmax of logits over the legal actions."""
    legal = np.where(batch.legal, logits, -np.inf)
    legal -= legal.max(axis=1, keepdims=True)
    logs = np.where(batch.legal, legal - np.log(np.exp(legal).sum(axis=1, keepdims=True)), 0)
    return float(-(wanted(batch) * logs).sum(axis=1).mean())


def measured(
    game: Game, name: str, rate: float, passes: int, known: Batch, held_out: Batch
) -> tuple[list[float], float, float]:
    """The cross-entropies after each pass, that of the learnt states at the end, and the items learnt a second."""
    architecture = parse_architecture(name)
    if not isinstance(architecture, Patterns) or known.legal is None:
        raise ValueError(f"networks are of patterns here, not {name}")
    network = PatternNetwork(game, architecture, heads=VALUES_AND_POLICIES)
    weights, random, entropies, spent = PolicyWeights(network), np.random.default_rng(0), list[float](), 0.0
    for _ in range(passes):
        order, began = random.permutation(len(known)), time.process_time()
        for first in range(0, len(order), BATCH):
            some = order[first : first + BATCH]
            weights.step(known.planes[some], known.legal[some], wanted(known)[some], rate)
        spent += time.process_time() - began
        weights.publish()
        entropies.append(cross_entropy(network(held_out.planes).policies, held_out))
    last = cross_entropy(network(known.planes).policies, known)
    return entropies, last, passes * len(known) / spent


if __name__ == "__main__":
    main()
