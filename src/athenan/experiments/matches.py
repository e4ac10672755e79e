"""The tables of matches: against named opponents, by colour, and during the training for a one-player game.

They are like 003's Tables 8 to 11 and 000's Tables 10 to 12: one network or a few against one opponent, with equal
numbers of matches as first and as second player. Their intervals hold for these matches, and say nothing about other
trainings.
"""

from collections.abc import Sequence

import numpy as np

from athenan.experiments.outcome import Outcome, Tally
from athenan.report.tables import Row, Table
from athenan.statistics import binomial_test, score_interval

PAPER = "paper"
COLUMNS = ("first", "second", "points", "win", "draw", "loss", "interval", "matches", "p")
_MOST_TIMES = 6
"""The most evaluations during training that get rows; if there are more, only the figure shows them."""
_AGAINST = (
    "Share of points as the first player, as the second and in all (a win 1, a draw 1/2), shares of wins, draws and "
    "losses. The 95% interval of the points is Wilson's, on pairs of matches. It holds for these networks, not other "
    "trainings. p: binomial test of wins among decided matches, which assumes independence, as the papers do."
)
_COURSE = "Scores of matches without an opponent; means over repetitions, and the best score of any."


def matches_key(limit: str, opponent: str = "") -> str:
    """The key in `Experiment.published` of a paper's numbers about matches: columns of `COLUMNS`.

    `limit` is a search time as the table writes it; `opponent` is a contestant, or "" for one that the user names.

    >>> matches_key("2.5 s"), matches_key("10 s", "ExIt")
    ('matches at 2.5 s', 'matches at 10 s against ExIt')
    """
    return f"matches at {limit}" + (f" against {opponent}" if opponent else "")


def against(outcome: Outcome) -> Table | None:
    """The matches against the opponents that the procedure names."""
    minutes = sorted({tally.minutes for tally in outcome.tallies})
    ends = {outcome.experiment.times(name)[-1] for name in outcome.experiment.combinations}
    shown = [tally for tally in outcome.tallies if len(minutes) <= _MOST_TIMES or tally.minutes in ends]
    rows = list[Row]()
    for tally in shown:
        rows.append(_row(tally))
        rows += _printed(outcome, tally)
    header = ("game, who", "opponent", "minutes", "action", *COLUMNS)
    return Table("Matches against opponents", header, tuple(rows), _AGAINST) if rows else None


def _row(tally: Tally) -> Row:
    gains = np.array(tally.gains, np.float64)
    wins, draws, losses = (int((gains == gain).sum()) for gain in (1, 0, -1))
    low, high = score_interval([(2 + float(pair.sum())) / 4 for pair in gains], 2)
    decided = wins + losses
    numbers = (
        *(_percent((1 + part) / 2) for part in (*gains.mean(axis=0), gains.mean())),
        *(_percent(count / gains.size) for count in (wins, draws, losses)),
        f"{100 * low:.1f} to {100 * high:.1f}", f"{gains.size:,}",
        f"{binomial_test(wins, decided):.2g}" if decided else "",
    )  # fmt: skip
    return f"{tally.game}, {tally.contestant}", tally.opponent, f"{tally.minutes:g}", _limit(tally), *numbers


def _printed(outcome: Outcome, tally: Tally) -> Sequence[Row]:
    """The paper's row for its own opponent, boards and times, at the end of training."""
    experiment, limit = outcome.experiment, _limit(tally)
    keys = (matches_key(limit, tally.opponent), matches_key(limit))
    found = [[experiment.printed(key, tally.game, column) for column in COLUMNS] for key in keys]
    numbers = next((row for row in found if any(number is not None for number in row)), None)
    if numbers is None:
        return []
    forms = {"matches": "{:,.0f}", "interval": "±{:g}", "p": "{:.2e}"}
    cells = zip(COLUMNS, numbers, strict=True)
    return [(PAPER, "", "", "", *("" if one is None else forms.get(name, "{:g}%").format(one) for name, one in cells))]


def _limit(tally: Tally) -> str:
    limit = tally.procedure.limit
    parts = {"s": limit.seconds, "iterations": limit.iterations, "evaluations": limit.evaluations}
    return " or ".join(f"{value:g} {unit}" for unit, value in parts.items() if value is not None)


def course(outcome: Outcome) -> Table | None:
    """The scores in a one-player game during training (003, Figure 8)."""
    if not outcome.alone:
        return None
    rows = list[Row]()
    for game in outcome.games:
        for contestant in outcome.experiment.contestants(game):
            means, best = outcome.curves[game][contestant.name], outcome.best[game][contestant.name]
            trained = outcome.matches[game][contestant.combination]
            for point, minutes in enumerate(outcome.experiment.times(contestant.combination)):
                known = ~np.isnan(means[:, point])
                if known.any():
                    matches, mean = trained[known, point].mean(), means[known, point].mean()
                    numbers = (f"{minutes:g}", f"{matches:,.0f}", f"{mean:.1f}", f"{best[known, point].max():g}")
                    rows.append((f"{game}, {contestant.name}", *numbers))
    header = ("game, who", "minutes", "matches of training", "mean score", "best score")
    return Table("Along the training", header, tuple(rows), _COURSE) if rows else None


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
