"""The learner of networks that searches evaluate themselves: in compiled code, without PyTorch."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import NativeArchitecture
from athenan.evaluation.native import NativeNetwork, RowKernel, native_network, row_kernel, weights_to_learn
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.policy_weights import PolicyWeights
from athenan.learning.config import LearningSettings
from athenan.learning.examples.examples import Batch
from athenan.rules.game import Game
from athenan.rules.heads import VALUES
from athenan.rules.leaf import LeafKernel
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import LEARNER_PREFIX, NETWORK_PREFIX, Tensors, weights_of


class NativeEvaluator:
    """An actor's evaluator. The weights that play are the same for all actors, and change where a phase ends."""

    precision, threads = "float32", 1

    def __init__(self, network: NativeNetwork) -> None:
        self._network = network

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        return self._network.leaf

    @property
    def row_values(self) -> RowKernel:
        """See `evaluation.native.EvaluatesRows`."""
        return row_kernel(self._network)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns]."""
        return self._network(planes)

    def refresh(self) -> None:
        """Does nothing, since the evaluator has the present weights at all times."""


class StillEvaluator(NativeEvaluator):
    """An evaluator with weights of its own, which only `refresh` changes, while others learn."""

    def __init__(self, network: NativeNetwork, own: NativeNetwork) -> None:
        """`own` is a copy of the network that is learnt."""
        super().__init__(own)
        self._learnt = network

    def refresh(self) -> None:
        """Copies the weights that play now."""
        self._network.weights[:] = self._learnt.weights


class NativeLearner:
    """A `Learner` of a pattern network or a shallow one; with `averaging` the average of the weights plays.

    Several threads share the weights of a pattern network without locks (Niu et al. 2011): a state changes few of very
    many weights, so two threads seldom change the same one at the same time. If they do, one of the changes may be
    lost.
    """

    precision = "float32"

    def __init__(
        self,
        game: Game,
        settings: NativeArchitecture,
        scale: float,
        bounded: bool,
        learning: LearningSettings,
        saved: Tensors | None = None,
        heads: tuple[str, ...] = VALUES,
    ) -> None:
        """Begins with new weights, or with the network of the `saved` checkpoint.

        `heads` names what is learnt: values, or values and policies.

        Raises ValueError like the network, and for settings of learning that mean nothing here.
        """
        if learning.device not in ("auto", "cpu"):
            raise ValueError(f"device must be cpu for this network, or auto, not {learning.device}")
        if learning.learning_precision == "bfloat16":
            raise ValueError("learning_precision must be float32 for this network, or auto")
        self._game, self._settings, self._output, self._heads = game, settings, (scale, bounded), heads
        self._rate, self.rate_left, self.averaging = learning.learning_rate, 1.0, learning.averaging
        self._threads, self._steps = learning.learning_threads, 0
        self._begin(weights_of(saved, NETWORK_PREFIX) if saved else None)

    def _begin(self, arrays: Mapping[str, NDArray[Any]] | None) -> None:
        self.network = native_network(self._game, self._settings, *self._output, arrays, self._heads)
        if self.network.heads != self._heads:
            found, wanted = map(" and ".join, (self.network.heads, self._heads))
            raise ValueError(f"its network has the heads {found}, not {wanted}")
        self.weights = weights_to_learn(self.network)
        gives_policy = "policies" in self._heads and isinstance(self.network, PatternNetwork)
        self.policy = PolicyWeights(cast(PatternNetwork, self.network)) if gives_policy else None

    def begin_phase(self) -> None:
        """Starts the threads besides the caller's."""
        self._steps, self._others = 0, ThreadPoolExecutor(max(1, self._threads - 1))  # it starts them when needed

    def step(self, batch: Batch) -> float:
        """Learns a minibatch; returns its loss before: squared error of value / scale, plus policy cross-entropy."""
        self._steps += 1
        return self.learn(batch)

    def learn(self, batch: Batch) -> float:
        """Learns a minibatch as `step` does, also while other threads learn; its caller says what it is part of."""
        (first, *others), sizes = self._parts(batch)
        waiting = [self._others.submit(self._learn, *part) for part in others]
        return float(np.average([self._learn(*first), *(part.result() for part in waiting)], weights=sizes))

    def _learn(
        self,
        planes: NDArray[np.int8],
        values: NDArray[np.float32],
        legal: NDArray[np.bool_] | None = None,
        policies: NDArray[np.float32] | None = None,
    ) -> float:
        """Learns some items; returns their mean loss before."""
        rate = self._rate * self.rate_left
        loss = self.weights.step(planes, values, rate)
        if self.policy is None or legal is None or policies is None:
            return loss
        return loss + self.policy.step(planes, legal, policies, rate) / max(1, len(planes))

    def _parts(self, batch: Batch) -> tuple[list[tuple[NDArray[Any], ...]], list[int]]:
        """The planes, values and policies that each thread learns, and the number of items."""
        learnt: list[NDArray[Any]] = [batch.planes, batch.values]
        if self.policy:
            if batch.policies is None or batch.legal is None:
                raise ValueError("the batch has no policies, and the network learns one")
            learnt += [batch.legal, batch.policies]
        count = min(self._threads, len(batch))
        parts = list(zip(*(np.array_split(array, count) for array in learnt), strict=True))
        return parts, [len(values) for _, values, *_ in parts]

    def end_phase(self) -> None:
        """Lets what was learnt play. Raises ValueError if the weights are no longer finite."""
        self._others.shutdown()
        self.publish(self._steps)

    def publish(self, steps: int) -> None:
        """Lets what was learnt in the last steps play. Raises ValueError if the weights are no longer finite."""
        share = 1 - self.averaging**steps
        self.weights.publish(share)
        if self.policy:
            self.policy.publish(share)

    def evaluator(self, heads: tuple[str, ...], precision: str, threads: int) -> NativeEvaluator:
        """An evaluator with all heads. Raises ValueError for another precision than float32."""
        if precision == "bfloat16":
            raise ValueError("precision must be float32 for this network, or auto")
        return NativeEvaluator(self.network)

    def still_evaluator(self) -> StillEvaluator:
        """An evaluator for those who watch while workers learn."""
        own = native_network(self._game, self._settings, *self._output, self.network.as_arrays(), self._heads)
        return StillEvaluator(self.network, own)

    def playing_weights(self) -> dict[str, NDArray[Any]]:
        """A copy of the network that plays."""
        return self.network.as_arrays()

    def plays_with(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Changes the weights that play. Raises ValueError if they are of other tuples or inputs, or not finite."""
        own = self.network.as_arrays()
        others = {name: array for name, array in weights.items() if name not in self.network.learns}
        if any(not np.array_equal(own[name], array) for name, array in others.items()):
            raise ValueError("the weights are not of this network")
        self.network.plays_with(weights)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """The network that plays, and what is learnt for each weight."""
        network = {NETWORK_PREFIX + name: array for name, array in self.playing_weights().items()}
        learnt = {**self.weights.as_arrays(), **(self.policy.as_arrays() if self.policy else {})}
        return {**network, **{LEARNER_PREFIX + name: array for name, array in learnt.items()}}

    def restore(self, tensors: Tensors) -> None:
        """Takes what `as_arrays` gave. Raises ValueError if it is of another network, or not finite."""
        self.plays_with(weights_of(tensors, NETWORK_PREFIX))
        self._restore(weights_of(tensors, LEARNER_PREFIX))

    def _restore(self, learner: Mapping[str, NDArray[Any]]) -> None:
        self.weights.restore(learner)
        if self.policy:
            self.policy.restore(learner.get("policy"))

    def carry(self, network: Mapping[str, NDArray[Any]], learner: Mapping[str, NDArray[Any]]) -> None:
        """Begins with a saved network, before there are evaluators. Raises ValueError if it does not fit the game."""
        self._begin(network)
        if learner:
            self._restore(learner)
