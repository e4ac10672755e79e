"""`athenan train`: learns a game from its rules alone."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from athenan.arena.learnt_players import run_player
from athenan.cli.arguments import Argument, items
from athenan.cli.options import OwnRules, SearchText, allow_rules, asks_for_help, parse, read_game, read_search
from athenan.cli.parser import help_of, items_given, naming_option
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heuristics import check_heuristic
from athenan.games.catalogue import USUAL, is_game_name, make
from athenan.jobs import Machines
from athenan.learning.algorithms import TRAININGS, default_algorithm
from athenan.learning.config import (
    PARTS,
    ExitSettings,
    LearningSettings,
    PlayingSettings,
    StrengthSettings,
    TrainingConfig,
    code_of,
    named,
)  # fmt: skip
from athenan.learning.learner.losses import LossWeights
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.rules.heads import VALUES_AND_POLICIES
from athenan.runs.description import Description, describe
from athenan.runs.run import Keep, RunSettings, Saving
from athenan.search.budget import ActionLimits
from athenan.search.clock import ClockName
from athenan.search.named import known_search, search_text
from athenan.search.settings import Evaluation, SearchSettings
from athenan.settings import Between, UnmetError, settled

Given = TypeVar("Given")
_CHOSEN = ""  # the network that the recipe chooses, or the search of the run that is resumed
_PREFIXED = Argument(prefixed=True)
_COMMON = (
    "game", "minutes", "matches", "network", "heuristic", "threads", "seed", "initial", "algorithm", "run", "resume",
    "salvage", "help_all", "action",
)  # fmt: skip
"""What --help shows of the options; --help-all shows all."""


@dataclass(frozen=True)
class Train(RunSettings):
    """Learns a game from its rules alone, by playing against itself.

    Ctrl-C stops the run, and --resume continues it. Many defaults follow from the game and the length of the run:
    athenan train hex:7 --minutes 5 --help shows the defaults for that run.
    """

    game: Annotated[str, Argument(positional=True, metavar="GAME")] = ""
    algorithm: Annotated[str | None, Argument(metavar="NAME")] = None
    """Defaults for descent, ubfm, alphabeta, uct, alphazero, gumbel, exit or, for dice, td."""
    run: Annotated[Path | None, Argument(metavar="DIR", default="runs/GAME")] = None
    """Where to save the run, by default in a new folder. Other commands take this path as a player."""
    resume: Annotated[Path | None, Argument(metavar="DIR")] = None
    """Continue a run, up to new totals of --minutes and --matches if given. Unfinished matches restart."""
    salvage: bool = False
    """With --resume: skip missing or damaged matches."""
    help_all: bool = False
    """Show all options (without a game, for hex:7)."""
    initial: Annotated[str | None, Argument(name="from", metavar="RUN")] = None
    """Start with the network of this run, or with athenan, the package's network of the game."""
    action: Annotated[ActionLimits, _PREFIXED] = field(default_factory=ActionLimits)
    clock: ClockName = RunSettings.clock
    """The clock for the minutes and for an action's search time: wall-clock time or processor time."""
    saving: Saving = RunSettings.saving
    """Seconds between checkpoints. 0 saves after each learning phase. The last phase is always saved, unless the
    process is killed."""
    keep: Keep = RunSettings.keep
    """Minutes between the networks to keep. Each is a player, named RUN@MINUTES. By default only the last is kept."""
    recipe: Literal["default", "paper"] = "default"
    """The other defaults: for short runs on this machine, or 003's settings for the game."""
    rules: OwnRules = ""
    workers: Annotated[int, Between(0, 1024), Argument(metavar="N")] = 0
    """Processes that play, one actor in each. 0 plays in threads of this process."""
    ray: Annotated[str | None, Argument(metavar="ADDRESS", default="this machine")] = None
    """Play on the machines of this Ray cluster, one actor on each processor. All need the package."""
    evaluate: Annotated[Evaluation | None, Argument(default="children, unless a game has very many actions")] = None
    """What the network evaluates when a state is expanded: every child, or the state's action values and then the best
    children. The other defaults follow from it."""
    playing: PlayingSettings = field(default_factory=PlayingSettings)
    search: SearchText = "descent"
    """The search with its settings, such as puct:exploration=1.4 or ./mine.py:setting=2: descent, ubfm,
    korf_chickering, uct, puct, gumbel, exit, alphabeta, or a file of your own."""
    learning: LearningSettings = field(default_factory=LearningSettings)
    replay: Annotated[ReplayConfig, Argument(name="replay")] = field(default_factory=ReplayConfig)
    losses: Annotated[LossWeights, _PREFIXED] = field(default_factory=LossWeights)
    exit: Annotated[ExitSettings, _PREFIXED] = field(default_factory=ExitSettings)
    strength: Annotated[StrengthSettings, _PREFIXED] = field(default_factory=StrengthSettings)

    def machines(self) -> Machines:
        """The machines that play. Raises ValueError if they are given twice."""
        if self.workers and self.ray:
            raise ValueError("--workers are processes on this machine, --ray names a cluster: give one of them")
        return Machines(self.workers, self.ray)

    def config(self, arguments: Sequence[str]) -> TrainingConfig:
        """The configuration alone. The `arguments` say which settings the user gave: these are never ignored.

        Raises ValueError for bad values, and GameError if there is no such game.
        """
        components = {name: getattr(self, name) for name in _COMPONENTS} | {"search": read_search(self.search)}
        components["run"] = replace(_part(RunSettings, self), game=read_game(self.game).name)
        with naming_options():
            for name, of in components.items():
                components[name] = of if name == "search" else replace(of, **named(name, vars(of)))
            given = {(item.component or "run", item.field) for item in items_given(Train, "train", arguments)}
            return TrainingConfig(**settled(TrainingConfig, components, given, strict=True))


