"""Measurements of strength during a training: matches of the network, with a short search, at intervals."""

from collections.abc import Iterator
from statistics import fmean
from time import perf_counter

from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.learning.config import StrengthSettings
from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import ALONE, Measurement, Progress
from athenan.play.player import Player
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import TerminalValue
from athenan.runs.checkpoint import Checkpoint, RunDirectory
from athenan.search.algorithms.best_first import Ubfm, evaluating_as
from athenan.search.budget import Budget
from athenan.search.named import make_search
from athenan.search.settings import SearchSettings
from athenan.search.trees.planting import PLAYER_MEMORY

_ITERATIONS = 50
_SHARE = 1 / 10  # share of the time between measurements, and of the whole training, that measurements may take


class Strength:
    """Measures the network by the settings against an opponent; in a one-player game it plays alone.

    It plays with one iteration of UBFM, by the values of children or of actions. A training whose search evaluates the
    state alone has neither, and one iteration would tell nothing about the actions. Then it plays with some iterations
    of that search.
    """

    def __init__(self, settings: StrengthSettings, game: Game, search: SearchSettings = Ubfm()) -> None:
        """`search` is the training's. Raises PlayerError if there is no such player, or it is a person."""
        self.settings = settings
        self.search: SearchSettings
        if search.sees_actions:
            self.search, self.iterations = evaluating_as(search), 1
        else:
            self.search, self.iterations = search.for_play(), _ITERATIONS
        self.game = game
        self._opponent = opponent(settings, game)
        self.begin()

    def begin(self) -> None:
        """Starts the clock when the training begins or continues."""
        self._due = perf_counter() + self.settings.seconds

    @property
    def due(self) -> bool:
        """Whether it is time for a measurement."""
        return self.settings.seconds > 0 and perf_counter() >= self._due

    def when_due(self, evaluate: Evaluate, heuristic: TerminalValue, matches: int) -> Measurement | None:
        """A measurement of the network after `matches` matches, if one is due."""
        if not self.due:
            return None
        began = perf_counter()
        measured = self.measure(evaluate, heuristic, matches)
        now = perf_counter()
        self._due = now + max(self.settings.seconds, (now - began) * (1 / _SHARE - 1))
        return measured

    def measure(self, evaluate: Evaluate, heuristic: TerminalValue, matches: int) -> Measurement:
        """A measurement of at least two games. `matches`, the number of matches so far, gives the seed."""
        search = make_search(self.game, evaluate, heuristic, self.search, memory=PLAYER_MEMORY)
        player = SearchPlayer("the network", search, Budget(iterations=self.iterations))
        games, seed = self.settings.games, matches * self.settings.games
        if self._opponent is None:
            scores = [
                play_series(self.game, [player], 1, seed=seed + number).score for number in self._numbers(2, games)
            ]
            return Measurement(ALONE, matches, fmean(scores), len(scores), int(max(scores)))
        pairs = [
            play_series(self.game, [player, self._opponent], games=2, seed=seed + number).score
            for number in self._numbers(1, games // 2)
        ]
        return Measurement(self.settings.opponent, matches, fmean(pairs), 2 * len(pairs))

    def _numbers(self, least: int, most: int) -> Iterator[int]:
        """Numbers from 0 up to `most`. From `least` on they end when the time of a measurement is over."""
        end = perf_counter() + self.settings.seconds * _SHARE
        for number in range(most):
            if number >= least and perf_counter() >= end:
                return
            yield number


class Measuring(Observer):
    """Measures the strength of a training's network when it is due."""

    def __init__(self, strength: Strength, evaluator: PlayingEvaluator, heuristic: TerminalValue) -> None:
        """`evaluator` is one of the training's, which is free between phases."""
        self._strength, self._evaluator, self._heuristic = strength, evaluator, heuristic

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Starts the clock of measurements."""
        self._strength.begin()

    def phase(self, progress: Progress) -> None:
        """Measures the network, if that is due, and notes the measurement in the progress."""
        if self._strength.due:
            self._evaluator.refresh()  # nobody else does if other processes play
            measured = self._strength.when_due(self._evaluator, self._heuristic, progress.matches)
            progress.measurement = measured or progress.measurement


def opponent(settings: StrengthSettings, game: Game) -> Player | None:
    """The player that the network is measured against; None in a one-player game. Raises PlayerError.

    Commands are refused as opponents: the settings may come from a run that somebody else has made.
    """
    return make_player(settings.opponent, game, people=False, named=False) if game.players == 2 else None
