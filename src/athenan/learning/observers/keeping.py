"""Networks that a training keeps at intervals, to show how strong it was at each time."""

from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.runs.checkpoint import NETWORK_PREFIX, Checkpoint, RunDirectory, kept


class Keeping(Observer):
    """Keeps, for every multiple of an interval, the network of the last checkpoint before it."""

    def __init__(self, minutes: float) -> None:
        """`minutes` is the interval."""
        self._minutes = minutes
        self._directory: RunDirectory
        self._last: Checkpoint
        self._count = 0

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Goes on after the networks that the directory holds."""
        self._directory, self._last = directory, _network(checkpoint)
        self._count = round(max(kept(directory.path), default=0) / self._minutes)

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        """Keeps what is due when a checkpoint has been saved. Raises CheckpointError if it cannot be written."""
        self._keep(checkpoint.document["progress"]["seconds"])
        self._last = _network(checkpoint)

    def end(self, progress: Progress) -> None:
        """Keeps what is still due. Raises CheckpointError if it cannot be written."""
        self._keep(progress.seconds)

    def _keep(self, seconds: float) -> None:
        """Keeps what is due after `seconds` of training."""
        while (minutes := (self._count + 1) * self._minutes) * 60 <= seconds:
            self._directory.keep(self._last, minutes)
            self._count += 1


def _network(checkpoint: Checkpoint) -> Checkpoint:
    """The parts of a checkpoint that are kept."""
    tensors = {name: tensor for name, tensor in checkpoint.tensors.items() if name.startswith(NETWORK_PREFIX)}
    names = ("configuration", "heuristic", "progress")
    return Checkpoint(tensors, {name: checkpoint.document[name] for name in names}, {})
