"""The trainings of an experiment: their settings, their directories, and the job that runs one."""

import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from math import isclose
from pathlib import Path
from typing import Any

from rich.console import Console

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heuristics import check_heuristic
from athenan.experiments.cores import take_cores
from athenan.experiments.description import SELECTING, Combination, Experiment, ExperimentError
from athenan.games.catalogue import known
from athenan.learning.components import Components
from athenan.learning.config import PlayingSettings, TrainingConfig, named
from athenan.learning.observers.display import Display
from athenan.learning.recipe import recommended
from athenan.learning.self_play.memory import memory_needed, shortage
from athenan.learning.training import resume, train
from athenan.reading import WRONG_SHAPE, reason
from athenan.rules.game import Game
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, kept, load_network
from athenan.search.named import known_search, search_name, search_text
from athenan.settings import check_value, shown

TRAININGS = "trainings"
"""The folder of the run directories, in the directory of the experiment."""
_MEASURED = (("playing", "precision"), ("learning", "learning_precision"))
"""Settings that a training chooses by measurement."""


@dataclass(frozen=True)
class Training:
    """One training: a combination, a game, a repetition. A job for `athenan.jobs`."""

    game: str
    combination: str
    repetition: int
    """The number of the repetition, from 1."""
    path: str
    """Its run directory."""
    config: TrainingConfig
    cores: int

    @property
    def finished(self) -> bool:
        """Whether the training has reached its end."""
        minutes = self.config.run.minutes
        return minutes is not None and any(isclose(one, minutes) for one in kept(self.path))


def trainings(experiment: Experiment, directory: Path) -> Iterator[Training]:
    """All trainings, ordered by repetition, so that results for all combinations come early.

    Raises ExperimentError if settings are not valid, or if two trainings have the same folder.
    """
    procedure, folders = experiment.procedure, set[Path]()
    for repetition in range(1, procedure.repetitions + 1):
        for name in procedure.games:
            game = known(name).name
            for combination in experiment.trained(game):
                if repetition > experiment.repetitions(combination):
                    continue
                path = training_path(directory, game, combination, repetition)
                if path in folders:
                    raise ExperimentError(
                        f"two trainings of {combination} in {game} have the folder {path}: name each game once, and "
                        "combinations by different letters and digits"
                    )
                folders.add(path)
                config = training_config(experiment, combination, game, repetition)
                yield Training(game, combination, repetition, str(path), config, procedure.cores)


def training_path(directory: Path, game: str, combination: str, repetition: int) -> Path:
    """The run directory of a training."""
    return directory / TRAININGS / slug(game) / slug(combination) / str(repetition)


def network_path(directory: Path, game: str, combination: str, repetition: int, minutes: float) -> str:
    """The name of the network that a training kept after these minutes."""
    return f"{training_path(directory, game, combination, repetition)}@{minutes:.10g}"


def slug(name: str) -> str:
    """A name, as the name of a folder."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower().replace("ε", "epsilon")).strip("-.") or "-"


def training_config(experiment: Experiment, combination: str, game: str, repetition: int) -> TrainingConfig:
    """The settings of a training. Raises ExperimentError if they are not valid."""
    procedure, of = experiment.procedure, experiment.combinations[combination]
    shared = {} if of.apart else merged(experiment.common, experiment.by_game.get(game, {}))
    own = merged(shared, of.train)
    selecting: dict[str, Any] = {"evaluate": "children", "torch": True}
    selecting |= {name: own.pop(name) for name in SELECTING if name in own}
    minutes = experiment.times(combination)[-1]
    run = {"clock": procedure.clock, "keep": minutes / procedure.points, "threads": procedure.cores}
    seeds = {"seed": procedure.seed + repetition - 1}
    try:
        check_value("torch", bool, selecting["torch"])
        _check_settings(own)
        if isinstance(own.get("search"), Mapping):  # changes to the search of the recipe, which `algorithm` selects
            own["search"] = {name: value for name, value in own["search"].items() if name != "algorithm"}
        own = {name: named(name, of, user=False) if isinstance(of, Mapping) else of for name, of in own.items()}
        network = own.get("run", {}).get("network")  # most of the recipe follows from it
        config = recommended(game, minutes, threads=procedure.cores, network=network, **selecting)
        components = merged({"run": {**run, **seeds}, "strength": {"seconds": 0.0}}, own)
        if isinstance(components.get("search"), str):
            components["search"] = known_search(components["search"])
        config = config.changed(**components)
        check_heuristic(config.run.heuristic, known(game))
        parse_architecture(config.run.network)
        config.action.budget  # noqa: B018 - raises ValueError without a limit
        if "memory" not in own.get("playing", {}):
            config = with_room(config)
    except WRONG_SHAPE as error:
        raise ExperimentError(f"{combination} in {game}: {reason(error)}") from None
    return config


def with_room(config: TrainingConfig) -> TrainingConfig:
    """The configuration, with its memory raised to what its searches need if that is known."""
    if config.action.iterations is None:
        return config
    needed = memory_needed(config, _searched(config)) or 0
    return config.changed(playing={"memory": max(config.playing.memory, needed)})


def shortages(every: Iterable[Training]) -> list[str]:
    """A sentence for each combination and game whose search trees may fill up (`self_play.memory.shortage`)."""
    found = list[str]()
    for training in {(one.game, one.combination): one for one in every if not one.finished}.values():
        if training.config.action.iterations is None:
            continue
        if warning := shortage(training.config, _searched(training.config)):
            found.append(f"{training.combination} in {training.game}: {warning} (see --set playing.memory)")
    return found


def _searched(config: TrainingConfig) -> Game:
    """The game that the searches of a training play."""
    return Components(config, known(config.run.game), None, new=True).searched


def _check_settings(components: Mapping[str, Any]) -> None:
    """Raises ExperimentError unless they are tables of settings, without settings that the experiment determines."""
    if components.get("playing", {}).get("renewal", PlayingSettings.renewal) != PlayingSettings.renewal:
        raise ExperimentError("playing.renewal needs workers, and a training of an experiment plays in one process")
    for name, settings in components.items():
        if not isinstance(settings, Mapping) and not (name == "search" and isinstance(settings, str)):
            raise ExperimentError(f"{name} must be a table of settings, not {shown(settings)}")
    for name in ("game", "minutes", "matches", "clock", "keep", "seed"):
        if name in components.get("run", {}):
            raise ExperimentError(f"{name} of a training is set by the experiment: leave out run.{name}")


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by component; settings of `other` replace settings of `one`."""
    result = dict(one)
    for name, value in other.items():
        before = result.get(name)
        if name == "search" and isinstance(before, str) and isinstance(value, Mapping):
            result[name] = changed_search(before, value)
        else:
            result[name] = {**before, **value} if isinstance(before, Mapping) and isinstance(value, Mapping) else value
    return result


