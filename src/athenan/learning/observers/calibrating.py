"""Learns win chances during a training, from matches that its network plays against itself without exploration.

Matches of self-play are unsuitable: they explore, so their results say less than the values before them
(docs/algorithms/chances.md has the errors of both in Connect Four).
"""

from collections import deque
from collections.abc import Iterator
from time import perf_counter

from athenan.arena.calibrating import own_matches, samples_of
from athenan.evaluation.calibration import Samples, learnt_chances
from athenan.files.file_match import FileMatch
from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.rules.terminal import TerminalValue
from athenan.runs.checkpoint import Checkpoint, RunDirectory
from athenan.search.budget import Budget
from athenan.search.named import make_search
from athenan.search.settings import SearchSettings

_SHARE = 0.03
"""The share of the time of a training that its own matches may take."""
_FIRST = 30.0
"""Seconds of training before the first match: earlier networks know little."""
_MOST = 500
"""How many of the latest matches count. Earlier ones were played by other networks."""
_EVERY = 10
"""Matches after which the table is learnt again."""
_LIMIT = Budget(seconds=0.02)
"""Limit of an action; less if the training searches for a shorter time."""
_MEMORY = 256 << 20


class Calibrating(Observer):
    """Notes the win chances of a training's network in its progress."""

    def __init__(
        self, game: Game, search: SearchSettings, evaluator: PlayingEvaluator, heuristic: TerminalValue, action: Budget
    ) -> None:
        """`search` and `action` are the training's; `evaluator` is one of the training's, free between phases."""
        self._game, self._search = game, search.for_play()
        self._evaluator, self._heuristic = evaluator, heuristic
        seconds = min(_LIMIT.seconds or 0, action.seconds or _LIMIT.seconds or 0)
        self._limit = Budget(seconds, action.iterations, action.evaluations)
        self._samples = deque[Samples](maxlen=_MOST)
        self._matches: Iterator[FileMatch] | None = None
        self._seed, self._played, self._spent = 0, 0, 0.0

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Starts the clock; a training that goes on plays other matches than before."""
        self._began = perf_counter()
        self._seed = checkpoint.document["progress"]["matches"]

    def phase(self, progress: Progress) -> None:
        """Plays a match if the share of the time allows it."""
        before = perf_counter()
        if before < self._began + _FIRST or self._spent > _SHARE * (before - self._began):
            return
        self._evaluator.refresh()
        self._matches = self._matches or self._own_matches()
        self._samples.append(samples_of([next(self._matches)], first=self._played))
        self._played += 1
        if self._played % _EVERY == 0:
            progress.chances = learnt_chances(Samples.joined(list(self._samples))) or progress.chances
        self._spent += perf_counter() - before

    def _own_matches(self) -> Iterator[FileMatch]:
        search = make_search(self._game, self._evaluator, self._heuristic, self._search, memory=_MEMORY)
        return own_matches(self._game, SearchPlayer("the network", search), self._limit, self._seed)
