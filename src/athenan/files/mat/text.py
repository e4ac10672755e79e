"""The text of .mat, as JellyFish, GNU Backgammon and others write it: games in two columns, without the rules.

>>> [game] = split(''' 3 point match
...
...  Game 1
...  Ann : 0                          Ben : 0
...   1)                              31: 8/5 6/5
...   2)  Doubles => 2                 Drops
...       Wins 1 point''')
>>> game.length, game.players, game.acts[0]
(3, ('Ann', 'Ben'), MatAct(side=1, kind='roll', text='31: 8/5 6/5'))
>>> [(act.side, act.kind) for act in game.acts[1:]]
[(0, 'double'), (1, 'drop'), (0, 'win')]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from athenan.settings import shown

Kind = Literal["roll", "double", "take", "drop", "resign", "win"]
_KINDS: dict[str, Kind] = {
    "double": "double", "redouble": "double", "take": "take", "accept": "take", "drop": "drop", "pass": "drop",
    "reject": "drop", "resign": "resign", "win": "win",
}  # fmt: skip
"""The words for what is done besides rolling and moving, without their endings."""
_ACT = re.compile(
    r"(?<!\S)(?:(?P<dice>[1-6]\s?-?[1-6]\s*:)"
    r"|(?P<word>redouble|double|take|accept|drop|pass|reject|resign|win)(?:e?s)?(?![a-z]))",
    re.IGNORECASE,
)
_TAG = re.compile(r"\s*;+\s*\[\s*(.+?)\s*\"(.*)\"\s*\]\s*")
_MATCH = re.compile(r"(\d{1,4})[\s-]+points?\s+match\b.*|(?:unlimited|money)\s+(?:match|game|session)\b.*", re.I)
_GAME = re.compile(r"game\s+(\d{1,6})\b.*", re.IGNORECASE)
_PLAYERS = re.compile(r"(.*?)\s*:\s*(\d{1,4})\s+(.*?)\s*:\s*(\d{1,4})")
_ROW = re.compile(r"(\d{1,6})\s*\)(.*)")
_FAR = 12
"""Columns from the number of a row to an act from which on it stands on the right; those on the left come sooner."""
_WIDTH = 34
"""Columns of the left side, as other programs leave."""


class MatError(ValueError):
    """A text is not a game of a .mat file, or a game cannot be written as one."""


class MatAct(NamedTuple):
    """What one player does."""

    side: int
    """The column: 0 left, 1 right."""
    kind: Kind
    text: str
    """As written, such as `31: 8/5 6/5` or `Doubles => 2`."""


@dataclass
class MatGame:
    """A game as written."""

    tags: dict[str, str] = field(default_factory=dict)
    """The facts in the comments before the match, such as `; [Site "..."]`."""
    length: int = 0
    """The points that win the match; 0 without a limit."""
    number: int = 1
    players: tuple[str, str] = ("", "")
    """The players on the left and on the right."""
    scores: tuple[int, int] = (0, 0)
    """The points of both before the game."""
    acts: list[MatAct] = field(default_factory=list)


def split(text: str) -> list[MatGame | MatError]:
    """The games of a text, and the error of each one that cannot be read in its place.

    Raises MatError if the text has no game.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            reader.take(line)
        except MatError as error:
            reader.games[-1] = MatError(f"line {number}: {error}")  # in the place of the game that is being read
    if not reader.games:
        raise MatError("there is no game in the format of .mat files, which begins with a line such as Game 1")
    return reader.games


class _Reader:
    """The games read so far."""

    def __init__(self) -> None:
        self.games = list[MatGame | MatError]()
        self._tags, self._length, self._named = dict[str, str](), 0, False

    def take(self, line: str) -> None:
        """Takes the next line. Raises MatError for a line of a game that cannot be read."""
        plain = line.strip().strip("\ufeff")
        game = self.games[-1] if self.games else None
        if found := _TAG.fullmatch(line):
            if game and not self._named:
                self._tags = {}  # another match has its own
            self._named, self._tags = True, self._tags | {found[1].lower(): found[2]}
        elif not plain or plain.startswith(";"):
            return
        elif found := _MATCH.fullmatch(plain):
            self._length = int(found[1] or 0)
        elif found := _GAME.fullmatch(plain):
            self._named = False
            self.games.append(MatGame(dict(self._tags), self._length, int(found[1])))
        elif isinstance(game, MatGame):
            self._take_row(game, line, plain)

    def _take_row(self, game: MatGame, line: str, plain: str) -> None:
        if found := _ROW.fullmatch(plain):
            game.acts += _acts(found[2], game.acts)
        elif not game.acts and (found := _PLAYERS.fullmatch(plain)):
            game.players, game.scores = (found[1], found[3]), (int(found[2]), int(found[4]))
        else:
            game.acts += _acts(line, game.acts)


def _acts(row: str, before: Sequence[MatAct]) -> Iterator[MatAct]:
    """What a row says after its number. Players act in turn; where this leaves it open, the column says who.

    Raises MatError if the row has something else.
    """
    starts = list(_ACT.finditer(row))
    if row[: starts[0].start() if starts else None].strip():
        raise MatError(f"{shown(row.strip())} is neither a roll with moves, nor Doubles, Takes, Drops or Wins")
    last = before[-1].side if before else None
    for number, start in enumerate(starts):
        text = row[start.start() : starts[number + 1].start() if number + 1 < len(starts) else None].strip()
        kind: Kind = "roll" if start["dice"] else _KINDS[start["word"].lower()]
        on_right = int(number > 0 or _is_far(row[: start.start()]))
        side = on_right if last is None or kind == "win" else 1 - last
        last = side
        yield MatAct(side, kind, text)


def _is_far(gap: str) -> bool:
    """Whether so much space before an act puts it on the right."""
    return gap.count("\t") > 1 or len(gap.expandtabs()) > _FAR


def write(games: Sequence[MatGame]) -> str:
    """The text of games; where a game begins another match than the one before it, with the facts of that match."""
    lines, before = list[str](), None
    for game in games:
        if game.number == 1 or before is None:
            lines += [""] * (before is not None)
            lines += [f'; [{name} "{value}"]' for name, value in game.tags.items()]
            lines += [f" {game.length} point match", ""]
        before = game
        left, right = (f"{name} : {score}" for name, score in zip(game.players, game.scores, strict=True))
        lines += [f" Game {game.number}", f" {left:<{_WIDTH + 4}} {right}", *_rows(game.acts), ""]
    return "\n".join(line.rstrip() for line in lines)


def _rows(acts: Sequence[MatAct]) -> Iterator[str]:
    """The acts in two columns; the end has a row of its own, without a number."""
    rows = list[list[str]]()
    for act in acts:
        if act.kind != "win":
            if not act.side or not rows or rows[-1][1]:
                rows.append(["", ""])
            rows[-1][act.side] = act.text if act.kind == "roll" else f" {act.text}"
    for number, (left, right) in enumerate(rows, 1):
        yield f"{number:>3}) {left:<{_WIDTH}} {right}"
    for act in acts:
        if act.kind == "win":
            yield " " * (6 + act.side * _WIDTH) + act.text
