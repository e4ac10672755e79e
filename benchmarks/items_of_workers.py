"""Whether an item that several workers learn is worth as much as an item that one learns.

    python benchmarks/items_of_workers.py connect_four othello:8 --items 1000000 --matches 200 --trainings 2

Trains networks by the recipe of a run of five minutes, with one thread and with `--workers`, until they have learnt
`--items` items, and lets the networks of the same seed play against each other, 60 iterations an action after three
random actions. Prints the share of points of the workers' network. Searches have the recipe's time by the clock of the
processor, so the machine may be busy.
"""

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from athenan import Budget, make, recommended
from athenan.arena.learnt_players import load_player
from athenan.arena.series import play_series
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


def trained(name: str, threads: int, items: int, seed: int, folder: str) -> SearchPlayer:
    """A network that has learnt so many items."""
    config = recommended(name, minutes=5.0, threads=threads).changed(
        run={"seed": seed, "minutes": None, "clock": "processor"}
    )
    with RunDirectory(Path(folder) / f"{threads}-{seed}") as run:
        trainer = Trainer(config, make(name), run)
        trainer.run([UntilLearnt(items)])
        progress = trainer.progress
        print(
            f"  {threads} threads, seed {seed}: {progress.learnt:,} items of {progress.matches:,} matches", flush=True
        )
        return load_player(run.path, make(name))


def main() -> None:
    """Prints a line for each training, and one for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--workers", type=int, default=2)
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
                players = [trained(name, threads, options.items, seed, folder) for threads in (options.workers, 1)]
                limit = Budget(iterations=ITERATIONS)
                duel = play_series(
                    make(name), players, games=options.matches, limit=limit, random_opening=RANDOM, seed=seed
                )
            shares.append(duel.score)
            print(f"  {name}, seed {seed}: {options.workers} workers won {duel.score:.1%} against one", flush=True)
        print(f"{name}: {sum(shares) / len(shares):.1%} of {options.trainings} x {options.matches} matches", flush=True)


if __name__ == "__main__":
    main()
