"""Matches as lines of JSON, from `athenan match --records` or from other programs.

The line of a match that has ended, by the rules or in a way that a record can express, is its record (`play.records`)
with its `moves`. The line of another match has `game`, `moves` and, as far as known, `players` and `outcome`, and if it
begins from another position than the initial one, this position as `fen`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from athenan.files.file_match import FileMatch
from athenan.files.notes import line_of
from athenan.files.typed import actions_to_the_end
from athenan.games.catalogue import known
from athenan.play.records import MatchRecord, RecordError, plies_of
from athenan.reading import parsed, refusing
from athenan.rules.game import Game
from athenan.settings import shown


def split(text: str) -> list[tuple[int, str]]:
    """The lines with their numbers, without empty ones."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def split_within(text: str, place: re.Pattern[str], absent: str) -> list[tuple[int, str]]:
    """The lines within a text of HTML, in the first group of a pattern. Raises ValueError, `absent`, without them."""
    if not (found := place.search(text)):
        raise ValueError(absent)
    return split(unescape(found[1]))


def replayed(part: tuple[int, str], game: Game | None = None) -> FileMatch:
    """The match of a line. Raises RecordError if the line is not a match, or a match of another game."""
    number, line = part
    try:
        with refusing(RecordError, "the match is damaged"):
            return _of(_read(line), game)
    except RecordError as error:
        raise RecordError(f"line {number}: {error}") from None


def _read(line: str) -> Mapping[str, Any]:
    try:
        data = parsed(line)
    except ValueError:
        data = None
    if not isinstance(data, Mapping) or not all(isinstance(data.get(name), str) for name in ("game", "moves")):
        raise RecordError("this is not a match as written by `athenan match --records`")
    return data


def _of(data: Mapping[str, Any], game: Game | None) -> FileMatch:
    if game and data["game"] != game.name:
        raise RecordError(f"a match of {game.name} was expected, not one of {shown(data['game'])}")
    found = game or known(data["game"])
    if "plies" in data:
        return FileMatch.of_record(MatchRecord.of_line(data, found))
    players, outcome = data.get("players", ("",) * found.players), data.get("outcome")
    if not isinstance(players, list | tuple) or len(players) != found.players or not all(
        isinstance(name, str) for name in players
    ):  # fmt: skip
        raise RecordError(f"players of a match cannot be {shown(players)}")
    if outcome is not None and (type(outcome) is not int or outcome not in (1, 0, -1)):
        raise RecordError(f"outcome of a match cannot be {shown(outcome)}")
    fen = data.get("fen", "")
    if not isinstance(fen, str):
        raise RecordError(f"fen of a match cannot be {shown(fen)}")
    start = found.read_fen(fen) if fen else None
    actions, notices = actions_to_the_end(found, data["moves"], start)
    plies = plies_of(found, actions, start)
    return FileMatch(found.name, tuple(map(line_of, players)), plies, outcome, notices=notices, fen=fen)


def write(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    """The lines of matches."""
    return "".join(_line(match, game) for match, game in matches)


def _line(match: FileMatch, game: Game) -> str:
    try:
        return match.as_record(game).as_line(game)
    except RecordError:  # it has not ended, or only by an agreement that the file claims, or it has another beginning
        moves, start = game.moves(match.actions, match.start(game)), {"fen": match.fen} if match.fen else {}
        told = {"game": game.name, **start, "players": match.players, "moves": moves, "outcome": match.outcome}
        return json.dumps(told) + "\n"
