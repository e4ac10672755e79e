"""Running an experiment: trainings, solved positions, matches, grades. Finished parts are not repeated."""

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from athenan.arena.learnt_players import require_settings, takes_gpu
from athenan.arena.pairs import Conditions, Pair
from athenan.arena.store import Pairing
from athenan.arena.tournaments.schedule import play_tournament
from athenan.experiments.contests import (
    Entrant,
    PairJob,
    check_opponents,
    conditions,
    contests,
    entrant,
    located,
    play_pair,
)
from athenan.experiments.cores import side_by_side
from athenan.experiments.description import Experiment, ExperimentError
from athenan.experiments.solved import check_positions, of_package, recipe, source
from athenan.experiments.store import Results
from athenan.experiments.trainings import Training, check_directories, do_training, shortages, trainings
from athenan.games.catalogue import known
from athenan.grading.grades import GradeJob, do_grade
from athenan.grading.positions import Solved
from athenan.grading.solving import Question, solve
from athenan.jobs import Machines, run
from athenan.learning.learner.making import takes_gpu as training_takes_gpu
from athenan.play.records import MatchRecord
from athenan.system import locks

TellStage = Callable[["Stage"], None]


@dataclass(frozen=True)
class Stage:
    """The progress of a part of an experiment."""

    what: str
    """The part, such as "trainings"."""
    done: int
    whole: int
    seconds_left: float | None
    """An estimate of the seconds left for this part."""


def check(experiment: Experiment) -> None:
    """Raises ValueError, in one sentence, unless the experiment can be run."""
    procedure = experiment.procedure
    for settings in {one.settings for name in procedure.games for one in experiment.contestants(name)}:
        require_settings(settings)
    if len({known(name).players for name in procedure.games}) > 1:
        raise ExperimentError("games must all be for two players, or all for one: matches and scores do not compare")
    for name in procedure.games:
        game = known(name)
        check_positions(procedure, game)
        check_opponents(experiment, game.name)


def _side_by_side(machines: Machines, cores: int) -> int:
    """The number of processes that train, with `cores` cores each. Raises ExperimentError if there are too few."""
    return machines.workers if machines.ray else min(machines.workers, side_by_side(cores))


