"""`athenan train`: learns a game from its rules alone."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from athenan.arena.learnt_players import run_player
from athenan.cli.arguments import Argument, items
from athenan.cli.options import OwnRules, SearchText, allow_rules, asks_for_help, parse_given, read_game, read_search
from athenan.cli.parser import Given, help_of, naming_option
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heuristics import check_heuristic
from athenan.games.catalogue import USUAL, make
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
)  # fmt: skip
from athenan.learning.learner.losses import LossWeights
from athenan.learning.recipe import recommended
from athenan.learning.replay import ReplayConfig
from athenan.rules.heads import VALUES_AND_POLICIES
from athenan.runs.description import Description, describe
from athenan.runs.run import RunSettings
from athenan.search.budget import ActionLimits
from athenan.search.named import known_search, search_text
from athenan.search.settings import Evaluation, SearchSettings
from athenan.settings import Between, UnmetError, shell_word

_CHOSEN = ""  # the network or the search that the recipe chooses
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
    recipe: Literal["default", "paper"] = "default"
    """The other defaults: for short runs on this machine, or 003's settings for the game."""
    rules: OwnRules = ""
    workers: Annotated[int, Between(0, 1024), Argument(metavar="N")] = 0
    """Processes that play, one actor in each. 0 plays in threads of this process."""
    ray: Annotated[str | None, Argument(metavar="ADDRESS", default="this machine")] = None
    """Play on the machines of this Ray cluster, one actor on each processor. All need the package."""
    exchange: bool = False
    """With --workers or --ray: each process also learns what it plays, in as many --threads as are given, and every
    --renewal seconds all exchange what they have learnt, instead of sending matches to one learner. For pattern
    networks and shallow ones."""
    evaluate: Annotated[Evaluation | None, Argument(default="children, unless a game has very many actions")] = None
    """What the network evaluates when a state is expanded: every child, or the state's action values and then the best
    children. The other defaults follow from it."""
    playing: PlayingSettings = field(default_factory=PlayingSettings)
    search: SearchText = _CHOSEN
    """The search with its settings, such as puct:exploration=1.4 or ./mine.py:setting=2: descent, ubfm,
    korf_chickering, uct, puct, gumbel, exit, alphabeta, or a file of your own."""
    learning: LearningSettings = field(default_factory=LearningSettings)
    replay: Annotated[ReplayConfig, Argument(name="replay")] = field(default_factory=ReplayConfig)
    losses: Annotated[LossWeights, _PREFIXED] = field(default_factory=LossWeights)
    exit: Annotated[ExitSettings, _PREFIXED] = field(default_factory=ExitSettings)
    strength: Annotated[StrengthSettings, _PREFIXED] = field(default_factory=StrengthSettings)


_DEFAULT = Train(network=_CHOSEN)
"""What is left out, before the recipe chooses."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command: reads the options that the defaults follow from, then all options with these defaults."""
    if asks_for_help(arguments) or "--help-all" in arguments:
        _show_help(arguments)
    given, values = parse_given(Train, "train", arguments, _DEFAULT)
    allow_rules(given.rules)
    if given.resume:
        _resume(given.resume, given, values, _machines(given, values))
        return
    if given.salvage:
        raise ValueError("--salvage continues a run: give --resume DIR as well")
    if not given.game:
        raise ValueError("which game? For example: athenan train hex:7 --minutes 5; `athenan games` lists them")
    machines, settings = _machines(given, values), _settings(values)
    if "renewal" in settings.get("playing", {}) and not machines:
        raise ValueError("--renewal needs --workers or --ray: threads of this process always have the newest network")
    with naming_options():
        asked = _asked(given, settings)
        _check_names(asked)
        config = _recipe(given, asked).changed(strict=True, **settings)

    from athenan.learning.training import free_directory, train

    directory = given.run or free_directory(config.run.game)
    with naming_options():
        train(config, directory, machines=machines, exchange=given.exchange)
    _show_what_next(config.run.game, directory, config.search, config.code)


def _machines(given: Train, values: Given) -> Machines:
    """The machines that play. Raises ValueError if they are given twice."""
    if given.workers and given.ray:
        raise ValueError("--workers are processes on this machine, --ray names a cluster: give one of them")
    threads = given.threads if given.exchange and "threads" in values[""] else 1
    return Machines(given.workers, given.ray, threads)


def _show_help(arguments: Sequence[str]) -> None:
    """Shows the common options, or all, with the defaults for the game if one is named."""
    everything = "--help-all" in arguments
    others = [text for text in arguments if text not in ("-h", "--help", "--help-all")]
    given, values = parse_given(Train, "train", others, _DEFAULT)
    default = Train(heuristic="score/additive_depth", network="patterns/shallow/c")
    if given.game or everything:
        given = replace(given, game=given.game or USUAL)
        recipe = _recipe(given, _asked(given, _settings(values)))
        components = {name: of for name, of in recipe.components.items() if name not in ("run", "search")}
        kept = {name: getattr(given, name) for name in ("algorithm", "evaluate", "recipe")}
        default = Train(**kept, **vars(recipe.run), **components, search=search_text(recipe.search))
    print(help_of(Train, "train", default, None if everything else _COMMON), end="")
    raise SystemExit(0)


