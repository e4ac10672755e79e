"""Learners in several processes, of this machine or of a Ray cluster, that exchange what has changed.

Each process plays matches and learns them, with a part of the memory of replay. It gets orders to do so for some
seconds. Then it sends how its tables have changed, and gets what others have changed (`learner.deltas`). This process
merges the changes into the tables that are saved. If a process dies, only what it has learnt since it last sent is
lost. Another takes its place, and begins with the present tables and an empty memory.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from threading import Event
from time import perf_counter
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from athenan.games.catalogue import known
from athenan.jobs import Machines, dialogue
from athenan.jobs.dialogue import Dialogue
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.deltas import Copy, Delta, Master, News
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.learning.learner.sharing import SharedLearner
from athenan.learning.replay import make_replay
from athenan.learning.replay.divided import shares
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.workers import Phase, Work, learnt_phase
from athenan.rules.randomness import streams

_TICK = 0.02
"""Seconds after which this process looks whether the training is over."""


@dataclass(frozen=True)
class Left:
    """What is left of a training; None: no limit."""

    seconds: float | None
    matches: int | None
    done: float | None
    """The share of the training that is over; None if that is not known."""

    @property
    def over(self) -> bool:
        """Whether the training is over."""
        return self.matches == 0 or (self.seconds is not None and self.seconds <= 0)


@dataclass(frozen=True, eq=False)
class Begin:
    """The first job of a process: it becomes a copy of the learner that is saved."""

    config: TrainingConfig
    heuristic: Any
    """The numbers of the heuristic, `Heuristic.as_json`."""
    seeds: tuple[int, int]
    """The random numbers of the process."""
    part: int
    """Its part of the memory of replay, among `parts`."""
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
    news: News = field(repr=False)


@dataclass(frozen=True, eq=False)
class Learnt:
    """What a process has done for an order."""

    phases: list[Phase]
    delta: Delta | None
    """What it has changed; None after its first job."""
    version: int
    spent: Spent


class Learners(Work):
    """The processes, from `with` to its end, which ends them. A thread of this process answers them."""

    def __init__(
        self,
        components: Components,
        machines: Machines,
        learner: NativeLearner,
        seed: int,
        left: Callable[[], Left],
        learnt: Callable[[int, Phase], None],
    ) -> None:
        """`left` is asked by the thread, which tells `learnt` the phases of each process by its number.

        Raises JobError if there is no such cluster.
        """
        super().__init__()
        self._components, self._learner, self._seed = components, learner, seed
        self._left, self._learnt = left, learnt
        self._master = Master(learner)
        self._numbers = count()
        self._dialogue: Dialogue[Begin | LearningOrder, Learnt] = dialogue(work, machines, self._first)
        self._parts = self._dialogue.room
        self._idle = dict[Any, int]()  # processes that wait for an order, and the version that they have
        self._ordered = dict[Any, int | None]()  # the matches that a process may still learn
        self._number = dict[Any, int]()
        self._ready, self._may_begin = Event(), Event()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        """What all processes have spent: sums of counts, and means of seconds."""
        return self._spent

    @property
    def size(self) -> int:
        """How many processes play."""
        return max(1, self._dialogue.size)

    def begun(self) -> bool:
        """Whether a process is ready to play; waits a moment for one. Raises JobError if they die in a row."""
        if self._working[0].done():
            self._working[0].result()
        return self._ready.wait(_TICK)

    def phases(self, seconds: float) -> Iterator[list[Phase]]:
        """See `Work`. Nobody plays before this is called."""
        self._may_begin.set()
        return super().phases(seconds)

    def _first(self) -> Begin:
        number, numbers = next(self._numbers), self._components.heuristic.as_json()
        return Begin(
            self._components.config, numbers, (self._seed, number), number % self._parts, self._parts,
            self._learner.as_arrays(), self._master.version,
        )  # fmt: skip

    def _serve(self) -> None:
        """Answers processes until the training is over."""
        with self._dialogue as processes:
            while not self._stopped.is_set():
                over = self._may_begin.is_set() and self._left().over
                if over and not self._ordered:
                    return
                if not over:
                    processes.fill()
                for process, learnt in processes.answers(_TICK):
                    self._take(process, learnt)
                self.processes, self.lost = processes.size, processes.deaths
                if self._may_begin.is_set():
                    self._give_orders()

    def _give_orders(self) -> None:
        """Gives orders to processes that wait for one, as far as anything is left to do."""
        for process, version in [*self._idle.items()]:
            left = self._left()
            matches = self._share(left.matches)
            if left.over or matches == 0:
                return
            seconds = min(self._components.config.playing.renewal, inf if left.seconds is None else left.seconds)
            del self._idle[process]
            self._ordered[process] = matches
            self._dialogue.reply(process, LearningOrder(seconds, matches, left.done, self._master.news(version)))

    def _share(self, left: int | None) -> int | None:
        """The matches that the next process may learn, so that all together learn no more than are left."""
        if left is None:
            return None
        free = left - sum(matches or 0 for matches in self._ordered.values())
        return -(-free // self.size)

    def _take(self, process: Any, learnt: Learnt | None) -> None:
        """Merges what a process has learnt; None if it has died."""
        self._ordered.pop(process, None)
        if learnt is None:
            self._idle.pop(process, None)
            self._number.pop(process, None)
            return
        if learnt.delta:
            with self._gate.passed():
                self._merge(process, learnt.delta, learnt)
            for phase in learnt.phases:
                self._finished.put(phase)
        self._idle[process] = learnt.version
        self._ready.set()

    def _merge(self, process: Any, delta: Delta, learnt: Learnt) -> None:
        try:
            self._master.merge(delta, self.size)
        except BaseException as error:
            self._harm = error
            raise
        self._spent += Spent.among([learnt.spent, *[Spent()] * (self.size - 1)])
        for phase in learnt.phases:
            self._learnt(self._number_of(process), phase)
            self._noted += 1

    def _number_of(self, process: Any) -> int:
        """The number of a process, the lowest that no other living one has."""
        if process not in self._number:
            taken = set(self._number.values())
            self._number[process] = next(number for number in count() if number not in taken)
        return self._number[process]

    def __enter__(self) -> Self:
        self._threads = ThreadPoolExecutor(1)
        self._working: list[Future[None]] = [self._threads.submit(self._serve)]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopped.set()
        self._threads.shutdown()


def require_exchange(config: TrainingConfig, learner: Learner) -> NativeLearner:
    """The learner, if it has deltas. Raises ValueError otherwise, or if each process would have several learners."""
    if not isinstance(learner, NativeLearner):
        raise ValueError("exchange needs a pattern network or a shallow one, as --network patterns")
    if config.learning.overlap or config.learning.learning_threads > 1:
        raise ValueError(
            "exchange needs --no-overlap and one thread of learning: processes learn what they have played"
        )
    return learner


def work(job: Begin | LearningOrder) -> Learnt:
    """Does a job, in a process of its own, which keeps its learner."""
    if isinstance(job, Begin):
        _KEPT[:] = [Learning(job)]
        return Learnt([], None, job.version, Spent())
    return _KEPT[0].work(job)


class Learning:
    """An actor that learns its matches, with tables of its own."""

    def __init__(self, begin: Begin) -> None:
        config = self._config = begin.config.changed(run={"threads": 1})
        components = Components(config, known(config.run.game), begin.heuristic)
        learner = components.learner(begin.arrays)
        assert isinstance(learner, NativeLearner), "layers of PyTorch have no deltas"
        learner.restore(begin.arrays)
        self.learner = learner
        self._shared, self._copy = SharedLearner(learner), Copy(learner, begin.version)
        share = shares(config.replay, begin.parts)[begin.part]
        self._memory = make_replay(components.game, share, config.run.seed, begin.part, begin.parts)
        self._memory.random = np.random.default_rng([*begin.seeds, 1])
        choice = components.choice([*begin.seeds], lambda: self._done)
        self._actor = components.actor(components.evaluator(learner, threads=1), choice, lambda: 0)
        random = self._actor.self_play.random
        random[:] = streams(int(choice.random.integers(2**63)), len(random))
        self._waiting = list[FinishedMatch]()
        self._done: float | None = None

    def work(self, order: LearningOrder) -> Learnt:
        """Plays and learns for the seconds of an order."""
        self._done = order.done
        self._copy.take(order.news)
        earlier = self._actor.spent
        phases = [*self._phases(order, perf_counter() + order.seconds)]
        delta = self._copy.delta(sum(len(phase.losses) for phase in phases))
        return Learnt(_lightened(phases), delta, self._copy.version, self._actor.spent - earlier)

    def _phases(self, order: LearningOrder, end: float) -> Iterator[Phase]:
        left = order.matches
        while left is None or len(self._waiting) < left:
            match = self._actor.play(lambda: perf_counter() >= end)
            if match is None:
                return
            self._waiting.append(match)
            if len(self._waiting) == self._config.learning.phase_matches:
                left = None if left is None else left - len(self._waiting)
                yield self._learn(len(self._waiting))
        if left:
            yield self._learn(left)

    def _learn(self, count: int) -> Phase:
        """Learns so many of the matches that wait for others of their phase."""
        matches, self._waiting = self._waiting[:count], self._waiting[count:]
        return learnt_phase(self._memory, self._shared, matches)


def _lightened(phases: list[Phase]) -> list[Phase]:
    """The phases with the examples of their first match alone: observers need a match with its values now and then."""
    first, light = True, list[Phase]()
    for phase in phases:
        matches = list[FinishedMatch]()
        for match in phase.matches:
            matches.append(match if first else replace(match, examples=match.examples.take(np.arange(0))))
            first = False
        light.append(replace(phase, matches=matches))
    return light


_KEPT: list[Learning] = []
"""The learner of this process, if it has one."""
