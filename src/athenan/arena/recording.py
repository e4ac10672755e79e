"""Matches in a file of JSON lines: each is added when it ends, and a series that was killed continues from them.

See docs/records.md for the format. A file may hold the matches of several series, one after the other. Only one process
at a time may write to it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from athenan.arena.pairs import Pair
from athenan.arena.store import Pairing
from athenan.games.catalogue import known
from athenan.growing import GrowingFile
from athenan.play.records import MatchRecord, RecordError
from athenan.reading import parsed, refusing
from athenan.settings import shown


class Recording:
    """The matches of one series in a file; a context manager."""

    def __init__(self, path: str | Path, pairing: Pairing) -> None:
        """Opens the file, or makes it. A pair that was being written when its process was killed is removed.

        Pairs of the same pairing, whose conditions are JSON, belong to the series. Raises RecordError if the file has
        something else, and what `GrowingFile` raises.
        """
        self._path, self._game = Path(path), known(pairing.game)
        self._key = {
            "game": pairing.game, "players": list(pairing.players), "conditions": json.loads(pairing.conditions),
        }  # fmt: skip
        self.finished: dict[int, list[MatchRecord]] = {}
        """The pairs that the file had when it was opened, by number."""
        self._file = GrowingFile(path)
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, pair: Pair, matches: Sequence[MatchRecord]) -> None:
        """Adds a pair to the file."""
        conditions = self._key["conditions"]
        lines = [
            match.as_line(self._game, pair=pair.number, part=part, conditions=conditions)
            for part, match in enumerate(matches)
        ]
        self._file.add("".join(lines))

    def _read(self) -> None:
        """Reads the pairs of the series, and removes an unfinished pair at the end of the file."""
        begin, pair = 0, list[dict[str, Any]]()
        for number, line in enumerate(self._file.lines(), 1):
            if not line.endswith(b"\n"):
                if not (line.startswith(_BEGIN) or _BEGIN.startswith(line)):
                    raise self._other(number)
                break
            pair.append(self._parsed(line, number, len(pair)))
            if len(pair) == len(pair[0]["players"]):
                self._take(pair, number)
                begin, pair = begin + sum(one["bytes"] for one in pair), []
        self._file.cut(begin)

    def _other(self, number: int) -> RecordError:
        return RecordError(f"{self._path}, line {number}: this is not a file of matches, which has JSON lines")

    def _parsed(self, line: bytes, number: int, part: int) -> dict[str, Any]:
        """A line as JSON, with its length. Raises RecordError if it is not the line of a match."""
        try:
            data = parsed(line)
        except ValueError:
            raise self._other(number) from None
        if not isinstance(data, Mapping) or not {"pair", "part", "conditions", "moves", "players"} <= set(data):
            raise RecordError(f"{self._path}, line {number}: a match was expected, not {shown(data)}")
        if not isinstance(data["players"], list) or len(data["players"]) not in (1, 2) or data["part"] != part:
            raise RecordError(f"{self._path}, line {number}: matches must come in pairs, part 0 and part 1")
        return {**data, "bytes": len(line)}

    def _take(self, pair: list[dict[str, Any]], number: int) -> None:
        """Keeps a pair if it belongs to the series."""
        with refusing(RecordError, f"{self._path}, line {number}: a match is damaged"):  # comparing descends, too
            if {name: pair[0].get(name) for name in self._key} != self._key or type(pair[0]["pair"]) is not int:
                return
        where = f"{self._path}, lines up to {number}"
        try:
            with refusing(RecordError, "a match is damaged"):
                self.finished[pair[0]["pair"]] = [MatchRecord.of_line(data, self._game) for data in pair]
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from None


_BEGIN = b'{"pair": '
"""The beginning of every line."""
