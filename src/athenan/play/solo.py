"""Matches of one player, and the scores that came of them.

>>> from athenan import make
>>> from athenan.play.player import MctsPlayer, RandomPlayer
>>> from athenan.play.solo import play_alone
>>> from athenan.search.mcts import MctsSettings
>>> game = make("morpion:4D")
>>> result = play_alone(game, MctsPlayer(MctsSettings(rollouts=50)), games=4)
>>> result.mean > play_alone(game, RandomPlayer(), games=20).mean
True
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean, median
from typing import Any

from athenan.play import statistics
from athenan.play.match import MatchRecord, play_match, spread
from athenan.play.openings import Opening, random_openings
from athenan.play.player import Player
from athenan.rules.game import Game, GameError
from athenan.rules.randomness import streams


@dataclass(frozen=True)
class SoloResult:
    """Matches that `player` played alone."""

    game: Game
    player: str
    seed: int
    matches: tuple[MatchRecord, ...]
    scores: tuple[int, ...]
    """Of each match."""

    @property
    def games(self) -> int:
        return len(self.matches)

    @property
    def mean(self) -> float:
        return fmean(self.scores)

    @property
    def best(self) -> int:
        return max(self.scores)

    @property
    def best_moves(self) -> str:
        """The actions of the first match with the best score."""
        return self.game.moves(self.matches[self.scores.index(self.best)].actions)

    def interval(self, confidence: float = 0.95) -> statistics.Interval:
        """The interval for the expected score; see `athenan.play.statistics`."""
        return statistics.mean_interval(self.scores, confidence)

    @property
    def seconds_per_move(self) -> float:
        """Mean time used to select an action."""
        return sum(match.seconds[0] for match in self.matches) / max(
            1, sum(match.selected[0] for match in self.matches)
        )

    def summary(self) -> str:
        """The result in one line."""
        low, high = self.interval()
        return (
            f"{self.player} at {self.game.name}: mean score {self.mean:.1f}, 95% interval {low:.1f} to {high:.1f}, "
            f"best {self.best}, {self.games} games"
        )

    def as_json(self) -> dict[str, Any]:
        """The result as JSON takes it; the interval of a single game is of nulls."""
        return {
            "game": self.game.name, "player": self.player, "seed": self.seed, "games": self.games,
            "mean": self.mean, "interval": [end if isfinite(end) else None for end in self.interval()],
            "confidence": 0.95, "median": median(self.scores), "least": min(self.scores), "best": self.best,
            "best_moves": self.best_moves, "scores": list(self.scores), "seconds_per_move": self.seconds_per_move,
            "openings": len({match.actions[: match.opening] for match in self.matches}),
            "distinct_games": len({match.actions for match in self.matches}),
        }  # fmt: skip


def play_alone(
    game: Game,
    player: Player,
    games: int = 100,
    openings: Sequence[Opening] | None = None,
    random_opening: int = 1,
    seed: int = 0,
    progress: Callable[[SoloResult], None] | None = None,
    more: Sequence[Player] = (),
) -> SoloResult:
    """Plays `games` matches of a game of one player, and says how high it scores.

    Everything is as in `play_matches`, but that an opening is played once. Raises GameError if the game has two
    players or there is no match to play.
    """
    if game.players != 1:
        raise GameError(f"{game.name} has two players; nobody plays it alone")
    if games < 1:
        raise GameError(f"the number of games must be at least 1, not {games}")
    if openings is not None and not openings:
        raise GameError("the list of openings is empty")
    openings = random_openings(game, random_opening, games, seed) if openings is None else openings
    seeds = streams(seed, games)

    def play_one(one: Player, number: int) -> MatchRecord:
        return play_match(game, (one, one), openings[number % len(openings)], int(seeds[number]))

    result = SoloResult(game, player.name, seed, (), ())
    for match in spread(play_one, [player, *more], games):
        scores = (*result.scores, game.score(game.after(game.moves(match.actions))))
        result = SoloResult(game, player.name, seed, (*result.matches, match), scores)
        if progress:
            progress(result)
    return result
