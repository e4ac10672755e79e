"""What the commands share: reading options, games and positions, and writing JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import exists, isfile
from typing import Annotated, Any, TypeVar

from athenan import loading, settings
from athenan.cli import parser
from athenan.cli.arguments import Argument
from athenan.games.catalogue import GAMES, is_game_name, make
from athenan.loading import LoadingError, is_file
from athenan.rules.game import Game, GameError
from athenan.search.budget import ActionLimits, Budget
from athenan.search.named import parse_search
from athenan.search.settings import SearchSettings
from athenan.settings import annotations, did_you_mean

Options = TypeVar("Options")

GameName = Annotated[str, Argument(positional=True, metavar="GAME")]
RunName = Annotated[str, Argument(positional=True, metavar="RUN")]
PlayerNames = Annotated[tuple[str, ...], Argument(positional=True, metavar="PLAYER")]
_RULES = (
    "For a run of your own game, search, network or other part: its file or module, whose code runs only if it is "
    "named here; commas separate several."
)
OwnRules = Annotated[str, Argument(metavar="FILE|MODULE", text=_RULES)]
GameOrRun = Annotated[str, Argument(positional=True, metavar="GAME|RUN")]
Workers = Annotated[settings.Threads, Argument(metavar="N")]
_THREADS = "CPU threads of a search, or of its network on PyTorch; more are faster only while cores are free."
Threads = Annotated[settings.Threads, Argument(metavar="N", text=_THREADS)]
_ALL = "one for each core, at most 4; with a network on PyTorch 1"
_BUT_ONE = "one for each core but one, at most 4; with a network on PyTorch 1"
UsualThreads = Annotated[settings.Threads | None, Argument(metavar="N", text=_THREADS, default=_ALL)]
SparingThreads = Annotated[settings.Threads | None, Argument(metavar="N", text=_THREADS, default=_BUT_ONE)]
Moves = Annotated[str, Argument(metavar="MOVES")]
SearchText = Annotated[str, Argument(metavar="SEARCH")]

_COUNTED = Argument(metavar="N")
_TIMED = Argument(
    metavar="S",
    default="0.1 in match, tournament and grade, 0.02 in calibrate, 1 in others; 300 in analyze without a network",
)


@dataclass(frozen=True)
class Limits(ActionLimits):
    """What ends the search for an action, whichever comes first. A player's own limit, as in mcts:1000, prevails."""

    __annotations__ = {  # the same fields, annotated for the command line
        name: Annotated[kind, _TIMED if name == "seconds" else _COUNTED]
        for name, kind in annotations(ActionLimits).items()
    }

    def or_seconds(self, seconds: float) -> Budget:
        """The limits as a budget. Without a limit it has these seconds."""
        return self.limit or Budget(seconds=seconds)


def processes(workers: int) -> int:
    """The processes that `jobs.run` starts for --workers. One worker is the command itself."""
    return workers if workers > 1 else 0


def parse(kind: type[Options], command: str, arguments: Sequence[str]) -> Options:
    """The options of a command, from the documented fields of its dataclass and of the dataclasses nested in it.

    Prints the help if it is asked for, and exits. Raises ValueError for bad values.
    """
    return parse_given(kind, command, arguments)[0]


def parse_given(
    kind: type[Options], command: str, arguments: Sequence[str], default: Options | None = None
) -> tuple[Options, parser.Given]:
    """The options of a command like `parse`, and the values among them that the arguments give."""
    for argument in arguments:
        if "\0" in argument:
            raise ValueError(f"{argument!r} contains a NUL character, which names and paths cannot have")
    if asks_for_help(arguments):
        print(parser.help_of(kind, command, default), end="")
        raise SystemExit(0)
    return parser.read(kind, command, arguments, default)


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether the arguments ask for help."""
    return bool({"-h", "--help"} & set(arguments))


def is_game(text: str) -> bool:
    """Whether an argument that may be a game or a run names a game.

    A run whose directory has the name of a game must be written as a path, such as `./hex`. Raises GameError if the
    argument is neither.
    """
    from athenan.arena.learnt_players import is_shipped, runs_beside
    from athenan.arena.roster import is_path

    if is_game_name(text) or _is_source(text):
        return True
    if is_path(text):
        return False
    if is_shipped(text):
        raise GameError(f"{text} is the package's network of a game: give the game, such as hex:7, and it is used")
    similar = did_you_mean(
        settings.split(text)[0], [*GAMES, *runs_beside(text)], f"the games are {', '.join(GAMES)}"
    )  # fmt: skip
    raise GameError(f"there is no game and no run directory or checkpoint {text!r}{similar}")


def _is_source(text: str) -> bool:
    """Whether a text is the path of a file of Python, even with a colon, for which `make` has its own message."""
    return is_file(text) and isfile(text)


def read_game(text: str) -> Game:
    """The game that an argument names. Raises GameError like `make`, which reports the game of a run."""
    try:
        return make(text)
    except GameError:
        from athenan.arena.roster import run_of
        from athenan.runs.description import describe

        if is_game_name(text) or _is_source(text) or (path := run_of(text)) is None:
            raise
        raise GameError(f"{text} is a run: name its game, {describe(path, whole=False).settings.game}") from None


def require_path(run: str) -> None:
    """Raises ValueError for athenan where the path of a run or network is needed."""
    from athenan.arena.learnt_players import is_shipped

    if is_shipped(run) and not exists(run):
        raise ValueError(
            f"{run} is the package's network of a game: name its file, which `athenan networks GAME` shows"
        )


def read_search(text: str, turns: bool = False) -> SearchSettings:
    """The search that --search names; see `parse_search`."""
    try:
        return parse_search(text, turns)
    except ValueError as error:
        raise ValueError(f"--{error}" if str(error).startswith("search ") else str(error)) from None


def allow_rules(*rules: str) -> None:
    """Allows the code of the user's files and modules that --rules names. Raises LoadingError for other names."""
    for name in filter(None, (name.strip() for text in rules for name in text.split(","))):
        try:
            loading.allow_written(name)
        except LoadingError as error:
            raise LoadingError(f"--rules: {error}") from None


def print_json(data: Any) -> None:
    """Writes data to standard output as JSON."""
    print(json.dumps(data, indent=2, allow_nan=False))
