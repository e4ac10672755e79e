"""What a process does that learns what it plays: its orders, and what it answers (`learning.exchange`)."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.games.catalogue import known
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.deltas import Copy, Delta, News
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.sharing import SharedLearner
from athenan.learning.replay import Replay, make_replay
from athenan.learning.replay.divided import MemoryNews, shares
from athenan.learning.self_play.actors import SWITCH_SECONDS, Actor
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.work_log import Phase
from athenan.learning.workers import learnt_phase


@dataclass(frozen=True, eq=False)
class Begin:
    """The first job of a process: it becomes a copy of the learner that is saved, with a memory for each thread."""

    config: TrainingConfig
    heuristic: Any
    """The numbers of the heuristic, `Heuristic.as_json`."""
    seeds: tuple[int, int]
    """The random numbers of the process."""
    memories: dict[int, MemoryNews | None]
    """Its parts of the memory of replay, among `parts`; None: an empty one."""
    parts: int
    arrays: dict[str, NDArray[Any]]
    """The learner, `NativeLearner.as_arrays`."""
    version: int
    """The version of these, and the version of the news that follow."""


@dataclass(frozen=True, eq=False)
class LearningOrder:
    """An order to play and learn for some seconds."""

    seconds: float
    matches: int | None
    """How many matches to learn at most."""
    done: float | None
    """The share of the training that is over; None if that is not known."""
    news: News = field(repr=False)


@dataclass(frozen=True)
class Remember:
    """An order to say what the process remembers."""


Job = Begin | LearningOrder | Remember


@dataclass(frozen=True, eq=False)
class Learnt:
    """What a process has done for an order."""

    version: int
    """The version of the master's news that it has."""
    phases: list[list[Phase]] = field(default_factory=list)
    """The phases of each thread."""
    delta: Delta | None = None
    """What it has changed; None if it has not learnt."""
    spent: Spent = field(default_factory=Spent)
    memories: list[MemoryNews] | None = None
    """What each thread remembers, if that was asked for."""


def work(job: Job) -> Learnt:
    """Does a job, in a process of its own, which keeps its learner."""
    if isinstance(job, Begin):
        _KEPT[:] = [Learning(job)]
        return Learnt(job.version)
    return _KEPT[0].work(job) if isinstance(job, LearningOrder) else _KEPT[0].remember()


@dataclass(eq=False)
class _Thread:
    """An actor that learns its matches."""

    actor: Actor
    memory: Replay
    waiting: list[FinishedMatch] = field(default_factory=list)
    """Matches that wait for others of their phase."""
    sent: list[int] = field(default_factory=list)
    """The matches of the memory that the other side has."""

    def phases(self, learner: SharedLearner, size: int, left: int | None, end: float) -> Iterator[Phase]:
        """Plays and learns phases of `size` matches until the `end`, at most as many matches as are `left`."""
        while left is None or len(self.waiting) < left:
            match = self.actor.play(lambda: perf_counter() >= end)
            if match is None:
                return
            self.waiting.append(match)
            if len(self.waiting) == size:
                left = None if left is None else left - size
                yield self._learn(learner, size)
        if left:
            yield self._learn(learner, left)

    def _learn(self, learner: SharedLearner, count: int) -> Phase:
        matches, self.waiting = self.waiting[:count], self.waiting[count:]
        return learnt_phase(self.memory, learner, matches)

    def remember(self) -> MemoryNews:
        """What has changed in the memory since the last call."""
        news = MemoryNews.of(self.memory, self.sent)
        self.sent = news.numbers
        return news


class Learning:
    """Actors that learn their matches, one in each thread, with tables of this process."""

    def __init__(self, begin: Begin) -> None:
        threads, actors = len(begin.memories), begin.config.playing.actors
        self._config = begin.config.changed(run={"threads": 1}, playing={"actors": max(threads, actors)})
        components = Components(self._config, known(self._config.run.game), begin.heuristic)
        learner = components.learner(begin.arrays)
        assert isinstance(learner, NativeLearner), "layers of PyTorch have no deltas"
        learner.restore(begin.arrays)
        self.learner = learner
        self._shared, self._copy = SharedLearner(learner), Copy(learner, begin.version)
        self._threads = [self._thread(components, begin, number, part) for number, part in enumerate(begin.memories)]
        self._done: float | None = None
        if threads > 1:
            sys.setswitchinterval(SWITCH_SECONDS)

    def _thread(self, components: Components, begin: Begin, number: int, part: int) -> _Thread:
        share = shares(self._config.replay, begin.parts)[part % begin.parts]
        memory, news = make_replay(components.game, share, 0, part % begin.parts, begin.parts), begin.memories[part]
        memory.random = np.random.default_rng([*begin.seeds, number, 1])
        if news:
            news.take(memory)
        actor = components.seeded_actor(self.learner, [*begin.seeds, number], lambda: self._done, lambda: 0)
        return _Thread(actor, memory, sent=news.numbers if news else [])

    @property
    def _spent(self) -> Spent:
        return Spent.among([thread.actor.spent for thread in self._threads])

    def work(self, order: LearningOrder) -> Learnt:
        """Plays and learns for the seconds of an order."""
        self._done, self.learner.rate_left = order.done, self._config.learning.rate_left(order.done)
        self._copy.take(order.news)
        earlier, end = self._spent, perf_counter() + order.seconds

        def phases(number: int) -> list[Phase]:
            left = None if order.matches is None else (order.matches + number) // len(self._threads)
            size = self._config.learning.phase_matches
            return [*self._threads[number].phases(self._shared, size, left, end)]

        with ThreadPoolExecutor(len(self._threads)) as pool:
            found = [*pool.map(phases, range(len(self._threads)))]
        delta = self._copy.delta(sum(len(phase.losses) for own in found for phase in own))
        return Learnt(self._copy.version, _lightened(found), delta, self._spent - earlier)

    def remember(self) -> Learnt:
        """What the threads remember."""
        return Learnt(self._copy.version, memories=[thread.remember() for thread in self._threads])


def _lightened(phases: list[list[Phase]]) -> list[list[Phase]]:
    """The phases with the examples of their first match alone: observers need a match with its values now and then."""
    first = next((match for own in phases for phase in own for match in phase.matches), None)

    def light(match: FinishedMatch) -> FinishedMatch:
        return match if match is first else replace(match, examples=match.examples.take(np.arange(0)))

    return [[replace(phase, matches=[*map(light, phase.matches)]) for phase in own] for own in phases]


_KEPT: list[Learning] = []
"""The learner of this process, if it has one."""
