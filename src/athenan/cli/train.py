"""`athenan train`: learns a game from its rules alone."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import tyro

from athenan.cli.options import asks_for_help, parse
from athenan.games.catalogue import make
from athenan.learning.config import (
    ActionLimits,
    EvaluationSettings,
    LearningSettings,
    PlayingSettings,
    RunSettings,
    TrainingConfig,
    config_from_json,
    recommended,
)  # fmt: skip
from athenan.learning.replay import ReplayConfig
from athenan.play.roster import make_player
from athenan.search.search import SearchSettings

if TYPE_CHECKING:  # torch, which help and bad options need not wait for
    from athenan.learning.trainer import Measure

Component = TypeVar("Component")

_PREFIXES = {
    RunSettings: "", ActionLimits: "action.", PlayingSettings: "", SearchSettings: "search.", LearningSettings: "",
    ReplayConfig: "replay.", EvaluationSettings: "",
}  # fmt: skip
"""A component of the configuration -> what its options begin with."""


@dataclass(frozen=True)
class Train(RunSettings):
    """Learns a game from its rules alone, by playing against itself.

    Ctrl-C ends it, and --resume goes on. Many defaults follow from the game and the length of the run: athenan train
    hex:7 --minutes 5 --help shows those of that run.
    """

    game: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME", help_behavior_hint="")]] = ""
    run: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="(default: runs/GAME)")] = None
    """The run directory, numbered if it is taken; a player's name for the other commands."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run; --minutes and --matches, counted from its beginning, may be given anew."""
    salvage: Annotated[tyro.conf.FlagCreatePairsOff[bool], tyro.conf.arg(help_behavior_hint="")] = False
    """With --resume: go on without matches whose data is missing or damaged."""
    help_all: Annotated[tyro.conf.FlagCreatePairsOff[bool], tyro.conf.arg(help_behavior_hint="")] = False
    """Show the options of all components (without a game, the defaults are those for hex:7)."""
    action: ActionLimits = field(default_factory=ActionLimits)


@dataclass(frozen=True)
class AllOptions(Train):
    __doc__ = Train.__doc__

    playing: tyro.conf.OmitArgPrefixes[PlayingSettings] = field(default_factory=PlayingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    learning: tyro.conf.OmitArgPrefixes[LearningSettings] = field(default_factory=LearningSettings)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    evaluation: tyro.conf.OmitArgPrefixes[EvaluationSettings] = field(default_factory=EvaluationSettings)

    def config(self) -> TrainingConfig:
        """The configuration alone. Raises ValueError for bad values."""
        settings = vars(_component(RunSettings, self)) | {"search": self.search, "replay": self.replay}
        for component in (self.action, self.playing, self.learning, self.evaluation):
            settings |= vars(component)
        return TrainingConfig(**settings | {"game": make(self.game).name})


def run(arguments: Sequence[str]) -> None:
    """Runs the command: reads what the recipe depends on, then everything with the recipe's defaults."""
    with _naming_options():
        if asks_for_help(arguments) or "--help-all" in arguments:
            _show_help(arguments)
        given = _parse(AllOptions, arguments, AllOptions())
        if given.resume:
            _resume(given)
            return
        if not given.game:
            raise ValueError("which game? For example: athenan train hex:7 --minutes 5; `athenan games` lists them")
        _check(given.config())  # before anything is compiled for the recipe
        options = _parse(AllOptions, arguments, _recipe(given))
        config = options.config()

    from athenan.learning.trainer import free_directory, train

    directory = options.run or free_directory(config.game)
    _train(config, directory, lambda measure: train(config, directory, measure=measure))


def _show_help(arguments: Sequence[str]) -> None:
    """Shows the few options that everybody uses, or all, with the recipe's defaults if a game is named."""
    everything = "--help-all" in arguments
    given = _parse(AllOptions, [text for text in arguments if text not in ("-h", "--help", "--help-all")], AllOptions())
    if given.game or everything:
        default = _recipe(replace(given, game=given.game or "hex:7"))
    else:
        default = AllOptions(heuristic="score/additive_depth")
    _parse(AllOptions if everything else Train, ["--help"], default if everything else _component(Train, default))


def _parse(kind: type[Component], arguments: Sequence[str], default: Component) -> Component:
    return parse(kind, "train", arguments, default, markers=(tyro.conf.DisallowNone,), bounds={})


def _component(kind: type[Component], whole: object) -> Component:
    """The fields of a component, from an object that has them all."""
    return kind(**{field.name: getattr(whole, field.name) for field in fields(kind)})  # type: ignore[arg-type]


def _recipe(given: Train) -> AllOptions:
    """The defaults for the game, the length of the run and the kind of search budget."""
    timed = given.action.iterations is None and given.action.evaluations is None
    recipe = recommended(given.game, given.minutes, given.matches, timed, given.threads)
    return AllOptions(
        **vars(_component(RunSettings, recipe)),
        action=_component(ActionLimits, recipe),
        playing=_component(PlayingSettings, recipe),
        search=recipe.search,
        learning=_component(LearningSettings, recipe),
        replay=recipe.replay,
        evaluation=_component(EvaluationSettings, recipe),
    )


@contextmanager
def _naming_options() -> Iterator[None]:
    """Makes messages about a setting, which begin with its name, begin with its option."""
    try:
        yield
    except ValueError as error:
        name, _, rest = str(error).removeprefix("Error parsing replay: ").partition(" ")
        for kind, prefix in _PREFIXES.items():
            if name in (field.name for field in fields(kind)):
                raise ValueError(f"--{prefix}{name.replace('_', '-')} {rest}") from None
        raise


def _check(config: TrainingConfig) -> None:
    """Raises ValueError if there is no such opponent; the configuration has checked all that it knows of."""
    game = make(config.game)
    if game.players == 2 and config.evaluation_seconds:
        make_player(config.evaluation_opponent, game, people=False).close()


def _resume(given: AllOptions) -> None:
    directory, minutes, matches, salvage = given.resume, given.minutes, given.matches, given.salvage
    if directory is None or given != AllOptions(resume=directory, minutes=minutes, matches=matches, salvage=salvage):
        raise ValueError("a run goes on as it was: only --minutes, --matches, --salvage may be given with --resume")
    if not directory.is_dir():
        raise ValueError(f"--resume needs the directory of a run, and {directory} is none")

    from athenan.learning.checkpoint import load_network
    from athenan.learning.trainer import resume

    config = config_from_json(load_network(directory).configuration)
    replace(config, minutes=minutes, matches=matches)  # checks the new limits
    _train(config, directory, lambda measure: resume(directory, minutes, matches, measure=measure, salvage=salvage))


def _train(config: TrainingConfig, directory: Path, training: Callable[["Measure | None"], object]) -> None:
    """Runs a training; says how to measure what it has learnt."""
    from athenan.play.measure_old import measure_against

    opponent, games, game = config.evaluation_opponent, config.evaluation_games, make(config.game)
    limit = config.evaluation_seconds / 10
    training(measure_against(opponent, games, game, limit) if limit else None)
    rival = " mcts:1000" if game.players == 2 else ""
    print(f"measure it: athenan match {config.game} {shlex.quote(str(directory))}{rival}")
