"""The tables of a report."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from athenan.experiments.description import ALL
from athenan.experiments.matches import PAPER, against, course
from athenan.experiments.outcome import COUNTERS, Estimate, Outcome, estimate, group_levels
from athenan.report.tables import Row, Table, remarks_table
from athenan.statistics import LearningCurves, learning_speed_ratio, wilcoxon_test
from athenan.statistics.intervals import Numbers

MEAN = "mean"

_INTERVALS = (
    "95% intervals in brackets (Student's t over repetitions, stratified by game; none if all repetitions are equal)"
)
_PRINTED = f"Rows named {PAPER} are what the paper prints, for its boards and times."
_GAIN = (
    "Half the difference of wins minus losses (004, Definition 1), which is the difference of the shares of points. "
    "Repetitions with the same number are compared. p: Wilcoxon's signed-rank test."
)
_SPEED = (
    "How many times as fast the final level of {} is reached (004, section 3.3): the whole time divided by the time at "
    "which the mean curve, linear between its points, reaches it; 0 if it never does. 95% intervals in brackets, by "
    "Student's t of the difference at each time. A curve is unknown before its first point, so no ratio exceeds {}."
)
_GRADE = (
    "Share of {} solved positions of each game in which the action of the final network keeps the game value. "
    "Positions come from varied play; in each some action loses value."
)
_DATA = (
    "Ratios of means over repetitions, for the same time: states that matches provided for learning, each counted "
    "once; neural evaluations, the batches of states that searches evaluated together; and the states in them."
)
_GENERATED = {"examples": "learnt states", "batches": "neural evaluations", "evaluations": "evaluated states"}
_COST = (
    "Means over finished trainings: matches, states that they provided for learning, the same with repetitions, "
    "batches and states evaluated in searches, searches cut short by full trees (--set playing.memory gives more), "
    "minutes of wall-clock time, and minutes of processor time."
)


def tables(outcome: Outcome) -> Iterator[Table]:
    """The tables for which there are results."""
    for made in (against, _levels, course, _gains, _speeds, _grades, _data, _costs):
        table = made(outcome)
        if table and any(any(row[1:]) for row in table.rows if row[0] != PAPER):
            yield table
    if outcome.remarks:
        yield remarks_table(outcome.remarks)


def _levels(outcome: Outcome) -> Table | None:
    """The final levels, except for several rounds, which are in the table of matches."""
    experiment = outcome.experiment
    if experiment.rounds:
        return None
    named = [*experiment.groups, *_names(outcome, outcome.finals)]
    names = [name for name in dict.fromkeys(named) if any(_members(outcome, game, name).size for game in outcome.games)]
    percent = _difference if experiment.differences else _percent
    what = "Wins minus losses" if experiment.differences else "Share of points (a win 1, a draw 1/2)"
    rival, form = experiment.procedure.opponents, "{:g}%"
    whom = f" against {'each other' if rival == ALL else rival}"
    if outcome.alone:
        percent, what, whom, form = _score, "Mean score", "", "{:g}"
    rows = _rows(outcome, names, lambda game, name: percent(final_level(outcome, game, name)), "levels", form)
    return Table(
        "At the end of the training", ("game", *names), rows,
        f"{what} of the final networks{whom}; {_repetitions(outcome)}. "
        f"{_PRINTED if experiment.published.get('levels') else ''}".strip(),
    )  # fmt: skip


def _repetitions(outcome: Outcome) -> str:
    count = outcome.experiment.procedure.repetitions
    return f"{count} repetitions, {_INTERVALS}" if count > 1 else "one repetition, and so no intervals"


def _members(outcome: Outcome, game: str, name: str) -> Numbers:
    return group_levels(outcome, outcome.finals[game], name, game)


def final_level(outcome: Outcome, game: str, name: str) -> Estimate | None:
    """The level of a group or contestant in a game, or its mean over its games."""
    levels = [levels for one in _games(outcome, game) if (levels := _members(outcome, one, name)).size]
    return estimate(levels, most=float("inf") if outcome.alone else 1.0)


def _gains(outcome: Outcome) -> Table | None:
    """The gains over the baseline (004, Definition 1), and Wilcoxon's test."""
    if (base := outcome.experiment.baseline) is None or outcome.alone or outcome.experiment.rounds:
        return None
    names = [name for name in _names(outcome, outcome.finals) if name != base]

    def cell(game: str, name: str) -> str:
        differences = [mine - theirs for mine, theirs in _beside(outcome.finals, _games(outcome, game), name, base)]
        found = estimate(differences, least=-1.0)
        if not found or outcome.experiment.procedure.repetitions < 2:
            return _signed(found)
        known = np.concatenate(differences)
        return f"{_signed(found)}, p = {wilcoxon_test([*known[~np.isnan(known)]]):.2g}"

    return Table(f"Gain over {base}", ("game", *names), _rows(outcome, names, cell, "gains", "{:+g}%"), _GAIN)


def _speeds(outcome: Outcome) -> Table | None:
    """The learning-speed ratios to the baseline (004, section 3.3)."""
    base, procedure = outcome.experiment.baseline, outcome.experiment.procedure
    if base is None or procedure.points < 2 or procedure.repetitions < 2:
        return None
    names, times = [name for name in _names(outcome, outcome.curves) if name != base], np.array(procedure.times)

    def cell(game: str, name: str) -> str:
        both = _beside(outcome.curves, _games(outcome, game), name, base)
        both = [(_trained(outcome, mine, name), _trained(outcome, theirs, base)) for mine, theirs in both]
        if not both or any(np.isnan(levels).any() or len(levels) < 2 for pair in both for levels in pair):
            return ""
        mine, theirs = zip(*both, strict=True)
        found = learning_speed_ratio(LearningCurves(times, mine), LearningCurves(times, theirs))
        low, high = found.interval
        return f"{found.ratio:.2g}" + (f" ({low:.2g} to {high:.2g})" if low < high else "")

    rows = _rows(outcome, names, cell, "speeds", "{:g}")
    return Table(f"Learning speed beside {base}", ("game", *names), rows, _SPEED.format(base, procedure.points))


