"""The tables of a report, as rows of text: for the terminal, and for the web page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


from athenan.experiments.outcome import COUNTERS, Estimate, Numbers, Outcome, estimate, group_levels
from athenan.play.statistics import Curves, learning_speed_ratio, wilcoxon_test

MEAN = "mean"
PAPER = "paper"


@dataclass(frozen=True)
class Table:
    """A table with a title, and what its numbers mean."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables(outcome: Outcome) -> Iterator[Table]:
    """The tables of what there is."""
    made = (_levels(outcome), _gains(outcome), _speeds(outcome), _grades(outcome), _data(outcome), _costs(outcome))
    yield from (one for one in made if one is not None)


def columns(outcome: Outcome) -> list[str]:
    """The groups and the contestants, in the order of the description; those that are in some game."""
    named = [*outcome.experiment.groups, *_contestants(outcome, outcome.finals)]
    return list(dict.fromkeys(name for name in named if any(_has(outcome, game, name) for game in outcome.games)))


def _has(outcome: Outcome, game: str, name: str) -> bool:
    return group_levels(outcome, outcome.finals[game], name, game).size > 0


def _contestants(outcome: Outcome, of: Mapping[str, Mapping[str, Numbers]]) -> list[str]:
    return list(dict.fromkeys(name for game in outcome.games for name in of[game]))


def _levels(outcome: Outcome) -> Table | None:
    """The final levels, with the paper's numbers below."""
    experiment, names = outcome.experiment, columns(outcome)
    rows = list[tuple[str, ...]]()
    for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
        cells = [_percent(final_level(outcome, game, name), experiment.differences) for name in names]
        rows.append((game, *cells))
        printed = [experiment.printed("levels", game, name) for name in names]
        if any(number is not None for number in printed):
            rows.append((PAPER, *("" if number is None else f"{number:g}%" for number in printed)))
    if not any(any(row[1:]) for row in rows):
        return None
    what = "Wins minus losses" if experiment.differences else "Share of points (a win 1, a draw 1/2)"
    rivals = "against each other" if experiment.protocol.opponents == "all" else f"against {experiment.protocol.opponents}"
    return Table(
        "At the end of the training", ("game", *names), tuple(rows),
        f"{what} of the final networks {rivals}; {_repetitions(outcome)}; in brackets 95% intervals of the bootstrap over "
        "repetitions, stratified by game.",
    )  # fmt: skip


def _repetitions(outcome: Outcome) -> str:
    count = outcome.experiment.protocol.repetitions
    return f"{count} repetitions" if count > 1 else "one repetition, and so no intervals"


def final_level(outcome: Outcome, game: str, name: str) -> Estimate | None:
    """The level of a group or contestant in a game, or its mean over games; a mean needs all of its games."""
    games = [one for one in outcome.games if _has(outcome, one, name)] if game == MEAN else [game]
    strata = [group_levels(outcome, outcome.finals[one], name, one) for one in games]
    return None if any(not stratum.size for stratum in strata) else estimate(strata)


def _gains(outcome: Outcome) -> Table | None:
    """The gains over the baseline (004, Definition 1), and Wilcoxon's test."""
    experiment, base = outcome.experiment, outcome.experiment.baseline
    names = [name for name in _contestants(outcome, outcome.finals) if name != base]
    if base is None or not any(base in outcome.finals[game] for game in outcome.games):
        return None
    rows = list[tuple[str, ...]]()
    for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
        games = outcome.games if game == MEAN else (game,)
        cells = []
        for name in names:
            both = [(outcome.finals[one][name], outcome.finals[one][base]) for one in games
                    if name in outcome.finals[one] and base in outcome.finals[one]]  # fmt: skip
            differences = [one - other for one, other in both]
            found = estimate(differences)
            known = np.concatenate(differences) if differences else np.empty(0)
            p = f", p = {wilcoxon_test([*known[~np.isnan(known)]]):.2g}" if found and found.interval else ""
            cells.append(_signed(found) + p)
        rows.append((game, *cells))
        printed = [experiment.printed("gains", game, name) for name in names]
        if any(number is not None for number in printed):
            rows.append((PAPER, *("" if number is None else f"{number:+g}%" for number in printed)))
    if not any(any(row[1:]) for row in rows):
        return None
    return Table(
        f"Gain over {base}", ("game", *names), tuple(rows),
        "Half the difference of wins minus losses (004, Definition 1), which is the difference of the shares of points; "
        "repetitions of the same number are compared. p: Wilcoxon's signed rank test.",
    )  # fmt: skip


def _speeds(outcome: Outcome) -> Table | None:
    """The learning-speed ratios to the baseline (004, section 3.3)."""
    experiment, base = outcome.experiment, outcome.experiment.baseline
    times = np.array(experiment.protocol.times)
    if base is None or experiment.protocol.points < 2 or experiment.protocol.repetitions < 2:
        return None
    names = [name for name in _contestants(outcome, outcome.curves) if name != base]
    rows = []
    for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
        games = outcome.games if game == MEAN else (game,)
        cells = [_speed(outcome, games, name, base, times) for name in names]
        rows.append((game, *cells))
        printed = [experiment.printed("speeds", game, name) for name in names]
        if any(number is not None for number in printed):
            rows.append((PAPER, *("" if number is None else f"{number:g}" for number in printed)))
    if not any(any(row[1:]) for row in rows):
        return None
    return Table(
        f"Learning speed beside {base}", ("game", *names), tuple(rows),
        f"How many times as fast the final level of {base} is reached (004, section 3.3): the whole time by the time at "
        "which the mean curve, linear between its points, has that level; 0 if it never has. In brackets 95% intervals of "
        f"the bootstrap over repetitions. Before the first point nothing is known, so that no ratio is above "
        f"{experiment.protocol.points}.",
    )  # fmt: skip


