"""Common parts of the commands: reading options, games and positions, and writing JSON."""

import contextlib
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import dropwhile, takewhile
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import tyro

from athenan import settings
from athenan.games.catalogue import GAMES, is_game_name, make
from athenan.rules.game import GameError
from athenan.search.budget import ActionLimits, Budget
from athenan.search.search import search_names
from athenan.settings import allowed, annotations, check

Options = TypeVar("Options")

GameName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]]
Rules = Annotated[str, tyro.conf.arg(metavar="FILE|MODULE", help_behavior_hint="")]
GameOrRun = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME|RUN")]]
Workers = Annotated[settings.Threads, tyro.conf.arg(metavar="N")]
Threads = Annotated[settings.Threads, tyro.conf.arg(metavar="N")]
SEARCHES = f"{{{','.join(search_names())}}}"
Algorithm = Annotated[str, tyro.conf.arg(metavar=SEARCHES)]
"""The name of a search; those of a user's file are not known here."""

_MARKERS = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
_OF_CHOICES = r"no type matching \S*\{(?!None\})"
_CHOICES = (
    rf"Error parsing (?P<option>--\S+): {_OF_CHOICES}.* could be instantiated from \[(?P<value>'.*?')\]",
    r"invalid choice (?P<value>'.*') for argument '(?P<option>\S+)'",
)
"""The parser's reports for an option that may be one of some words; the first if there are other values besides."""


_COUNTED = tyro.conf.arg(metavar="N", help_behavior_hint="")
_TIMED = tyro.conf.arg(
    metavar="S",
    help_behavior_hint="(default, without a limit: 0.1 in matches, 1 otherwise; analyze without a network 300)",
)


@dataclass(frozen=True)
class Limits(ActionLimits):
    """What ends a search, per action, whichever comes first. Players may have their own, as mcts:1000 does."""

    __annotations__ = {  # the same fields, with words of the command line
        name: Annotated[kind, _TIMED if name == "seconds" else _COUNTED]
        for name, kind in annotations(ActionLimits).items()
    }

    def or_seconds(self, seconds: float) -> Budget:
        """The limits as a search takes them; if none is given, these seconds."""
        return self.limit or Budget(seconds=seconds)


def parse(
    kind: type[Options],
    command: str,
    arguments: Sequence[str],
    default: Options | None = None,
    markers: tuple[Any, ...] = _MARKERS,
) -> Options:
    """The options of a command, from the documented fields of its dataclass, and of the dataclasses among them.

    Annotations define the allowed values (`athenan.settings`); `markers` are tyro's. Raises ValueError for bad values.
    """
    errors = io.StringIO()
    for argument in arguments:
        if "\0" in argument:
            raise ValueError(f"{argument!r}: there is a NUL character in it, which names and paths cannot have")
    if asks_for_help(arguments):
        arguments = ["--help"]  # the parser's help leaves out arguments that are already given
    try:
        with contextlib.redirect_stderr(errors):
            options = tyro.cli(
                kind, prog=f"athenan {command}", args=list(arguments), default=default, config=markers
            )  # fmt: skip
    except SystemExit as end:
        if not end.code:
            raise
        report = errors.getvalue()
        message = _message(report)
        ours = _of_unknown(message, report) or _of_setting(message, kind, markers) or message
        raise ValueError(f"{ours}; see athenan {command} --help" if ours == message else ours) from None
    _check(options, markers)
    return options  # type: ignore[return-value]


def _check(options: Any, markers: tuple[Any, ...]) -> None:
    """Raises ValueError unless the options of a command, and of its components, have allowed values."""
    components = {item.name: getattr(options, item.name) for item in fields(options)}
    for name, component in {"": options, **components}.items():
        if is_dataclass(component):
            try:
                check(component)
            except ValueError as error:
                raise ValueError(naming_option(str(error), type(options), markers, name)) from None


