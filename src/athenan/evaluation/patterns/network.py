"""Pattern networks: values and policies as sums of table entries, evaluated and learnt by compiled code on a CPU.

Sources: M. Buro, "Logistello" (patterns); M. Thill, P. Koch and W. Konen, "Reinforcement learning with n-tuples on the
game Connect-4" (PPSN 2012); S. Bagheri et al., "Online adaptable learning rates for the game Connect-4" (2014).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.codes import ARRAYS, Codes, codes_of
from athenan.evaluation.patterns.indices import MOST_CELLS, MOST_PLANES, MOST_TUPLES
from athenan.evaluation.patterns.kernels import (
    SCALE_AT,
    WEIGHTS_AT,
    pattern_policy,
    pattern_values,
    pattern_values_of_planes,
)
from athenan.evaluation.patterns.layout import LINE, dense_size, layout_of, rows_at, with_policy
from athenan.evaluation.patterns.policy_kernels import logits_of_planes
from athenan.evaluation.patterns.tuples import restored_tuples, tuples_of
from athenan.evaluation.patterns.vectors import (
    DENSE_AT,
    rounded,
    vector_policy,
    vector_values,
    vector_values_of_planes,
)
from athenan.rules.compiler import prepare
from athenan.rules.features import input_planes
from athenan.rules.game import Game
from athenan.rules.heads import VALUES, VALUES_AND_POLICIES
from athenan.rules.leaf import LeafKernel
from athenan.rules.leaves import Leaves

_BYTES = 20
"""Bytes of a weight, with what learning keeps for it."""
_VECTOR_BYTES, _NUMBER_BYTES = 33, 12
"""Bytes of an entry that is a vector, and of each of its numbers, with what learning keeps for them."""


class PatternNetwork:
    """A pattern network of one game; an evaluator that searches call in compiled code."""

    precision = "float32"
    learns = "weights", "dense", "policy"
    """The names of the arrays that learning changes."""

    def __init__(
        self,
        game: Game,
        settings: Patterns = Patterns(),
        scale: float = 1.0,
        bounded: bool = True,
        arrays: Mapping[str, NDArray[Any]] | None = None,
        heads: tuple[str, ...] = VALUES,
    ) -> None:
        """Makes a network whose weights are 0, or the one that gave `as_arrays`, with its heads.

        `heads` are the heads of a new network: values, or values and policies. Raises ValueError if the game's states
        have no cells that can be coded, if the network would be too large, or if the arrays are not of such a network.
        """
        self._values, self.values_of_planes, self._answers = _KERNELS[settings.vector > 1]
        self.heads = heads if arrays is None else VALUES_AND_POLICIES if "policy" in arrays else VALUES
        if settings.estimate and not game.features.estimate:
            raise ValueError(f"estimate must be false: {game.name} declares no estimate among its features")
        if self.heads not in (VALUES, VALUES_AND_POLICIES):
            raise ValueError(f"a pattern network gives values, or values and policies, not {' and '.join(heads)}")
        self._gives_policy = self.heads == VALUES_AND_POLICIES
        prepare(self._values, self.values_of_planes, *((self._answers, logits_of_planes) * self._gives_policy))
        if arrays is None:
            codes = codes_of(game, settings.layers, features=settings.features, all_shared=settings.shared)
            tuples = tuples_of(game, codes, settings)
        else:
            _require(arrays, settings.vector)
            codes = Codes.restored(game, arrays)
            tuples = restored_tuples(game, codes, arrays)
        sizes = {
            "numbers": input_planes(game) * int(np.prod(game.planes[1:])),
            "cells": len(codes.varying),
            "tuples": len(tuples.cells),
        }
        for (what, size), most in zip(sizes.items(), (MOST_PLANES, MOST_CELLS, MOST_TUPLES), strict=True):
            if size > most:
                raise ValueError(f"a pattern network has at most {most:,} {what}, and {game.name} would have {size:,}")
        self.game, self.settings, self.codes, self.tuples, self.scale = game, settings, codes, tuples, scale
        layout = layout_of(game, codes, tuples, bounded, settings)
        if arrays is not None and settings.colours and len(arrays["weights"]) != layout.entries:
            self.settings = settings = replace(settings, colours=False)  # learnt before the game declared the exchange
            layout = layout_of(game, codes, tuples, bounded, settings)
        begin, vector = rows_at(settings) if settings.vector > 1 else WEIGHTS_AT, settings.vector
        end = begin + layout.entries * vector
        self.layout = with_policy(game, codes, layout, end) if self._gives_policy else layout
        self._require_room()
        self.weights = aligned(end + self.layout.policy)
        """The scale of the heuristic, the dense part if there is one, the tables, and the policy's if it gives one."""
        self.weights[SCALE_AT] = scale
        self.dense = self.weights[DENSE_AT:][: dense_size(settings) if vector > 1 else 0]
        """The weights of the dense part, which are part of `weights`; empty if entries are one weight."""
        self.entries = self.weights[begin:end].reshape(-1, vector) if vector > 1 else self.weights[begin:end]
        """The entries of the tables, float32[entries] or float32[entries, vector], which are part of `weights`."""
        self.policy = self.weights[end:]
        """The entries of the policy, float32[entries], which are part of `weights`; empty without a policy."""
        if arrays is not None:
            self.plays_with(arrays)
        elif vector > 1:
            self.dense[:] = first_dense(settings)

    def _require_room(self) -> None:
        vector = self.settings.vector
        of_entry = _BYTES if vector == 1 else _VECTOR_BYTES + vector * _NUMBER_BYTES
        taken = self.layout.entries * of_entry + self.layout.policy * _BYTES
        needed, allowed = -(-taken // 2**20), self.settings.memory
        if needed > allowed:
            raise ValueError(
                f"patterns of {self.game.name} take {needed:,} MiB, and memory allows {allowed:,}: choose fewer "
                f"entries, walks or phases, {'a smaller vector, ' * (vector > 1)}or memory={needed}"
            )

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        policy = self._answers.address if self._gives_policy else 0
        return LeafKernel(self._values.address, self.layout.numbers, self.weights, policy)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns], by all heads."""
        values = np.empty(len(planes), np.float32)
        of = self.game.rules, flat(planes), self.layout.numbers, self.weights
        self.values_of_planes(*of, values)
        if not self._gives_policy:
            return Leaves(values)
        actions = np.arange(self.game.action_count, dtype=np.int32)
        logits = np.empty((len(planes), len(actions)), np.float32)
        logits_of_planes(*of, actions, logits)
        return Leaves(values, logits)

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of all that the network is: its codes, its tuples and its weights."""
        learnt = {name: array.copy() for name, array in self._learnt().items()}
        return {**self.codes.as_arrays(), **self.tuples.as_arrays(), **learnt}

    def _learnt(self) -> dict[str, NDArray[np.float32]]:
        own = {"weights": self.entries, "dense": self.dense, "policy": self.policy}
        return {name: own[name] for name in learnt_names(self.settings.vector, self._gives_policy)}

    def plays_with(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Takes the weights of `as_arrays`. Raises ValueError if they do not fit, or are not finite."""
        for name, own in self._learnt().items():
            array = arrays.get(name)
            if array is None or array.dtype != np.float32 or array.shape != own.shape:
                raise ValueError("the weights do not fit this network")
            if not np.isfinite(array).all():
                raise ValueError("the weights are not finite numbers")
        if self.settings.vector > 1:
            self.entries[:], self.dense[:] = rounded(arrays["weights"], len(self.tuples.cells)), arrays["dense"]
        else:
            self.entries[:] = arrays["weights"]
        if self._gives_policy:
            self.policy[:] = arrays["policy"]


_KERNELS = {
    False: (pattern_values, pattern_values_of_planes, pattern_policy),
    True: (vector_values, vector_values_of_planes, vector_policy),
}
"""The kernels of the values of children and of encoded states, and of a state's value and policy, by whether entries
are vectors."""


def learnt_names(vector: int, policy: bool) -> list[str]:
    """The names of the arrays that learning changes in a network with such entries."""
    return [name for name, has in zip(PatternNetwork.learns, (True, vector > 1, policy), strict=True) if has]


def first_dense(settings: Patterns) -> NDArray[np.float32]:
    """The weights of the dense part before learning.

    Sums of 0 are in the middle of the range that clipping leaves unchanged, and every number of a sum changes the
    output in a different way. So entries begin at 0, and entries that were never learnt remain neutral.
    """
    vector, hidden, random = settings.vector, settings.hidden, np.random.default_rng([settings.seed, 1])
    layer = random.normal(0, (2 / vector) ** 0.5, (vector, hidden))
    output = random.normal(0, (1 / hidden) ** 0.5, hidden)
    parts = np.full(vector, 0.5), layer, np.zeros(hidden), output
    return np.concatenate([part.reshape(-1) for part in parts]).astype(np.float32)


def aligned(count: int) -> NDArray[np.float32]:
    """Zeros that begin where a line of the processor's cache begins."""
    room = np.zeros(count + LINE, np.float32)
    begin = -(room.ctypes.data // room.itemsize) % LINE
    return room[begin : begin + count]


def flat(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.ascontiguousarray(planes.reshape(len(planes), -1))


def _require(arrays: Mapping[str, NDArray[Any]], vector: int) -> None:
    """Raises ValueError unless arrays have the names of a pattern network's."""
    learnt = learnt_names(vector, "policy" in arrays)
    wanted = {*ARRAYS, "cells", "family", *learnt}
    if {*arrays, "group"} != wanted:
        raise ValueError("the weights are not of a pattern network")
