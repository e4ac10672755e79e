"""The command-line parser, tyro, and what it reports about arguments that it refuses.

Tyro has no public interface for errors: `tyro._errors` says that it may change in any release. So this module, and no
other, reads the reports from their text. If a new version words a report differently, the command still ends with
tyro's own words, and `tests/cli/test_parser.py` fails.
"""

import contextlib
import io
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import dropwhile, takewhile
from textwrap import fill
from types import MappingProxyType
from typing import Any, get_type_hints

import tyro
from docstring_parser import parse_from_object

from athenan.cli.streams import width

_WIDTH = 80
"""The most characters of a line of a paragraph in the help."""
_PARAGRAPH = re.compile(r"(?!usage:)\.?[^\W\d_][^\x1b]*$")
"""A line of the description of a command; frames begin with other signs, also where they are of ASCII or in colour."""
_OF_CHOICES = r"no type matching \S*\{(?!None\})"
_CHOICE = re.compile(
    rf"Error parsing (?P<option>--\S+): {_OF_CHOICES}.* could be instantiated from \[(?P<value>'.*?')\]"
    r"|invalid choice (?P<other>'.*') for argument '(?P<argument>\S+)'"
)
"""How tyro reports an option that takes one of some words. The first form is for options that also take other
values."""
_NUMBER = re.compile(
    rf"Error parsing \S*(?P<option>--\S+): (?!{_OF_CHOICES}).*\b(?P<kind>int|INT|float|FLOAT)\b.*(?P<value>'[^']*')\]?$"
)
_LACKING = re.compile(r"Missing from [^:]*: (?P<name>\S+) ")
_LACKING_BESIDE_UNKNOWN = re.compile(r"Missing value for argument '(?P<name>\w+)'")
"""How tyro reports a missing argument if there are also unknown options."""
_VALUELESS = re.compile(r"Missing value for argument .*(?P<option>--[\w.-]+)")
_MADE = re.compile(r"Error parsing (?P<component>\w+): (?P<message>\w.*)")


@dataclass(frozen=True)
class RefusedArguments(Exception):
    """Arguments that tyro refuses."""

    text: str
    """Tyro's message, without its frame and the help that it quotes."""


@dataclass(frozen=True)
class BadNumber(RefusedArguments):
    """An option needs a number."""

    option: str
    whole: bool
    value: str
    """What was given, quoted."""


@dataclass(frozen=True)
class BadChoice(RefusedArguments):
    """An option or argument needs one of some words."""

    option: str
    value: str
    """What was given, quoted."""


@dataclass(frozen=True)
class NotMade(RefusedArguments):
    """A dataclass raised ValueError when it was made from its options."""

    component: str
    """The name of the dataclass, as tyro reports it."""
    message: str
    """What it raised."""


@dataclass(frozen=True)
class Lacking(RefusedArguments):
    """A required argument is missing."""

    name: str
    """Its name in the help, such as GAME."""
    beside_unknown: bool = False
    """Whether there are unknown options as well."""


@dataclass(frozen=True)
class Valueless(RefusedArguments):
    """An option is given without its value."""

    option: str
    """Its long name, such as --depth."""


def call(
    kind: type[Any], program: str, arguments: Sequence[str], default: Any, markers: tuple[Any, ...]
) -> tuple[Any, list[str]]:
    """The dataclass that the arguments make, and the arguments that match no option.

    Raises the fitting class of RefusedArguments for other bad arguments. Exits after printing the help.
    """
    if {"-h", "--help"} & set(arguments):
        _join_lines(kind)
    errors, shown = io.StringIO(), _Help()
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(shown):
            made, unknown = tyro.cli(
                kind, prog=program, args=list(arguments), default=default, config=markers, return_unknown_args=True
            )
    except SystemExit as end:
        if not end.code:
            print(_wrapped(shown.getvalue()), end="")
            raise
        raise refusal(errors.getvalue()) from None
    return made, list(unknown)


def _join_lines(kind: type[Any]) -> None:
    """Gives tyro the text of each field on one line: it keeps the breaks within an indented docstring."""
    texts = {name: text for base in reversed(kind.__mro__) for name, text in _texts(base).items()}
    hints = get_type_hints(kind)
    for item in fields(kind):
        if item.name in texts:
            item.metadata = MappingProxyType({**item.metadata, "help": texts[item.name]})
        if isinstance(inner := hints[item.name], type) and is_dataclass(inner):
            _join_lines(inner)


def _texts(kind: type[Any]) -> dict[str, str]:
    """The docstrings of the fields that a class itself declares, each on one line; none without its source."""
    found = parse_from_object(kind).params if is_dataclass(kind) else []
    return {one.arg_name: " ".join((one.description or "").split()) for one in found}


class _Help(io.StringIO):
    """Takes what tyro prints, and tells it what standard output can show."""

    encoding = ""  # StringIO's own, None, cannot be set

    def __init__(self) -> None:
        super().__init__()
        self._output, self.encoding = sys.stdout, sys.stdout.encoding

    def isatty(self) -> bool:
        return self._output.isatty()


def _wrapped(text: str) -> str:
    """The help with the paragraphs above the frames wrapped, which tyro prints as lines of any length."""
    lines = text.splitlines(keepends=True)
    return "".join(fill(line, width(_WIDTH)) + "\n" if _PARAGRAPH.match(line) else line for line in lines)


def option_name(field: str, notes: Sequence[Any]) -> str:
    """The name of a field's option, without its dashes; `notes` are the notes of the field's annotation."""
    given = [note.name for note in notes if type(note).__module__.startswith("tyro.") and getattr(note, "name", None)]
    return str(given[-1]) if given else field.replace("_", "-")


def refusal(report: str) -> RefusedArguments:
    """Reads tyro's report."""
    text = _message(report)
    if found := _NUMBER.match(text):
        return BadNumber(text, found["option"], found["kind"].lower() == "int", found["value"])
    if found := _CHOICE.match(text):
        return BadChoice(text, found["option"] or found["argument"], found["value"] or found["other"])
    if found := _MADE.match(text):
        return NotMade(text, found["component"], found["message"])
    if found := _LACKING.match(text) or _LACKING_BESIDE_UNKNOWN.match(text):
        beside_unknown = found.re is _LACKING_BESIDE_UNKNOWN  # the report has the field's name, not the help's
        return Lacking(text, found["name"].upper() if beside_unknown else found["name"], beside_unknown)
    if found := _VALUELESS.match(text):
        return Valueless(text, found["option"])
    return RefusedArguments(text)


def _message(report: str) -> str:
    below_title = [line.strip("│ ") for line in report.splitlines()[1:]]  # a rule follows in an ASCII frame
    first_part = takewhile(lambda line: not _is_rule(line), dropwhile(_is_rule, below_title))
    text = re.sub(r"(?<=\d,) (?=\d{3}\b)", "", " ".join(first_part))  # tyro wraps within long numbers
    return text.rstrip(".") or report.strip()


def _is_rule(line: str) -> bool:
    return not line.strip("─-╰╯")