def _trained(outcome: Outcome, levels: Numbers, name: str) -> Numbers:
    """The rows of the repetitions that a contestant has."""
    every = (one for game in outcome.games for one in outcome.experiment.contestants(game))
    combination = next(one.combination for one in every if one.name == name)
    return levels[: outcome.experiment.repetitions(combination)]


def _grades(outcome: Outcome) -> Table | None:
    """The final shares of solved positions in which the action keeps the game value."""
    if not outcome.grades:
        return None
    names = _names(outcome, outcome.grades)

    def cell(game: str, name: str) -> str:
        games = [of for one in _games(outcome, game) if name in (of := outcome.grades[one])]
        return _percent(estimate([of[name][:, -1] for of in games]))

    note = _GRADE.format(outcome.experiment.procedure.positions)
    return Table("Graded by a solver", ("game", *names), _rows(outcome, names, cell, "grades", "{:g}%"), note)


def _data(outcome: Outcome) -> Table | None:
    """The ratios of generated data to the baseline (004, Table 4)."""
    if (base := outcome.experiment.baseline) is None:
        return None
    names = [name for name in outcome.experiment.combinations if name != base]
    rows = list[Row]()
    for counter, what in _GENERATED.items():
        for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
            ratios = [_ratio(outcome, _games(outcome, game), name, base, COUNTERS.index(counter)) for name in names]
            rows.append((f"{game}, {what}", *("" if ratio is None else f"{ratio:.3g}" for ratio in ratios)))
            rows += _printed(outcome, counter, game, names, "{:.3g}")
    return Table(f"Generated data beside {base}", ("game, what", *names), tuple(rows), _DATA)


def _ratio(outcome: Outcome, games: Sequence[str], name: str, base: str, counter: int) -> float | None:
    """The mean over games of a combination's counter divided by the baseline's; None if a game has neither."""
    both = [(costs[:, counter] for costs in pair) for pair in _beside(outcome.costs, games, name, base)]
    means = [[counts.mean() if len(counts) else 0.0 for counts in pair] for pair in both]
    known = means and all(theirs for _, theirs in means) and len(means) == len(games)
    return float(np.mean([mine / theirs for mine, theirs in means])) if known else None


def _costs(outcome: Outcome) -> Table:
    """What the trainings cost."""
    rows = []
    for game in outcome.games:
        for name, costs in outcome.costs[game].items():
            if len(costs):
                *counts, wall, processor = costs.mean(axis=0)
                times = (f"{seconds / 60:,.3g}" for seconds in (wall, processor))
                rows.append((game, name, f"{len(costs)}", *(f"{count:,.0f}" for count in counts), *times))
    counted = ("matches", "states", "learnt", "batches", "evaluations", "cut short", "minutes", "processor")
    header = ("game", "combination", "trainings", *counted)
    return Table("Trainings", header, tuple(rows), _COST)


def _names(outcome: Outcome, of: Mapping[str, Mapping[str, Numbers]]) -> list[str]:
    """The contestants that are in some game, in the order of the description."""
    return list(dict.fromkeys(name for game in outcome.games for name in of[game]))


def _games(outcome: Outcome, game: str) -> Sequence[str]:
    return outcome.games if game == MEAN else (game,)


def _beside(
    of: Mapping[str, Mapping[str, Numbers]], games: Sequence[str], name: str, base: str
) -> list[tuple[Numbers, Numbers]]:
    """The numbers of a contestant and of the baseline, for each game that has both."""
    return [(of[game][name], of[game][base]) for game in games if {name, base} <= of[game].keys()]


def _rows(
    outcome: Outcome, names: Sequence[str], cell: Callable[[str, str], str], kind: str, form: str
) -> tuple[Row, ...]:
    """A row for each game and one for their mean, each followed by the paper's numbers."""
    rows = list[Row]()
    for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
        rows.append((game, *(cell(game, name) for name in names)))
        rows += _printed(outcome, kind, game, names, form)
    return tuple(rows)


def _printed(outcome: Outcome, kind: str, game: str, names: Sequence[str], form: str) -> list[Row]:
    numbers = [outcome.experiment.printed(kind, game, name) for name in names]
    if all(number is None for number in numbers):
        return []
    return [(PAPER, *("" if number is None else form.format(number) for number in numbers))]


def _percent(found: Estimate | None) -> str:
    return _written(found, lambda share: f"{100 * share:.1f}")


def _difference(found: Estimate | None) -> str:
    """A share of points as wins minus losses."""
    return _written(found, lambda share: f"{100 * (2 * share - 1):+.1f}")


def _signed(found: Estimate | None) -> str:
    return _written(found, lambda share: f"{100 * share:+.1f}")


def _score(found: Estimate | None) -> str:
    return _written(found, lambda score: f"{score:.1f}", unit="")


def _written(found: Estimate | None, form: Callable[[float], str], unit: str = "%") -> str:
    if found is None:
        return ""
    interval = f" ({form(found.interval[0])} to {form(found.interval[1])})" if found.interval else ""
    return f"{form(found.value)}{unit}{interval}"
