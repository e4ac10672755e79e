"""Observers are told of a training in the order in which it happens."""

from dataclasses import replace
from pathlib import Path

import pytest
from small_trainings import small

from athenan.games.catalogue import make
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.trainer import Trainer
from athenan.runs.checkpoint import Checkpoint, RunDirectory


class Noting(Observer):
    """Notes what it is told, with the number of matches."""

    def __init__(self, fails_at: int = 99) -> None:
        self.told: list[tuple[str, int]] = []
        self._fails_at = fails_at

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        assert directory.holds_checkpoint
        self.told.append(("begin", checkpoint.document["progress"]["matches"]))

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        assert progress.lengths[-1] == len(match.actions)
        self.told.append(("match", progress.matches))
        if progress.matches == self._fails_at:
            raise KeyboardInterrupt

    def phase(self, progress: Progress) -> None:
        self.told.append(("phase", progress.matches))

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        self.told.append(("checkpoint", checkpoint.document["progress"]["matches"]))

    def end(self, progress: Progress) -> None:
        self.told.append(("end", progress.matches))

    def __exit__(self, *given: object) -> None:
        self.told.append(("closed", 0))


def test_all_are_told_of_matches_phases_and_checkpoints(tmp_path: Path) -> None:
    config = small("tictactoe", matches=4)
    config = replace(config, learning=replace(config.learning, phase_matches=2))
    one, other = Noting(), Noting()
    with RunDirectory(tmp_path / "run") as directory:
        Trainer(config, make("tictactoe"), directory).run([one, other])
    phases = [[("match", last - 1), ("match", last), ("phase", last), ("checkpoint", last)] for last in (2, 4)]
    assert one.told == other.told == [("begin", 0), *phases[0], *phases[1], ("end", 4), ("closed", 0)]


def test_a_training_that_is_interrupted_is_closed_and_has_no_end(tmp_path: Path) -> None:
    one, other = Noting(), Noting(fails_at=2)
    with RunDirectory(tmp_path / "run") as directory, pytest.raises(KeyboardInterrupt):
        Trainer(small("tictactoe", matches=4), make("tictactoe"), directory).run([one, other])
    assert one.told == other.told
    assert one.told[-2:] == [("match", 2), ("closed", 0)]