def perform(experiment: Experiment, directory: Path, machines: Machines, report: TellStage) -> None:
    """Does the remaining work of an experiment. A process that is killed at any moment loses little.

    It prints a sentence on standard error for each kind of training whose search trees may fill up.

    Raises ValueError, in one sentence, if the experiment cannot be run.
    """
    check(experiment)
    _side_by_side(machines, experiment.procedure.cores)
    every = list(trainings(experiment, directory.resolve()))
    check_directories(every)
    directory.mkdir(parents=True, exist_ok=True)
    for sentence in shortages(every):
        print(sentence, file=sys.stderr, flush=True)
    with _alone(directory), Results(directory) as results:
        _train(experiment, every, machines, report)
        _solve(experiment, results, machines, report)
        _play(experiment, results, directory.resolve(), machines, report)
        _grade(experiment, results, directory.resolve(), machines, report)


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Keeps other commands out of the directory. Raises ExperimentError if one works in it."""
    file = locks.opened(directory / "lock")
    try:
        if not locks.hold(file):
            raise ExperimentError(f"another command works in {directory}: wait for it, or give another --directory")
        yield
    finally:
        os.close(file)


def _train(experiment: Experiment, every: list[Training], machines: Machines, report: TellStage) -> None:
    left = [one for one in every if not one.finished]
    cores = experiment.procedure.cores
    count = _side_by_side(machines, cores)
    expected = experiment.procedure.minutes * 60 if experiment.procedure.clock == "wall" else None
    progress = _Progress("trainings", len(every) - len(left), len(every), report, expected and expected / max(1, count))
    gpu = any(training_takes_gpu(one.config) for one in left)
    for _ in run(do_training, left, count, machines.ray, cores, gpu):
        progress.advance()


def _solve(experiment: Experiment, results: Results, machines: Machines, report: TellStage) -> None:
    procedure = experiment.procedure
    every = [known(name).name for name in procedure.games]
    games = [game for game in every if of_package(game) is None]
    have = {game: results.solved(game, procedure.seed) for game in games}
    left = [
        Question(recipe(procedure, game), number)
        for game in games
        for number in range(procedure.positions)
        if number not in have[game]
    ]
    whole = procedure.positions * len(games)
    progress = _Progress("solved positions", whole - len(left), whole, report)
    for question, position in run(solve, left, machines.workers, machines.ray):
        results.add_solved(question.recipe.game, question.recipe.seed, position)
        progress.advance()


def _play(experiment: Experiment, results: Results, directory: Path, machines: Machines, report: TellStage) -> None:
    games = [known(name) for name in experiment.procedure.games]
    wanted = dict[tuple[str, Conditions], dict[Pairing, int]]()
    for game in games:
        for contest in contests(experiment, game.name):
            of = wanted.setdefault((game.name, conditions(contest.procedure)), {})
            of[contest.pairing] = max(contest.procedure.pairs, of.get(contest.pairing, 0))
    whole = sum(sum(counts.values()) for counts in wanted.values())
    missing = dict[tuple[str, Conditions], int]()
    for part, counts in wanted.items():
        results.want(counts)
        missing[part] = results.unfinished()
    gpu = bool(machines.ray) and any(
        takes_gpu(located(player, str(directory)), known(pairing.game))
        for counts in wanted.values() for pairing in counts for player in pairing.players
    )  # fmt: skip
    progress = _Progress("pairs of matches", whole - sum(missing.values()), whole, report)

    def spread(pairs: Iterable[Pair]) -> Generator[tuple[Pair, list[MatchRecord]], None, None]:
        jobs = (PairJob(pair, str(directory)) for pair in pairs)
        for job, records in run(play_pair, jobs, machines.workers, machines.ray, gpu=gpu):
            yield job.pair, records
            progress.advance()

    for part, counts in wanted.items():
        if missing[part]:
            for _ in play_tournament(results, known(part[0]), counts, part[1], spread):
                pass


def _grade(experiment: Experiment, results: Results, directory: Path, machines: Machines, report: TellStage) -> None:
    procedure = experiment.procedure
    jobs, whole, names = list[GradeJob](), 0, dict[str, str]()
    for game in [known(name).name for name in procedure.games] if procedure.positions else ():
        positions = _positions(experiment, game, results)
        done = results.grades(game, grading_conditions(experiment, game))
        every = {located(one.player, str(directory)): one.player for one in graded(experiment, game)}
        whole += len(every)
        jobs += [GradeJob(game, path, positions, procedure.limit) for path, name in every.items() if name not in done]
        names |= every
    progress = _Progress("graded networks", whole - len(jobs), whole, report)
    gpu = bool(machines.ray) and any(takes_gpu(job.player, known(job.game)) for job in jobs)
    for job, answers in run(do_grade, jobs, machines.workers, machines.ray, gpu=gpu):
        kept, how = sum(answer.kept for answer in answers), grading_conditions(experiment, job.game)
        results.add_grade(job.game, names[job.player], how, kept, procedure.positions)
        progress.advance()


def _positions(experiment: Experiment, game: str, results: Results) -> list[Solved]:
    """The positions on which networks are graded."""
    count = experiment.procedure.positions
    if (have := of_package(game)) is not None:
        return list(have[:count])
    solved = results.solved(game, experiment.procedure.seed)
    return [solved[number] for number in range(count)]


def grading_conditions(experiment: Experiment, game: str) -> str:
    """The conditions of grading, as text for the store."""
    return f"{conditions(experiment.procedure).text}, {experiment.procedure.positions} positions: {source(game)}"


def graded(experiment: Experiment, game: str) -> Iterator[Entrant]:
    """The networks that are graded."""
    for contestant in experiment.contestants(game):
        for repetition in range(1, experiment.repetitions(contestant.combination) + 1):
            for minutes in experiment.times(contestant.combination):
                yield entrant(game, contestant, repetition, minutes)


class _Progress:
    """Counts the finished items of a part, and estimates the time for the rest."""

    def __init__(self, what: str, done: int, whole: int, report: TellStage, seconds_each: float | None = None) -> None:
        self._what, self._done, self._whole, self._report = what, done, whole, report
        self._first, self._began, self._each = done, monotonic(), seconds_each
        if whole:
            self._tell()

    def advance(self) -> None:
        """Counts one more item."""
        self._done += 1
        self._each = (monotonic() - self._began) / (self._done - self._first)
        self._tell()

    def _tell(self) -> None:
        left = None if self._each is None else self._each * (self._whole - self._done)
        self._report(Stage(self._what, self._done, self._whole, left))