def run(arguments: Sequence[str]) -> None:
    """Runs the command: reads the options that the defaults follow from, then all options with these defaults."""
    if asks_for_help(arguments) or "--help-all" in arguments:
        _show_help(arguments)
    for option in ("--run", "--resume"):
        if (option, "") in pairwise(arguments) or f"{option}=" in arguments:
            raise ValueError(f"{option} needs the name of a directory, and it is empty")
    default = _of_algorithm(arguments)
    given = _parse(Train, arguments, default)
    allow_rules(given.rules)
    if given.resume:
        _resume(given.resume, _parse(Train, arguments, replace(default, search=_CHOSEN)), arguments)
        return
    if given.salvage:
        raise ValueError("--salvage continues a run: give --resume DIR as well")
    if not given.game:
        raise ValueError("which game? For example: athenan train hex:7 --minutes 5; `athenan games` lists them")
    machines = given.machines()
    if "--renewal" in _options_given(arguments) and not machines:
        raise ValueError("--renewal needs --workers or --ray: threads of this process always have the newest network")
    with naming_options():
        _check_names(given.config(arguments))
    options = _parse(Train, arguments, _recipe(given, arguments))
    config = options.config(arguments)

    from athenan.learning.training import free_directory, train

    directory = options.run or free_directory(config.run.game)
    with naming_options():
        train(config, directory, machines=machines)
    _show_what_next(config.run.game, directory, config.search, config.code)


def _show_help(arguments: Sequence[str]) -> None:
    """Shows the common options, or all, with the defaults for the game if one is named."""
    everything = "--help-all" in arguments
    others = [text for text in arguments if text not in ("-h", "--help", "--help-all")]
    given = _parse(Train, others, _of_algorithm(others))
    if given.game or everything:
        default = _recipe(replace(given, game=given.game or USUAL), others)
    else:
        default = Train(heuristic="score/additive_depth", network="patterns/shallow/c")
    print(help_of(Train, "train", default, None if everything else _COMMON), end="")
    raise SystemExit(0)


def _of_algorithm(arguments: Sequence[str]) -> Train:
    """The defaults of the algorithm that the arguments name, or else the game's: other options must fit them."""
    given = list(pairwise(" ".join(arguments).replace("=", " ").split()))
    names = [after for option, after in given if option == "--algorithm" and after in TRAININGS]
    if not names and is_game_name(" ".join(arguments[:1])) and "--resume" not in dict(given):
        names = [default_algorithm(make(arguments[0]))]
    algorithm = names[-1] if names else "descent"
    some_length = TrainingConfig(run=RunSettings(minutes=1.0))  # stages are shares of it
    config = TRAININGS[algorithm](some_length)
    return Train(network=_CHOSEN, **_components(config))


@cache
def _options() -> dict[tuple[str, str], str]:
    """The component and the name of each setting of a training -> its option."""
    return {(item.component or "run", item.field): item.option for item in items(Train)}


def _options_given(arguments: Sequence[str]) -> set[str]:
    """The options among the arguments."""
    return {item.option for item in items_given(Train, "train", arguments) if not item.note.positional}


@contextmanager
def naming_options() -> Iterator[None]:
    """Makes a message about a setting begin with its option."""
    try:
        yield
    except UnmetError as error:
        raise ValueError(f"{_options()[error.component, error.name]} needs {error.what}") from None
    except ValueError as error:
        message, first = str(error), str(error).partition(" ")[0]
        part = next((kind.option + message.removeprefix(first) for kind in PARTS.values() if kind.what == first), None)
        if (ours := part or naming_option(message, items(Train))) == message:
            raise
        raise ValueError(ours) from None


