"""`athenan train`: learns a game from its rules alone."""

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import tyro

from athenan.cli.options import asks_for_help, parse
from athenan.games.game import make
from athenan.learning.checkpoint import CHECKPOINT, load_network
from athenan.learning.config import TrainingConfig, config_from_json, recommended
from athenan.learning.trainer import Measure, free_directory, resume, train
from athenan.play.search_player import measure_against


@dataclass(frozen=True)
class Train(TrainingConfig):
    """Learns a game from its rules alone, by playing against itself; Ctrl-C ends it, and --resume goes on.

    The defaults shown are the recipe for the game and the length of the run: `athenan train hex:7 --minutes 5 --help`
    shows those of that run. With --iterations or --evaluations a search has no time limit unless --seconds is given.
    """

    game: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]] = ""
    """The game, such as hex:7 or othello:6."""
    run: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="(default: runs/GAME)")] = None
    """The run directory (numbered if it is taken): checkpoints and TensorBoard scalars; a player's name for the other
    commands."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with the run in this directory as if nothing had happened; only --minutes and --matches, counted from its
    beginning, may be given with it."""

    def __post_init__(self) -> None:
        """Checks nothing: the values are not complete before the recipe has filled them in."""

    def config(self) -> TrainingConfig:
        """The configuration alone. Raises ValueError for bad values."""
        return TrainingConfig(**{field.name: getattr(self, field.name) for field in fields(TrainingConfig)})


def run(arguments: Sequence[str]) -> None:
    """Runs the command: reads what the recipe depends on, then everything with the recipe's defaults."""
    if asks_for_help(arguments):
        given = _parse([text for text in arguments if text not in ("-h", "--help")], Train())
        _parse(["--help"], _recipe(replace(given, game=given.game or "hex:7")))
    given = _parse(arguments, Train())
    if given.resume:
        _resume(given)
        return
    if not given.game:
        raise ValueError("which game? For example: athenan train hex:7 --minutes 5; `athenan games` lists them")
    given.config()  # checks the values before the recipe uses them
    options = _parse(arguments, _recipe(given))
    config = options.config()
    directory = options.run or free_directory(config.game)
    _guarded(config, directory, lambda measure: train(config, directory, measure=measure))


def _parse(arguments: Sequence[str], default: Train) -> Train:
    return parse(Train, "train", arguments, default, switches=())


def _recipe(given: Train) -> Train:
    """The defaults for the game, the length of the run and the kind of search budget."""
    timed = given.iterations is None and given.evaluations is None
    recipe = recommended(given.game, given.minutes, given.matches, timed, given.threads)
    return Train(**{field.name: getattr(recipe, field.name) for field in fields(TrainingConfig)})


def _resume(given: Train) -> None:
    if given.resume is None or given != Train(resume=given.resume, minutes=given.minutes, matches=given.matches):
        raise ValueError("a run goes on as it was: only --minutes and --matches may be given with --resume")
    directory, minutes, matches = given.resume, given.minutes, given.matches
    config = config_from_json(load_network(directory).configuration)
    _guarded(config, directory, lambda measure: resume(directory, minutes, matches, measure=measure))


def _guarded(config: TrainingConfig, directory: Path, training: Callable[[Measure | None], object]) -> None:
    """Runs a training; says what to do with its result, or how to go on if it is interrupted."""
    opponent, games, game = config.evaluation_opponent, config.evaluation_games, make(config.game)
    limit = config.evaluation_seconds / 10
    measure = measure_against(opponent, games, game, limit) if limit else None
    place = shlex.quote(str(directory))
    try:
        training(measure)
    except KeyboardInterrupt:
        if (directory / CHECKPOINT).exists():
            print(f"go on with: athenan train --resume {place}", file=sys.stderr)
        raise
    print(f"play against it: athenan play {place}")
    print(f"measure it:      athenan match {config.game} {place}{' mcts:1000' if game.players == 2 else ''}")
