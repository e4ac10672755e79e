"""Learners in several processes, of this machine or of a Ray cluster, that exchange what has changed.

Each process plays matches and learns them, with a part of the memory of replay for each of its threads. It gets orders
to do so for some seconds. Then it sends how its tables have changed, and gets what others have changed
(`learner.deltas`). This process merges the changes into the tables that are saved. For a checkpoint, all processes also
send what they remember. If a process dies, only what it has learnt since it last sent is lost. Another takes its place,
and begins with the present tables, and with what the lost one remembered at the last checkpoint.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from math import inf
from threading import Event
from types import TracebackType
from typing import Any, Self

from athenan.jobs import Machines, dialogue
from athenan.jobs.dialogue import Dialogue
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.exchange_process import Begin, Job, LearningOrder, Learnt, Remember, work
from athenan.learning.learner.deltas import Delta, Master
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.learning.replay import Replay
from athenan.learning.replay.divided import DividedReplay, MemoryNews
from athenan.learning.self_play.protocol import Spent
from athenan.learning.work_log import Phase, WorkLog
from athenan.learning.workers import Work

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


class Learners(Work):
    """The processes, from `with` to its end, which ends them. A thread of this process answers them."""

    def __init__(
        self,
        components: Components,
        machines: Machines,
        learner: NativeLearner,
        seed: int,
        divided: Callable[[int], Replay | DividedReplay],
        left: Callable[[], Left],
        work_log: WorkLog,
    ) -> None:
        """`divided` gives the memory of replay in so many parts, for all threads of all processes.

        The thread asks `left`, and notes in the log the phases of each thread of a process by its number.
        Raises JobError if there is no such cluster.
        """
        super().__init__()
        self._components, self._learner, self._seed, self._threads = components, learner, seed, machines.threads
        self._left, self._work_log = left, work_log
        self._master = Master(learner)
        self._numbers = count()
        self._dialogue: Dialogue[Job, Learnt] = dialogue(work, machines, self._first)
        memory = divided(self._dialogue.room * self._threads)
        assert isinstance(memory, DividedReplay)
        self._parts = memory.parts
        self._idle = dict[Any, int]()  # processes that wait for an order, and the version that they have
        self._ordered = dict[Any, int | None]()  # the matches that a process may still learn
        self._place = dict[Any, int]()
        self._asked = set[Any]()  # processes that will say what they remember
        self._wanted, self._gathered = Event(), Event()
        self._ready, self._may_begin = Event(), Event()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        """What all threads have spent: sums of counts, and means of seconds."""
        return self._spent

    @property
    def size(self) -> int:
        """How many threads of processes play."""
        return self._threads * max(1, self._dialogue.size)

    def begun(self) -> bool:
        """Whether a process is ready to play; waits a moment for one. Raises JobError if they die in a row."""
        if self._working[0].done():
            self._working[0].result()
        return self._ready.wait(_TICK)

    def phases(self, seconds: float) -> Iterator[list[Phase]]:
        """See `Work`. Nobody plays before this is called."""
        self._may_begin.set()
        return super().phases(seconds)

    def ready_to_save(self) -> bool:
        """Whether all processes have said what they remember since this was asked first."""
        if self._gathered.is_set():
            self._gathered.clear()
            return True
        self._wanted.set()
        return False

    def _first(self, process: Any) -> Begin:
        """The first job of a process. It takes the lowest place that no living one has."""
        taken = set(self._place.values())
        place = self._place[process] = next(number for number in count() if number not in taken)
        memories = {part: self._remembered(part) for part in range(place * self._threads, (place + 1) * self._threads)}
        return Begin(
            self._components.config, self._components.heuristic.as_json(), (self._seed, next(self._numbers)), memories,
            len(self._parts), self._learner.as_arrays(), self._master.version,
        )  # fmt: skip

    def _remembered(self, part: int) -> MemoryNews | None:
        """A part of the memory; None for processes of machines that have joined meanwhile: theirs are not saved."""
        return MemoryNews.of(self._parts[part]) if part < len(self._parts) else None

    def _serve(self) -> None:
        """Answers processes until the training is over, and they have said what they remember."""
        is_last = False
        with self._dialogue as processes:
            while not self._stopped.is_set():
                over = self._may_begin.is_set() and self._left().over
                if over and not self._ordered:
                    if is_last:
                        return
                    is_last = True
                    self._wanted.set()
                if not over:
                    processes.fill()
                for process, learnt in processes.answers(_TICK):
                    self._take(process, learnt)
                self.processes, self.lost = processes.size, processes.deaths
                if self._may_begin.is_set():
                    self._give_orders()

    def _give_orders(self) -> None:
        """Gives orders to processes that wait for one, as far as anything is left to do."""
        if self._wanted.is_set():
            self._wanted.clear()
            self._asked = {*self._idle, *self._ordered}
        for process in [*self._idle]:
            if process in self._asked:
                self._reply(process, Remember(), 0)
        for process, version in [*self._idle.items()]:
            left = self._left()
            matches = self._share(left.matches)
            if left.over or matches == 0:
                return
            seconds = min(self._components.config.playing.renewal, inf if left.seconds is None else left.seconds)
            self._reply(process, LearningOrder(seconds, matches, left.done, self._master.news(version)), matches)

    def _reply(self, process: Any, job: Job, matches: int | None) -> None:
        del self._idle[process]
        self._ordered[process] = matches
        self._dialogue.reply(process, job)

    def _share(self, left: int | None) -> int | None:
        """The matches that the next process may learn, so that all together learn no more than are left."""
        if left is None:
            return None
        free = left - sum(matches or 0 for matches in self._ordered.values())
        return -(-free // max(1, self._dialogue.size))

    def _take(self, process: Any, learnt: Learnt | None) -> None:
        """Merges what a process has learnt, or keeps what it remembers; None if it has died."""
        self._ordered.pop(process, None)
        if learnt is None:
            self._idle.pop(process, None)
            self._place.pop(process, None)
        else:
            self._idle[process] = learnt.version
            self._ready.set()
            with self._gate.passed():
                if learnt.delta:
                    self._merge(self._place[process], learnt.delta, learnt)
                for part, news in enumerate(learnt.memories or (), start=self._place[process] * self._threads):
                    if part < len(self._parts):
                        news.take(self._parts[part])
                        self._noted += 1
            for phase in (phase for own in learnt.phases for phase in own):
                self._finished.put(phase)
        if process in self._asked and (learnt is None or learnt.memories):
            self._asked.remove(process)
            if not self._asked:
                self._gathered.set()

    def _merge(self, place: int, delta: Delta, learnt: Learnt) -> None:
        try:
            self._master.merge(delta, max(1, self._dialogue.size))
        except BaseException as error:
            self._harm = error
            raise
        self._spent += Spent.among([learnt.spent, *[Spent()] * (max(1, self._dialogue.size) - 1)])
        for part, phases in enumerate(learnt.phases, start=place * self._threads):
            for phase in phases:
                self._work_log.learnt(part, phase, self.spent, self.size)
                self._noted += 1

    def __enter__(self) -> Self:
        self._pool = ThreadPoolExecutor(1)
        self._working: list[Future[None]] = [self._pool.submit(self._serve)]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopped.set()
        self._pool.shutdown()


def require_exchange(config: TrainingConfig, learner: Learner) -> NativeLearner:
    """The learner, if it has deltas. Raises ValueError otherwise, or if each process would have several learners."""
    if not isinstance(learner, NativeLearner):
        raise ValueError("exchange needs a pattern network or a shallow one, as --network patterns")
    if config.learning.overlap or config.learning.learning_threads > 1:
        raise ValueError(
            "exchange needs --no-overlap and one thread of learning: processes learn what they have played"
        )
    return learner
