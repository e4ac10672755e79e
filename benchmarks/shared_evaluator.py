"""States a second that actors evaluate by a network on PyTorch: each by an evaluator of its own, and by a shared one.

    python benchmarks/shared_evaluator.py hex:7 connect_four othello:8 --actors 2
    python benchmarks/shared_evaluator.py hex:11 --network r1 --actors 4 8 --device cuda

The actors play in the threads of one process, with the recipe's settings and one thread of PyTorch each, and nobody
learns. Both ways take turns; the figures are medians. For each way: states a second, states a second of processor time
of all threads, and the mean number of states in a batch. The last column is what a training measures at its start on a
GPU, to choose a way.
"""

import argparse
import time
from statistics import median

from athenan import make, recommended
from athenan.evaluation.devices import choose_device
from athenan.evaluation.evaluator import Evaluator
from athenan.learning.components import Components
from athenan.learning.self_play.actors import Actors
from athenan.learning.self_play.shared_evaluator import SharedEvaluator, gains_by_sharing
from athenan.report.tables import Table, as_text
from athenan.version import processor

WAYS = "own", "shared"


def evaluators(components: Components) -> list[Evaluator]:
    """An evaluator for each actor."""
    learner = components.learner()
    found = [components.evaluator(learner, 1) for _ in range(components.config.playing.actors)]
    return [one for one in found if isinstance(one, Evaluator)]


def rates(components: Components, way: str, seconds: float) -> tuple[float, float, float]:
    """States a second, states a second of processor time, and states in a batch, after a second of play."""
    own = evaluators(components)
    shared = SharedEvaluator(own[0])
    players = [
        components.actor(shared if way == "shared" else one, components.choice([0, number], lambda: 0.0), lambda: 0)
        for number, one in enumerate(own)
    ]

    def counts() -> tuple[int, int]:
        spent = [player.self_play.spent for player in players]
        batches = shared.batches if way == "shared" else sum(one.batches for one in spent)
        return sum(one.evaluations for one in spent), batches

    def play(until: float) -> None:
        while actors.next_match(lambda: time.perf_counter() >= until, lambda: True):
            pass

    with Actors(players) as actors:
        play(time.perf_counter() + 1)
        (states, batches), began, processor_began = counts(), time.perf_counter(), time.process_time()
        play(began + seconds)
        passed, worked = time.perf_counter() - began, time.process_time() - processor_began
        found, batched = counts()
    return (found - states) / passed, (found - states) / worked, (found - states) / (batched - batches)


def row(name: str, actors: int, options: argparse.Namespace) -> tuple[str, ...]:
    """What was measured of a game with so many actors."""
    config = recommended(name, minutes=5, network=options.network, threads=2).changed(
        playing={"actors": actors, "precision": options.precision}, learning={"device": options.device}
    )
    components = Components(config, make(name), None, new=True)
    found: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
    for _ in range(options.repetitions):
        for way in WAYS:
            found[way].append(rates(components, way, options.seconds))
    own = evaluators(components)
    medians = [[f"{median(column):,.0f}" for column in zip(*found[way], strict=True)] for way in WAYS]
    gains = gains_by_sharing(own, own[0].usual_planes())
    return str(actors), *(f"{one}, {other}" for one, other in zip(*medians, strict=True)), WAYS[gains]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--actors", type=int, nargs="*", default=[2])
    parser.add_argument("--network", default="c")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    print(processor(), choose_device(options.device))
    header = ("actors", "states/s: own, shared", "of processor time", "batch", "clearly faster")
    for name in options.games:
        rows = tuple(row(name, actors, options) for actors in options.actors)
        print(as_text(Table(f"{name}, {options.network}, {options.precision}", header, rows)), flush=True)


if __name__ == "__main__":
    main()
