"""Whether an item that several workers learn is worth as much as an item that one learns.

    python benchmarks/items_of_workers.py connect_four othello:8 --items 1000000 --matches 200 --trainings 2

Trains networks by the recipe of a run of five minutes with `--workers` until they have learnt `--items` items, then
with one until it has learnt as many. Lets the networks of the same seed play against each other, 60 iterations an
action after three random actions, and prints the share of points of the workers' network. Searches have the recipe's
time by the clock of the processor, so the machine may be busy.

    python benchmarks/items_of_workers.py connect_four hex:7 --exchange --renewal 2

lets processes learn, which exchange what has changed, instead of threads. Then all searches have `--evaluations`, so
that it does not matter how many cores the processes share; only how many matches a process plays between exchanges
follows from its speed.
"""

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from athenan import Budget, make, recommended
from athenan.arena.learnt_players import load_player
from athenan.arena.series import play_series
from athenan.jobs import HERE, Machines
from athenan.learning.config import TrainingConfig
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.trainer import Trainer
from athenan.play.search_player import SearchPlayer
from athenan.runs.checkpoint import RunDirectory
from athenan.version import processor

ITERATIONS, RANDOM = 60, 3


@dataclass
class UntilLearnt(Observer):
    """Ends a training that has learnt enough."""

    items: int

    def update(self, progress: Progress) -> None:
        """Ends it with the match that is being played."""
        if progress.learnt >= self.items:
            progress.limit_matches = progress.matches


def configuration(name: str, workers: int, options: argparse.Namespace) -> TrainingConfig:
    """The configuration of a training by threads, or by processes that exchange."""
    if not options.exchange:
        recipe = recommended(name, minutes=5.0, threads=workers)
        return recipe.changed(run={"minutes": None, "clock": "processor"})
    recipe = recommended(name, minutes=5.0, timed=False)
    playing = {"renewal": options.renewal} if workers > 1 else {}
    return recipe.changed(run={"minutes": None}, action={"evaluations": options.evaluations}, playing=playing)


def trained(
    name: str, workers: int, seed: int, folder: str, options: argparse.Namespace, items: int
) -> tuple[SearchPlayer, int]:
    """A network that has learnt at least so many items, and how many."""
    config = configuration(name, workers, options).changed(run={"seed": seed})
    exchanging = options.exchange and workers > 1
    with RunDirectory(Path(folder) / f"{workers}-{seed}") as run:
        machines = Machines(workers) if exchanging else HERE
        trainer = Trainer(config, make(name), run, machines=machines, exchange=exchanging)
        trainer.run([UntilLearnt(items)])
        done = trainer.progress
        learnt = f"{done.learnt:,} items of {done.matches:,} matches, {done.seconds:.0f} s"
        print(f"  {workers} workers, seed {seed}: {learnt}", flush=True)
        return load_player(run.path, make(name)), done.learnt


def main() -> None:
    """Prints a line for each training, and one for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--exchange", action="store_true", help="workers are processes that exchange")
    parser.add_argument("--renewal", type=float, default=1.0, help="with --exchange: seconds between exchanges (1)")
    parser.add_argument("--evaluations", type=int, default=400, help="with --exchange: of the search for each action")
    parser.add_argument("--items", type=int, default=2_500_000)
    parser.add_argument("--matches", type=int, default=200, help="of each pair of networks, an even number (200)")
    parser.add_argument("--trainings", type=int, default=2, help="of each kind (2)")
    parser.add_argument("--seed", type=int, default=1, help="of the first trainings; others have the next ones (1)")
    options = parser.parse_args()
    print(processor())
    for name in options.games:
        shares = []
        for seed in range(options.seed, options.seed + options.trainings):
            with tempfile.TemporaryDirectory() as folder:
                several, learnt = trained(name, options.workers, seed, folder, options, options.items)
                players = [several, trained(name, 1, seed, folder, options, learnt)[0]]
                limit = Budget(iterations=ITERATIONS)
                duel = play_series(
                    make(name), players, games=options.matches, limit=limit, random_opening=RANDOM, seed=seed
                )
            shares.append(duel.score)
            print(f"  {name}, seed {seed}: {options.workers} workers won {duel.score:.1%} against one", flush=True)
        print(f"{name}: {sum(shares) / len(shares):.1%} of {options.trainings} x {options.matches} matches", flush=True)


if __name__ == "__main__":
    main()
