"""What several threads make of a training, beside one thread, and what bounds them.

    python benchmarks/cores.py                                     Connect Four, Hex 7 and Othello 8, 1 and 2 threads
    python benchmarks/cores.py othello:8 --threads 1 2 4 8 16      on a machine with 16 cores

The machine should be quiet. Trainings by the recipe of a run of five minutes, with each number of threads, take turns
in this process; the first turn of each warms up and does not count. Prints medians of `--repetitions`:

- cores: processor time divided by the time that passed;
- ready: cores that would have been used if no other process had wanted them (Linux): processor time, and the time in
  which threads waited for a core;
- matches, states evaluated and items learnt a second, and how many times those of the first number of threads;
- a state, an item: processor time of playing a state, and of learning an item, as ratios. They grow where threads share
  caches and memory;
- publishing: the share of processor time in which what was learnt is copied to the weights that play.
"""

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from athenan import make, recommended
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.self_play.actors import Actor
from athenan.learning.trainer import Trainer
from athenan.report.tables import Table, as_text
from athenan.runs.checkpoint import RunDirectory
from athenan.version import processor

GAMES = "connect_four", "hex:7", "othello:8"
PARTS = {"play": (Actor, "play"), "learn": (NativeLearner, "learn"), "publish": (NativeLearner, "publish")}


@dataclass(frozen=True)
class Measured:
    """One training; rates are by the second that passed, costs are processor seconds."""

    cores: float
    ready: float
    matches: float
    states: float
    items: float
    state: float
    item: float
    publishing: float


class Meter:
    """Processor time of the parts of a training, in all its threads, within `with`."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(PARTS, 0.0)
        self.delays: dict[int, float] = {}
        """Seconds in which each thread that played has waited for a core."""
        self._lock = threading.Lock()

    def _timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any) -> Any:
            began, delayed = time.thread_time(), delay()
            try:
                return function(*given)
            finally:
                with self._lock:
                    self.spent[part] += time.thread_time() - began
                    thread = threading.get_native_id()
                    self.delays[thread] = self.delays.get(thread, 0.0) + delay() - delayed

        return timed

    def __enter__(self) -> "Meter":
        self._functions = {part: getattr(*place) for part, place in PARTS.items()}
        for part, (owner, name) in PARTS.items():
            setattr(owner, name, self._timed(part, self._functions[part]))
        return self

    def __exit__(self, *error: object) -> None:
        for part, (owner, name) in PARTS.items():
            setattr(owner, name, self._functions[part])


def delay() -> float:
    """Seconds in which this thread has waited for a core; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def measured(name: str, threads: int, seconds: float, network: str | None, algorithm: str | None) -> Measured:
    """Trains for some seconds."""
    config = recommended(name, minutes=5.0, threads=threads, network=network, algorithm=algorithm)
    config = config.changed(run={"minutes": seconds / 60})
    with tempfile.TemporaryDirectory() as folder, RunDirectory(folder) as run, Meter() as meter:
        trainer = Trainer(config, make(name), run)
        trainer.run()
    progress, spent = trainer.progress, meter.spent
    passed, processor_seconds = progress.wall_seconds, progress.processor_seconds
    return Measured(
        processor_seconds / passed, (processor_seconds + sum(meter.delays.values())) / passed,
        progress.matches / passed, progress.evaluations / passed, progress.learnt / passed,
        spent["play"] / progress.evaluations, spent["learn"] / max(1, progress.learnt),
        spent["publish"] / processor_seconds,
    )  # fmt: skip


def rows_of(found: dict[int, list[Measured]]) -> list[tuple[str, ...]]:
    """A row for each number of threads."""
    first, rows = next(iter(found)), list[tuple[str, ...]]()
    for threads, turns in found.items():

        def middle(name: str, turns: list[Measured] = turns) -> float:
            return median(getattr(turn, name) for turn in turns)

        def ratio(name: str, turns: list[Measured] = turns) -> str:
            pairs = zip(turns, found[first], strict=True)
            return f"{median(getattr(turn, name) / getattr(one, name) for turn, one in pairs):.2f}"

        rates = [f"{middle(name):,.{digits}f}: {ratio(name)}" for name, digits in
                 (("matches", 1), ("states", 0), ("items", 0))]  # fmt: skip
        rows.append((
            str(threads), f"{middle('cores'):.2f}", f"{middle('ready'):.2f}", *rates, ratio("state"), ratio("item"),
            f"{middle('publishing'):.1%}",
        ))  # fmt: skip
    return rows


def main() -> None:
    """Prints a table for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="numbers of threads to compare (1 2)")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds of each training (20)")
    parser.add_argument("--repetitions", type=int, default=5, help="trainings of each that count (5)")
    parser.add_argument("--network", default=None, help="patterns or shallow, with settings (the recipe's)")
    parser.add_argument("--algorithm", default=None, help="such as alphazero (the game's)")
    options = parser.parse_args()
    print(processor())
    header = ("threads", "cores", "ready", "matches/s", "states/s", "items/s", "a state", "an item", "publishing")
    for name in options.games:
        found: dict[int, list[Measured]] = {threads: [] for threads in options.threads}
        for turn in range(options.repetitions + 1):
            for threads in options.threads:
                of_turn = measured(name, threads, options.seconds, options.network, options.algorithm)
                found[threads] += [of_turn] if turn else []
        print(as_text(Table(name, header, tuple(rows_of(found)))), flush=True)


if __name__ == "__main__":
    main()
