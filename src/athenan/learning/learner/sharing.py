"""Learning by several threads that share the tables of one network, without locks (Niu et al. 2011)."""

from collections.abc import Iterable
from threading import Lock

from athenan.learning.examples.examples import Batch
from athenan.learning.learner.native_learner import NativeLearner


class SharedLearner:
    """Lets several workers learn with one learner at the same time, each in phases of its own.

    Each phase ends like `Learner.end_phase`, and lets all play that was learnt until then (docs/performance.md compares
    this with publishing after every second phase).
    """

    def __init__(self, learner: NativeLearner) -> None:
        self._learner, self._lock = learner, Lock()

    def learn(self, batches: Iterable[Batch]) -> tuple[list[float], int]:
        """Learns the minibatches of a phase; returns the loss of each, and the number of items.

        Raises ValueError if the weights are no longer finite.
        """
        losses, items = list[float](), 0
        for batch in batches:
            losses.append(self._learner.learn(batch))
            items += len(batch)
        with self._lock:
            self._learner.publish(len(losses))
        return losses, items
