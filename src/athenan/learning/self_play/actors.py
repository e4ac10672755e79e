"""Actors: self-play in several threads, so that playing uses the cores that learning leaves free.

Each actor has its own search trees, and its own copy of the network. On a GPU all share one copy if that is faster
(`shared_evaluator`). The first plays in the thread of the caller, the others in threads of their own. An actor that has
finished a match waits until the match is taken, so that actors do not run ahead of learning. Meanwhile the first actor
checks more often whether it is interrupted. The network's operators and the compiled kernels release Python's lock.
"""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import Event
from types import TracebackType
from typing import Self

from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.learning.self_play.protocol import FinishedMatch, SelfPlay, Spent
from athenan.learning.self_play.shared_evaluator import SharedEvaluator

SWITCH_SECONDS = 0.0005
"""Python's switch interval where several threads play: less than the time of a native call."""


class Actor:
    """One part of self-play, played by one thread at a time."""

    def __init__(self, self_play: SelfPlay, evaluator: PlayingEvaluator) -> None:
        """`evaluator` is the evaluator of `self_play`."""
        self.self_play = self_play
        self.evaluator = evaluator
        self._playing: AbstractContextManager[object] = (
            evaluator if isinstance(evaluator, SharedEvaluator) else nullcontext()
        )
        self.spent = Spent()
        """What was spent until `play` last ended."""

    def play(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None if `interrupted`. The next call continues the matches in play."""
        began, before = time.perf_counter(), self.spent
        with self._playing:
            match = self.self_play.next_match(interrupted)
        spent = self.self_play.spent
        others = time.perf_counter() - began - (spent.network_seconds - before.network_seconds)
        self.spent = replace(spent, search_seconds=before.search_seconds + others)
        return match


def refresh(actors: Sequence[Actor]) -> None:
    """Lets actors go on with the present network."""
    for evaluator in dict.fromkeys(actor.evaluator for actor in actors):
        evaluator.refresh()


class Actors:
    """Actors that play together, from `with` to its end, which interrupts them."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self._all = actors
        self._first, *self._others = actors
        self._end = Event()

    @property
    def spent(self) -> Spent:
        """What all actors have spent: sums of counts, and means of seconds."""
        return Spent.among([actor.spent for actor in self._all])

    def begun(self) -> bool:
        """Whether somebody plays."""
        return True

    def renew(self) -> None:
        """Lets all actors go on with the present network."""
        refresh(self._all)

    def next_match(self, interrupted: Callable[[], bool], ready: Callable[[], bool]) -> FinishedMatch | None:
        """The next finished match; None if `interrupted`.

        Matches of other actors than the first are taken only when the caller is `ready` for them.
        Raises the errors of the other actors' threads.
        """
        while not interrupted():
            self._first.self_play.hurry(False)  # an actor that ends now may undo this
            if self._waiting():
                self._first.self_play.hurry(True)
            if self._waiting() and ready():
                return self._take()
            if match := self._first.play(lambda: interrupted() or (self._waiting() and ready())):
                return match
        return None

    def _begin(self, actor: Actor) -> None:
        playing = self._threads.submit(actor.play, self._end.is_set)
        self._matches[playing] = actor
        playing.add_done_callback(lambda _: self._first.self_play.hurry(True))

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
        sys.setswitchinterval(SWITCH_SECONDS)
        self._threads = ThreadPoolExecutor(len(self._others) or 1)
        self._matches: dict[Future[FinishedMatch | None], Actor] = {}
        for actor in self._others:
            self._begin(actor)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end.set()
        self._threads.shutdown()
        sys.setswitchinterval(self._interval)
