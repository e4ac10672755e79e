"""The latest self-play matches of a training, in its run directory, for people who watch it.

`latest.jsonl` is an ordinary file of matches (docs/records.md), the latest match last. The value of a ply is the value
learnt for the state before it. A line also has the fields `number`, `training_seconds` and `final_value`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from athenan.games.catalogue import known
from athenan.play.records import MatchRecord, RecordError, is_number
from athenan.reading import parsed
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError
from athenan.settings import shown

LATEST = "latest.jsonl"
MOST = 20
"""Matches in the file."""
_LARGEST = 1 << 28
"""The most bytes of a file that is read."""


@dataclass(frozen=True)
class LatestMatch:
    """One self-play match, and what was learnt for its states."""

    number: int
    """Matches of the training up to this one."""
    training_seconds: float
    """Seconds of training until its end."""
    record: MatchRecord
    """The match. The value of a ply is the value learnt for the state before it, or None if nothing was learnt for
    it."""
    final_value: float | None
    """The value learnt for the last state, or None."""

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value learnt for each state, from the initial one to the end; None for states without one."""
        return *(ply.value for ply in self.record.plies), self.final_value

    def as_line(self, game: Game) -> str:
        """The match as a line of the file."""
        return self.record.as_line(
            game, number=self.number, training_seconds=self.training_seconds, final_value=self.final_value
        )

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Reads a line of `as_line`. Raises RecordError for any other line, and GameError for an unknown game."""
        try:
            data = parsed(line)
        except ValueError:
            data = None
        if not isinstance(data, Mapping) or not isinstance(data.get("game"), str):
            raise RecordError(f"a match of self-play was expected, not {shown(line)}")
        number, seconds, value = data.get("number"), data.get("training_seconds"), data.get("final_value")
        if type(number) is not int or not is_number(seconds) or not (value is None or is_number(value)):
            raise RecordError("a match of self-play needs number, training_seconds and final_value")
        return cls(number, seconds, MatchRecord.of_line(data, known(data["game"])), value)


def read_latest(directory: str | Path) -> list[LatestMatch]:
    """The latest matches of a run directory, the latest one last; empty if the training has not saved any.

    The rules replay them. Raises CheckpointError if the file cannot be read or is damaged, and GameError if its game is
    user code that was not named before.
    """
    file = Path(directory) / LATEST
    try:
        with open(file, "rb") as stream:
            data = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror}") from None
    try:
        lines = data.decode().splitlines()
        if len(data) > _LARGEST or not 1 <= len(lines) <= MOST:
            raise RecordError(f"1 to {MOST} matches were expected")
        return [LatestMatch.from_line(line) for line in lines]
    except (RecordError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{file} is damaged: {error}; delete it, and the training writes it again") from None
