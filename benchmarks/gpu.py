"""What a GPU gives: whether it computes what the CPU computes, how fast it is, and what was expected of it.

    python benchmarks/gpu.py                                   Hex 11 with a residual network, on the first GPU
    python benchmarks/gpu.py othello:8 --network c --device cuda:1 --seconds 10
    python benchmarks/gpu.py --device cpu                      the same parts on the processor

Prints

- correctness: the greatest difference of an answer from the CPU's in float32, in units of the answers' standard
  deviation, and the same after learning steps; the status is 1 if one is too large;
- evaluation: states a second by batch and precision, on the GPU and on the CPU, and the smallest batch that reaches
  80% of the best rate;
- learning: items a second by the size of a minibatch and by precision;
- self-play: matches and states a second of whole trainings by matches side by side;
- expectation: what some cards should reach on paper (`expected`).

On a machine without a GPU it says so, with status 2. The authors had no GPU: no figure of one is in the documents.
"""

import argparse
import copy
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch

from athenan import make, recommended
from athenan.evaluation.architectures import NativeArchitecture, OwnNetwork, parse_architecture
from athenan.evaluation.devices import choose_device, gpus, random_states
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.inference import PRECISIONS
from athenan.evaluation.networks import Network, build_network
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.trainer import Trainer
from athenan.report.tables import Table, as_text
from athenan.rules.game import Game
from athenan.runs.checkpoint import RunDirectory
from athenan.version import processor

BATCHES = (8, 32, 128, 512, 2048, 8192)
ITEMS = (128, 512, 3000)
PARALLEL = (1, 8, 64)
TOLERANCES = {"float32": 0.02, "bfloat16": 0.2}
"""The greatest difference allowed, in standard deviations of the answers; a GPU multiplies float32 with 10 bits."""
CARDS = {"T4": 8.1, "L4": 121.0, "RTX 3090": 71.0, "RTX 4090": 165.0, "A100": 312.0, "H100": 989.0}
"""10^12 operations a second that NVIDIA states for bfloat16 without sparsity (T4, which lacks it: float32)."""
LAUNCH = 5e-6
"""Seconds to launch a kernel, an assumption."""
REACHED = 0.2
"""The share of a card's stated operations that small convolutions reach, an assumption."""
_STATES = 256


def built(game: Game, name: str) -> Network:
    """A network with random weights, the same for each call."""
    architecture = parse_architecture(name)
    if isinstance(architecture, NativeArchitecture | OwnNetwork):
        raise SystemExit(f"gpu.py: --network must be one of the package on PyTorch, such as c, not {name}")
    return build_network(architecture, game.planes, scale=1.0, bounded=True, seed=0)


def batch_of(items: int, network: Network) -> Batch:
    """Random states with random values."""
    values = np.random.default_rng(1).uniform(-1, 1, items).astype(np.float32)
    return Batch(random_states(items, network.planes), values)


def deviation(network: Network, device: str, precision: str) -> float:
    """The greatest difference of the device's answers from the CPU's in float32, in their standard deviations."""
    planes = random_states(_STATES, network.planes)
    exact = Evaluator(network, "cpu", "float32").answers(planes)["values"]
    found = Evaluator(network, device, precision).answers(planes)["values"]
    return float(np.abs(found - exact).max() / exact.std())


def learnt_deviation(network: Network, device: str, precision: str, steps: int = 5) -> float:
    """As `deviation`, after the same learning steps on both."""
    planes, batch, answers = random_states(_STATES, network.planes), batch_of(_STATES, network), []
    for where, how in (("cpu", "float32"), (device, precision)):
        learner = TorchLearner(copy.deepcopy(network).to(choose_device(where)), precision=how)
        for _ in range(steps):
            learner.step(batch)
        answers.append(learner.evaluator(("values",), "float32", 1).answers(planes)["values"])
    return float(np.abs(answers[1] - answers[0]).max() / answers[0].std())


def rate(call: Callable[[], object], items: int, seconds: float) -> float:
    """Items a second of calls with so many each, which return when their results are there."""
    call()  # the first prepares
    began, calls = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds or not calls:
        call()
        calls += 1
    return items * calls / max(passed, 1e-9)


def evaluation(network: Network, device: str, precision: str, batch: int, seconds: float) -> float:
    """States evaluated a second."""
    evaluate, planes = Evaluator(network, device, precision), random_states(batch, network.planes)
    return rate(lambda: evaluate.answers(planes), batch, seconds)


def learning(network: Network, device: str, precision: str, items: int, seconds: float) -> float:
    """Items learnt a second. It reads the losses of ten steps together, as a training does with a whole phase."""
    learner = TorchLearner(copy.deepcopy(network).to(choose_device(device)), precision=precision, averaging=0.999)
    batch = batch_of(items, network)
    return rate(lambda: [float(loss) for loss in [learner.step(batch) for _ in range(10)]], 10 * items, seconds)


