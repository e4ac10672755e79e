"""What a training asks of a learner, so that a network need not be PyTorch's."""

from typing import Any, Protocol, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Batch
from athenan.rules.leaves import Leaves
from athenan.runs.checkpoint import Tensors

Arrays = dict[str, NDArray[Any]]
"""Weights, and all else that a network is made of, by name."""


class PlayingEvaluator(Protocol):
    """An actor's evaluator, with a copy of the weights that play."""

    @property
    def precision(self) -> str:
        """The precision of its evaluations, float32 or bfloat16. Another evaluator with it repeats the results."""

    @property
    def threads(self) -> int:
        """The threads that an evaluation may use."""

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns]."""

    def refresh(self) -> None:
        """Takes the present weights of the learner; another thread may call it during an evaluation."""


class Learner(Protocol):
    """A network, its weights that play, and the steps that change them."""

    @property
    def precision(self) -> str:
        """The precision of learning steps, float32 or bfloat16. Another learner with it repeats the results."""

    rate_left: float
    """The share of the learning rate that the next steps take: less than 1 in a cooldown."""

    def begin_phase(self) -> None:
        """Prepares the calling thread for steps."""

    def step(self, batch: Batch) -> SupportsFloat:
        """Learns a minibatch; returns its loss before the step, which `float` reads, best at the end of a phase."""

    def end_phase(self) -> None:
        """Lets what the steps have learnt play, from the next `refresh` on.

        Raises ValueError if the weights are no longer finite.
        """

    def evaluator(self, heads: tuple[str, ...], precision: str, threads: int) -> PlayingEvaluator:
        """An evaluator for an actor, by these heads; `precision` may be auto."""

    def playing_weights(self) -> Arrays:
        """A copy of the weights that play, which another learner `plays_with`."""

    def plays_with(self, weights: Arrays) -> None:
        """Changes the weights that play. Raises ValueError if they do not fit, or are not finite."""

    def as_arrays(self) -> Arrays:
        """A copy of all that a checkpoint saves. The weights that play have the prefix `NETWORK_PREFIX`."""

    def restore(self, tensors: Tensors) -> None:
        """Takes what `as_arrays` gave, among others. Raises ValueError if it does not fit, or is not finite."""
