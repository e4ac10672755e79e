"""Statistics of pairs of matches between two players: wins and draws, points, final scores, and their intervals.

>>> tally = PairTally([(1, -1), (1, 0)])
>>> tally.counts(), tally.counts(colour=0), tally.pair_scores
((2, 1, 1), (2, 0, 0), [0.5, 0.75])
>>> tally.mirrored.counts()
(1, 1, 2)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean
from typing import Any

from athenan import statistics

Counts = tuple[int, int, int]
"""Wins, draws and losses."""


@dataclass(frozen=True)
class PairTally:
    """The results of pairs of matches, from the point of view of one of the two players."""

    gains: Sequence[tuple[int, int]] = ()
    """The gains of the player in each pair. The player began the first match of the pair."""
    final_scores: Sequence[float] | None = None
    """The mean final score of the player in each pair; None if a match has no score, for example because a player
    resigned."""

    @property
    def games(self) -> int:
        """The number of matches."""
        return 2 * len(self.gains)

    @property
    def mirrored(self) -> "PairTally":
        """The results of the opponent."""
        scores = None if self.final_scores is None else [-score for score in self.final_scores]
        return PairTally([(-second, -first) for first, second in self.gains], scores)

    def counts(self, colour: int | None = None) -> Counts:
        """Wins, draws and losses; with a colour only those as the first (0) or second (1) player."""
        gains = [gain for pair in self.gains for gain in (pair if colour is None else pair[colour : colour + 1])]
        return gains.count(1), gains.count(0), gains.count(-1)

    @property
    def pair_scores(self) -> list[float]:
        """Points per game of each pair: a win is 1, a draw 1/2."""
        return [(2 + first + second) / 4 for first, second in self.gains]

    def interval(self, confidence: float = statistics.CONFIDENCE) -> statistics.Interval:
        """The interval for the expected points per game. Raises ValueError without pairs."""
        return statistics.score_interval(self.pair_scores, 2, confidence)

    @property
    def mean_final_score(self) -> tuple[float, statistics.Interval] | None:
        """The mean final score per game, with its 95% interval (Student's t, of pairs); None without scores."""
        scores = self.final_scores
        return (fmean(scores), statistics.mean_interval(scores)) if scores else None

    def final_scores_as_json(self) -> dict[str, Any]:
        """The mean final score as JSON data; null without scores, and for the bounds of a single pair."""
        mean, interval = self.mean_final_score or (None, None)
        return {"points": mean, "points_interval": interval and finite(interval)}


def share(counts: Counts) -> float | None:
    """Points per game; None without games."""
    return statistics.score(*counts) if any(counts) else None


def counts_as_json(counts: Counts) -> dict[str, Any]:
    """Wins, draws, losses and points per game as JSON data."""
    wins, draws, losses = counts
    return {"wins": wins, "draws": draws, "losses": losses, "score": share(counts)}


def finite(values: Iterable[float]) -> list[float | None]:
    """The values as JSON data, None for infinite ones."""
    return [value if isfinite(value) else None for value in values]
