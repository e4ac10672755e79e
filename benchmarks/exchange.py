"""What processes that learn exchange: `python benchmarks/exchange.py [GAME ...]`; for `athenan train --exchange`.

Two learners of a training by the recipe of a run of five minutes take turns in this process, each with its part of the
memory of replay, as two processes would. After a while of training, `--before`, they exchange what has changed after
each interval. Seconds are of the processor, so that the machine may be busy. Prints for each interval:

- matches that a learner plays and learns in it;
- the delta that it sends, the news that it gets (with its own changes, as they are after merging), and the share of the
  table's rows that the news have;
- what would travel without `--exchange`: these matches to one learner, and the whole network back;
- processor time of an exchange: of the learner that finds its delta and takes its news, and of the process that merges
  the delta and finds the news, with pickling on both sides.
"""

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from athenan import make, recommended
from athenan.learning.exchange import Begin, Learning, LearningOrder
from athenan.learning.learner.deltas import Master
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.trainer import Trainer
from athenan.report.tables import Table, as_text
from athenan.runs.checkpoint import RunDirectory
from athenan.version import processor

GAMES = "hex:7", "othello:8", "breakthrough:8"
HEADER = (
    "interval", "matches", "a delta", "its news", "rows", "matches sent", "network sent", "learner", "coordinator",
)  # fmt: skip


class Meter:
    """Processor seconds of some functions, summed."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose time is added when it is called."""

        def timed(*given: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given)
            finally:
                self.seconds += time.process_time() - began

        return timed


@dataclass(frozen=True)
class Exchange:
    """One exchange of a learner: bytes, the share of rows in the news, and processor seconds."""

    delta: int
    news: int
    rows: float
    match: int
    learner: float
    coordinator: float


class Pair:
    """Two learners and the master of a training."""

    def __init__(self, name: str) -> None:
        config = recommended(name, minutes=5.0, threads=1)
        with tempfile.TemporaryDirectory() as folder, RunDirectory(folder) as directory:
            trainer = Trainer(config, make(name), directory)
        learner, numbers = trainer.learner, trainer.heuristic.as_json()
        assert isinstance(learner, NativeLearner), "layers of PyTorch have no deltas"
        self.network, self.master = len(pickle.dumps(learner.playing_weights())), Master(learner)
        self.rows, self.whole = sum(len(table.learnt) for table in self.master._tables), self.master.news(-1).bytes
        self.theirs, self.ours = Meter(), Meter()
        self.learners = [
            Learning(Begin(config, numbers, (0, number), number, 2, learner.as_arrays(), 0)) for number in range(2)
        ]
        for one in self.learners:
            copy: Any = one._copy
            copy.take, copy.delta = self.theirs.timed(copy.take), self.theirs.timed(copy.delta)

    def exchange(self, learner: Learning, matches: int) -> Exchange:
        """A learner takes its news, plays and learns some matches, and sends what it has changed."""
        theirs, ours = self.theirs.seconds, self.ours.seconds
        news = self.ours.timed(self.master.news)(learner._copy.version)
        packed = self.ours.timed(pickle.dumps)(news)
        news = self.theirs.timed(pickle.loads)(packed)
        learnt = learner.work(LearningOrder(3600.0, matches, None, news))
        sent = self.theirs.timed(pickle.dumps)(learnt.delta)
        self.ours.timed(self.master.merge)(self.ours.timed(pickle.loads)(sent), 2)
        rows = sum(len(table.numbers) for table in news.tables) / max(1, self.rows)
        match = len(pickle.dumps(learnt.phases[0].matches[0]))
        return Exchange(len(sent), len(packed), rows, match, self.theirs.seconds - theirs, self.ours.seconds - ours)

    def matches_a_second(self, before: float) -> float:
        """Matches that a learner plays and learns in a processor second, once both have done so for a while."""
        began, matches = time.process_time(), 0
        while time.process_time() < began + before:
            for learner in self.learners:
                self.exchange(learner, 4)
                matches += 4
        return matches / (time.process_time() - began)


def row(pair: Pair, interval: int, matches: int, exchanges: int) -> tuple[str, ...]:
    """A row of the table; the first exchanges of both learners, whose news are of another interval, do not count."""
    found = [pair.exchange(learner, matches) for _ in range(1 + exchanges) for learner in pair.learners][2:]
    mean = Exchange(*(fmean(values) for values in zip(*(vars(one).values() for one in found), strict=True)))
    sizes = (mean.delta, mean.news, matches * mean.match, pair.network)
    delta, news, sent, network = (f"{size / 1e6:.2f} MB" for size in sizes)
    seconds = (f"{1000 * one:.0f} ms" for one in (mean.learner, mean.coordinator))
    return (f"{interval} s", str(matches), delta, news, f"{mean.rows:.1%}", sent, network, *seconds)


def main() -> None:
    """Prints a table for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES)
    parser.add_argument("--intervals", type=int, nargs="+", default=[1, 5], help="processor seconds (1 5)")
    parser.add_argument("--before", type=float, default=20.0, help="processor seconds of training before (20)")
    parser.add_argument("--exchanges", type=int, default=4, help="of each learner and interval (4)")
    given = parser.parse_args()
    print(processor())
    for name in given.games:
        pair = Pair(name)
        rate = pair.matches_a_second(given.before)
        rows = (row(pair, one, max(1, round(rate * one)), given.exchanges) for one in given.intervals)
        title = f"{name}: {pair.rows:,} rows, all in {pair.whole / 1e6:.2f} MB"
        print(as_text(Table(title, HEADER, tuple(rows))), flush=True)


if __name__ == "__main__":
    main()
