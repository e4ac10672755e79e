"""Writes the best match of a training in a one-player game."""

from dataclasses import asdict

from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.runs.checkpoint import RECORD, Checkpoint, RunDirectory


class Best(Observer):
    """Writes the best match so far, `Progress.record`."""

    def __init__(self) -> None:
        self._directory: RunDirectory

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Notes the directory to write to."""
        self._directory = directory

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        """Writes the match. Raises CheckpointError if the file cannot be written."""
        if progress.record:
            self._directory.write_json(RECORD, {"game": progress.game, **asdict(progress.record)})