def _speed(outcome: Outcome, games: Sequence[str], name: str, base: str, times: Numbers) -> str:
    both = [(outcome.curves[game].get(name), outcome.curves[game].get(base)) for game in games]
    mine = [one for one, other in both if one is not None and other is not None]
    theirs = [other for one, other in both if one is not None and other is not None]
    if not mine or any(np.isnan(levels).any() for levels in (*mine, *theirs)):
        return ""
    found = learning_speed_ratio(Curves(times, mine), Curves(times, theirs))
    return f"{found.ratio:.2g} ({found.interval[0]:.2g} to {found.interval[1]:.2g})"


def _grades(outcome: Outcome) -> Table | None:
    """The final shares of solved positions in which the action keeps the game value."""
    if not outcome.grades:
        return None
    names = _contestants(outcome, outcome.grades)
    rows = []
    for game in (*outcome.games, *[MEAN] * (len(outcome.games) > 1)):
        games = outcome.games if game == MEAN else (game,)
        found = [estimate([outcome.grades[one][name][:, -1] for one in games if name in outcome.grades[one]])
                 for name in names]  # fmt: skip
        rows.append((game, *(_percent(one, False) for one in found)))
    if not any(any(row[1:]) for row in rows):
        return None
    positions = outcome.experiment.protocol.positions
    return Table(
        "Graded by a solver", ("game", *names), tuple(rows),
        f"Share of {positions} solved positions of each game in which the final network's action keeps the game value. "
        "Positions are drawn by random play; in each some action loses value.",
    )  # fmt: skip


def _data(outcome: Outcome) -> Table | None:
    """The ratios of generated data to the baseline (004, Table 4)."""
    experiment, base = outcome.experiment, outcome.experiment.baseline
    if base is None:
        return None
    names = [name for name in experiment.combinations if name != base]
    rows = []
    for counter, what in (("examples", "learnt states"), ("evaluations", "evaluated states")):
        for game in outcome.games:
            costs = outcome.costs[game]
            if not len(costs.get(base, ())):
                continue
            column = COUNTERS.index(counter)
            cells = [
                _ratio(costs[name][:, column], costs[base][:, column]) if len(costs.get(name, ())) else ""
                for name in names
            ]
            rows.append((f"{what}, {game}", *cells))
            printed = [experiment.printed(counter, game, name) for name in names]
            if any(number is not None for number in printed):
                rows.append((PAPER, *("" if number is None else f"{number:g}" for number in printed)))
    if not rows:
        return None
    return Table(
        f"Generated data beside {base}", ("what, game", *names), tuple(rows),
        "Ratios of means over repetitions, for the same time: states that matches gave to learn, each counted once, and "
        "states that networks evaluated in searches.",
    )  # fmt: skip


def _ratio(mine: Numbers, theirs: Numbers) -> str:
    return f"{mine.mean() / theirs.mean():.3g}" if theirs.mean() else ""


def _costs(outcome: Outcome) -> Table | None:
    """What the trainings cost."""
    rows = []
    for game in outcome.games:
        for name, costs in outcome.costs[game].items():
            if len(costs):
                matches, examples, learnt, evaluations, wall, processor = costs.mean(axis=0)
                numbers = (f"{value:,.0f}" for value in (matches, examples, learnt, evaluations))
                times = (f"{value / 60:,.3g}" for value in (wall, processor))
                rows.append((game, name, f"{len(costs)}", *numbers, *times))
    if not rows:
        return None
    header = (
        "game", "combination", "trainings", "matches", "states", "learnt", "evaluations", "minutes", "processor minutes"
    )  # fmt: skip
    return Table(
        "Trainings", header, tuple(rows),
        "Means over finished trainings: matches, states that they gave to learn, the same with repetitions, states "
        "evaluated in searches, the time that passed and processor time.",
    )  # fmt: skip


def _percent(found: Estimate | None, difference: bool) -> str:
    """A share of points as text, or as wins minus losses."""
    if found is None:
        return ""
    values = [found.value, *(found.interval or ())]
    written = [f"{100 * (2 * value - 1):+.1f}" if difference else f"{100 * value:.1f}" for value in values]
    return f"{written[0]}%" + (f" ({written[1]} to {written[2]})" if found.interval else "")


def _signed(found: Estimate | None) -> str:
    if found is None:
        return ""
    interval = f" ({100 * found.interval[0]:+.1f} to {100 * found.interval[1]:+.1f})" if found.interval else ""
    return f"{100 * found.value:+.1f}%{interval}"


def as_text(table: Table, width: int = 118) -> str:
    """The table as plain text; columns that do not fit are continued below."""
    cells = (table.header, *table.rows)
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.header))]
    parts, first = list[str](), 1
    while first < len(widths) or (first == 1 and len(widths) == 1):
        last, used = first, widths[0]
        while last < len(widths) and (last == first or used + 2 + widths[last] <= width):
            used += 2 + widths[last]
            last += 1
        for row in cells:
            line = [f"{row[0]:<{widths[0]}}", *(f"{row[column]:>{widths[column]}}" for column in range(first, last))]
            parts.append("  ".join(line).rstrip())
        parts.append("")
        first = max(last, first + 1)
    return "\n".join([table.title, "-" * len(table.title), *parts, table.note])