def naming_option(
    message: str, kind: type[Any], markers: tuple[Any, ...] = _MARKERS, component: str | None = None
) -> str:
    """Replaces the name of a setting at the beginning of a message by the command's option; other messages stay.

    `component`: the field of the command's dataclass that holds the setting, "" for itself, None for any.
    """
    setting, _, rest = message.partition(" ")
    for option, (owner, name, _) in _options(kind, markers).items():
        if name == setting and component in (None, owner):
            return f"{option} {rest.replace(' or none, not', ', not')}"  # none is an option that is not given
    return message


def _options(kind: type[Any], markers: tuple[Any, ...]) -> dict[str, tuple[str, str, Any]]:
    """Option -> the component that holds it ("" for the command's dataclass itself), its name and its annotation."""
    found = {}
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        inner, *notes = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        if is_dataclass(inner):
            prefix = "" if tyro.conf.OmitArgPrefixes in (*notes, *markers) else f"{name}."
            for setting, hint in get_type_hints(inner, include_extras=True).items():
                found[_option(prefix + setting)] = name, setting, hint
        else:
            found[_option(name)] = "", name, annotation
    return found


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _of_setting(message: str, kind: type[Any], markers: tuple[Any, ...]) -> str | None:
    """The parser's report about a setting's value, in our words; None if it reports something else."""
    if found := re.match(r"Error parsing (\w+): (\w.*)", message):
        component = "" if found[1] == kind.__name__ else found[1]
        return naming_option(found[2], kind, markers, component)
    for pattern in _CHOICES:
        found = re.match(pattern, message)
        if found and (known := _options(kind, markers).get(f"--{found['option'].removeprefix('--')}")):
            return f"{found['option']} must be {allowed(known[2]).without_none()}, not {found['value']}"
    return None


def _of_unknown(message: str, report: str) -> str | None:
    """The parser's report about arguments that it does not know, in our words; None if it reports something else."""
    if not (found := re.match(r"Unrecognized options: ([^\s,=]+)", message)):
        return None
    if not found[1].startswith("-"):
        return f"{found[1]!r} is one argument too many"
    similar = re.search(r"Perhaps you meant:\W+?(--[\w.-]+)", report)
    return f"there is no option {found[1]}" + (f": did you mean {similar[1]}?" if similar else "")


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether the arguments ask for help."""
    return bool({"-h", "--help"} & set(arguments))


def _message(report: str) -> str:
    """The parser's report, without its frame and its quotation of the help."""
    below_title = [line.strip("│ ") for line in report.splitlines()[1:]]  # where the frame is in ASCII, a rule follows
    first_part = takewhile(lambda line: not _is_rule(line), dropwhile(_is_rule, below_title))
    text = " ".join(first_part).rstrip(".")
    if number := re.match(
        rf"Error parsing \S*(--\S+): (?!{_OF_CHOICES}).*\b(int|INT|float|FLOAT)\b.*('[^']*')\]?$", text
    ):
        return f"{number[1]} must be a {'whole ' if number[2] in ('int', 'INT') else ''}number, not {number[3]}"
    return text or report.strip()


def _is_rule(line: str) -> bool:
    return not line.strip("─-╰╯")


def is_game(text: str) -> bool:
    """Whether an argument that may be a game or a run names a game.

    A run in a directory with the name of a game is written with a path, such as `./hex`. Raises GameError if it is
    neither.
    """
    from athenan.arena.roster import is_path

    if is_game_name(text):
        return True
    if is_path(text):
        return False
    raise GameError(f"there is no game and no run directory or checkpoint {text!r}; the games are {', '.join(GAMES)}")


def allow_rules(rules: str) -> None:
    """Allows runs of a user's game by naming it. Raises GameError if there is no such game."""
    if rules:
        make(rules)


def print_json(data: Any) -> None:
    """Writes data to standard output as JSON."""
    print(json.dumps(data, indent=2, allow_nan=False))
