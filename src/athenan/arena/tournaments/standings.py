"""The standings of a tournament: ratings, and the points of each player against each other one and by colour."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan import statistics
from athenan.arena.store import Pairing, PairResult, Store
from athenan.arena.tally import Counts, PairTally, counts_as_json, share
from athenan.statistics import Rating

ANCHORED = 1000.0
"""The rating of a player that others are rated against."""


@dataclass(frozen=True)
class Standings(ABC):
    """The results of a tournament: `DuelStandings` for two-player matches, `SoloStandings` for one-player matches."""

    game: str
    players: tuple[str, ...]
    remarks: tuple[str, ...] = field(default=(), kw_only=True)
    """The remarks of the players (`MatchRecord.remarks`), each once."""

    @property
    @abstractmethod
    def games(self) -> int:
        """The number of matches."""

    @property
    @abstractmethod
    def ranking(self) -> list[int]:
        """The players, the best first."""

    def as_json(self) -> dict[str, Any]:
        """The results as JSON data, the best player first; null if there are no matches."""
        players = [{"player": self.players[one], **self._player_as_json(one)} for one in self.ranking]
        found = {"game": self.game, "games": self.games, "confidence": statistics.CONFIDENCE, "players": players}
        return found | {"remarks": list(self.remarks)}

    @abstractmethod
    def _player_as_json(self, player: int) -> dict[str, Any]:
        """The results of a player."""


@dataclass(frozen=True)
class DuelStandings(Standings):
    """The results of the players of a tournament of two-player matches."""

    tallies: Mapping[tuple[int, int], PairTally]
    """tallies[i, j]: the results of player i against player j; tallies[j, i] follow from them."""
    anchor: str | None = field(default=None, kw_only=True)
    """The player whose rating is `ANCHORED`; None: the mean of all ratings is 0."""

    def tally(self, player: int, opponent: int) -> PairTally:
        """The results of a player against another one."""
        if (found := self.tallies.get((player, opponent))) is not None:
            return found
        return self.tallies.get((opponent, player), PairTally()).mirrored

    @property
    def _met(self) -> list[tuple[int, int]]:
        """Every two players that meet, in both orders."""
        return [both for one, other in self.tallies for both in ((one, other), (other, one))]

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self.tallies.values())

    def counts(self, player: int, opponent: int | None = None, colour: int | None = None) -> Counts:
        """Wins, draws and losses, against one opponent or all, with one colour (0: as first player) or both."""
        opponents = range(len(self.players)) if opponent is None else [opponent]
        found = [self.tally(player, other).counts(colour) for other in opponents]
        wins, draws, losses = map(sum, zip(*found, strict=True))
        return wins, draws, losses

    @property
    def points(self) -> NDArray[np.float64]:
        """The points of the row's player against the column's: float64[players, players]."""
        points = np.zeros((len(self.players), len(self.players)))
        for both in self._met:
            wins, draws, _ = self.tally(*both).counts()
            points[both] = wins + draws / 2
        return points

    @property
    def _ratios(self) -> NDArray[np.float64]:
        """The variance ratios of the players' pairs, for the ratings: float64[players, players]."""
        ratios = np.ones((len(self.players), len(self.players)))
        for both in self._met:
            if scores := self.tally(*both).pair_scores:
                ratios[both] = statistics.variance_ratio(scores, 2)
        return ratios

    @property
    def ratings(self) -> list[Rating] | None:
        """The ratings; None while matches do not connect all players."""
        try:
            if self.anchor is None:
                return statistics.bradley_terry(self.points, ratios=self._ratios)
            anchor = self.players.index(self.anchor)
            return statistics.bradley_terry(self.points, ratios=self._ratios, anchor=anchor, elo=ANCHORED)
        except ValueError:
            return None

    @property
    def superiority(self) -> NDArray[np.float64] | None:
        """The probabilities that the row's player is stronger than the column's; None if `ratings` is None."""
        try:
            return statistics.superiority(self.points, ratios=self._ratios)
        except ValueError:
            return None

    @property
    def ranking(self) -> list[int]:
        """The players, the best first: by rating, or by share of points while there are no ratings."""
        ratings = self.ratings

        def better_first(number: int) -> tuple[float, str]:
            level = ratings[number].elo if ratings else share(self.counts(number)) or 0
            return -round(level, 6), self.players[number]

        return sorted(range(len(self.players)), key=better_first)

    def as_json(self) -> dict[str, Any]:
        better, order = self.superiority, self.ranking
        met = [
            (one, other, self.tally(one, other))
            for place, one in enumerate(order)
            for other in order[place + 1 :]
            if self.tally(one, other).games
        ]
        pairings = [
            {
                "players": [self.players[one], self.players[other]], **_counted(tally.counts()),
                "interval": list(tally.interval()), **tally.final_scores_as_json(),
                "superiority": None if better is None else float(better[one, other]),
            }
            for one, other, tally in met
        ]  # fmt: skip
        return {**super().as_json(), "anchor": self.anchor, "pairings": pairings}

    def _player_as_json(self, player: int) -> dict[str, Any]:
        rating = self.ratings and self.ratings[player]
        return {
            "elo": rating and rating.elo, "elo_interval": rating and list(rating.interval),
            **_counted(self.counts(player)),
            "as_first": _counted(self.counts(player, colour=0)), "as_second": _counted(self.counts(player, colour=1)),
        }  # fmt: skip


@dataclass(frozen=True)
class SoloStandings(Standings):
    """The scores of a tournament in a one-player game; in JSON the bounds of a single match are null."""

    scores: Mapping[int, Sequence[int]]

    @property
    def games(self) -> int:
        return sum(map(len, self.scores.values()))

    @property
    def ranking(self) -> list[int]:
        """The players, the best mean score first."""
        return sorted(range(len(self.players)), key=lambda number: -fmean(self.scores[number] or [float("-inf")]))

    def _player_as_json(self, player: int) -> dict[str, Any]:
        scores = self.scores[player]
        return {
            "games": len(scores), "mean": fmean(scores) if scores else None,
            "interval": list(statistics.mean_interval(scores)) if len(scores) > 1 else None,
            "best": max(scores, default=None),
        }  # fmt: skip


def standings(store: Store, game: str, players: Sequence[str], counted: Sequence[Pairing]) -> Standings:
    """The results of the finished pairs of these pairings in the store. Raises StoreError."""
    if counted and len(counted[0].players) == 1:
        scores = {
            players.index(pairing.players[0]): [result.scores[0] or 0 for result in store.results(pairing)]
            for pairing in counted
        }
        return SoloStandings(game, tuple(players), scores)
    tallies = dict[tuple[int, int], PairTally]()
    for pairing in counted:
        one, other = map(players.index, pairing.players)
        tallies[one, other] = _tally(store.results(pairing))
    return DuelStandings(game, tuple(players), tallies)


def anchored(found: Standings, player: str | None) -> Standings:
    """The standings with ratings relative to a player, who has `ANCHORED` Elo points; None: relative to the mean."""
    return replace(found, anchor=player) if isinstance(found, DuelStandings) else found


def _tally(results: Sequence[PairResult]) -> PairTally:
    """The results of the first player of a pairing."""
    gains = [(first, second) for first, second in (result.gains for result in results)]
    told = [[score for score in result.scores if score is not None] for result in results]
    whole = all(len(scores) == 2 for scores in told)
    return PairTally(gains, [fmean(scores) for scores in told] if whole else None)


def _counted(counts: Counts) -> dict[str, Any]:
    return {"games": sum(counts), **counts_as_json(counts)}