_COMPONENTS = [item.name for item in fields(TrainingConfig) if item.name != "run"]


def _components(config: TrainingConfig) -> dict[str, Any]:
    """The components of a configuration as options, without the run's settings."""
    return {name: getattr(config, name) for name in _COMPONENTS} | {"search": search_text(config.search)}


def _parse(kind: type[Given], arguments: Sequence[str], default: Given) -> Given:
    return parse(kind, "train", arguments, default)


def _part(kind: type[Given], whole: object) -> Given:
    """The dataclass, with its fields taken from an object that has them all."""
    return kind(**{item.name: getattr(whole, item.name) for item in fields(kind)})  # type: ignore[arg-type]


def _recipe(given: Train, arguments: Sequence[str]) -> Train:
    """The defaults for the game, the length of the run and the kind of search budget."""
    timed = given.action.iterations is None and given.action.evaluations is None
    length = given.minutes, given.matches
    recipe = _paper_recipe(given, timed) if given.recipe == "paper" else recommended(
        given.game, *length, timed, given.threads, given.algorithm, given.initial, given.evaluate,
        given.network or None, torch=_needs_torch(given, arguments),
    )  # fmt: skip
    kept = {name: getattr(given, name) for name in ("algorithm", "evaluate", "recipe")}
    return Train(**kept, **vars(recipe.run), **_components(recipe))


def _paper_recipe(given: Train, timed: bool) -> TrainingConfig:
    """003's settings. Raises ValueError beside options that choose other settings."""
    from athenan.experiments.paper import paper_recipe

    if given.algorithm not in (None, "descent") or given.evaluate is not None:
        raise ValueError("--recipe paper has the algorithm of 003, descent: leave out --algorithm and --evaluate")
    return paper_recipe(
        given.game, given.minutes, given.matches, timed, given.threads, given.initial, given.network or None
    )


def _needs_torch(given: Train, arguments: Sequence[str]) -> bool:
    """Whether an option asks for something that pattern networks lack."""
    precisions = given.learning.learning_precision, given.playing.precision
    other_heads = set(given.config(arguments).heads) - set(VALUES_AND_POLICIES)
    other_device = given.learning.device not in ("auto", "cpu")
    return other_device or "bfloat16" in precisions or bool(other_heads) or given.losses != LossWeights()


def _check_names(config: TrainingConfig) -> None:
    """Raises ValueError for an unknown name, before rules are compiled."""
    from athenan.learning.observers.strength import opponent

    game = make(config.run.game)
    check_heuristic(config.run.heuristic, game)
    if config.run.network != _CHOSEN:
        parse_architecture(config.run.network)
    if config.strength.seconds and (player := opponent(config.strength, game)):
        player.close()


_RESUMING = {"--resume", "--minutes", "--matches", "--salvage", "--workers", "--ray", "--search", "--rules"}


def _resume(directory: Path, given: Train, arguments: Sequence[str]) -> None:
    if _options_given(arguments) - _RESUMING:  # also an option that names its default, which the run may not have
        raise ValueError(
            "a run keeps its settings: --resume takes only --minutes, --matches, --salvage, --workers, --ray, "
            "and --search FILE or --rules FILE to allow its code"
        )
    if not directory.is_dir():
        raise ValueError(f"--resume needs the directory of a run, and {directory} is not a directory")

    from athenan.learning.training import resume

    named = make(given.game).name if given.game else None  # first: allows the code of a run's game
    run = describe(directory, whole=False)  # `resume` reads the rest
    game, search = run.game, _search_of(run, given.search)
    if named not in (None, game):
        raise ValueError(f"{directory} is a run of {game}, not of {named}")
    resume(directory, given.minutes, given.matches, salvage=given.salvage, machines=given.machines())
    _show_what_next(game, directory, search, code_of(run.configuration))


def _search_of(run: Description, text: str) -> SearchSettings:
    """The search of a run, whose code --search allows. Raises ValueError if --search names another, or other settings.

    `text` is empty without --search.
    """
    given = read_search(text) if text else None
    saved = run.configuration.get("search")
    other = f"{run.path} searches with {saved}, not with {text}"
    try:
        found = known_search(saved)
    except ValueError as error:
        raise ValueError(f"{run.path}: {error}" if given is None else other) from None
    if given not in (None, found) and (":" in text or type(given) is not type(found)):
        raise ValueError(other)
    return found


def _show_what_next(game: str, directory: Path, search: SearchSettings, code: Sequence[str]) -> None:
    rules = f" --rules {shlex.quote(','.join(code))}" if code else ""
    rival = " mcts:1000" if make(game).players == 2 else ""
    print(
        f"measure it: athenan match {shlex.quote(game)} {shlex.quote(run_player(str(directory), search))}{rival}{rules}"
    )
