"""Counts what an evaluator does.

>>> import numpy as np
>>> evaluate = metered(lambda planes: Leaves(np.zeros(len(planes), np.float32)))
>>> for states in (3, 5):
...     leaves = evaluate(np.zeros((states, 9), np.int8))
>>> evaluate.states, evaluate.batches
(8, 2)
"""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import prepare
from athenan.rules.leaf import LeafKernel, Native
from athenan.rules.leaves import Evaluate, Leaves, all_finite, answered
from athenan.settings import shown


class Metered:
    """An evaluator that counts the batches that it evaluates."""

    def __init__(self, evaluate: Evaluate) -> None:
        if not callable(evaluate):
            raise TypeError(f"evaluate must be a function, such as learnt_network(run).evaluate, not {shown(evaluate)}")
        prepare(all_finite)
        self._evaluate = evaluate
        self.states = 0
        """States evaluated."""
        self.batches = 0
        """Batches in which they were evaluated."""
        self.seconds = 0.0
        """Seconds that their evaluation took."""

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        began = perf_counter()
        leaves = answered(self._evaluate(planes), len(planes))
        self.seconds += perf_counter() - began
        self.states += len(planes)
        self.batches += 1
        return leaves


class MeteredNative(Metered):
    """An evaluator whose batches are counted; what compiled code evaluates by its kernel is not counted here."""

    def __init__(self, evaluate: Evaluate, native: Native) -> None:
        super().__init__(evaluate)
        self._native = native

    @property
    def leaf(self) -> LeafKernel:
        """The evaluator's kernel."""
        return self._native.leaf


def metered(evaluate: Evaluate) -> Metered:
    """The evaluator, which counts from now on; it is `Native` if it was."""
    return MeteredNative(evaluate, evaluate) if isinstance(evaluate, Native) else Metered(evaluate)
