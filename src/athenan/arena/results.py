"""The results of series of matches: records with their statistics.

Two-player matches come in pairs: one opening, played twice with the colours exchanged. One player plays for scores.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from athenan import statistics
from athenan.arena.tally import Counts, PairTally, counts_as_json, finite
from athenan.games.catalogue import known
from athenan.play.cube import summary
from athenan.play.records import MatchRecord, RecordError
from athenan.report.page import tabled
from athenan.report.tables import Row, Table
from athenan.rules.game import Game
from athenan.settings import counted, shown


@dataclass(frozen=True, repr=False)
class Series(ABC):
    """Matches of one game between the same players: a `Duel` has two players, a `Solo` one."""

    game: str
    """The name of the game."""
    players: tuple[str, ...]
    """The names of the players. All results are from the first one's point of view."""
    seed: int
    matches: tuple[MatchRecord, ...] = ()

    @property
    def games(self) -> int:
        return len(self.matches)

    @property
    @abstractmethod
    def score(self) -> float:
        """Points per game (a win is 1, a draw 1/2), or the mean score of one player."""

    @abstractmethod
    def interval(self, confidence: float = statistics.CONFIDENCE) -> statistics.Interval:
        """The interval for the expected score; see `athenan.statistics`."""

    @abstractmethod
    def summary(self) -> str:
        """The result in one line."""

    def __repr__(self) -> str:
        told = self.summary() if self.matches else f"{self._title}: no games"
        return f"<{type(self).__name__} of {told}>"

    def _repr_html_(self) -> str:
        """The result as a table, which a notebook shows."""
        header, rows = self._rows() if self.matches else (("",), ())
        return tabled(Table(self._title, header, rows, self.summary() if self.matches else "no games"))

    @property
    def _title(self) -> str:
        return f"{' against '.join(self.players)} in {self.game}"

    @abstractmethod
    def _rows(self) -> tuple[Row, tuple[Row, ...]]:
        """The header and the rows of a table."""

    @abstractmethod
    def in_brief(self) -> str:
        """The result in a few words."""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """The statistics as JSON data: what `athenan match --json` prints."""

    def _common(self) -> dict[str, Any]:
        """The fields that all series have. `openings` and `distinct_games` count each opening and game once."""
        return {
            "openings": len({match.opening for match in self.matches}),
            "distinct_games": len({match.actions for match in self.matches}),
            **self.endings(),
            "forfeits": self.forfeits,
            "remarks": self.remarks,
        }

    def endings(self) -> dict[str, int]:
        """How many matches ended before the rules ended them: `resigned` and `adjudicated`."""
        return {
            "resigned": sum(match.resigned for match in self.matches),
            "adjudicated": sum(match.adjudicated for match in self.matches),
        }

    @property
    def forfeits(self) -> list[str]:
        """Why each forfeited match was lost: how a program failed, or that a player's clock ran out."""
        return [match.forfeit for match in self.matches if match.forfeit is not None]

    @property
    def remarks(self) -> list[str]:
        """The remarks of the players (`MatchRecord.remarks`), each once."""
        return list(dict.fromkeys(remark for match in self.matches for remark in match.remarks))

    def as_json(self) -> dict[str, Any]:
        """The series with all of its matches as JSON data."""
        return {
            "game": self.game, "players": list(self.players), "seed": self.seed,
            "matches": [match.as_json() for match in self.matches],
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Duel(Series):
    """Pairs of matches. `players[0]` begins the first match of each pair, `players[1]` the second."""

    @property
    def pairs(self) -> list[tuple[MatchRecord, MatchRecord]]:
        """The matches that share an opening."""
        return list(zip(self.matches[::2], self.matches[1::2], strict=True))

    @property
    def tally(self) -> PairTally:
        """The results of `players[0]`."""
        scores = [
            (first.score - second.score) / 2
            for first, second in self.pairs
            if first.score is not None and second.score is not None
        ]
        gains = [(first.outcome, -second.outcome) for first, second in self.pairs]
        return PairTally(gains, scores if len(scores) == len(gains) else None)

    def counts(self, colour: int | None = None) -> Counts:
        """Wins, draws and losses; with a colour only those as the first (0) or second (1) player."""
        return self.tally.counts(colour)

    @property
    def score(self) -> float:
        """Points per game: a win is 1, a draw 1/2."""
        return statistics.score(*self.counts())

    @property
    def pair_scores(self) -> list[float]:
        """Points per game of each pair."""
        return self.tally.pair_scores

    def interval(self, confidence: float = statistics.CONFIDENCE) -> statistics.Interval:
        """The interval for the expected points per game."""
        return self.tally.interval(confidence)

    @property
    def points(self) -> tuple[float, statistics.Interval] | None:
        """The mean final score per game with its 95% interval (Student's t, of pairs), if there are scores."""
        return self.tally.mean_final_score

    @property
    def cube(self) -> dict[str, int] | None:
        """How often the doubling cube was turned and how high it went, if there was one."""
        records = [match.cube for match in self.matches if match.cube]
        return summary(records) if records else None

    @property
    def p_value(self) -> float:
        """The probability of a result at least this unequal between equals, by pairs (two-sided sign test)."""
        scores = self.pair_scores
        return statistics.sign_test(sum(score > 0.5 for score in scores), sum(score < 0.5 for score in scores))

    def seconds_per_move(self, player: int) -> float:
        """Mean time in which a player, given by its position in `players`, selected an action."""
        return _mean_seconds([(match, number % 2 ^ player) for number, match in enumerate(self.matches)])

    def summary(self) -> str:
        """The result in one line."""
        (wins, draws, losses), (low, high) = self.counts(), self.interval()
        results = ", ".join((counted(wins, "win"), counted(draws, "draw"), counted(losses, "loss")))
        return (
            f"{self.players[0]} against {self.players[1]} in {self.game}: {results} in {counted(self.games, 'game')}; "
            f"{self.score:.1%} of points, 95% interval {low:.1%} to {high:.1%}"
        )

    def forfeits_of(self, player: int) -> list[str]:
        """Why a player, given by its position in `players`, forfeited matches."""
        return [
            match.forfeit for number, match in enumerate(self.matches)
            if match.forfeit is not None and (match.outcome == -1) == (number % 2 == player)
        ]  # fmt: skip

    def in_brief(self) -> str:
        """The counts, how many of them are forfeits, and the interval."""
        (wins, draws, losses), (low, high) = self.counts(), self.interval()
        lost, won = (f" ({len(found)} by forfeit)" if (found := self.forfeits_of(one)) else "" for one in (0, 1))
        counts = f"{wins} won{won}, {draws} drawn, {losses} lost{lost}"
        return f"{counts}, {self.score:.1%} of points [{low:.1%}, {high:.1%}]"

    def report(self) -> dict[str, Any]:
        """The statistics as JSON data; infinite Elo differences and bounds are null."""
        lengths = [len(match.plies) for match in self.matches]
        interval = self.interval()
        elo = [statistics.elo_difference(score) for score in (self.score, *interval)]
        return {
            "game": self.game, "player": self.players[0], "opponent": self.players[1], "seed": self.seed,
            "games": self.games, **counts_as_json(self.counts()), "interval": list(interval),
            "confidence": statistics.CONFIDENCE,
            "elo": finite(elo)[0], "elo_interval": finite(elo)[1:], "p_value": self.p_value,
            **self.tally.final_scores_as_json(),
            "as_first": counts_as_json(self.counts(0)), "as_second": counts_as_json(self.counts(1)),
            "length": {"mean": fmean(lengths), "least": min(lengths), "most": max(lengths)},
            "seconds_per_move": {"player": self.seconds_per_move(0), "opponent": self.seconds_per_move(1)},
            **({"cube": self.cube} if self.cube else {}),
            **self._common(),
        }  # fmt: skip

    def _rows(self) -> tuple[Row, tuple[Row, ...]]:
        sides = {"as first player": 0, "as second player": 1, "all": None}
        counted = {name: self.counts(colour) for name, colour in sides.items()}
        rows = (
            (name, *map(str, (sum(counts), *counts)), f"{statistics.score(*counts):.1%}")
            for name, counts in counted.items()
        )
        return (self.players[0], "games", "wins", "draws", "losses", "points"), tuple(rows)


@dataclass(frozen=True, repr=False)
class Solo(Series):
    """Matches that one player played alone."""

    @property
    def scores(self) -> list[int]:
        """The score of each match; 0 if the player resigned."""
        return [match.score or 0 for match in self.matches]

    @property
    def score(self) -> float:
        """The mean score."""
        return fmean(self.scores)

    @property
    def best(self) -> MatchRecord:
        """The first match with the best score."""
        return max(self.matches, key=lambda match: match.score or 0)

    def interval(self, confidence: float = statistics.CONFIDENCE) -> statistics.Interval:
        """The interval for the expected score."""
        return statistics.mean_interval(self.scores, confidence)

    @property
    def best_moves(self) -> str:
        """The actions of the best match in the game's notation."""
        return known(self.game).moves(self.best.actions)

    @property
    def seconds_per_move(self) -> float:
        """Mean time used to select an action."""
        return _mean_seconds([(match, 0) for match in self.matches])

    def summary(self) -> str:
        """The result in one line."""
        low, high = self.interval()
        return (
            f"{self.players[0]} in {self.game}: mean score {self.score:.1f}, 95% interval {low:.1f} to {high:.1f}, "
            f"best {max(self.scores)}, {counted(self.games, 'game')}"
        )

    def in_brief(self) -> str:
        """Mean with its interval, and best score."""
        low, high = self.interval()
        return f"mean score {self.score:.1f} [{low:.1f}, {high:.1f}], best {max(self.scores)}"

    def _rows(self) -> tuple[Row, tuple[Row, ...]]:
        row = (self.players[0], str(self.games), f"{self.score:.1f}", f"{median(self.scores):g}", str(max(self.scores)))
        return ("player", "games", "mean score", "median", "best"), (row,)

    def report(self) -> dict[str, Any]:
        """The statistics as JSON data; the bounds of a single game's interval are null."""
        return {
            "game": self.game, "player": self.players[0], "seed": self.seed, "games": self.games,
            "mean": self.score, "interval": finite(self.interval()),
            "confidence": statistics.CONFIDENCE,
            "median": median(self.scores), "least": min(self.scores), "best": max(self.scores),
            "best_moves": self.best_moves, "scores": self.scores, "seconds_per_move": self.seconds_per_move,
            **self._common(),
        }  # fmt: skip


def _mean_seconds(sides: list[tuple[MatchRecord, int]]) -> float:
    """Mean time to select an action, of one side of each match."""
    seconds = [ply.seconds or 0.0 for match, side in sides for ply in match.selected(side)]
    return sum(seconds) / max(1, len(seconds))


def of_players(game: Game, players: tuple[str, ...], seed: int, matches: tuple[MatchRecord, ...] = ()) -> Series:
    """The series of one or two players."""
    return (Solo if game.players == 1 else Duel)(game.name, players, seed, matches)


def from_json(data: Any, game: Game) -> Series:
    """Reads the data that `Series.as_json` made for a series of this game. Raises RecordError if it is not valid."""
    if not isinstance(data, dict) or set(data) != {"game", "players", "seed", "matches"}:
        raise RecordError(f"a series must be an object of game, matches, players, seed, not {shown(data)}")
    players, seed, matches = data["players"], data["seed"], data["matches"]
    if data["game"] != game.name:
        raise RecordError(f"a series of {game.name} was expected, not one of {shown(data['game'])}")
    if not isinstance(players, list) or [type(name) for name in players] != [str] * game.players:
        raise RecordError(f"players of a series of {game.name} must be {game.players} names, not {shown(players)}")
    if type(seed) is not int or not isinstance(matches, list) or len(matches) % game.players:
        raise RecordError("a series must have a whole number as its seed, and matches, which two players play in pairs")
    records = tuple(MatchRecord.from_json(match, game) for match in matches)
    for number, match in enumerate(records):
        wanted = tuple(players if number % 2 == 0 else players[::-1])
        if match.players != wanted:
            raise RecordError(f"match {number + 1} must be of {' and '.join(wanted)}, not of {shown(match.players)}")
    return of_players(game, tuple(players), seed, records)


_CAUSES = {
    "time": ("the clock of", "did not answer within"), "an illegal action": ("not legal", "not a legal"),
    "a crash": ("has ended",), "a refusal": ("refuses",),
}  # fmt: skip
"""Cause of a forfeit -> words of the reasons that players give."""


def cause_of(forfeit: str) -> str:
    """What a forfeit is due to, in a few words.

    >>> cause_of("gtp:x answered 'z9', which is not legal"), cause_of("gtp:x sends a line without an end")
    ('an illegal action', 'another failure')
    """
    return next((name for name, words in _CAUSES.items() if any(one in forfeit for one in words)), "another failure")


def causes_of(forfeits: Sequence[str]) -> str:
    """How often each cause led to a forfeit, in words, the most frequent first.

    >>> causes_of(["a has ended", "the clock of a ran out", "a has ended, with status 1"])
    '2 by a crash, 1 by time'
    """
    return ", ".join(f"{count:,} by {name}" for name, count in Counter(map(cause_of, forfeits)).most_common())
