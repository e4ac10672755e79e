"""Actors: self-play in several threads, so that playing uses the cores that learning leaves free.

Each actor has its own search trees and its own copy of the network. The first plays in the thread of the caller, the
others in threads of their own. An actor that has finished a match waits until the match is taken, so that actors do not
run ahead of learning. The network's operators and the compiled kernels release Python's lock.
"""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from statistics import fmean
from threading import Event
from types import TracebackType
from typing import Self

from athenan.evaluation.evaluator import Evaluator
from athenan.learning.self_play.by_policy import ExpertIteration
from athenan.learning.self_play.by_search import FinishedMatch, SelfPlay
from athenan.learning.self_play.by_turns import TurnPlay
from athenan.learning.self_play.determinized import DeterminizedPlay

_SWITCH_SECONDS = 0.0005  # Python's switch interval: less than the time of a native call


class Actor:
    """One part of self-play: matches in the slots of one search, played by one thread at a time."""

    def __init__(
        self, self_play: SelfPlay | ExpertIteration | TurnPlay | DeterminizedPlay, evaluator: Evaluator
    ) -> None:
        """`evaluator` is that of the search of `self_play`."""
        self.search = self_play.search
        self.evaluator = evaluator
        self.network_seconds = 0.0
        """Time spent evaluating states; like the next ones, it is updated when `play` ends."""
        self.search_seconds = 0.0
        """The other time spent playing: the trees and the rules."""
        self.evaluations = 0
        """States evaluated."""
        self.batches = 0
        """Batches of states evaluated together."""
        self.cut_short = 0
        """Searches that ended early because their tree was full."""
        self.self_play = self_play

    def play(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`. The next call continues the matches in play."""
        began, evaluating = time.perf_counter(), self.search.evaluation_seconds
        match = self.self_play.next_match(interrupted)
        network_seconds = self.search.evaluation_seconds - evaluating
        self.network_seconds += network_seconds
        self.search_seconds += time.perf_counter() - began - network_seconds
        self.evaluations, self.batches = self.search.evaluations, self.search.batches
        self.cut_short = self.search.cut_short
        return match


class Actors:
    """Actors that play together, from `with` to its end, which interrupts them."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self._all = actors
        self._first, *self._others = actors
        self._end = Event()

    @property
    def evaluations(self) -> int:
        """States evaluated."""
        return sum(actor.evaluations for actor in self._all)

    @property
    def batches(self) -> int:
        """Batches of states evaluated together."""
        return sum(actor.batches for actor in self._all)

    @property
    def cut_short(self) -> int:
        """Searches that ended early because their tree was full."""
        return sum(actor.cut_short for actor in self._all)

    @property
    def network_seconds(self) -> float:
        """Seconds spent evaluating states, the mean of the actors."""
        return fmean(actor.network_seconds for actor in self._all)

    @property
    def search_seconds(self) -> float:
        """The other seconds spent playing, the mean of the actors."""
        return fmean(actor.search_seconds for actor in self._all)

    def renew(self) -> None:
        """Lets all actors go on with the present network."""
        for actor in self._all:
            actor.evaluator.refresh()

    def next_match(self, interrupted: Callable[[], bool], ready: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None if `interrupted`.

        Matches of other actors than the first are taken only when the caller is `ready` for them.
        Raises the errors of the other actors' threads.
        """
        while not interrupted():
            if self._waiting() and ready():
                return self._take()
            if match := self._first.play(lambda: interrupted() or (self._waiting() and ready())):
                return match
        return None

    def _begin(self, actor: Actor) -> None:
        self._matches[self._threads.submit(actor.play, self._end.is_set)] = actor

    def _waiting(self) -> bool:
        """Whether another actor has finished a match, or failed."""
        return any(map(Future.done, self._matches))

    def _take(self) -> FinishedMatch | None:
        """The match of another actor, which then begins its next one; among several, the one that began first."""
        finished = next(filter(Future.done, self._matches))
        match = finished.result()
        self._begin(self._matches.pop(finished))
        return match

    def __enter__(self) -> Self:
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._threads = ThreadPoolExecutor(len(self._others) or 1)
        self._matches: dict[Future[FinishedMatch | None], Actor] = {}
        for actor in self._others:
            self._begin(actor)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end.set()
        self._threads.shutdown()
        sys.setswitchinterval(self._interval)