def self_play(
    game: Game, name: str, device: str, precision: str, parallel: int, seconds: float, matches: int | None = None
) -> tuple[float, float]:
    """Matches and evaluated states a second of a training."""
    config = recommended(game.name, minutes=5.0, network=name).changed(
        run={"minutes": seconds / 60, "matches": matches},
        learning={"device": device, "learning_precision": precision},
        playing={"parallel_matches": parallel, "precision": precision},
    )
    with tempfile.TemporaryDirectory() as folder, RunDirectory(folder) as run:
        trainer = Trainer(config, game, run)
        trainer.run()
    progress = trainer.progress
    return progress.matches / progress.wall_seconds, progress.evaluations / progress.wall_seconds


def full_batch(rates: dict[int, float]) -> int:
    """The smallest batch that reaches 80% of the best rate."""
    return min(batch for batch, found in rates.items() if found >= 0.8 * max(rates.values()))


def work(network: Network) -> tuple[int, int]:
    """The multiplications of one state, and the number of layers with weights that make them."""
    found = list[int]()

    def count(layer: torch.nn.Module, _: object, answer: torch.Tensor) -> None:
        found.append(answer[0].numel() * layer.weight[0].numel())

    hooks = [layer.register_forward_hook(count) for layer in network.modules() if hasattr(layer, "weight")]
    with torch.no_grad():
        network(torch.zeros(1, *network.planes))
    for hook in hooks:
        hook.remove()
    return sum(found), len(found)


def expected(network: Network, batch: int) -> dict[str, float]:
    """States a second of each card on paper: a launch for each layer, and two operations for each multiplication."""
    multiplications, layers = work(network)
    each = 2 * multiplications / REACHED / 1e12
    return {card: batch / (layers * LAUNCH + batch * each / tera) for card, tera in CARDS.items()}


def correctness(network: Network, device: str) -> tuple[Table, bool]:
    """The differences as a table, and whether all are small."""
    rows, right = [], True
    for precision, most in TOLERANCES.items():
        found = deviation(network, device, precision), learnt_deviation(network, device, precision)
        right &= all(one <= most for one in found)
        rows.append((precision, *(f"{one:.2g}" for one in found), f"{most:g}"))
    return Table("Differences from the CPU", ("precision", "evaluated", "learnt", "allowed"), tuple(rows)), right


def speed(game: Game, name: str, device: str, seconds: float, sizes: tuple[Sequence[int], ...]) -> list[Table]:
    """The tables of evaluation, learning, self-play and expectation."""
    network, (batches, items, parallel) = built(game, name), sizes
    kinds = [(where, how) for where in dict.fromkeys((device, "cpu")) for how in PRECISIONS]
    rates = {kind: {size: evaluation(network, *kind, size, seconds) for size in batches} for kind in kinds}
    evaluated = tuple((" ".join(kind), *(f"{rates[kind][size]:,.0f}" for size in batches), str(full_batch(rates[kind])))
                      for kind in kinds)  # fmt: skip
    learnt = tuple((" ".join(kind), *(f"{learning(network, *kind, size, seconds):,.0f}" for size in items))
                   for kind in kinds)  # fmt: skip
    played = tuple((how, *("{:.1f}, {:,.0f}".format(*self_play(game, name, device, how, size, seconds))
                           for size in parallel)) for how in PRECISIONS)  # fmt: skip
    paper = {size: expected(network, size) for size in batches}
    cards = tuple((card, *(f"{paper[size][card]:,.0f}" for size in batches)) for card in CARDS)
    assumed = f"By {REACHED:.0%} of the stated operations and {1e6 * LAUNCH:g} µs a launch; no card was measured."
    return [
        Table("Evaluation, states a second", ("batch", *map(str, batches), "80% from"), evaluated),
        Table("Learning, items a second", ("minibatch", *map(str, items)), learnt),
        Table("Self-play, matches and states a second", ("side by side", *map(str, parallel)), played),
        Table("Expected on paper, states a second", ("batch", *map(str, batches)), cards, assumed),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; returns the status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="hex:11")
    parser.add_argument("--network", default="r1", help="a network on PyTorch, with settings (r1)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, ..., or cpu (cuda)")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each measurement (2)")
    options = parser.parse_args(arguments)
    if options.device != "cpu" and not gpus():
        print("gpu.py: this machine has no GPU that PyTorch can use; --device cpu runs the same parts", file=sys.stderr)
        return 2
    device, game = str(choose_device(options.device)), make(options.game)
    print(processor(), "" if device == "cpu" else torch.cuda.get_device_name(device), torch.__version__)
    table, right = correctness(built(game, options.network), device)
    print(as_text(table), flush=True)
    for one in speed(game, options.network, device, options.seconds, (BATCHES, ITEMS, PARALLEL)):
        print(f"\n{as_text(one)}", flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
