"""The latest matches of a training's self-play, in its run directory, for those who watch it.

`latest.jsonl` is a file of matches as any other (docs/records.md), the latest one last. The value of a ply is the value
that is learnt of the state before it. A line has besides the fields `number`, `training_seconds` and `final_value`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from athenan.games.catalogue import known
from athenan.play.records import MatchRecord, RecordError, is_number
from athenan.rules.game import Game
from athenan.runs.checkpoint import CheckpointError
from athenan.settings import shown

LATEST = "latest.jsonl"
MOST = 20
"""Matches in the file."""
_LARGEST = 1 << 28
"""Bytes of a file that is read."""


@dataclass(frozen=True)
class LatestMatch:
    """One match of self-play, and what was learnt of its states."""

    number: int
    """Matches of the training up to this one."""
    training_seconds: float
    """Seconds of training until its end."""
    record: MatchRecord
    """The match; the value of a ply is the value learnt of the state before it, None for a state that is not learnt."""
    final_value: float | None
    """The value learnt of the last state; None if it is not learnt."""

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value learnt of each state, from the initial one to the end; None for those that are not learnt."""
        return *(ply.value for ply in self.record.plies), self.final_value

    def as_line(self, game: Game) -> str:
        """The match as a line of the file."""
        return self.record.as_line(
            game, number=self.number, training_seconds=self.training_seconds, final_value=self.final_value
        )

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Reads what `as_line` has written. Raises RecordError for another line, GameError for an unknown game."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, Mapping) or not isinstance(data.get("game"), str):
            raise RecordError(f"a match of self-play was expected, not {shown(line)}")
        number, seconds, value = data.get("number"), data.get("training_seconds"), data.get("final_value")
        if type(number) is not int or not is_number(seconds) or not (value is None or is_number(value)):
            raise RecordError("a match of self-play needs number, training_seconds and final_value")
        return cls(number, seconds, MatchRecord.of_line(data, known(data["game"])), value)


def read_latest(directory: str | Path) -> list[LatestMatch]:
    """The latest matches of a run directory, the latest one last; none if the training has noted none.

    The rules replay them. Raises CheckpointError if the file cannot be read or is damaged, and GameError if its game is
    code that was not named before.
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
