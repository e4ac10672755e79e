"""The progress of a training as TensorBoard scalars, a point per checkpoint; watch with `tensorboard --logdir RUNS`.

| tag | value |
| --- | --- |
| `match/length` | mean number of actions of the last 100 matches |
| `match/won`, `match/drew`, `match/lost` | shares of the last 100 matches, first player's point of view |
| `match/score`, `match/record` | instead, with one player: mean score of the last 100 matches, best so far |
| `match/lag` | learning phases that networks of actors in other processes lacked, mean of 100 matches |
| `learning/loss` | mean loss of the last learning phase |
| `learning/learnt`, `learning/memory` | items learnt in all, and items in replay memory |
| `speed/evaluations_per_second` | states evaluated in a second of searching, over the whole run |
| `speed/cut_short` | searches that ended early because their tree had filled its memory, in all |
| `time/network`, `time/search`, `time/learning`, `time/checkpoint`, `time/other` | shares of the time of the run |
| `time/seconds` | seconds of training |
| `strength/OPPONENT` | share of points against the opponent, at the match of the measurement |
| `strength/alone`, `strength/best` | instead, with one player: mean and best score of the measurement |

The tab HPARAMS has the configuration, so that runs can be told apart, filtered and sorted by their settings.
"""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from athenan.learning.observers.events import EventWriter
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Measurement, Progress, restored_progress
from athenan.runs.checkpoint import Checkpoint, RunDirectory
from athenan.runs.description import flat


class Curves(Observer):
    """Writes the metrics of a training and its configuration."""

    def __init__(self) -> None:
        self._metrics: Metrics | None = None

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Goes on after the checkpoint."""
        progress = checkpoint.document["progress"]
        measured = progress["measurement"] and Measurement(**progress["measurement"])
        self._metrics = Metrics(directory.path, progress["matches"], measured)
        self._metrics.configuration(checkpoint.document["configuration"])

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        """Writes the metrics of the checkpoint: a run that is resumed plays all later matches again."""
        if self._metrics:
            self._metrics.update(restored_progress(checkpoint.document["progress"], progress))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._metrics:
            self._metrics.__exit__(kind, error, at)


class Metrics:
    """Writes scalars to `DIRECTORY/tensorboard` between `with` and its end.

    `matches`, the number at which a resumed run continues, hides points that the interrupted run wrote beyond its
    checkpoint; `measurement` is its last measurement, which is already written.
    """

    def __init__(self, directory: str | Path, matches: int = 0, measurement: Measurement | None = None) -> None:
        self._writer = EventWriter(Path(directory) / "tensorboard", purge_from=matches + 1 if matches else None)
        self._measurement = measurement
        self._matches = matches

    def configuration(self, configuration: Mapping[str, Any]) -> None:
        """Writes the configuration of the training as hyperparameters; a resumed run writes it again."""
        opponent = configuration["strength"]["opponent"]
        self._writer.add_settings(flat(configuration), ("learning/loss", f"strength/{opponent}"))

    def update(self, progress: Progress) -> None:
        """Writes the progress, if matches have ended since the last update, and a new measurement of strength."""
        if progress.matches > self._matches:
            self._matches = progress.matches
            for tag, value in scalars(progress).items():
                self._writer.add_scalar(tag, value, progress.matches)
        if progress.measurement and progress.measurement != self._measurement:
            self._measurement = measured = progress.measurement
            self._writer.add_scalar(f"strength/{measured.opponent}", measured.score, measured.matches)
            if measured.best is not None:
                self._writer.add_scalar("strength/best", measured.best, measured.matches)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._writer.close()


def scalars(progress: Progress) -> dict[str, float]:
    """Tag -> value, for all known values except the strength."""
    values: dict[str, float | None] = {
        "match/length": progress.mean_length,
        "match/lag": progress.mean_lag,
        "learning/loss": progress.losses[-1] if progress.losses else None,
        "learning/learnt": progress.learnt,
        "learning/memory": progress.memory,
        "speed/evaluations_per_second": progress.evaluations_per_second,
        "speed/cut_short": progress.cut_short,
        "time/seconds": progress.seconds,
    }
    if progress.record:
        values |= {"match/score": progress.mean_score, "match/record": progress.record.score}
    elif progress.results:
        values |= zip(("match/won", "match/drew", "match/lost"), progress.results, strict=True)
    values |= {f"time/{name}": share for name, share in progress.shares.items()}
    return {tag: value for tag, value in values.items() if value is not None}
