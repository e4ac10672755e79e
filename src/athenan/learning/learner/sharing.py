"""Learning by several threads that share the tables of one network, without locks (Niu et al. 2011)."""

from collections.abc import Iterable
from threading import Lock

from athenan.learning.examples.examples import Batch
from athenan.learning.learner.native_learner import NativeLearner


class SharedLearner:
    """Lets several workers learn with one learner at the same time, each in phases of its own.

    A phase of one worker alone ends like `Learner.end_phase`. Of several, every n-th phase of n workers lets what all
    have learnt play, so that this takes no more time than with one worker.
    """

    def __init__(self, learner: NativeLearner, workers: int) -> None:
        self._learner, self._workers = learner, workers
        self._lock = Lock()
        self._phases = self._steps = 0

    def learn(self, batches: Iterable[Batch]) -> tuple[list[float], int]:
        """Learns the minibatches of a phase; returns the loss of each, and the number of items.

        Raises ValueError if the weights are no longer finite.
        """
        losses, items = list[float](), 0
        for batch in batches:
            losses.append(self._learner.learn(batch))
            items += len(batch)
        with self._lock:
            self._steps += len(losses)
            self._phases += 1
            if self._phases % self._workers == 0:
                self._publish()
        return losses, items

    def publish(self) -> None:
        """Lets all that was learnt play. Raises ValueError if the weights are no longer finite."""
        with self._lock:
            self._publish()

    def _publish(self) -> None:
        if self._steps:
            self._learner.publish(self._steps)
        self._steps = 0
