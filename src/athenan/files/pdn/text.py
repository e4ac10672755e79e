"""The text of PDN: tags and moves with comments and variations, without the rules.

>>> [match] = read('[White "a"] 1. 32-28 {sharp} (1. 31-27 19-23) 19-23 2-0')
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from athenan.files.turns import DEEPEST

RESULTS = {
    "2-0": 1, "1-0": 1, "1-1": 0, "1/2-1/2": 0, "0-2": -1, "0-1": -1, "0-0": None, "*": None,
}  # fmt: skip
"""The results that end a match -> the gain of the first player, white; None without one."""
_TOKEN = re.compile(
    r'\s+|(?P<comment>\{[^}]*\})|[;%][^\n]*|(?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\])|\$\d+'
    r"|(?P<sign>[()])|(?P<result>(?:2-0|0-2|1-1|1-0|0-1|0-0|1/2-1/2|\*)(?![\w/-]))|\d+\.+|\.\.\."
    r"|(?P<move>[a-h]?\d{1,2}(?:[-x:][a-h]?\d{1,2})+)|[!?]+"
)


class PdnError(ValueError):
    """A text is not PDN, or its match is of an unknown kind."""


class PdnGameError(PdnError):
    """A match is of another game than the expected one."""


@dataclass
class PdnMove:
    """A move as written."""

    text: str
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
        before, *after = map(_joined, self.comments)
        for move, comment in zip(self.moves, after, strict=True):
            move.comment = comment
        return before, self.moves


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))


def read(text: str) -> list[PdnMatch]:
    """The matches of a text. Raises PdnError."""
    matches, match, lines, position = list[PdnMatch](), PdnMatch(), [_Open()], 0

    def end() -> None:
        nonlocal match, lines
        if len(lines) > 1:
            raise PdnError("it is not PDN: a variation has no end")
        if match.tags or lines[0].moves or match.result:
            match.comment, match.moves = lines[0].finished()
            matches.append(match)
        match, lines = PdnMatch(), [_Open()]

    while position < len(text):
        if not (found := _TOKEN.match(text, position)):
            raise PdnError(f"it is not PDN: {text[position : position + 20].split(maxsplit=1)[0]!r} is out of place")
        position = found.end()
        if found["tag"]:
            if lines[0].moves:
                end()
            match.tags[found["name"]] = re.sub(r"\\(.)", r"\1", found["value"])
        elif found["comment"]:
            lines[-1].say(" ".join(found["comment"][1:-1].split()))
        elif found["move"]:
            lines[-1].play(found["move"])
        elif found["sign"]:
            _bracket(found["sign"], lines)
        elif found["result"] and len(lines) == 1:
            match.result = found["result"]
            end()
    end()
    if not matches:
        raise PdnError("it is not PDN: it has neither tags nor moves")
    return matches


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
        moves[0].comment = _joined((comment, moves[0].comment))
        lines[-1].moves[-1].variations.append(moves)


def write(match: PdnMatch) -> str:
    """The text of a match."""
    tags = [f'[{name} "{_quoted(value)}"]\n' for name, value in match.tags.items()]
    words = [*_said(match.comment), *_written(match.moves, 0), match.result]
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
