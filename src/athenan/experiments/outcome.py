"""The results of an experiment so far: levels, curves, grades and costs, as arrays for tables and figures.

A level is the mean of a network's points (a win 1, a draw 1/2) against its opponents, or of its scores in a one-player
game. Each repetition has one level, and repetitions are what varies: intervals are Student's t over repetitions,
stratified by game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from athenan.arena.store import Pairing
from athenan.experiments.contests import Contest, Entrant, contests, entrant
from athenan.experiments.description import ALL, Contestant, Experiment, Procedure
from athenan.experiments.plan import grading_conditions
from athenan.experiments.store import Results
from athenan.experiments.trainings import network_path
from athenan.games.catalogue import known
from athenan.runs.checkpoint import CheckpointError, load_progress
from athenan.statistics import Interval, mean_of_means_interval
from athenan.statistics.intervals import Numbers

COUNTERS = (
    "matches", "examples", "learnt", "batches", "evaluations", "cut_short", "wall_seconds", "processor_seconds",
)  # fmt: skip
"""The counters that give a training's cost, named as in `learning.progress.Progress`."""


@dataclass(frozen=True)
class Estimate:
    """A mean over repetitions, or over games and repetitions, with its 95% interval.

    Neither a single repetition nor equal ones have an interval: they do not show how much others would differ.
    """

    value: float
    interval: Interval | None


@dataclass
class Tally:
    """The matches of a contestant against an opponent, over all repetitions, under one procedure."""

    game: str
    contestant: str
    opponent: str
    """A contestant, or a player that is not a network of the experiment."""
    minutes: float
    """Minutes of the contestant's training."""
    procedure: Procedure
    gains: list[tuple[int, ...]] = field(default_factory=list)
    """For each pair, the contestant's gains as the first and as the second player."""


@dataclass(frozen=True)
class Outcome:
    """The results of an experiment, NaN if not known yet: shares from 0 to 1, or scores in a one-player game."""

    experiment: Experiment
    games: tuple[str, ...]
    curves: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> levels during training, the last level for the final network against the same opponents:
    float64[repetitions, points]"""
    finals: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> levels at the end: float64[repetitions]"""
    grades: Mapping[str, Mapping[str, Numbers]]
    """Game -> contestant -> shares of solved positions: float64[repetitions, points]; empty without positions."""
    costs: Mapping[str, Mapping[str, Numbers]]
    """Game -> combination -> `COUNTERS` of the finished trainings: float64[repetitions, counters]"""
    matches: Mapping[str, Mapping[str, Numbers]]
    """Game -> combination -> matches of training before each evaluation: float64[repetitions, points]"""
    tallies: Sequence[Tally]
    """The matches against opponents that the procedure names."""
    remarks: Sequence[str]
    """The remarks of outside opponents (`MatchRecord.remarks`), each once."""
    best: Mapping[str, Mapping[str, Numbers]]
    """In one-player games: game -> contestant -> the best score during training: float64[repetitions, points]"""
    played: int
    """Stored pairs of matches."""
    wanted: int
    """Pairs of matches of the whole experiment."""

    @property
    def alone(self) -> bool:
        """Whether the games are for one player, so that levels are scores."""
        return all(known(game).players == 1 for game in self.games)


def gather(experiment: Experiment, directory: Path) -> Outcome:
    """Reads the results so far. Raises StoreError if the store cannot be read."""
    games = tuple(known(name).name for name in experiment.procedure.games)
    curves, finals, best = (dict[str, dict[str, Numbers]]() for _ in range(3))
    grades, tallies = dict[str, dict[str, Numbers]](), dict[tuple[object, ...], Tally]()
    played = wanted = 0
    outside = list[Pairing]()
    with Results(directory) as results:
        for game in games:
            levels = _Levels(experiment, game)
            for contest in contests(experiment, game):
                pairs = results.results(contest.pairing)
                wanted += contest.procedure.pairs
                played += min(len(pairs), contest.procedure.pairs)
                if not pairs:
                    continue
                if contest.other is None:
                    outside.append(contest.pairing)
                if levels.alone:
                    levels.add_scores(contest, [score or 0 for pair in pairs for score in pair.scores])
                    continue
                levels.add(contest, (1 + float(np.mean([gain for pair in pairs for gain in pair.gains]))) / 2)
                if experiment.procedure.opponents != ALL:
                    _tally(contest, game, tallies).gains.extend(pair.gains for pair in pairs)
            curves[game], finals[game], best[game] = levels.curves(), levels.finals(), levels.best()
            if experiment.procedure.positions:
                grades[game] = _grades(experiment, game, results)
        remarks = results.remarks(outside)
    costs = {game: _costs(experiment, game, directory) for game in games}
    matches = {game: _matches(experiment, game, directory) for game in games}
    return Outcome(
        experiment, games, curves, finals, grades, costs, matches, [*tallies.values()], remarks, best, played, wanted
    )  # fmt: skip


def _tally(contest: Contest, game: str, tallies: dict[tuple[object, ...], Tally]) -> Tally:
    """The tally of a contest, made on first use."""
    one, procedure = contest.one, contest.procedure
    other = contest.other.contestant.name if contest.other else procedure.opponents
    key = game, one.contestant.name, other, one.minutes, procedure
    return tallies.setdefault(key, Tally(game, one.contestant.name, other, one.minutes, procedure))


