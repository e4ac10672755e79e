"""What the results of a tournament say: ratings, the points of each against each, and by colour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan import statistics
from athenan.arena.store import Pairing, PairResult, Store
from athenan.statistics import Rating

Counts = tuple[int, int, int]
"""Wins, draws and losses."""


@dataclass(frozen=True)
class Standings:
    """The results of the players of a tournament of two-player matches."""

    game: str
    players: tuple[str, ...]
    gains: Mapping[tuple[int, int], Sequence[tuple[int, int]]]
    """gains[i, j]: of each pair of matches of two players, the gains of player i; it began the first of both."""
    scores: Mapping[tuple[int, int], Sequence[float]] = field(default_factory=dict)
    """scores[i, j]: of each pair, the mean final score of player i per match; absent if a match has none, as one that
    was resigned."""
    remarks: tuple[str, ...] = ()
    """What players had to say (`MatchRecord.remarks`), each once."""

    @property
    def games(self) -> int:
        """The number of matches."""
        return sum(map(len, self.gains.values()))  # each pair is there from both sides, and has two matches

    def counts(self, player: int, opponent: int | None = None, colour: int | None = None) -> Counts:
        """Wins, draws and losses, against one opponent or all, with one colour (0: as first player) or both."""
        opponents = range(len(self.players)) if opponent is None else [opponent]
        found = [
            gain
            for other in opponents
            for pair in self.gains.get((player, other), ())
            for gain in (pair if colour is None else pair[colour : colour + 1])
        ]
        return found.count(1), found.count(0), found.count(-1)

    def mean_score(self, player: int, opponent: int) -> tuple[float, statistics.Interval] | None:
        """The mean final score per match, with its 95% interval (Student's t, of pairs); None without scores."""
        scores = self.scores.get((player, opponent))
        return (fmean(scores), statistics.mean_interval(scores)) if scores else None

    @property
    def points(self) -> NDArray[np.float64]:
        """The points of the row's player against the column's: float64[players, players]."""
        points = np.zeros((len(self.players), len(self.players)))
        for (one, other), pairs in self.gains.items():
            points[one, other] = sum(2 + first + second for first, second in pairs) / 2
        return points

    @property
    def _ratios(self) -> NDArray[np.float64]:
        """How much pairs of two players vary, as ratings take it: float64[players, players]."""
        ratios = np.ones((len(self.players), len(self.players)))
        for both, pairs in self.gains.items():
            if pairs:
                ratios[both] = statistics.variance_ratio(pair_scores(pairs), 2)
        return ratios

    @property
    def ratings(self) -> list[Rating] | None:
        """The ratings; None while matches do not connect all players."""
        try:
            return statistics.bradley_terry(self.points, ratios=self._ratios)
        except ValueError:
            return None

    @property
    def superiority(self) -> NDArray[np.float64] | None:
        """The probabilities that the row's player is stronger than the column's; None as `ratings`."""
        try:
            return statistics.superiority(self.points, ratios=self._ratios)
        except ValueError:
            return None

    @property
    def ranking(self) -> list[int]:
        """The players, the best first: by their ratings, or while there are none by their shares of points."""
        ratings = self.ratings

        def better_first(number: int) -> tuple[float, str]:
            level = ratings[number].elo if ratings else share(self.counts(number)) or 0
            return -round(level, 6), self.players[number]

        return sorted(range(len(self.players)), key=better_first)

    def as_json(self) -> dict[str, Any]:
        """The results as JSON takes them, the best player first; null where there are no matches."""
        ratings, better, order = self.ratings, self.superiority, self.ranking
        return {
            "game": self.game, "games": self.games, "confidence": 0.95,
            "players": [
                {
                    "player": self.players[one],
                    "elo": ratings and ratings[one].elo, "elo_interval": ratings and list(ratings[one].interval),
                    **_counted(self.counts(one)),
                    "as_first": _counted(self.counts(one, colour=0)), "as_second": _counted(self.counts(one, colour=1)),
                }
                for one in order
            ],
            "pairings": [
                {
                    "players": [self.players[one], self.players[other]], **_counted(self.counts(one, other)),
                    "interval": list(statistics.score_interval(pair_scores(self.gains[one, other]), 2)),
                    **self._scored(one, other),
                    "superiority": None if better is None else float(better[one, other]),
                }
                for place, one in enumerate(order) for other in order[place + 1 :] if self.gains.get((one, other))
            ],
            "remarks": list(self.remarks),
        }  # fmt: skip

    def _scored(self, one: int, other: int) -> dict[str, Any]:
        """The mean final score as JSON takes it; null without scores, and for the bounds of a single pair."""
        mean, interval = self.mean_score(one, other) or (None, None)
        bounds = interval and [bound if isfinite(bound) else None for bound in interval]
        return {"points": mean, "points_interval": bounds}


@dataclass(frozen=True)
class SoloStandings:
    """The scores of the players of a tournament in a game of one player."""

    game: str
    players: tuple[str, ...]
    scores: Mapping[int, Sequence[int]]
    remarks: tuple[str, ...] = ()
    """What players had to say (`MatchRecord.remarks`), each once."""

    @property
    def games(self) -> int:
        """The number of matches."""
        return sum(map(len, self.scores.values()))

    @property
    def ranking(self) -> list[int]:
        """The players, the best mean score first."""
        return sorted(range(len(self.players)), key=lambda number: -fmean(self.scores[number] or [float("-inf")]))

    def as_json(self) -> dict[str, Any]:
        """The results as JSON takes them, the best player first; bounds of single matches are null."""
        return {
            "game": self.game, "games": self.games, "confidence": 0.95,
            "players": [
                {
                    "player": self.players[one], "games": len(scores), "mean": fmean(scores) if scores else None,
                    "interval": list(statistics.mean_interval(scores)) if len(scores) > 1 else None,
                    "best": max(scores, default=None),
                }
                for one in self.ranking for scores in [self.scores[one]]
            ],
            "remarks": list(self.remarks),
        }  # fmt: skip


def standings(store: Store, game: str, players: Sequence[str], counted: Sequence[Pairing]) -> Standings | SoloStandings:
    """The results of these pairings in the store, as far as they are finished. Raises StoreError."""
    if counted and len(counted[0].players) == 1:
        scores = {
            players.index(pairing.players[0]): [result.scores[0] or 0 for result in store.results(pairing)]
            for pairing in counted
        }
        return SoloStandings(game, tuple(players), scores)
    gains, means = dict[tuple[int, int], list[tuple[int, int]]](), dict[tuple[int, int], list[float]]()
    for pairing in counted:
        one, other = map(players.index, pairing.players)
        results = store.results(pairing)
        pairs = [_both(result) for result in results]
        gains[one, other] = pairs
        gains[other, one] = [(-second, -first) for first, second in pairs]
        told = [[score for score in result.scores if score is not None] for result in results]
        if all(len(both) == len(pairing.players) for both in told):
            means[one, other] = [fmean(both) for both in told]
            means[other, one] = [-mean for mean in means[one, other]]
    return Standings(game, tuple(players), gains, means)


def _both(result: PairResult) -> tuple[int, int]:
    first, second = result.gains
    return first, second


def share(counts: Counts) -> float | None:
    """Points per game; None without games."""
    return statistics.score(*counts) if any(counts) else None


def pair_scores(pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Points per game of each pair."""
    return [(2 + first + second) / 4 for first, second in pairs]


def _counted(counts: Counts) -> dict[str, Any]:
    wins, draws, losses = counts
    return {"games": sum(counts), "wins": wins, "draws": draws, "losses": losses, "score": share(counts)}
