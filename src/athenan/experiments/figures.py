"""The figures of a report: training curves, one panel per game, as SVG."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from athenan.experiments.description import ALL
from athenan.experiments.outcome import Outcome
from athenan.experiments.tables import MEAN
from athenan.report.figures import COLOURS, svg
from athenan.statistics import mean_of_means_interval, moving_average
from athenan.statistics.intervals import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scaling = Callable[[Numbers], Numbers]
"""Levels as they are drawn."""
_LINES = ("-", "--", "-.", ":")
_COLUMNS = 3


@dataclass(frozen=True)
class ReportFigure:
    """A figure with its title, as SVG that takes the colour of the text around it."""

    name: str
    title: str
    svg: str


def figures(outcome: Outcome) -> list[ReportFigure]:
    """The figures for which there are results."""
    experiment = outcome.experiment
    if experiment.procedure.points < 2:
        return []
    average = f", moving average of {experiment.average}" if experiment.average > 1 else ""
    what = "wins minus losses" if experiment.differences else "share of points"
    rival = "the final networks" if experiment.procedure.opponents == ALL else experiment.procedure.opponents
    text, unit = f"{what} against {rival}", f"{what}, %"
    scale = _difference if experiment.differences else _percent
    if outcome.alone:
        text, unit, scale = "mean score", "score", _score
    made = list[ReportFigure]()
    if any(_known(levels) for of in outcome.curves.values() for levels in of.values()):
        drawn = _panels(outcome, outcome.curves, unit, scale)
        made.append(ReportFigure("curves", f"Along the training: {text}{average}", drawn))
    if any(_known(levels) for of in outcome.grades.values() for levels in of.values()):
        drawn = _panels(outcome, outcome.grades, "positions, %", _percent)
        made.append(
            ReportFigure("grades", f"Solved positions in which the action keeps the game value{average}", drawn)
        )
    return made


def _percent(levels: Numbers) -> Numbers:
    return 100 * levels


def _difference(levels: Numbers) -> Numbers:
    return 100 * (2 * levels - 1)


def _score(levels: Numbers) -> Numbers:
    return levels


def _known(levels: Numbers) -> bool:
    return bool(levels.size) and not np.isnan(levels).all()


def _panels(outcome: Outcome, of: Mapping[str, Mapping[str, Numbers]], label: str, scale: Scaling) -> str:
    """A panel for each game, and one for their mean."""
    titles = [*outcome.games, *[MEAN] * (len(outcome.games) > 1)]
    names = list(dict.fromkeys(name for game in outcome.games for name in of[game]))
    columns = min(_COLUMNS, len(titles))
    rows = ceil(len(titles) / columns)

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True).flatten()
        for panel, title in zip(panels, titles, strict=False):
            for number, name in enumerate(names):
                games = outcome.games if title == MEAN else (title,)
                times = _times(outcome, title, name)
                levels = [of[game][name] for game in games if name in of[game]]
                _curve(panel, outcome, times, levels, number, name, scale)
            panel.set_title(title)
            panel.grid(alpha=0.25)
            panel.locator_params(axis="x", nbins=5)
        for panel in panels[len(titles) :]:
            panel.set_visible(False)
        by_processor = outcome.experiment.procedure.clock == "processor"
        minutes = "minutes of training" + (" (processor time)" if by_processor else "")
        figure.supxlabel("matches of training" if outcome.alone else minutes)
        figure.supylabel(label)
        handles, texts = panels[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=min(len(names), 4), frameon=False)

    return svg(draw, 0.6 + 3.6 * columns, 0.7 + 2.6 * rows)


def _times(outcome: Outcome, game: str, name: str) -> Numbers:
    """The times of a contestant's points: minutes, or in a one-player game matches of training (003, Figure 8)."""
    if not outcome.alone or game == MEAN:
        return np.array(outcome.experiment.procedure.times)
    combination = next(one.combination for one in outcome.experiment.contestants(game) if one.name == name)
    return np.asarray(outcome.matches[game][combination].mean(axis=0))


def _curve(
    panel: "Axes", outcome: Outcome, times: Numbers, levels: Sequence[Numbers], number: int, name: str, scale: Scaling
) -> None:
    """One curve with its interval, if it has the same points in every game."""
    width = outcome.experiment.average
    known = [[row for row in of if not np.isnan(row).any()] for of in levels]
    colour, style = COLOURS[number % len(COLOURS)], _LINES[number // len(COLOURS) % len(_LINES)]
    if not known or any(not rows for rows in known):
        panel.plot([], [], color=colour, linestyle=style, label=name)
        return
    smooth = [moving_average(np.array(rows), width) for rows in known]
    mean = np.mean([rows.mean(axis=0) for rows in smooth], axis=0)
    panel.plot(times, scale(mean), color=colour, linestyle=style, label=name, linewidth=1.6)
    if all(len(rows) > 1 for rows in smooth):
        bounds = [mean_of_means_interval([rows[:, point] for rows in smooth]) for point in range(len(times))]
        low, high = np.clip(bounds, 0.0, np.inf if outcome.alone else 1.0).T
        panel.fill_between(times, scale(low), scale(high), color=colour, alpha=0.12, linewidth=0)
