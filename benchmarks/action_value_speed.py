"""The speed of action values: answers for one state by PyTorch and by compiled code, and expansions a second.

    python benchmarks/action_value_speed.py

Networks are untrained, and all times are processor time of one thread. It prints the tables of
docs/algorithms/action_values.md, and takes about two minutes.
"""

import time
from statistics import median

import numpy as np
import torch

from athenan import Budget, Search, make
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.few import MOST_WORK, FewStates
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.networks import Network, build_network
from athenan.rules.game import Game
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.settings import SearchSettings

PADDED = "c:filters=32,convolutions=4,padded=true"
ANSWERS = (
    ("connect_four", "c"), ("othello:8", "c"), ("hex:7", "c"), ("connect_four", PADDED),
    ("connect_four", "c:padded=true"), ("othello:8", "c:padded=true"),
)  # fmt: skip
"""Games and networks of the first table."""
EXPANSIONS = (("hex:7", "c"), ("hex:7", PADDED), ("othello:8", "c"), ("othello:8", PADDED), ("gomoku:15", PADDED))
"""Those of the second."""
SEARCHES = (
    Ubfm(), Ubfm(evaluate="action_values"), Ubfm(evaluate="action_values", refining=16),
)  # fmt: skip


def untrained(game: Game, architecture: str) -> Network:
    """A network with random weights, whose states differ in value."""
    torch.manual_seed(0)
    heads = ("values", "action_values")
    network = build_network(parse_architecture(architecture), game.planes, 25.5, False, heads, ActionSpace.of(game))
    torch.nn.init.normal_(network.last.weight, std=0.1)
    return network


def microseconds(evaluate: Evaluator | FewStates, planes: np.ndarray) -> float:
    """The median processor time of 300 answers."""
    times = []
    for _ in range(300):
        begun = time.thread_time()
        evaluate(planes)
        times.append(time.thread_time() - begun)
    return 1e6 * median(times)


def answers(game: Game, architecture: str) -> list[str]:
    """A row of the first table."""
    network, planes = untrained(game, architecture), game.encode(game.initial())[None]
    by_torch = Evaluator(network, "cpu", "float32", heads=("action_values",))
    by_torch._few = None
    compiled = FewStates(network, by_torch.heads)
    work = f"{compiled.multiplications / 1e6:.1f} million" + ", too many" * (compiled.multiplications > MOST_WORK)
    return [work, f"{microseconds(by_torch, planes):.0f}", f"{microseconds(compiled, planes.reshape(1, -1)):.0f}"]


def expansions(game: Game, network: Network, settings: SearchSettings, trees: int) -> float:
    """The median of the expansions a second of three searches from the initial state."""
    evaluate = Evaluator(network, "cpu", heads=settings.heads(game.stochastic))
    search = Search(game, evaluate, settings=settings, slots=trees, memory=1 << 28, seed=1)
    count, rates = 200 if trees == 1 and settings.evaluate == "action_values" else 40, []
    for _ in range(3):
        for tree in range(trees):
            search.reset(game.initial(), tree)
        begun = time.process_time()
        search.run(Budget(iterations=count))
        rates.append(trees * count / (time.process_time() - begun))
    return median(rates)


def main() -> None:
    """Prints both tables."""
    print("| game, network | multiplications | PyTorch | compiled |\n| --- | --- | --- | --- |")
    for name, architecture in ANSWERS:
        print("|", " | ".join([f"{name}, `{architecture}`", *answers(make(name), architecture)]), "|", flush=True)
    columns = ["children", "action values", "the best 16 refined"]
    print("\n|", " | ".join(["game, network", *[f"{column}, {n}" for n in (1, 32) for column in columns]]), "|")
    print("| --- " * 7 + "|")
    for name, architecture in EXPANSIONS:
        game, network = make(name), untrained(make(name), architecture)
        rates = [expansions(game, network, settings, trees) for trees in (1, 32) for settings in SEARCHES]
        print(f"| {name}, `{architecture}` |", " | ".join(f"{rate:,.0f}" for rate in rates), "|", flush=True)


if __name__ == "__main__":
    main()
