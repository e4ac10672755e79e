"""The curves of a run, as its training wrote them for TensorBoard (`learning.observers.metrics` lists the tags)."""

from bisect import bisect_right
from pathlib import Path
from typing import NamedTuple

from athenan.runs.checkpoint import CheckpointError
from athenan.system.names import in_utf8

SECONDS = "time/seconds"


class Point(NamedTuple):
    """One point of a curve."""

    matches: int
    """Matches played before."""
    seconds: float
    """Seconds of training until then."""
    value: float


class CurveReader:
    """Reads the curves of a run directory repeatedly, only new points each time. One thread at a time may use it."""

    def __init__(self, directory: str | Path, most: int = 0) -> None:
        """`most`: the points kept of a curve; a longer one keeps a random sample with its last point. 0 keeps all.

        Raises CheckpointError if the directory has no curves.
        """
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        if not Path(directory).is_dir():
            raise CheckpointError(f"there is no run directory {directory}")
        folder = Path(directory) / "tensorboard"
        if not folder.is_dir():
            raise CheckpointError(f"{directory} has no curves: give the directory of a run that has played a match")
        self._directory = directory
        self._events = EventAccumulator(in_utf8(folder, self), size_guidance={"scalars": most})

    def read(self) -> dict[str, list[Point]]:
        """The present curves by their tags. Raises CheckpointError before there are any."""
        self._events.Reload()
        events = {tag: self._events.Scalars(tag) for tag in self._events.Tags()["scalars"]}
        if not events.get(SECONDS):
            raise CheckpointError(f"{self._directory} has no curves: its training has not played a match yet")
        steps = [event.step for event in events[SECONDS]]

        def seconds(step: int) -> float:
            """The seconds of training at the last match that is not after the step."""
            return float(events[SECONDS][max(0, bisect_right(steps, step) - 1)].value)

        return {
            tag: [Point(int(event.step), seconds(event.step), float(event.value)) for event in found]
            for tag, found in events.items()
        }


def curves(directory: str | Path) -> dict[str, list[Point]]:
    """The curves of a run directory by their tags, whole. Raises CheckpointError if it has none."""
    return CurveReader(directory).read()
