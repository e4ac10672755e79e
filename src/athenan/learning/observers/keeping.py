"""Networks that a training keeps at intervals: what it could play with after so many minutes."""

from athenan.runs.checkpoint import NETWORK_PREFIX, Checkpoint, RunDirectory, kept


class Keeping:
    """Keeps, for every multiple of an interval, the network of the last checkpoint before it."""

    def __init__(self, directory: RunDirectory, minutes: float | None, checkpoint: Checkpoint) -> None:
        """`minutes` is the interval, None to keep nothing; `checkpoint` that with which the training goes on."""
        self._directory = directory
        self._minutes = minutes
        self._last = _network(checkpoint)
        self._count = round(max(kept(directory.path), default=0) / minutes) if minutes else 0

    def after(self, checkpoint: Checkpoint) -> None:
        """Keeps what is due when a checkpoint has been saved. Raises CheckpointError if it cannot be written."""
        self.until(checkpoint.document["progress"]["seconds"])
        self._last = _network(checkpoint)

    def until(self, seconds: float) -> None:
        """Keeps what is due after so many seconds of training. Raises CheckpointError if it cannot be written."""
        while self._minutes is not None and (minutes := (self._count + 1) * self._minutes) * 60 <= seconds:
            self._directory.keep(self._last, minutes)
            self._count += 1


def _network(checkpoint: Checkpoint) -> Checkpoint:
    """The parts of a checkpoint that are kept."""
    tensors = {name: tensor for name, tensor in checkpoint.tensors.items() if name.startswith(NETWORK_PREFIX)}
    names = ("configuration", "heuristic", "progress")
    return Checkpoint(tensors, {name: checkpoint.document[name] for name in names}, {})