def changed_search(text: str, changes: Mapping[str, Any]) -> str:
    """The text of a search with some settings changed; `algorithm` names another search, which keeps the other
    settings.

    >>> changed_search("descent:completion=false", {"algorithm": "uct", "exploration": 1.4})
    'uct:completion=false,exploration=1.4'

    Raises ValueError for a setting that the search lacks.
    """
    before, settings = known_search(text), {name: value for name, value in changes.items() if name != "algorithm"}
    search = known_search(changes["algorithm"]) if "algorithm" in changes else before
    if type(search) is not type(before):
        search = replace(search, completion=before.completion, transpositions=before.transpositions)
    else:
        search = before
    if unknown := sorted(set(settings) - {field.name for field in fields(search)}):
        raise ValueError(f"the search {search_name(search)} has no setting {unknown[0]}")
    return search_text(replace(search, **settings))


def check_directories(wanted: list[Training]) -> None:
    """Raises ExperimentError if a directory holds a training with other settings."""
    for one in wanted:
        if Path(one.path, CHECKPOINT).exists() and (found := _difference(one)):
            raise ExperimentError(f"{one.path} was trained with other settings ({found}): give another --directory")


def _difference(training: Training) -> str | None:
    """A setting in which the training in the directory differs from the wanted one, or None."""
    had, wanted = _as_now(load_network(training.path).configuration), training.config.as_json()
    if had.get("search") != wanted.pop("search"):
        return f"search is {had.get('search')}, not {search_text(training.config.search)}"
    for component, settings in wanted.items():
        for name, value in settings.items():
            other = had.get(component, {}).get(name)
            measured = (component, name) in _MEASURED and value == "auto"
            finer = name == "keep" and bool(other) and isclose(value / other, round(value / other))
            if other != value and not measured and not finer:
                return f"{component}.{name} is {other}, not {value}"
    return None


def _as_now(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """A saved configuration as this version writes it: earlier ones kept settings that did nothing."""
    try:
        return TrainingConfig.from_json(configuration).as_json()
    except WRONG_SHAPE:
        return configuration


def do_training(training: Training) -> None:
    """Trains to the end, from where it stopped; does nothing if it has ended. The function of a job."""
    if training.finished:
        return
    take_cores(training.cores)
    _warm_up(training)
    path, display = Path(training.path), Display(Console(file=io.StringIO()))
    path.parent.mkdir(parents=True, exist_ok=True)
    if (path / CHECKPOINT).exists():
        resume(path, display=display, measure=False)
    else:
        train(training.config, path, display, measure=False)
    if not training.finished:
        raise CheckpointError(f"{path} ended before its time")


_warm = set[tuple[str, str]]()
"""The kinds of training that this process has already run."""


def _warm_up(training: Training) -> None:
    """Runs a training of two matches first, so that the real one loses no time to compiling and loading."""
    kind = training.game, training.combination
    if kind in _warm:
        return
    config = training.config
    limit = {} if config.action.seconds is None else {"seconds": min(config.action.seconds, 0.01)}
    config = config.changed(
        run={"minutes": None, "matches": 2, "keep": None},
        action=limit,
        learning={"random_ends": min(config.learning.random_ends, 100)},
        exit={"rollouts": min(config.exit.rollouts, 50)} if config.playing.matches_by == "policy" else {},
    )
    with tempfile.TemporaryDirectory() as folder:
        train(config, Path(folder, "warm"), Display(Console(file=io.StringIO())), measure=False)
    _warm.add(kind)


def with_settings(experiment: Experiment, settings: Mapping[str, Any]) -> Experiment:
    """The experiment with other common settings, which take precedence over the combinations' own."""
    combinations = {
        name: replace(one, train=merged(one.train, settings)) for name, one in experiment.combinations.items()
    }
    return replace(experiment, combinations=combinations)


def combinations_named(experiment: Experiment, names: tuple[str, ...]) -> dict[str, Combination]:
    """Some of the combinations. Raises ExperimentError for an unknown name."""
    for name in names:
        if name not in experiment.combinations:
            known = ", ".join(experiment.combinations)
            raise ExperimentError(f"{experiment.name} has no combination {name!r}; it has {known}")
    return {name: experiment.combinations[name] for name in names}