class _Levels:
    """Collects the points of the networks of a game."""

    def __init__(self, experiment: Experiment, game: str) -> None:
        self._experiment = experiment
        self.alone = known(game).players == 1
        rivals = experiment.group(experiment.procedure.opponents, game)
        self._contestants = [one for one in experiment.contestants(game) if one not in rivals]
        self._best: dict[tuple[str, int, float], int] = {}
        self._finals: dict[tuple[str, int], list[float]] = {}
        self._curves: dict[tuple[str, int, float], list[float]] = {}

    def add(self, contest: Contest, points: float) -> None:
        """Adds the points of the contest's first entrant."""
        one, other = contest.one, contest.other
        if not contest.final:
            self._on_curve(one, points)
            return
        self._at_end(one, points)
        if other is None or one.repetition == other.repetition:
            self._on_curve(one, points)
        if other is not None and self._experiment.procedure.opponents == ALL:
            self._at_end(other, 1 - points)
            if one.repetition == other.repetition:
                self._on_curve(other, 1 - points)

    def add_scores(self, contest: Contest, scores: Sequence[int]) -> None:
        """Adds the scores of one-player matches."""
        one = contest.one
        self.add(contest, float(np.mean(scores)))
        key = one.contestant.name, one.repetition, one.minutes
        self._best[key] = max(self._best.get(key, scores[0]), *scores)

    def _at_end(self, one: Entrant, points: float) -> None:
        self._finals.setdefault((one.contestant.name, one.repetition), []).append(points)

    def _on_curve(self, one: Entrant, points: float) -> None:
        self._curves.setdefault((one.contestant.name, one.repetition, one.minutes), []).append(points)

    def finals(self) -> dict[str, Numbers]:
        """Contestant -> levels at the end: float64[repetitions]."""
        repetitions = range(1, self._experiment.procedure.repetitions + 1)
        return {
            one.name: np.array([_mean(self._finals.get((one.name, number), [])) for number in repetitions])
            for one in self._contestants
        }

    def curves(self) -> dict[str, Numbers]:
        """Contestant -> levels during training: float64[repetitions, points]."""
        return self._along(self._at)

    def best(self) -> dict[str, Numbers]:
        """Contestant -> best scores during training: float64[repetitions, points]; empty for two players."""
        along = self._along(lambda one, number, time: self._best.get((one.name, number, time), float("nan")))
        return along if self.alone else {}

    def _along(self, at: Callable[[Contestant, int, float], float]) -> dict[str, Numbers]:
        repetitions, times = range(1, self._experiment.procedure.repetitions + 1), self._experiment.times
        return {
            one.name: np.array([[at(one, number, time) for time in times(one.combination)] for number in repetitions])
            for one in self._contestants
        }

    def _at(self, one: Contestant, repetition: int, minutes: float) -> float:
        points = self._curves.get((one.name, repetition, minutes), [])
        everybody = self._experiment.procedure.opponents == ALL and not self.alone
        itself = everybody and minutes == self._experiment.times(one.combination)[-1]
        return _mean([*points, 0.5] if points and itself else points)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _grades(experiment: Experiment, game: str, results: Results) -> dict[str, Numbers]:
    graded = results.grades(game, grading_conditions(experiment, game))
    procedure = experiment.procedure
    return {
        one.name: np.array([
            [found.share if (found := graded.get(entrant(game, one, number, time).player)) else float("nan")
             for time in experiment.times(one.combination)]
            for number in range(1, procedure.repetitions + 1)
        ])
        for one in experiment.contestants(game)
    }  # fmt: skip


def _costs(experiment: Experiment, game: str, directory: Path) -> dict[str, Numbers]:
    costs = {}
    for combination in experiment.trained(game):
        rows = []
        for repetition in range(1, experiment.procedure.repetitions + 1):
            path = network_path(directory, game, combination, repetition, experiment.times(combination)[-1])
            try:
                progress = load_progress(path)
            except CheckpointError:  # not trained yet
                continue
            rows.append([float(progress.get(name) or 0) for name in COUNTERS])
        costs[combination] = np.array(rows, np.float64).reshape(len(rows), len(COUNTERS))
    return costs


def _matches(experiment: Experiment, game: str, directory: Path) -> dict[str, Numbers]:
    """Combination -> matches of training before each evaluation: float64[repetitions, points]."""

    def trained(combination: str, repetition: int, minutes: float) -> float:
        try:
            return float(load_progress(network_path(directory, game, combination, repetition, minutes))["matches"])
        except CheckpointError:  # not trained yet
            return float("nan")

    repetitions = range(1, experiment.procedure.repetitions + 1)
    return {
        name: np.array([[trained(name, number, time) for time in experiment.times(name)] for number in repetitions])
        for name in dict.fromkeys(one.combination for one in experiment.contestants(game))
    }


def estimate(strata: Sequence[Numbers], least: float = 0.0, most: float = 1.0) -> Estimate | None:
    """The mean over games of the means over repetitions, from the results so far; None if a game has none.

    Values are from `least` to `most`, and so are the bounds of the interval.
    """
    have = [stratum[~np.isnan(stratum)] for stratum in strata]
    if not have or any(not len(stratum) for stratum in have):
        return None
    value = float(np.mean([stratum.mean() for stratum in have]))
    if any(len(stratum) < 2 for stratum in have) or all(np.ptp(stratum) == 0 for stratum in have):
        return Estimate(value, None)
    low, high = np.clip(mean_of_means_interval(have), least, most)
    return Estimate(value, (float(low), float(high)))


def group_levels(outcome: Outcome, levels: Mapping[str, Numbers], name: str, game: str) -> Numbers:
    """The levels of a group: for each repetition the mean over its members; empty without members in this game."""
    members = [levels[one.name] for one in outcome.experiment.group(name, game) if one.name in levels]
    return np.mean(members, axis=0) if members else np.empty(0)
