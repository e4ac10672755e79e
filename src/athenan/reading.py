"""Reading what strangers have written: files, if they are not too large, JSON, and values of any shape.

A device may have no end, JSON may be nested a million times, and its numbers may be longer than any type. `parsed`
reads such JSON, and `refusing` turns whatever a wrong shape raises into one sentence of the reader's own error.

    >>> parsed('{"size": 5}')
    {'size': 5}
    >>> with refusing(ValueError, "my.json is damaged"):
    ...     parsed('{"size": 5}')["name"]
    Traceback (most recent call last):
        ...
    ValueError: my.json is damaged: 'name' is missing
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from athenan.settings import printable

LARGEST = 256 << 20
"""Most bytes of a file."""
_MOST_DIGITS = 64
"""Most digits of a whole number. A random generator's state has 39."""
_LONGEST = 300
"""Most characters of a reason."""

WRONG_SHAPE = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError, RuntimeError,
)  # fmt: skip
"""What code raises that meets values of another type, size or depth than it expects."""


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file. Raises ValueError if it is too large, and OSError."""
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{path} has more than {LARGEST >> 20} MiB")
    return data


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, without the mark that may begin it.

    Raises UnicodeDecodeError if it is not such a text, ValueError if it is too large, and OSError.
    """
    return read_bytes(path).decode("utf-8-sig")


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError, in one sentence, for anything else.

    NaN and infinity are no JSON. A whole number of more than 64 digits becomes infinity, as a longer decimal does.
    """
    try:
        return json.loads(text, parse_int=_whole, parse_constant=_no_number)
    except WRONG_SHAPE as error:
        raise ValueError(reason(error)) from None


@contextmanager
def refusing(kind: type[ValueError], sentence: str) -> Iterator[None]:
    """Raises `kind` if what is read has a wrong shape: the sentence, a colon, and the reason. Errors of `kind` pass."""
    try:
        yield
    except kind:
        raise
    except WRONG_SHAPE as error:
        raise kind(f"{sentence}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """Why something could not be read, as the end of a sentence."""
    said = printable(str(error))[:_LONGEST]
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON from column {error.colno} of line {error.lineno} on"
    for kind, words in _REASONS.items():
        if isinstance(error, kind):
            return words.format(said)
    return said or type(error).__name__


_REASONS: dict[type[Exception], str] = {
    RecursionError: "it is nested too deeply", KeyError: "{} is missing", ArithmeticError: "a number is too large",
    MemoryError: "it would take more memory than there is", UnicodeError: "it is not a text in UTF-8",
    TypeError: "a value has a wrong type", AttributeError: "a value has a wrong type",
    IndexError: "a list is too short",
}  # fmt: skip
"""The reasons of errors whose own texts are about the program. Other errors speak for themselves."""


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else inf


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")
