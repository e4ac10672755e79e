"""What commands have in common: reading their options, games and positions, and writing JSON."""

import contextlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, Any, TypeVar

import tyro

from athenan.games.game import GAMES, GameError
from athenan.search.budget import Budget

Options = TypeVar("Options")

GameName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]]
Threads = Annotated[int, tyro.conf.arg(metavar="N")]
GameOrRun = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME|RUN")]]


@dataclass(frozen=True)
class Limits:
    """What ends a search, per action, whichever comes first. MCTS players have limits of their own."""

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
        """The same as searches take it. Raises ValueError unless positive."""
        if (self.seconds, self.iterations, self.evaluations) == (None, None, None):
            return Budget(seconds=default_seconds)
        return Budget(self.seconds, self.iterations, self.evaluations)


def parse(
    kind: type[Options],
    command: str,
    arguments: Sequence[str],
    default: Options | None = None,
    switches: tuple[Any, ...] = (tyro.conf.FlagCreatePairsOff,),
) -> Options:
    """The options of a command, from the documented fields of its dataclass. Raises ValueError for bad ones."""
    errors = io.StringIO()
    if asks_for_help(arguments):
        arguments = ["--help"]  # the parser's help leaves out arguments that are already given
    try:
        with contextlib.redirect_stderr(errors):
            return tyro.cli(  # type: ignore[return-value]
                kind,
                prog=f"athenan {command}",
                args=list(arguments),
                default=default,
                config=(tyro.conf.OmitArgPrefixes, *switches),
            )
    except SystemExit as end:
        if not end.code:
            raise
        raise ValueError(f"{_message(errors.getvalue())}; see athenan {command} --help") from None


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether the help of a command is wanted."""
    return bool({"-h", "--help"} & set(arguments))


def _message(report: str) -> str:
    """The parser's report, without its frame and its quotation of the help."""
    lines = [line.strip("│ ") for line in report.splitlines() if line.startswith("│")]
    return " ".join(takewhile(lambda line: not line.startswith("──"), lines)).rstrip(".") or report.strip()


def check_count(option: str, count: int) -> None:
    """Raises ValueError unless there is at least one of what an option counts."""
    if count < 1:
        raise ValueError(f"{option} must be at least 1, not {count}")


def is_game(text: str) -> bool:
    """Whether an argument that may be a game or a run names a game.

    A run in a directory that is called like a game is written with a path, as `./hex`. Raises GameError if it is
    neither.
    """
    from athenan.play.player import is_path

    if text.strip().partition(":")[0] in GAMES:
        return True
    if is_path(text):
        return False
    raise GameError(f"there is no game and no run directory or checkpoint {text!r}; the games are {', '.join(GAMES)}")


def print_json(data: Any) -> None:
    """Writes data to standard output as JSON."""
    print(json.dumps(data, indent=2, allow_nan=False))
