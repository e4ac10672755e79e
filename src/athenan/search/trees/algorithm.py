"""Search algorithms as tables of small kernels, which a single walk through the forest calls by address.

An iteration of the walk (module `walk`) begins at the root, follows edges to an unexpanded state, expands it, asks for
the value of the state or of its children, may continue from there, and at its end backs up the result along the path.
An algorithm defines these steps; `best_first` has the papers' algorithms. Your own variant is a few kernels and
settings with a method `algorithm`, in a file or added to `athenan.search.named.SEARCHES`.

Kernels see only a node and its edges, as records with the fields of `forest.NODE` and `forest.EDGE`. All values are
from the first player's point of view: `sign(node.player)` says whether the side to move maximises (1) or minimises
(-1). At chance nodes the walk itself follows and updates (module `chance`), and no kernel is called.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import IntFlag
from numbers import Real
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import CONSTANTS, RANDOM, array_of
from athenan.rules.compiler import Kernel
from athenan.rules.kernels import by_address
from athenan.rules.numba_messages import compiled
from athenan.search.trees.forest import EDGE, NODE
from athenan.search.trees.node import Node
from athenan.settings import shown

_node, _edge = numba.from_dtype(NODE), numba.from_dtype(EDGE)
_edges = array_of(EDGE)

FOLLOW = types.int64(_node, _edges, CONSTANTS, RANDOM)
"""follow(node, edges, constants, random) -> the position in `edges` of the edge to follow from an expanded node.

`random` is a stream of random numbers (`rules.randomness`). `constants` holds the algorithm's own constants and, last,
the scale of the heuristic, which is the size of large values: 1 for gains.
"""
GOES_ON = types.int64(_node, CONSTANTS)
"""goes_on(node, constants) -> 1 if the iteration continues from a node that it has just expanded, 0 if it ends."""
BACK_UP = types.void(_edge, _node, types.float64, CONSTANTS)
"""back_up(edge, child, result, constants): updates an edge from the node that it leads to.

Called for each edge of the path at the end of an iteration, from the last to the first, and for the edge to a terminal
child when it is added. `result` is the value of the node at which the iteration ended, or of the last chance node on
the way back from there.
"""
UPDATE = types.void(_node, _edges, types.float64, CONSTANTS)
"""update(node, edges, result, constants): updates a node from its edges.

Called after an expansion, with the node's own value as `result`, and after each `back_up` to one of its edges, before
`node.visits` counts the iteration.
"""


class Asks(IntFlag):
    """What a search asks the evaluator when it expands a state."""

    NOTHING = 0
    CHILDREN = 1
    """The value of each child, which becomes its edge's value. It cannot be combined with the others."""
    STATE = 2
    """The value of the state itself, which becomes the node's value."""
    POLICY = 4
    """A policy of the state: the softmax of the logits of its legal actions gives the priors of the edges."""
    ACTION_VALUES = 8
    """The value of every action of the state, which becomes its edge's value."""


Choose = Callable[[Node, np.random.Generator], int]
"""choose(node, random): the position, in `node.actions`, of the action to play after a search."""


@dataclass(frozen=True)
class Algorithm:
    """A search algorithm. Each kernel has the signature of its name."""

    follow: Kernel
    goes_on: Kernel
    back_up: Kernel
    update: Kernel
    asks: Asks
    choose: Choose
    """Chooses the action to play after the search."""
    resolution_stop: bool = False
    """Whether iterations end at nodes that `update` has resolved, and the search at a resolved root."""
    transpositions: bool = True
    """Whether equal states are one node."""
    rollouts: float = 0.0
    """The share, from 0 to 1, of a random rollout in the value of an expanded state; the evaluation has the rest."""
    constants: tuple[float, ...] = ()
    """The last argument of the kernels; the scale of values is appended to it."""
    together: bool = False
    """Whether several states may be expanded at the same time: an iteration ends after an expansion, and updates need
    only the edges."""
    leaves: int = 1
    """The number of states that are expanded at the same time, if they may be (modules `leaf_batches`,
    `shared_walk`)."""
    refining: int = 0
    """The number of children to evaluate of every expanded state, the best by their action values."""
    refining_root: int = 0
    """The number of children of the root to evaluate, if it is larger than `refining`."""
    refining_random: int = 0
    """The number of other children, drawn at random, to evaluate as well."""

    @property
    def refines(self) -> bool:
        """Whether action values are refined."""
        return bool(self.refining or self.refining_root)

    def __post_init__(self) -> None:
        if Asks.CHILDREN in self.asks and self.asks != Asks.CHILDREN:
            raise ValueError("an algorithm asks for the values of children or for what belongs to the state, not both")
        if self.refines and Asks.ACTION_VALUES not in self.asks:
            raise ValueError("only an algorithm that asks for action values can refine them")
        for name, signature in (
            ("follow", FOLLOW), ("goes_on", GOES_ON), ("back_up", BACK_UP), ("update", UPDATE),
        ):  # fmt: skip
            if getattr(getattr(self, name), "signature", None) != signature:
                raise ValueError(f"{name} must be a function decorated with @kernel({name.upper()})")
        if not isinstance(self.constants, Collection) or not all(isinstance(one, Real) for one in self.constants):
            raise ValueError(f"constants must be numbers in a tuple, such as (0.5,), not {shown(self.constants)}")

    def asked(self, stochastic: bool = False) -> tuple[str, ...]:
        """The fields of `Leaves` that the evaluator must give; in games of chance outcomes are evaluated themselves."""
        also = Asks.ACTION_VALUES if self.refines or stochastic else Asks.NOTHING
        values = Asks.CHILDREN | Asks.STATE | also
        asks = {
            "values": values, "policies": Asks.POLICY, "action_values": Asks.ACTION_VALUES,
        }  # fmt: skip
        return tuple(name for name, question in asks.items() if self.asks & question)

    def steps(self, evaluated: bool, scale: float = 1.0) -> "Steps":
        """The algorithm as compiled code takes it. Unless `evaluated`, it asks for nothing, and all values are 0.

        Raises ValueError if a kernel cannot be compiled.
        """
        follow, goes_on, back_up, update = map(self._address, ("follow", "goes_on", "back_up", "update"))
        return Steps(
            follow, goes_on, back_up, update,
            int(self.asks) if evaluated else 0, int(self.resolution_stop), int(self.transpositions),
            float(self.rollouts), self.refining, max(self.refining, self.refining_root), self.refining_random,
            np.array([*self.constants, scale], np.float64),
        )  # fmt: skip

    def _address(self, name: str) -> int:
        kernel: Kernel = getattr(self, name)
        with compiled(name):
            return kernel.address


class Steps(NamedTuple):
    """The kernels of an algorithm by address, and its settings as numbers."""

    follow: int
    goes_on: int
    back_up: int
    update: int
    asks: int
    resolution_stop: int
    transpositions: int
    rollouts: float
    refining: int
    refining_root: int
    refining_random: int
    constants: NDArray[np.float64]


STEPS = types.NamedTuple([types.int64] * 7 + [types.float64] + [types.int64] * 3 + [CONSTANTS], Steps)
follow, goes_on, back_up, update = map(by_address, (FOLLOW, GOES_ON, BACK_UP, UPDATE))
