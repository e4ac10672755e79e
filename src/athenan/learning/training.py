"""Begins trainings and resumes them.

from athenan import recommended, train
directory = train(recommended("hex:7", minutes=5))
"""

import re
from pathlib import Path

from athenan.games.catalogue import known, make
from athenan.jobs import HERE, Machines
from athenan.learning.config import PlayingSettings, TrainingConfig
from athenan.learning.learner.making import check_device
from athenan.learning.observers.best import Best
from athenan.learning.observers.calibrating import Calibrating
from athenan.learning.observers.display import Display
from athenan.learning.observers.keeping import Keeping
from athenan.learning.observers.latest import Latest
from athenan.learning.observers.metrics import Curves
from athenan.learning.observers.observer import Observer
from athenan.learning.observers.strength import Measuring, Strength
from athenan.learning.trainer import Trainer
from athenan.learning.trial import try_parts
from athenan.reading import WRONG_SHAPE, reason
from athenan.rules.game import Game, family_of
from athenan.runs.checkpoint import CheckpointError, RunDirectory
from athenan.settings import require_type


def train(
    config: TrainingConfig,
    directory: str | Path | None = None,
    display: Display | None = None,
    measure: bool = True,
    machines: Machines = HERE,
    exchange: bool = False,
) -> Path:
    """Trains from nothing, or from the weights of `config.run.initial`; returns the run directory.

    The default directory is runs/GAME, with a number appended if that exists.

    Matches are saved when they are learnt or, with `overlap`, before that. KeyboardInterrupt loses the matches in play
    and the matches that wait to be learnt together with others. Unless `measure` is False, the strength is measured by
    `config.strength`, and win chances are learnt. With `machines`, actors play in other processes, one in each, instead
    of threads of this one. An actor that dies is replaced. With `exchange` these processes also learn what they have
    played, each with a part of the memory of replay, and exchange what they have learnt (`learning.exchange`).
    Raises CheckpointError if the directory holds another run, is in use, or cannot be written, and ValueError if the
    configuration names something that does not exist, such as a device or an opponent, or an initial run whose network
    does not fit the game. Raises JobError if there is no such cluster, or its processes die again and again.
    """
    require_type("config", config, TrainingConfig, "recommended('hex:7')")
    config.action.budget  # noqa: B018 - raises ValueError before a directory is made
    _check_machines(machines, exchange)
    _check_clock(config, machines)
    if config.playing.renewal != PlayingSettings.renewal and not machines:
        raise ValueError("renewal needs --workers or --ray: threads of this process always have the newest network")
    check_device(config)
    game = make(config.run.game)
    strength = _strength(config, game) if measure else None
    try_parts(config, game)
    path = Path(directory) if directory else free_directory(game.name)
    with RunDirectory(path) as run:
        if run.holds_checkpoint:
            raise CheckpointError(f"{path} holds another run: resume it with --resume, or choose another directory")
        trainer = Trainer(config, game, run, machines=machines, exchange=exchange)
        trainer.run(_observers(trainer, display or Display(), strength, calibrates=measure))
    return path


def resume(
    directory: str | Path,
    minutes: float | None = None,
    matches: int | None = None,
    display: Display | None = None,
    measure: bool = True,
    salvage: bool = False,
    machines: Machines = HERE,
    exchange: bool = False,
) -> Path:
    """Continues a training; returns the directory.

    `minutes` or `matches`, counted from the beginning of the run, replace its limits. With several actors or parallel
    matches, those in play restart; with one, and a search budget in iterations or evaluations, the result is the same,
    bit for bit, as without the interruption. With `salvage` it continues without the matches in replay memory whose
    files are missing or damaged, and lists them. `machines` and `exchange` are as for `train`, and may differ from the
    earlier ones. If other processes or threads learn, the matches in replay memory are divided among them anew.
    Raises CheckpointError if there is no whole checkpoint, or its configuration cannot be used here, and ValueError if
    `exchange` is without machines.
    """
    display = display or Display()
    _check_machines(machines, exchange)
    if not Path(directory).is_dir():
        raise CheckpointError(f"there is no run directory {directory}")
    with RunDirectory(directory) as run:
        checkpoint = run.load(salvage)
        try:
            config = TrainingConfig.from_json(checkpoint.document.get("configuration", {}))
            if minutes is not None or matches is not None:
                config = config.changed(run={"minutes": minutes, "matches": matches})
            config.action.budget  # noqa: B018 - checks it
            _check_clock(config, machines)
            game = known(config.run.game)
            strength = _strength(config, game) if measure else None
            trainer = Trainer(config, game, run, checkpoint, machines, exchange)
        except CheckpointError:
            raise
        except WRONG_SHAPE as error:
            raise CheckpointError(f"the configuration of {directory} cannot be used: {reason(error)}") from None
        if checkpoint.lost:
            numbers = ", ".join(map(str, checkpoint.lost))
            items = checkpoint.document["progress"]["memory"] - len(trainer.replay)
            display.message(f"lost: the data of matches {numbers}, {items:,} of the items in replay memory")
        del checkpoint  # it has all matches of replay, which the training forgets one by one
        if trainer.progress.done == 1.0:
            display.message("this run is over: --minutes or --matches, counted from its beginning, extends it")
        trainer.run(_observers(trainer, display, strength, calibrates=measure))
    return Path(directory)


def free_directory(game: str) -> Path:
    """runs/GAME, with the first number that makes it new if it exists."""
    given = game.partition(":")[2]
    base = re.sub(r"[:,=(]+", "-", f"{family_of(game)}:{given}".replace(")", "").rstrip(":(="))
    names = (f"{base}-{number}" if number > 1 else base for number in range(1, 1_000_000))
    return next(Path("runs", name) for name in names if not Path("runs", name).exists())


def _check_machines(machines: Machines, exchange: bool) -> None:
    if machines.threads > 1 and not exchange:
        raise ValueError("threads of other processes need exchange: a process that only plays has one")
    if exchange and not machines:
        raise ValueError("exchange needs --workers or --ray: threads of this process learn in the same tables")


def _check_clock(config: TrainingConfig, machines: Machines) -> None:
    if machines and config.run.clock == "processor":
        raise ValueError("clock must be wall where other processes play: this one does not count their processor time")


def _strength(config: TrainingConfig, game: Game) -> Strength | None:
    return Strength(config.strength, game, config.search) if config.strength.seconds else None


def _observers(trainer: Trainer, display: Display, strength: Strength | None, *, calibrates: bool) -> list[Observer]:
    """The observers of a training; the display ends last."""
    observers: list[Observer] = [display, Best(), Latest(trainer.game), Curves()]
    if strength:
        observers.append(Measuring(strength, trainer.watching_evaluator(), trainer.heuristic))
    game, config = make(trainer.config.run.game), trainer.config
    if calibrates and game.players == 2:
        own = trainer.watching_evaluator()
        observers.append(Calibrating(game, config.search, own, trainer.heuristic, config.action.budget))
    if trainer.config.run.keep:
        observers.append(Keeping(trainer.config.run.keep))
    return observers
