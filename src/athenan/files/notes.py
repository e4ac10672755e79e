r"""Notes on the actions of a turn, as tags in its comment: `[%eval +0.250] [%proven win] [%emt 0.53] the comment`.

`%eval` and `%emt`, the elapsed time, come from PGN and PDN, but values here are on the scale of the search, for the
first player. Other programs show the tags as part of the comment. `%before` is the value before the dice; the other
values are those of the player who has rolled them. In a turn of several actions, `[%then]` stands before the notes on
each action but the first.

>>> tagged([Notes(0.534, 0.25, 1, "sharp"), Notes(value=0.5)])
'[%eval +0.25] [%proven win] [%emt 0.534] sharp\n[%then] [%eval +0.5]'
>>> untagged("[%eval +0.25] [%emt 0.534] sharp [%then] [%eval +0.5]")[0]
Notes(seconds=0.534, value=0.25, proven=None, comment='sharp', before=None)
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from athenan.play.records import is_number

_TAG = re.compile(r"\[%(eval|before|emt|proven) ([^\]\s]{1,40})\] ?")
_THEN = "[%then]"
_PROVEN = {"win": 1, "draw": 0, "loss": -1}
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Notes(NamedTuple):
    """The fields of a `Ply` that a comment gives, and the value before the dice."""

    seconds: float | None = None
    value: float | None = None
    proven: int | None = None
    comment: str = ""
    before: float | None = None
    """The value of the state before the dice, in games with dice."""


def tagged(turn: Sequence[Notes]) -> str:
    """The comment of a turn: the comments on its actions, each with the notes as tags before it."""
    texts = list(map(_tagged, turn))
    while texts and not texts[-1]:
        texts.pop()
    return f"\n{_THEN} ".join(texts).strip()


def _tagged(notes: Notes) -> str:
    tags = [
        *([f"[%before {notes.before:+.6g}]"] if notes.before is not None else []),
        *([f"[%eval {notes.value:+.6g}]"] if notes.value is not None else []),
        *([f"[%proven {word}]" for word, gain in _PROVEN.items() if gain == notes.proven]),
        *([f"[%emt {notes.seconds:.3f}]"] if notes.seconds is not None else []),
    ]
    return " ".join([*tags, *([notes.comment] if notes.comment else [])])


def untagged(text: str) -> list[Notes]:
    """The notes on each action in the comment of a turn, at least one; tags of other programs stay in the comments."""
    return [_untagged(part) for part in text.split(_THEN)]


def _untagged(text: str) -> Notes:
    notes = Notes()
    for found in _TAG.finditer(text):
        name, word = found[1], found[2]
        if name == "proven":
            notes = notes._replace(proven=_PROVEN.get(word))
        elif name == "emt":
            notes = notes._replace(seconds=_seconds(word))
        elif name == "before":
            notes = notes._replace(before=number(word))
        else:
            notes = notes._replace(value=number(word))
    return notes._replace(comment=_TAG.sub("", text).strip())


def number(text: str) -> float | None:
    """The finite number of a text; None for other texts."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if is_number(value) else None


def _seconds(text: str) -> float | None:
    """The seconds of a time such as 12.5 or 0:00:12."""
    total = 0.0
    for part in text.split(":"):
        value = number(part)
        if value is None or value < 0:
            return None
        total = 60 * total + value
    return total


def text_of(text: str) -> str:
    """A comment without control characters of terminals."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def joined(*comments: str) -> str:
    """Comments one below the other, without empty ones."""
    return "\n".join(filter(None, comments))


def line_of(text: str, longest: int = 200) -> str:
    """A name or another fact on one line."""
    return " ".join(text_of(text).split())[:longest].strip()
