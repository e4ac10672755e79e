"""What a search asks of its evaluator: a kernel that it calls, or answers in the form for compiled code."""

from collections.abc import Sequence

import numpy as np

from athenan.rules.game import Game
from athenan.rules.heads import VALUES, VALUES_AND_POLICIES
from athenan.rules.leaf import LeafKernel, Native, require_finite
from athenan.rules.leaves import Evaluate, Leaves
from athenan.search.trees.algorithm import Algorithm


def kernel_of(game: Game, algorithm: Algorithm, evaluate: Evaluate | None) -> LeafKernel | None:
    """The evaluator's kernel, if it has one that gives all that is asked; otherwise states are batched.

    Raises ValueError if it gives one of a few random states a value that is not finite.
    """
    if not isinstance(evaluate, Native):
        return None
    if algorithm.asked() not in ((VALUES, VALUES_AND_POLICIES) if evaluate.leaf.policy else (VALUES,)):
        return None
    require_finite(game, evaluate.leaf, getattr(evaluate, "name", ""))
    return evaluate.leaf


def answer_of(leaves: Leaves, asked: Sequence[str], rows: int, actions: int) -> Leaves:
    """The fields that were asked for, as contiguous float32[rows] and float32[rows, actions].

    Raises ValueError if a field is missing, or has another form.
    """
    values = leaves.values
    fits = values.shape == (rows,) and values.dtype == np.float32 and values.flags.c_contiguous
    if fits and asked == VALUES:
        return Leaves(values)
    found = {name: getattr(leaves, name) for name in asked}
    for name, array in found.items():
        wanted = (rows,) if name == "values" else (rows, actions)
        if array.shape != wanted or array.dtype != np.float32:
            if not array.size:
                raise ValueError(f"the search asked for {name.replace('_', ' ')}, which the evaluation does not give")
            given = f"{array.dtype}{list(array.shape)}"
            raise ValueError(f"the search asked for {name}, float32{list(wanted)}, and was given {given}")
        if not array.flags.c_contiguous:
            found[name] = np.ascontiguousarray(array)
    return Leaves(**found)
