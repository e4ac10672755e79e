"""Workers: threads that each play a match and then learn it, all on the weights of one network.

No worker waits for another one, so all cores are busy. This needs a network that compiled code evaluates and learns:
its threads share the tables without locks. Each worker has its own memory of replay, its share of the whole.

A checkpoint may be made at any time. It has what each worker's next match depends on as it was when the worker last
ended a phase, and the weights with all that was learnt in these phases: while it is copied, nobody learns. The matches
in play are not part of it; a resumed training begins them anew.
"""

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Condition, Event, Lock
from types import TracebackType
from typing import Self

from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Examples
from athenan.learning.learner.native_learner import NativeLearner
from athenan.learning.learner.protocol import Learner
from athenan.learning.learner.sharing import SharedLearner
from athenan.learning.replay import Replay
from athenan.learning.self_play.actors import SWITCH_SECONDS, Actor
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.learning.work_log import Phase, WorkLog


def learnt_phase(memory: Replay, learner: SharedLearner, matches: list[FinishedMatch]) -> Phase:
    """Learns matches. Raises ValueError if the weights are no longer finite."""
    began, examples = time.perf_counter(), Examples.joined([match.examples for match in matches])
    memory.add(examples)
    losses, items = learner.learn(memory.checked_batches())
    return Phase(matches, len(examples), items, losses, time.perf_counter() - began, len(memory))


def learn_themselves(config: TrainingConfig, learner: Learner) -> bool:
    """Whether each actor is a worker that learns the matches it has played, instead of one learner for all.

    They do if there are several, learning does not overlap with the next match, and compiled code evaluates and learns
    the network. Raises ValueError if phases of learning would have several threads as well.
    """
    workers = config.playing.actors > 1 and not config.learning.overlap and isinstance(learner, NativeLearner)
    if workers and config.learning.learning_threads > 1:
        raise ValueError("learning_threads must be 1 where each actor learns its matches, without --overlap")
    return workers


class Gate:
    """Where workers go to learn, side by side, unless it is closed while their state is copied."""

    def __init__(self) -> None:
        self._change = Condition()
        self._inside, self._is_closed = 0, False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Learning, as soon as the gate is open."""
        with self._change:
            self._change.wait_for(lambda: not self._is_closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._change:
                self._inside -= 1
                self._change.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """A time in which nobody learns; it begins when those who are learning have ended their phases."""
        try:
            with self._change:
                self._is_closed = True
                self._change.wait_for(lambda: not self._inside)
            yield
        finally:
            with self._change:
                self._is_closed = False
                self._change.notify_all()


class Work(ABC):
    """Matches that are played and learnt within `with`, while the caller watches and saves."""

    def __init__(self) -> None:
        self._gate, self._stopped = Gate(), Event()
        self._finished = SimpleQueue[Phase]()
        self._working: list[Future[None]] = []
        self._noted = self._copied = 0  # phases, and those among them that a checkpoint has
        self._harm: BaseException | None = None
        self.processes = self.lost = 0
        """Other processes that take part, and those that have died."""

    @abstractmethod
    def __enter__(self) -> Self:
        """Begins the work."""

    @abstractmethod
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends it."""

    @property
    @abstractmethod
    def spent(self) -> Spent:
        """What all have spent together: sums of counts, and means of seconds."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many play at the same time."""

    def begun(self) -> bool:
        """Whether somebody can play; waits a moment for it."""
        return True

    def ready_to_save(self) -> bool:
        """Whether everything that a checkpoint needs is here; asks for it otherwise."""
        return True

    @property
    def unsaved(self) -> bool:
        """Whether something was learnt since `pause` began last that may be saved; not after an error in learning."""
        return self._harm is None and self._noted > self._copied

    def phases(self, seconds: float) -> Iterator[list[Phase]]:
        """The phases that have ended, each time after at most so many seconds, until no worker plays or learns.

        Raises a worker's error.
        """
        at_work, found = True, list[Phase]()
        while at_work or found:
            at_work = not all(map(Future.done, self._working))
            found = self._taken(seconds if at_work else 0)
            for work in self._working:
                if work.done():
                    self._raise_error_of(work)
            yield found

    def _raise_error_of(self, work: Future[None]) -> None:
        """Raises the error that has ended a worker, if any; rather the error in learning that has caused it."""
        try:
            work.result()
        except BaseException:
            with self._gate.closed():  # another worker may be about to find weights that are no longer finite
                if self._harm:
                    raise self._harm from None
            raise

    def _taken(self, seconds: float) -> list[Phase]:
        """The phases that have ended since the last call; waits for one at most so long."""
        try:
            first = self._finished.get(timeout=seconds)
        except Empty:
            return []
        return [first, *(self._finished.get() for _ in range(self._finished.qsize()))]  # not those that end meanwhile

    @contextmanager
    def pause(self) -> Iterator[None]:
        """A time in which nobody learns, and all that was learnt plays. Raises an error that has ended learning."""
        with self._gate.closed():
            if self._harm:
                raise self._harm
            self._copied = self._noted
            yield


class Workers(Work):
    """Workers that play and learn from `with` to its end, which lets phases of learning end and drops other matches."""

    def __init__(
        self,
        actors: Sequence[Actor],
        memories: Sequence[Replay],
        learner: SharedLearner,
        phase_matches: int,
        is_over: Callable[[], bool],
        work_log: WorkLog,
    ) -> None:
        """Each worker has an actor and a memory of replay. It learns `phase_matches` matches together.

        `is_over` -- asked by any thread during matches: whether their time is over.
        """
        super().__init__()
        self._actors, self._memories, self._learner = actors, memories, learner
        self._phase_matches, self._is_over, self._work_log = phase_matches, is_over, work_log
        self._turn = Lock()

    @property
    def spent(self) -> Spent:
        """What all workers have spent: sums of counts, and means of seconds."""
        return Spent.among([actor.spent for actor in self._actors])

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._actors)

    def _work(self, worker: int) -> None:
        """Plays and learns until the training is over."""
        while matches := self._play(self._actors[worker]):
            with self._gate.passed():
                try:
                    phase = learnt_phase(self._memories[worker], self._learner, matches)
                except BaseException as error:
                    self._harm = error
                    raise
                with self._turn:
                    self._work_log.learnt(worker, phase, self.spent, self.size)
                    self._noted += 1
            self._finished.put(phase)

    def _play(self, actor: Actor) -> list[FinishedMatch]:
        """The matches of a phase: fewer at the end of the training; none after an interruption."""
        matches = list[FinishedMatch]()
        while len(matches) < self._phase_matches and self._begins_match() and (match := actor.play(self._ends)):
            matches.append(match)
        return [] if self._stopped.is_set() else matches

    def _begins_match(self) -> bool:
        with self._turn:
            return self._work_log.begins_match()

    def _ends(self) -> bool:
        return self._stopped.is_set() or self._is_over()

    def __enter__(self) -> Self:
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._threads = ThreadPoolExecutor(len(self._actors))
        self._working = [self._threads.submit(self._work, worker) for worker in range(len(self._actors))]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopped.set()
        for actor in self._actors:
            actor.self_play.hurry(True)
        self._threads.shutdown()
        sys.setswitchinterval(self._interval)
