"""Cores that a training with several actors uses, and what it makes of them beside one actor in one thread.

    python benchmarks/actors.py othello:8 --network patterns:phases=5 --seconds 40 --action-seconds 0.005 0.002

The machine should be quiet. Trainings of one actor in one thread, and of `--actors` in as many threads, take turns.
Prints medians of `--repetitions`:

- cores: processor time divided by the time that passed;
- ready: cores that would have been used if no other process had wanted them: the mean number of threads that ran or
  waited for a core, of which at most `--actors` count. Sampled each millisecond from Linux's /proc;
- states evaluated and items learnt a second, and how many times the states of one actor.
"""

import argparse
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from athenan.learning.progress import Progress
from athenan.report.tables import Table, as_text
from athenan.runs.checkpoint import load

SAMPLE = 0.001
"""Seconds between two samples."""
START = 5.0
"""Seconds after which samples count: code is loaded before."""


@dataclass(frozen=True)
class Measured:
    """One training; rates are by the second that passed."""

    cores: float
    ready: float
    states: float
    items: float


def ready_threads(process: int) -> int:
    """Threads of a process that run or wait for a core."""
    states = list[str]()
    for task in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            states.append(task.read_text().rpartition(")")[2].split()[0])
    return states.count("R")


def trained(options: argparse.Namespace, actors: int, action_seconds: float) -> Measured:
    """Trains in a process of its own."""
    learning_threads = options.learning_threads if actors > 1 else 1
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [
            sys.executable, "-m", "athenan", "train", options.game, "--network", options.network,
            "--minutes", str(options.seconds / 60), "--threads", str(actors), "--actors", str(actors),
            "--action.seconds", str(action_seconds), "--strength.seconds", "0", "--run", str(run),
            "--learning-threads", str(learning_threads),
        ]  # fmt: skip
        ready, began = list[int](), time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                if START < time.perf_counter() - began < options.seconds:
                    ready.append(min(actors, ready_threads(process.pid)))
                time.sleep(SAMPLE)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        progress = Progress(**load(run).document["progress"])
    passed = progress.wall_seconds
    return Measured(
        progress.processor_seconds / passed, sum(ready) / len(ready), progress.evaluations / passed,
        progress.learnt / passed,
    )  # fmt: skip


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--network", default="patterns")
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--learning-threads", type=int, default=1, help="of the training with several actors (1)")
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--action-seconds", type=float, nargs="+", default=[0.005])
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    rows = []
    for action_seconds in options.action_seconds:
        pairs = [
            [trained(options, actors, action_seconds) for actors in (1, options.actors)]
            for _ in range(options.repetitions)
        ]
        for column, actors in enumerate((1, options.actors)):
            found = [pair[column] for pair in pairs]
            ratio = median(pair[column].states / pair[0].states for pair in pairs)
            rows.append((
                f"{action_seconds:g}", str(actors), f"{median(one.cores for one in found):.2f}",
                f"{median(one.ready for one in found):.2f}", f"{median(one.states for one in found):,.0f}",
                f"{median(one.items for one in found):,.0f}", f"{ratio:.2f}",
            ))  # fmt: skip
    header = ("s/action", "actors", "cores", "ready", "states/s", "items learnt/s", "ratio")
    print(as_text(Table(f"{options.game}, {options.network}", header, tuple(rows))))


if __name__ == "__main__":
    main()
