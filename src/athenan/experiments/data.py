"""The results of an experiment as data: what was trained, played and graded, and what ran, one observation in a row."""

from collections.abc import Iterator
from pathlib import Path

from athenan.experiments.contests import Contest, Entrant, contests
from athenan.experiments.description import Experiment
from athenan.experiments.outcome import COUNTERS
from athenan.experiments.plan import graded, grading_conditions
from athenan.experiments.store import Results
from athenan.experiments.trainings import network_path
from athenan.games.catalogue import known
from athenan.learning.progress import Progress, restored_progress
from athenan.report.data import Data, Value
from athenan.runs.checkpoint import CheckpointError, load_progress

PAIRS, TRAININGS, GRADES, ENVIRONMENTS = TABLES = ("pairs", "trainings", "grades", "environments")
"""The names of the tables."""
_NETWORK = ("combination", "player", "repetition", "minutes")
_OF_PAIR = (
    "game", *_NETWORK, "opponent", *(f"opponent_{name}" for name in _NETWORK), "final", "seconds", "iterations",
    "evaluations", "pair", "gain_first", "gain_second", "score_first", "score_second", "environment",
)  # fmt: skip


class _Environments:
    """What ran, numbered from 1 in the order in which it is met."""

    def __init__(self) -> None:
        self._numbers = dict[tuple[tuple[str, str], ...], int]()

    def number(self, environment: dict[str, str] | None) -> int | None:
        """The number of an environment; None if it is not known."""
        if environment is None:
            return None
        return self._numbers.setdefault(tuple(environment.items()), len(self._numbers) + 1)

    def data(self) -> Data:
        """The environments as a table."""
        every = [(number, dict(facts)) for facts, number in self._numbers.items()]
        names = tuple(dict.fromkeys(name for _, facts in every for name in facts))
        rows = [(number, *(facts.get(name) for name in names)) for number, facts in every]
        return Data(ENVIRONMENTS, ("environment", *names), rows)


def data(experiment: Experiment, directory: Path) -> list[Data]:
    """The results so far, as the `TABLES`. Raises StoreError if the store cannot be read.

    - pairs: what the first network of a contest gained against its opponent, as the first player and as the second,
      and the scores of both matches.
    - trainings: the counters of each training at each time at which a network was kept.
    - grades: in how many solved positions each network kept the value.
    - environments: versions and processors, by the numbers in the other tables' column `environment`.
    """
    ran, games = _Environments(), [known(name).name for name in experiment.procedure.games]
    with Results(directory) as results:
        keys = {key: ran.number(found) for key, found in results.environments().items()}
        pairs = [row for game in games for row in _pairs(experiment, game, results, keys)]
        grades = [row for game in games for row in _grades(experiment, game, results, keys)]
    trainings = [row for game in games for row in _trainings(experiment, game, directory, ran)]
    return [
        Data(PAIRS, _OF_PAIR, pairs),
        Data(TRAININGS, ("game", "combination", "repetition", "minutes", *COUNTERS, "environment"), trainings),
        Data(GRADES, ("game", *_NETWORK, "kept", "positions", "share", "environment"), grades),
        ran.data(),
    ]


Row = tuple[Value, ...]
Keys = dict[int, int | None]


def _pairs(experiment: Experiment, game: str, results: Results, keys: Keys) -> Iterator[Row]:
    for contest in contests(experiment, game):
        for pair in results.results(contest.pairing):
            gains: Row = (*pair.gains, None)[:2] if contest.pairing.players[1:] else (None, None)
            scores = (*pair.scores, None)[:2]
            yield (*_of_contest(contest, game), pair.number, *gains, *scores, keys.get(pair.environment or 0))


def _of_contest(contest: Contest, game: str) -> Row:
    one, other = contest.one, contest.other
    limit, rivals = contest.procedure.limit, contest.pairing.players[1:]
    rival: Row = (other.contestant.name, *_network(other)) if other else (*(rivals or [None]), *[None] * len(_NETWORK))
    return (game, *_network(one), *rival, contest.final, limit.seconds, limit.iterations, limit.evaluations)


def _network(one: Entrant) -> Row:
    return one.contestant.combination, one.contestant.settings, one.repetition, one.minutes


def _grades(experiment: Experiment, game: str, results: Results, keys: Keys) -> Iterator[Row]:
    if not experiment.procedure.positions:
        return
    grades = results.grades(game, grading_conditions(experiment, game))
    for one in graded(experiment, game):
        if found := grades.get(one.player):
            key = keys.get(found.environment or 0)
            yield (game, *_network(one), found.kept, found.positions, found.share, key)


def _trainings(experiment: Experiment, game: str, directory: Path, ran: _Environments) -> Iterator[Row]:
    for combination in experiment.trained(game):
        for repetition in range(1, experiment.repetitions(combination) + 1):
            for minutes in experiment.times(combination):
                path = network_path(directory, game, combination, repetition, minutes)
                try:
                    progress = restored_progress(load_progress(path), Progress(game, path))
                except CheckpointError:  # not trained yet
                    continue
                counted = (getattr(progress, name) for name in COUNTERS)
                last = dict(progress.environments[-1]) if progress.environments else None
                yield (game, combination, repetition, minutes, *counted, ran.number(last))
