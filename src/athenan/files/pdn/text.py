"""The text of PDN: tags and moves with comments and variations, without the rules.

>>> [match] = split('[White "a"] 1. 32-28 {sharp} (1. 31-27 19-23) 19-23 2-0')
>>> match.tags, match.result, [(move.text, move.comment) for move in match.moves]
({'White': 'a'}, '2-0', [('32-28', 'sharp'), ('19-23', '')])
>>> [[move.text for move in line] for line in match.moves[0].variations]
[['31-27', '19-23']]
>>> print(write(match), end="")
[White "a"]
<BLANKLINE>
1. 32-28 {sharp} (1. 31-27 19-23) 19-23 2-0
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from athenan.files.notes import joined
from athenan.files.turns import DEEPEST

RESULTS = {
    "2-0": 1, "1-0": 1, "1-1": 0, "1/2-1/2": 0, "0-2": -1, "0-1": -1, "0-0": None, "*": None,
}  # fmt: skip
"""The results that end a match -> the gain of the first player, white; None without one."""
_SQUARE = r"(?:[a-hA-H][1-8]|\d{1,2})"
_BETWEEN = "[-\u2010-\u2015\u2212xX\u00d7\u0445\u0425:]"
"""What stands between the squares of a move: dashes, crosses (also the Cyrillic letter), colons."""
_DASH = "[-\u2010-\u2015\u2212]"
_PAIRS = ("2-0", "0-2", "1-1", "1-0", "0-1", "0-0", "1/2-1/2", "½-½")
_RESULT = "|".join([pair.replace("-", rf"\s*{_DASH}\s*") for pair in _PAIRS] + [r"\*"])
_MOVE = rf"{_SQUARE}(?:\s*{_BETWEEN}\s*{_SQUARE}(?!\d))+|(?:[a-hA-H][1-8]){{2,}}(?!\w)|\d{{4}}(?![\d.])"
_TOKEN = re.compile(
    r"[\s\ufeff]+|(?P<comment>\{[^{}]*(?:\{[^{}]*\}[^{}]*)+\}|\{[^}]*\})|[;%][^\n]*"
    r'|(?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\])|\$\d+'
    rf"|\(\s*[!?]+\s*\)|(?P<sign>[()])|(?P<result>(?:{_RESULT})(?![\w/]|\s*{_BETWEEN}\s*\w))"
    rf"|(?P<move>{_MOVE})(?:\*(?=\s*[^\s*\[]))?"  # a star right after a move that others follow: it was forced
    r"|\d+\s*\.+|\.+|[!?]+|[+=±∓⩲⩱∞#□]+(?=[\s(){]|$)"
)
_LINE = re.compile(r"^[^\S\n]*(?:(?P<tag>\[)|\S)", re.MULTILINE)
"""The beginning of a line that is not empty, of a tag or of something else."""


class PdnError(ValueError):
    """A text is not PDN, or its match is of an unknown kind."""


class PdnGameError(PdnError):
    """A match is of another game than the expected one."""


@dataclass
class PdnMove:
    """A move."""

    text: str
    """Its squares with `-`, `x` between them, as in PDN: without spaces, and in small letters."""
    comment: str = ""
    """The comments before and after it."""
    variations: "list[list[PdnMove]]" = field(default_factory=list)
    """Lines that could have been played instead."""


@dataclass
class PdnMatch:
    """A match as written."""

    tags: dict[str, str] = field(default_factory=dict)
    comment: str = ""
    """The comment before the first move."""
    moves: list[PdnMove] = field(default_factory=list)
    result: str = ""
    """The result that ends it, such as `2-0`; "" without one."""
    black_begins: bool = False
    """Whether black makes the first move, as after a FEN."""


@dataclass
class _Open:
    """A line while it is read."""

    moves: list[PdnMove] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=lambda: [[]])
    """The comments before its first move, and those after each move."""

    def say(self, text: str) -> None:
        self.comments[-1].append(text)

    def play(self, text: str) -> None:
        self.moves.append(PdnMove(text))
        self.comments.append([])

    def finished(self) -> tuple[str, list[PdnMove]]:
        """The comment before the first move, and the moves with the comments after them."""
        before, *after = (joined(*comments) for comments in self.comments)
        for move, comment in zip(self.moves, after, strict=True):
            move.comment = comment
        return before, self.moves


def split(text: str) -> list[PdnMatch | PdnError]:
    """The matches of a text, and the error of each one that is not PDN in its place.

    Raises PdnError if the text has no match.
    """
    reader, position = _Reader(), 0
    while position < len(text):
        try:
            found = _token(text, position)
            position = found.end()
            reader.take(found)
        except PdnError as error:
            position = _next_match(text, position, reader.fail(error))
    reader.end()
    if not reader.matches:
        raise PdnError("it is not PDN: it has neither tags nor moves")
    return reader.matches


def _token(text: str, position: int) -> re.Match[str]:
    """What stands at a position. Raises PdnError."""
    if not (found := _TOKEN.match(text, position)):
        raise PdnError(f"it is not PDN: {text[position : position + 20].split(maxsplit=1)[0]!r} is out of place")
    return found


def _next_match(text: str, position: int, begun: bool) -> int:
    """Where the next match may begin: at the first line with a tag after lines of moves, which have `begun` or not."""
    for line in _LINE.finditer(text, position):
        if line["tag"] and begun:
            return line.start()
        begun = begun or not line["tag"]
    return len(text)


class _Reader:
    """The matches read so far."""

    def __init__(self) -> None:
        self.matches = list[PdnMatch | PdnError]()
        self._begin()

    def _begin(self) -> None:
        self._match, self._lines = PdnMatch(), [_Open()]

    def take(self, found: re.Match[str]) -> None:
        """Takes what stands next. Raises PdnError."""
        if found["tag"]:
            if self._lines[0].moves:
                self.end()
            self._match.tags[found["name"]] = re.sub(r"\\(.)", r"\1", found["value"])
        elif found["comment"]:
            self._lines[-1].say(" ".join(found["comment"][1:-1].split()))
        elif found["move"]:
            self._lines[-1].play(_plain(found["move"]))
        elif found["sign"]:
            _bracket(found["sign"], self._lines)
        elif found["result"] and len(self._lines) == 1:
            self._match.result = plain_result(found["result"])
            self.end()

    def end(self) -> None:
        """Ends the match."""
        match, lines = self._match, self._lines
        self._begin()
        if len(lines) > 1:
            self.matches.append(PdnError("it is not PDN: a variation has no end"))
        elif match.tags or lines[0].moves or match.result:
            match.comment, match.moves = lines[0].finished()
            self.matches.append(match)

    def fail(self, error: PdnError) -> bool:
        """Ends a match that cannot be read, and returns whether its moves had begun."""
        begun = bool(self._lines[0].moves)
        self._begin()
        self.matches.append(error)
        return begun


def _plain(move: str) -> str:
    """A move with the signs of PDN: `1 – 7` is `1-7`, `c3d4` is `c3-d4`, `3228` is `32-28`."""
    parts = re.split(rf"\s*({_BETWEEN})\s*", move.lower())
    if len(parts) == 1:
        return "-".join(re.findall("..", move.lower()))
    between = ["-" if re.fullmatch(_DASH, sign) else "x" for sign in parts[1::2]]
    return "".join(chain.from_iterable(zip(parts[::2], [*between, ""], strict=True)))


def plain_result(result: str) -> str:
    """A result with the signs of PDN: `1 – 1` is `1-1`, `½-½` is `1/2-1/2`."""
    return re.sub(rf"\s*{_DASH}\s*", "-", result.strip()).replace("½", "1/2")


def _bracket(sign: str, lines: list[_Open]) -> None:
    """Begins or ends a variation. Raises PdnError."""
    if sign == "(":
        if not lines[-1].moves or len(lines) > DEEPEST:
            deep = f"variations are nested more than {DEEPEST} deep"
            raise PdnError(f"it is not PDN: {deep if lines[-1].moves else 'a variation follows no move'}")
        lines.append(_Open())
        return
    if len(lines) == 1:
        raise PdnError("it is not PDN: a variation ends that has not begun")
    comment, moves = lines.pop().finished()
    if moves:
        moves[0].comment = joined(comment, moves[0].comment)
        lines[-1].moves[-1].variations.append(moves)


def write(match: PdnMatch) -> str:
    """The text of a match."""
    tags = [f'[{name} "{_quoted(value)}"]\n' for name, value in match.tags.items()]
    words = [*_said(match.comment), *_written(match.moves, int(match.black_begins)), match.result]
    whole = " ".join(filter(None, words)).replace(" [", "\0[")  # some programs take a line that begins with [ for a tag
    body = textwrap.fill(whole, 100, break_long_words=False, break_on_hyphens=False).replace("\0[", " [")
    return "".join([*tags, "\n" * bool(tags), body, "\n"])


def _quoted(value: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", value)


def _said(comment: str) -> list[str]:
    return [f"{{{comment.replace('}', ')')}}}"] if comment else []


def _written(moves: Sequence[PdnMove], ply: int) -> Iterator[str]:
    """The words of a line whose first move is ply number `ply`.

    A move of black has a number only at the beginning of a line: some programs do not understand others.
    """
    for number, move in enumerate(moves, ply):
        if number == ply or number % 2 == 0:
            yield f"{number // 2 + 1}.{'..' * (number % 2)}"
        yield move.text
        yield from _said(move.comment)
        for variation in move.variations:
            yield "(" + " ".join(_written(variation, number)) + ")"