def _settings(values: Given) -> dict[str, Any]:
    """The settings of the training among the values that the arguments give, by component."""
    own, components = values.get("", {}), {name: of for name, of in values.items() if name}
    names = {one.name for one in fields(RunSettings)} - {"game"}
    run = {name: value for name, value in own.items() if name in names}
    return components | {"run": run, "search": own.get("search")}


def _asked(given: Train, settings: Mapping[str, Any]) -> TrainingConfig:
    """The configuration of the algorithm with what the arguments give, before the game's recipe: what must fit."""
    game = read_game(given.game)
    run = RunSettings(game.name, minutes=1.0, network=_CHOSEN)  # stages are shares of some length
    algorithm = given.algorithm if given.algorithm in TRAININGS else default_algorithm(game)
    return TRAININGS[algorithm](TrainingConfig(run)).changed(strict=True, **settings)


@contextmanager
def naming_options() -> Iterator[None]:
    """Makes a message about a setting begin with its option."""
    try:
        yield
    except UnmetError as error:
        options = {(item.component or "run", item.field): item.option for item in items(Train)}
        raise ValueError(f"{options[error.component, error.name]} needs {error.what}") from None
    except ValueError as error:
        message, first = str(error), str(error).partition(" ")[0]
        part = next((kind.option + message.removeprefix(first) for kind in PARTS.values() if kind.what == first), None)
        if (ours := part or naming_option(message, items(Train))) == message:
            raise
        raise ValueError(ours) from None


def _recipe(given: Train, asked: TrainingConfig) -> TrainingConfig:
    """The defaults for the game, the length of the run and the kind of search budget."""
    timed = given.action.iterations is None and given.action.evaluations is None
    if given.recipe == "paper":
        return _paper_recipe(given, timed)
    return recommended(
        given.game, given.minutes, given.matches, timed, given.threads, given.algorithm, given.initial, given.evaluate,
        given.network or None, torch=_needs_torch(asked),
    )  # fmt: skip


def _paper_recipe(given: Train, timed: bool) -> TrainingConfig:
    """003's settings. Raises ValueError beside options that choose other settings."""
    from athenan.experiments.paper import paper_recipe

    if given.algorithm not in (None, "descent") or given.evaluate is not None:
        raise ValueError("--recipe paper has the algorithm of 003, descent: leave out --algorithm and --evaluate")
    return paper_recipe(
        given.game, given.minutes, given.matches, timed, given.threads, given.initial, given.network or None
    )


def _needs_torch(asked: TrainingConfig) -> bool:
    """Whether an option asks for something that pattern networks lack."""
    precisions = asked.learning.learning_precision, asked.playing.precision
    other_heads = set(asked.heads) - set(VALUES_AND_POLICIES)
    other_device = asked.learning.device not in ("auto", "cpu")
    return other_device or "bfloat16" in precisions or bool(other_heads) or asked.losses != LossWeights()


def _check_names(config: TrainingConfig) -> None:
    """Raises ValueError for an unknown name, before rules are compiled."""
    from athenan.learning.observers.strength import opponent

    game = make(config.run.game)
    check_heuristic(config.run.heuristic, game)
    if config.run.network != _CHOSEN:
        parse_architecture(config.run.network)
    if config.strength.seconds and (player := opponent(config.strength, game)):
        player.close()


_RESUMING = {"game", "resume", "minutes", "matches", "salvage", "workers", "ray", "exchange", "search", "rules"}


def _resume(directory: Path, given: Train, values: Given, machines: Machines) -> None:
    allowed = _RESUMING | ({"threads"} if given.exchange else set())
    if len(values) > 1 or values[""].keys() - allowed:  # also a default, which the run may not have
        raise ValueError(
            "a run keeps its settings: --resume takes only --minutes, --matches, --salvage, --workers, --ray, "
            "--exchange with --threads, and --search FILE or --rules FILE to allow its code"
        )
    if not directory.is_dir():
        raise ValueError(f"--resume needs the directory of a run, and {directory} is not a directory")

    from athenan.learning.training import resume

    named = make(given.game).name if given.game else None  # first: allows the code of a run's game
    run = describe(directory, whole=False)  # `resume` reads the rest
    game, search = run.game, _search_of(run, given.search)
    if named not in (None, game):
        raise ValueError(f"{directory} is a run of {game}, not of {named}")
    with naming_options():
        resume(
            directory, given.minutes, given.matches, salvage=given.salvage, machines=machines, exchange=given.exchange
        )
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
    rules = f" --rules {shell_word(','.join(code))}" if code else ""
    rival = " mcts:1000" if make(game).players == 2 else ""
    print(
        f"measure it: athenan match {shell_word(game)} {shell_word(run_player(str(directory), search))}{rival}{rules}"
    )
