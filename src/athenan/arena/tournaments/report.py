"""The report of a tournament: tables for the terminal, and a self-contained web page with figures."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING

from athenan.arena.tally import share
from athenan.arena.tournaments.standings import DuelStandings, SoloStandings, Standings
from athenan.report import page
from athenan.report.figures import COLOURS, figure_text, svg
from athenan.report.tables import WIDTH, Table, as_text, remarks_table
from athenan.settings import counted
from athenan.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RATINGS = (
    "Elo points by the model of Bradley and Terry, with a mean of 0. A draw is half a win. One drawn game is added for "
    "every two players that have met. 95% intervals are for the difference from the mean of all players. They count "
    "pairs of games, because the two games of a pair need not be independent."
)
_ANCHORED = (
    "Elo points by the model of Bradley and Terry, where {} has 1000. A draw is half a win. One drawn game is added "
    "for every two players that have met. 95% intervals are for the difference from that player. They count pairs of "
    "games, because the two games of a pair need not be independent."
)
_CROSS = "Points of the row's player, and games. A win is 1 point, a draw 1/2."
_POINTS = (
    "Mean final score per game of the row's player, such as points in backgammon, with 95% intervals (Student's t, of "
    "pairs). Ratings count wins, draws and losses only."
)
_SUPERIORITY = "The probability that the row's player is stronger than the column's, by their ratings."
_COLOURS = "Share of points as the first and as the second player"
_SCORES = "Mean final scores, with 95% intervals (Student's t)."
_NONE = "–"
_LONGEST_LABEL = 50
"""Characters of a name beside a figure."""


def tables(found: Standings) -> Iterator[Table]:
    """The tables for which there are results."""
    if isinstance(found, SoloStandings):
        yield _score_table(found)
    elif isinstance(found, DuelStandings):
        yield from _duel_tables(found)
    if found.remarks:
        yield remarks_table(found.remarks)


def _duel_tables(found: DuelStandings) -> Iterator[Table]:
    yield rating_table(found)
    order = found.ranking
    names = [f"{rank}" for rank in range(1, len(order) + 1)]

    def crossed(title: str, cell: Callable[[int, int], str], note: str) -> Table:
        rows = (
            (f"{rank}. {found.players[one]}", *(cell(one, other) for other in order))
            for rank, one in enumerate(order, 1)
        )
        return Table(title, ("player", *names), tuple(rows), note)

    yield crossed("Each against each", partial(_cell, found), _CROSS)
    if any(tally.final_scores for tally in found.tallies.values()):
        yield crossed("Final scores", partial(_points, found), _POINTS)
    if (better := found.superiority) is not None:
        chance = lambda one, other: "" if one == other else f"{better[one, other]:.1%}"
        yield crossed("Likelihood of superiority", chance, _SUPERIORITY)


def rating_table(found: DuelStandings) -> Table:
    """The players, sorted by rating."""
    ratings, rows = found.ratings, []
    for rank, one in enumerate(found.ranking, 1):
        elo, interval = _NONE, _NONE
        if ratings:
            low, high = ratings[one].interval
            sign = "" if found.anchor else "+"  # differences from the mean have signs
            elo, interval = f"{ratings[one].elo:{sign}.0f}", f"{low:{sign}.0f} to {high:{sign}.0f}"
        counts = found.counts(one)
        shares = [_percent(share(found.counts(one, colour=colour))) for colour in (None, 0, 1)]
        rows.append(
            (f"{rank}. {found.players[one]}", elo, interval, str(sum(counts)), *map(str, counts), *shares)
        )  # fmt: skip
    header = (
        "player", "Elo", "95% interval", "games", "wins", "draws", "losses", "points", "as first", "as second",
    )  # fmt: skip
    return Table("Ratings", header, tuple(rows), _ANCHORED.format(found.anchor) if found.anchor else _RATINGS)


def _cell(found: DuelStandings, one: int, other: int) -> str:
    wins, draws, losses = found.counts(one, other) if one != other else (0, 0, 0)
    return f"{wins + draws / 2:g} / {wins + draws + losses}" if wins + draws + losses else ""


def _points(found: DuelStandings, one: int, other: int) -> str:
    if (scored := found.tally(one, other).mean_final_score) is None:
        return ""
    mean, (low, high) = scored
    return f"{mean:+.2f} ({low:+.2f} to {high:+.2f})" if isfinite(low) else f"{mean:+.2f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1%}"


def _score_table(found: SoloStandings) -> Table:
    rows = []
    for rank, one in enumerate(found.ranking, 1):
        scores, mean, interval = found.scores[one], _NONE, _NONE
        if scores:
            mean = f"{fmean(scores):.2f}"
        if len(scores) > 1:
            low, high = mean_interval(scores)
            interval = f"{low:.2f} to {high:.2f}"
        best = str(max(scores, default=_NONE))
        rows.append((f"{rank}. {found.players[one]}", mean, interval, best, str(len(scores))))
    return Table("Scores", ("player", "mean", "95% interval", "best", "games"), tuple(rows), _SCORES)


def text(found: Standings, width: int = WIDTH) -> str:
    """The report as plain text, with lines of at most `width` characters if the columns allow it."""
    title = f"{found.game}, {counted(found.games, 'game')}"
    return "\n\n".join([title, *(as_text(one, width) for one in tables(found))])


def html(found: Standings, facts: Mapping[str, str]) -> str:
    """The report as one web page; `facts` says how the matches were played."""
    parts = [page.tabled(table) for table in tables(found)]
    figures = []
    if isinstance(found, SoloStandings):
        if found.games:
            figures.append(page.drawn("Mean scores", _with_intervals(found.players, *_mean_scores(found), "score")))
    elif isinstance(found, DuelStandings):
        if found.ratings:
            figures.append(page.drawn("Ratings with 95% intervals", _rating_figure(found)))
        if found.games:
            figures.append(page.drawn(_COLOURS, _colour_figure(found)))
    count = f"{counted(len(found.players), 'player')}, {counted(found.games, 'game')}"
    return page.page(f"Tournament of {found.game}", count, facts, [*parts[:1], *figures, *parts[1:]])


def _rating_figure(found: DuelStandings) -> str:
    ratings = found.ratings or []
    values = [(ratings[one].elo, *ratings[one].interval) for one in found.ranking]
    return _with_intervals(found.players, found.ranking, values, "Elo")


def _mean_scores(found: SoloStandings) -> tuple[list[int], list[tuple[float, float, float]]]:
    """The players that have played, and their mean scores with intervals."""
    order = [one for one in found.ranking if found.scores[one]]
    values = []
    for one in order:
        mean, several = fmean(found.scores[one]), len(found.scores[one]) > 1
        values.append((mean, *(mean_interval(found.scores[one]) if several else (mean, mean))))
    return order, values


def _with_intervals(
    players: tuple[str, ...], order: list[int], values: list[tuple[float, float, float]], label: str
) -> str:
    """Values with their intervals, one line a player."""

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for place, (value, low, high) in enumerate(values):
            axes.errorbar(value, place, xerr=[[value - low], [high - value]], fmt="o", capsize=3, color=COLOURS[0])
        _one_line_each(axes, [players[one] for one in order], label)

    return svg(draw, 8, 1 + 0.32 * len(order))


def _colour_figure(found: DuelStandings) -> str:
    order = [one for one in found.ranking if any(found.counts(one))]

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        shares = [[100 * (share(found.counts(one, colour=colour)) or 0) for one in order] for colour in (0, 1)]
        places = range(len(order))
        axes.hlines(places, shares[0], shares[1], color="#8888", linewidth=1)
        for colour, name in enumerate(("as first player", "as second player")):
            axes.plot(shares[colour], places, "os"[colour], color=COLOURS[colour], label=name)
        axes.set_xlim(-3, 103)
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        _one_line_each(axes, [found.players[one] for one in order], "share of points, %")

    return svg(draw, 8, 1.3 + 0.32 * len(order))


def _short(name: str) -> str:
    """The name, without its middle if it is long, because a label must leave room for the figure."""
    half = _LONGEST_LABEL // 2
    return name if len(name) <= _LONGEST_LABEL else f"{name[:half]}…{name[-half:]}"


def _one_line_each(axes: "Axes", names: list[str], label: str) -> None:
    """The names beside the lines, the first on top."""
    axes.set_yticks(range(len(names)), [figure_text(_short(name)) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.25)
