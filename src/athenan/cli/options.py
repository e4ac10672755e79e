"""What the commands share: reading options, games and positions, and writing JSON."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from os.path import exists
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import tyro

from athenan import loading, settings
from athenan.cli import parser
from athenan.cli.parser import BadChoice, BadNumber, Lacking, NotMade, RefusedArguments, Valueless
from athenan.games.catalogue import GAMES, is_game_name, make
from athenan.loading import LoadingError
from athenan.rules.game import Game, GameError
from athenan.search.budget import ActionLimits, Budget
from athenan.search.named import parse_search
from athenan.search.settings import SearchSettings
from athenan.settings import allowed, annotations, check, did_you_mean

Options = TypeVar("Options")

GameName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]]
RunName = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="RUN")]]
_RULES = (
    "For a run of your own game, search, network or other part: its file or module, whose code runs only if it is "
    "named here; commas separate several."
)
OwnRules = Annotated[str, tyro.conf.arg(metavar="FILE|MODULE", help=_RULES, help_behavior_hint="")]
GameOrRun = tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME|RUN")]]
Workers = Annotated[settings.Threads, tyro.conf.arg(metavar="N")]
_THREADS = "CPU threads of a search, or of its network on PyTorch; more are faster only while cores are free."
Threads = Annotated[settings.Threads, tyro.conf.arg(metavar="N", help=_THREADS)]
_ALL = "(default: one for each core, at most 4; with a network on PyTorch 1)"
_BUT_ONE = "(default: one for each core but one, at most 4; with a network on PyTorch 1)"
UsualThreads = Annotated[settings.Threads | None, tyro.conf.arg(metavar="N", help=_THREADS, help_behavior_hint=_ALL)]
SparingThreads = Annotated[
    settings.Threads | None, tyro.conf.arg(metavar="N", help=_THREADS, help_behavior_hint=_BUT_ONE)
]
Moves = Annotated[str, tyro.conf.arg(metavar="MOVES", help_behavior_hint="")]
SearchText = Annotated[str, tyro.conf.arg(metavar="SEARCH")]

_MARKERS = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)

_QUESTIONS = {"GAME": "which game", "GAME|RUN": "which game or run"}
"""Name of an argument -> the question that is asked if it is missing."""


_COUNTED = tyro.conf.arg(metavar="N", help_behavior_hint="")
_TIMED = tyro.conf.arg(
    metavar="S",
    help_behavior_hint="(default, without a limit: 0.1 in match, tournament and grade, 0.02 in calibrate, 1 in other "
    "commands; analyze without a network 300)",
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


def parse(
    kind: type[Options],
    command: str,
    arguments: Sequence[str],
    default: Options | None = None,
    markers: tuple[Any, ...] = _MARKERS,
) -> Options:
    """The options of a command, from the documented fields of its dataclass and of the dataclasses nested in it.

    Annotations define the allowed values (`athenan.settings`); `markers` are tyro's. Raises ValueError for bad values.
    """
    for argument in arguments:
        if "\0" in argument:
            raise ValueError(f"{argument!r} contains a NUL character, which names and paths cannot have")
    if asks_for_help(arguments):
        arguments = ["--help"]  # the parser's help leaves out arguments that are already given
    options: Options
    try:
        options, unknown = parser.call(kind, f"athenan {command}", arguments, default, markers)
    except RefusedArguments as refused:
        if type(refused) is RefusedArguments or (isinstance(refused, Lacking) and refused.beside_unknown):
            _require_known(arguments, _options(kind, markers))
        raise ValueError(_in_our_words(refused, command, kind, markers)) from None
    if unknown:
        raise ValueError(_of_unknown(unknown[0], _options(kind, markers)))
    _check(options, markers)
    return options


def _check(options: Any, markers: tuple[Any, ...]) -> None:
    """Raises ValueError unless all options of a command and its components have allowed values."""
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
    """Replaces a setting's name at the beginning of a message by the command's option, and leaves other messages alone.

    `component`: the field of the command's dataclass that holds the setting; "" for the dataclass itself, None for any.
    """
    setting, _, rest = message.partition(" ")
    for option, (owner, name, _) in _options(kind, markers).items():
        if name == setting and component in (None, owner):
            return f"{option} {rest.replace(' or none, not', ', not')}"  # leaving the option out says none
    return message


def _options(kind: type[Any], markers: tuple[Any, ...]) -> dict[str, tuple[str, str, Any]]:
    """Option -> the component that holds it ("" for the command's dataclass itself), its name and its annotation."""
    found = {}
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        inner, *notes = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        if is_dataclass(inner):
            prefix = "" if tyro.conf.OmitArgPrefixes in (*notes, *markers) else f"{name}."
            for setting, hint in get_type_hints(inner, include_extras=True).items():
                found[f"--{prefix}{_option(setting, hint)}"] = name, setting, hint
        else:
            found[f"--{_option(name, annotation)}"] = "", name, annotation
    return found


def _option(name: str, annotation: Any) -> str:
    return parser.option_name(name, get_args(annotation)[1:] if get_origin(annotation) is Annotated else ())


def _in_our_words(refused: RefusedArguments, command: str, kind: type[Any], markers: tuple[Any, ...]) -> str:
    """The parser's refusal in our words, if we have words for it."""
    ours = f"{refused.text}; see athenan {command} --help"
    match refused:
        case NotMade(_, component, message):
            ours = naming_option(message, kind, markers, "" if component == kind.__name__ else component)
        case BadNumber(_, option, whole, value):
            ours = f"{option} must be a {'whole ' if whole else ''}number, not {value}"
        case BadChoice(_, option, value) if known := _options(kind, markers).get(f"--{option.removeprefix('--')}"):
            ours = f"{option} must be {allowed(known[2]).without_none()}, not {value}"
        case Lacking(_, name) if name in _QUESTIONS:
            ours = f"{_QUESTIONS[name]}? For example: athenan {command} hex:7; `athenan games` lists the games"
        case Lacking(_, name):
            ours = f"{name} is missing; see athenan {command} --help"
        case Valueless(_, option):
            ours = f"{option} needs a value; see athenan {command} --help"
    return ours


def _require_known(arguments: Sequence[str], known: Mapping[str, tuple[str, str, Any]]) -> None:
    """Raises ValueError for the first option that is unknown; positional arguments have no option."""
    options = {option for option, (*_, annotation) in known.items() if tyro.conf.Positional not in get_args(annotation)}
    for argument in arguments:
        name = argument.partition("=")[0].replace("_", "-")
        if argument.startswith("--") and name not in options:
            raise ValueError(_of_unknown(argument, known))


def _of_unknown(argument: str, known: Collection[str]) -> str:
    """What is wrong with an argument that is not an option."""
    if not argument.startswith("-"):
        return f"unexpected argument {argument!r}"
    option = argument.partition("=")[0]
    if option in known:
        return f"there is no option {option}: give its value alone, without {option}"
    same = [one for one in known if one.rpartition(".")[2] == option.removeprefix("--")]  # an option of a component
    return f"there is no option {option}" + (f": did you mean {same[0]}?" if same else did_you_mean(option, known))


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

    if is_game_name(text):
        return True
    if is_path(text):
        return False
    if is_shipped(text):
        raise GameError(f"{text} is the package's network of a game: give the game, such as hex:7, and it is used")
    similar = did_you_mean(
        settings.split(text)[0], [*GAMES, *runs_beside(text)], f"the games are {', '.join(GAMES)}"
    )  # fmt: skip
    raise GameError(f"there is no game and no run directory or checkpoint {text!r}{similar}")


def read_game(text: str) -> Game:
    """The game that an argument names. Raises GameError like `make`, which reports the game of a run."""
    try:
        return make(text)
    except GameError:
        from athenan.arena.roster import run_of
        from athenan.runs.description import describe

        if is_game_name(text) or (path := run_of(text)) is None:
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
