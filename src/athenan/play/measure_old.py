"""Measurements of strength during a training."""

from collections.abc import Iterator
from statistics import fmean
from time import perf_counter

import numpy as np

from athenan.evaluation.evaluator import Evaluator
from athenan.learning.display import ALONE, Evaluation
from athenan.learning.trainer import Measure
from athenan.play.roster import make_player
from athenan.play.search_player import SearchPlayer
from athenan.play.series import play_series
from athenan.rules.game import Game
from athenan.rules.terminal import TerminalValue
from athenan.search.budget import Budget
from athenan.search.search import Search

_MEMORY = 1 << 30
_ONCE = Budget(iterations=1)


def measure_against(opponent: str, games: int, game: Game, seconds: float = np.inf) -> Measure:
    """A measurement of strength during training: matches of a search of one iteration against a player of `game`.

    In a game of one player it plays alone, and there is no opponent. Plays fewer games, at least two, if they take
    longer than `seconds`. Raises PlayerError if there is no such player, or if it is a person.
    """
    if game.players == 1:
        return _measure_alone(games, seconds)
    other = make_player(opponent, game, people=False)

    def measure(game: Game, evaluate: Evaluator, heuristic: TerminalValue, matches: int) -> Evaluation:
        player = SearchPlayer("the network", Search(game, evaluate, heuristic, memory=_MEMORY), _ONCE)
        pairs = [
            play_series(game, [player, other], games=2, seed=matches * games + number).score
            for number in _numbers(1, games // 2, seconds)
        ]
        return Evaluation(opponent, matches, fmean(pairs), 2 * len(pairs))

    return measure


def _measure_alone(games: int, seconds: float) -> Measure:
    def measure(game: Game, evaluate: Evaluator, heuristic: TerminalValue, matches: int) -> Evaluation:
        player = SearchPlayer("the network", Search(game, evaluate, heuristic, memory=_MEMORY), _ONCE)
        scores = [
            play_series(game, [player], 1, seed=matches * games + number).score
            for number in _numbers(2, games, seconds)
        ]
        return Evaluation(ALONE, matches, fmean(scores), len(scores), int(max(scores)))

    return measure


def _numbers(least: int, most: int, seconds: float) -> Iterator[int]:
    """0, 1, ... below `most`; beyond `least` only until the seconds are over."""
    end = perf_counter() + seconds
    for number in range(most):
        if number >= least and perf_counter() >= end:
            return
        yield number
