"""Relearning: the network learns all data from the beginning, with new weights, and stops early.

Online expert iteration trains a new apprentice on the union of all data (003, Algorithm 15) whenever the data has grown
by a tenth. It stops when the loss on the examples that it does not learn no longer falls (section 8.2).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from athenan.learning.examples.examples import Batch
from athenan.learning.learner.torch_learner import TorchLearner
from athenan.learning.progress import POLICY_AND_VALUE, WARM_START
from athenan.learning.replay.methods import AllReplay

_CLEARLY = 0.001  # if the loss falls by less in `patience` passes, it counts as constant


class Relearning:
    """The learning phases of a replay memory that keeps all data.

    Until the stage of values only the policy is learnt, and the values of the network are 0.
    """

    def __init__(
        self, learner: TorchLearner, replay: AllReplay, stage: Callable[[], int], out_of_time: Callable[[], bool]
    ) -> None:
        """`stage` gives the training's stage (`progress.stage`), `out_of_time` whether a phase must end at once."""
        self._learner = learner
        self._replay = replay
        self._stage = stage
        self._out_of_time = out_of_time
        self._weights = learner.weights
        self._begin_anew()

    def batches(self) -> Iterator[Batch]:
        """The minibatches of one learning phase, which the caller learns one by one; empty if no phase is due.

        At the end the network gets the weights with the least loss on the examples held out. The weights of the
        previous phase compete as well, so a phase that runs out of time does no harm.
        """
        replay, learner = self._replay, self._learner
        if self._stage() == WARM_START or not replay.due:
            return
        least, best = self._held_out_loss() if replay.learnt else np.inf, learner.weights_now()
        self._begin_anew()
        waited, lowest = 0, np.inf
        while waited < replay.config.patience and not self._out_of_time():
            for batch in replay.checked_batches():
                yield batch
                if self._out_of_time():
                    break
            loss = self._held_out_loss()
            if loss < least:
                least, best = loss, learner.weights_now()
            waited = 0 if loss < lowest - _CLEARLY else waited + 1
            lowest = loss if waited == 0 else lowest
        learner.load_weights(best)
        if not self._out_of_time():
            replay.learnt = replay.added

    def _begin_anew(self) -> None:
        """Gives the network new weights, and values of 0 while values are not learnt."""
        self._choose_heads()
        self._learner.restart(int(self._replay.random.integers(2**63)))

    def _choose_heads(self) -> None:
        """Learns values from their stage on."""
        with_values = self._stage() == POLICY_AND_VALUE
        self._learner.weights = self._weights if with_values else replace(self._weights, values=0.0)

    def _held_out_loss(self) -> float:
        """The mean loss of the examples that are held out, by the heads that are learnt now."""
        self._choose_heads()
        losses = [(self._learner.loss(batch), len(batch)) for batch in self._replay.held_out()]
        return float(np.average([loss for loss, _ in losses], weights=[count for _, count in losses]))
