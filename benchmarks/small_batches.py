"""States a second of the C-network by the size of the batch: PyTorch, and the compiled forward pass.

    python benchmarks/small_batches.py connect_four breakthrough:8 hex:7 othello:8

A search evaluates the children of one state together, so that batches are small. The table has microseconds of
processor time for each state, medians of `--repetitions` turns of all ways, in one thread. The compiled pass is that of
`evaluation.few`, which the `Evaluator` uses for a few states where more than values are asked.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
import torch

from athenan import make
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.few import FewStates
from athenan.evaluation.forward import forward
from athenan.evaluation.networks import build_network
from athenan.report.tables import Table, as_text
from athenan.rules.compiler import prepare
from athenan.rules.heads import VALUES
from athenan.rules.playouts import encoded_states, random_states

SIZES = (1, 2, 4, 7, 14, 28, 40, 80, 160, 320)


def microseconds(evaluate: Callable[[np.ndarray], object], planes: np.ndarray, seconds: float) -> float:
    """Processor time of a state, in batches as large as `planes`."""
    evaluate(planes)
    calls, began = 0, process_time()
    while (passed := process_time() - began) < seconds or calls < 3:
        evaluate(planes)
        calls += 1
    return passed / calls / len(planes) * 1e6


def main() -> None:
    """Prints a table for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--network", default="c")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    prepare(forward)
    for name in options.games:
        game = make(name)
        network = build_network(parse_architecture(options.network), game.planes, 1.0, True)
        few = FewStates(network, VALUES)
        ways: dict[str, Callable[[np.ndarray], object]] = {
            "float32": Evaluator(network, "cpu", "float32"), "bfloat16": Evaluator(network, "cpu", "bfloat16"),
            "compiled": few,
        }  # fmt: skip
        planes, rows = encoded_states(game, random_states(game, max(SIZES))), []
        for size in SIZES:
            found = {way: list[float]() for way in ways}
            for _ in range(options.repetitions):
                for way, evaluate in ways.items():
                    found[way].append(microseconds(evaluate, planes[:size], options.seconds))
            rows.append((str(size), *(f"{median(times):,.1f}" for times in found.values())))
        title = f"{name}, {options.network}: microseconds a state ({few.multiplications:,} multiplications)"
        print(as_text(Table(title, ("batch", *ways), tuple(rows))), flush=True)


if __name__ == "__main__":
    main()
