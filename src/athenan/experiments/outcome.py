"""What an experiment has found so far: levels, curves, grades and costs, as arrays for tables and figures.

A level is the mean of points (a win 1, a draw 1/2) of one network against its opponents; there is one of each
repetition, which is what varies: intervals are Student's t over repetitions, stratified by game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from athenan.experiments.contests import Contest, Entrant, contests, entrant
from athenan.experiments.description import ALL, Contestant, Experiment
from athenan.experiments.plan import grading_conditions
from athenan.experiments.store import Results
from athenan.experiments.trainings import training_path
from athenan.games.catalogue import make
from athenan.runs.checkpoint import CheckpointError, load_progress
from athenan.statistics import Interval, mean_of_means_interval

Numbers = NDArray[np.float64]

COUNTERS = ("matches", "examples", "learnt", "batches", "evaluations", "wall_seconds", "processor_seconds")
"""What is told of a training's cost, by the names of `learning.progress.Progress`."""


@dataclass(frozen=True)
class Estimate:
    """A mean over repetitions, or over games and repetitions, with its 95% interval.

    There is none of one repetition, nor of equal ones, which do not show how much others would differ.
    """

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Outcome:
    """The results of an experiment; NaN where there are none yet. Shares from 0 to 1."""

    experiment: Experiment
    games: tuple[str, ...]
    curves: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> levels along the training, the last of the final network against the same opponents:
    float64[repetitions, points]"""
    finals: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> levels at the end: float64[repetitions]"""
    grades: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> shares of solved positions: float64[repetitions, points]; empty without positions."""
    costs: Mapping[str, Mapping[str, Numbers]]
    """Game -> combination -> `COUNTERS` of the finished trainings: float64[repetitions, counters]"""
    played: int
    """Pairs of matches that are stored."""
    wanted: int
    """Pairs of matches of the whole experiment."""


def gather(experiment: Experiment, directory: Path) -> Outcome:
    """Reads what there is. Raises StoreError if the store cannot be read."""
    games = tuple(make(name).name for name in experiment.protocol.games)
    curves, finals, grades = dict[str, dict[str, Numbers]](), dict[str, dict[str, Numbers]](), {}
    played = wanted = 0
    with Results(directory) as results:
        for game in games:
            levels = _Levels(experiment, game)
            for contest in contests(experiment, game):
                pairs = results.results(contest.pairing)
                wanted += experiment.protocol.pairs
                played += min(len(pairs), experiment.protocol.pairs)
                gains = [gain for pair in pairs for gain in pair.gains]
                if gains:
                    levels.add(contest, (1 + float(np.mean(gains))) / 2)
            curves[game], finals[game] = levels.curves(), levels.finals()
            if experiment.protocol.positions:
                grades[game] = _grades(experiment, game, results)
    costs = {game: _costs(experiment, game, directory) for game in games}
    return Outcome(experiment, games, curves, finals, grades, costs, played, wanted)


class _Levels:
    """Collects the points of the networks of a game."""

    def __init__(self, experiment: Experiment, game: str) -> None:
        self._experiment = experiment
        own = experiment.protocol.opponents
        every = list(experiment.contestants(game))
        self._contestants = [one for one in every if own not in (one.name, one.combination, one.player)]
        self._finals: dict[tuple[str, int], list[float]] = {}
        self._curves: dict[tuple[str, int, float], list[float]] = {}

    def add(self, contest: Contest, points: float) -> None:
        """Adds a result, of the first of the contest."""
        one, other = contest.one, contest.other
        if not contest.final:
            self._on_curve(one, points)
            return
        self._at_end(one, points)
        if other is None or one.repetition == other.repetition:
            self._on_curve(one, points)
        if other is not None and self._experiment.protocol.opponents == ALL:
            self._at_end(other, 1 - points)
            if one.repetition == other.repetition:
                self._on_curve(other, 1 - points)

    def _at_end(self, one: Entrant, points: float) -> None:
        self._finals.setdefault((one.contestant.name, one.repetition), []).append(points)

    def _on_curve(self, one: Entrant, points: float) -> None:
        self._curves.setdefault((one.contestant.name, one.repetition, one.minutes), []).append(points)

    def finals(self) -> dict[str, Numbers]:
        """Contestant -> levels at the end: float64[repetitions]."""
        repetitions = range(1, self._experiment.protocol.repetitions + 1)
        return {
            one.name: np.array([_mean(self._finals.get((one.name, number), [])) for number in repetitions])
            for one in self._contestants
        }

    def curves(self) -> dict[str, Numbers]:
        """Contestant -> levels along the training: float64[repetitions, points]."""
        protocol = self._experiment.protocol
        return {
            one.name: np.array([[self._at(one, number, time) for time in protocol.times]
                                for number in range(1, protocol.repetitions + 1)])
            for one in self._contestants
        }  # fmt: skip

    def _at(self, one: Contestant, repetition: int, minutes: float) -> float:
        points = self._curves.get((one.name, repetition, minutes), [])
        itself = self._experiment.protocol.opponents == ALL and minutes == self._experiment.protocol.times[-1]
        return _mean([*points, 0.5] if points and itself else points)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _grades(experiment: Experiment, game: str, results: Results) -> dict[str, Numbers]:
    graded = results.grades(game, grading_conditions(experiment))
    protocol = experiment.protocol
    return {
        one.name: np.array([
            [graded.get(entrant(game, one, number, time).player, float("nan")) for time in protocol.times]
            for number in range(1, protocol.repetitions + 1)
        ])
        for one in experiment.contestants(game)
    }  # fmt: skip


def _costs(experiment: Experiment, game: str, directory: Path) -> dict[str, Numbers]:
    costs = {}
    for combination in dict.fromkeys(one.combination for one in experiment.contestants(game)):
        rows = []
        for repetition in range(1, experiment.protocol.repetitions + 1):
            path = training_path(directory, game, combination, repetition)
            try:
                progress = load_progress(f"{path}@{experiment.protocol.minutes:.10g}")
            except CheckpointError:  # not trained yet
                continue
            rows.append([float(progress.get(name) or 0) for name in COUNTERS])
        costs[combination] = np.array(rows, np.float64).reshape(len(rows), len(COUNTERS))
    return costs


def estimate(strata: Sequence[Numbers], least: float = 0.0) -> Estimate | None:
    """The mean over games of the means over repetitions, of what there is; None if a game has nothing.

    Values are between `least` and 1, and so are the bounds of the interval.
    """
    known = [stratum[~np.isnan(stratum)] for stratum in strata]
    if not known or any(not len(stratum) for stratum in known):
        return None
    value = float(np.mean([stratum.mean() for stratum in known]))
    if any(len(stratum) < 2 for stratum in known):
        return Estimate(value, None)
    if all(np.ptp(stratum) == 0 for stratum in known):
        return Estimate(value, None)
    low, high = np.clip(mean_of_means_interval(known), least, 1.0)
    return Estimate(value, (float(low), float(high)))


def group_levels(outcome: Outcome, levels: Mapping[str, Numbers], name: str, game: str) -> Numbers:
    """The levels of a group: of each repetition the mean over its members; empty if it has none in this game."""
    members = [levels[one.name] for one in outcome.experiment.group(name, game) if one.name in levels]
    return np.mean(members, axis=0) if members else np.empty(0)
