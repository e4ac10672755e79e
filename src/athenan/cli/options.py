"""What commands have in common: reading their options, games and positions, and writing JSON."""

import contextlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import dropwhile, takewhile
from typing import Annotated, Any, TypeVar

import tyro

from athenan.games.catalogue import GAMES, is_game_name, make
from athenan.rules.game import GameError
from athenan.search.budget import Budget

Options = TypeVar("Options")

_BOUNDS: dict[str, tuple[float, float]] = {
    "depth": (1, 1000), "evaluations": (1, 10**12), "games": (1, 10**9), "iterations": (1, 10**12),
    "memory": (1, 2**24), "random_opening": (0, 10_000), "rows": (0, 10**9), "seconds": (0.00001, 10**9),
    "seed": (0, 2**63 - 1), "threads": (1, 1024), "workers": (1, 1024),
}  # fmt: skip
"""Least and greatest value of each option that is a number, the same in every command that has it."""

GameName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]]
Threads = Annotated[int, tyro.conf.arg(metavar="N")]
Rules = Annotated[str, tyro.conf.arg(metavar="FILE|MODULE", help_behavior_hint="")]
GameOrRun = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME|RUN")]]


@dataclass(frozen=True)
class Limits:
    """What ends a search, per action, whichever comes first. Players may have their own, as mcts:1000 does."""

    seconds: Annotated[
        float | None,
        tyro.conf.arg(
            metavar="S",
            help_behavior_hint="(default, if no limit is given: match 0.1; play 1; analyze 1 with a network, else 300)",
        ),
    ] = None
    """Seconds."""
    iterations: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Search iterations."""
    evaluations: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """States given to the network (without a network: states that it would have been given)."""

    def budget(self, default_seconds: float) -> Budget:
        """The same as searches take it."""
        if (self.seconds, self.iterations, self.evaluations) == (None, None, None):
            return Budget(seconds=default_seconds)
        return Budget(self.seconds, self.iterations, self.evaluations)


def parse(
    kind: type[Options],
    command: str,
    arguments: Sequence[str],
    default: Options | None = None,
    markers: tuple[Any, ...] = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    bounds: Mapping[str, tuple[float, float]] = _BOUNDS,
) -> Options:
    """The options of a command, from the documented fields of its dataclass. Raises ValueError for bad ones.

    `markers` are tyro's; `bounds` are the least and the greatest value of options that are numbers, by name.
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
        raise ValueError(f"{_message(errors.getvalue())}; see athenan {command} --help") from None
    _check_bounds(options, bounds)
    return options  # type: ignore[return-value]


def _check_bounds(options: Any, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raises ValueError unless the numbers among the options of a command are within their bounds."""
    for option in fields(options):
        value = getattr(options, option.name)
        if is_dataclass(value):
            _check_bounds(value, bounds)
        elif isinstance(value, int | float) and option.name in bounds:
            least, most = bounds[option.name]
            if not least <= value <= most:
                name = option.name.replace("_", "-")
                raise ValueError(f"--{name} must be from {least:,} to {most:,}, not {value:,}")


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether the help of a command is wanted."""
    return bool({"-h", "--help"} & set(arguments))


def _message(report: str) -> str:
    """The parser's report, without its frame and its quotation of the help."""
    below_title = [line.strip("│ ") for line in report.splitlines()[1:]]  # where the frame is in ASCII, a rule follows
    first_part = takewhile(lambda line: not _is_rule(line), dropwhile(_is_rule, below_title))
    text = " ".join(first_part).rstrip(".")
    if number := re.match(r"Error parsing \S*(--\S+): .*\b(int|INT|float|FLOAT)\b.*('[^']*')\]?$", text):
        return f"{number[1]} must be a {'whole ' if number[2] in ('int', 'INT') else ''}number, not {number[3]}"
    return text or report.strip()


def _is_rule(line: str) -> bool:
    return not line.strip("─-╰╯")


def is_game(text: str) -> bool:
    """Whether an argument that may be a game or a run names a game.

    A run in a directory that is called like a game is written with a path, as `./hex`. Raises GameError if it is
    neither.
    """
    from athenan.play.roster import is_path

    if is_game_name(text):
        return True
    if is_path(text):
        return False
    raise GameError(f"there is no game and no run directory or checkpoint {text!r}; the games are {', '.join(GAMES)}")


def allow_rules(rules: str) -> None:
    """Lets runs be of a game of one's own, by naming it. Raises GameError if there is no such game."""
    if rules:
        make(rules)


def print_json(data: Any) -> None:
    """Writes data to standard output as JSON."""
    print(json.dumps(data, indent=2, allow_nan=False))
