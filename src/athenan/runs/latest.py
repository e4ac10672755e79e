"""The latest matches of a training's self-play, in its run directory, for those who watch it.

`latest.json` is a JSON object: `game`, and `matches`, each with the fields of `LatestMatch`, the latest one last.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from athenan.runs.checkpoint import CheckpointError
from athenan.settings import shown

LATEST = "latest.json"
MOST = 20
"""Matches in the file."""
_LARGEST = 1 << 24
"""Bytes of a file that is read."""


@dataclass(frozen=True)
class LatestMatch:
    """One match of self-play, and what was learnt of its states."""

    number: int
    """Matches of the training up to this one."""
    seconds: float
    """Seconds of training until its end."""
    moves: str
    """In the game's notation, with what chance has drawn."""
    outcome: int
    """The first player's gain."""
    score: int | None
    """The final score, where the game has one."""
    values: tuple[float | None, ...]
    """The value that is learnt of each state, from the initial one to the end; None for those that are not learnt."""


def read_latest(directory: str | Path) -> list[LatestMatch]:
    """The latest matches of a run directory, the latest one last; none if the training has noted none.

    Whether the rules allow their moves is not checked. Raises CheckpointError if the file is damaged.
    """
    file = Path(directory) / LATEST
    try:
        with open(file, "rb") as stream:
            text = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror}") from None
    try:
        data = json.loads(text) if len(text) <= _LARGEST else None
        matches = data["matches"] if isinstance(data, Mapping) else None
    except (ValueError, LookupError, RecursionError):
        matches = None
    if not isinstance(matches, list) or len(matches) > MOST:
        raise CheckpointError(f"{file} is damaged: delete it, and the training writes it again")
    return [_match(file, one) for one in matches]


def _match(file: Path, data: Any) -> LatestMatch:
    """One match of the file. Raises CheckpointError if it is none."""
    names = {field.name for field in fields(LatestMatch)}
    if isinstance(data, Mapping) and set(data) == names and isinstance(data["values"], list):
        one = LatestMatch(**{**data, "values": tuple(data["values"])})
        plies = len(one.moves.split()) if isinstance(one.moves, str) else -1
        if (
            len(one.values) == plies + 1
            and all(value is None or _is_number(value) for value in one.values)
            and type(one.number) is int
            and _is_number(one.seconds)
            and one.outcome in (-1, 0, 1)
            and (one.score is None or type(one.score) is int)
        ):
            return one
    raise CheckpointError(f"{file} is damaged: {shown(data)} is no match; delete it, and the training writes it again")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e15
