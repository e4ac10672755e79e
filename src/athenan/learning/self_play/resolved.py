"""Resolved states that are kept from one match to the next, and forgotten after a period (003, 9.3.1).

A state that an earlier match has proven is a node of the new match's tree from its beginning, resolved and without
edges: a search that steps into it knows its value, and goes no further.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.learning.examples.examples import latest_of_equal
from athenan.rules.arrays import FLOATS, STATES, array_of
from athenan.rules.compiler import kernel, prepare
from athenan.rules.game import Game
from athenan.rules.state import copy_state
from athenan.runs.checkpoint import CheckpointError, Tensors, expect
from athenan.search.trees.forest import FOREST, add_node, find, state_key
from athenan.search.trees.forest_search import ForestSearch

_MOST = 1 / 4  # of a tree's nodes


@dataclass(frozen=True, eq=False)
class Resolved:
    """n resolved states and what is known of them."""

    states: NDArray[np.int8]
    """int8[n, state size]"""
    values: NDArray[np.float32]
    """v(s); float32[n]"""
    completions: NDArray[np.int8]
    """c(s); int8[n]"""

    def __len__(self) -> int:
        return len(self.values)

    def and_later(self, other: "Resolved") -> "Resolved":
        """These states and others; the others replace equal states."""
        both = [np.concatenate(pair) for pair in zip(vars(self).values(), vars(other).values(), strict=True)]
        latest = latest_of_equal(both[0])
        return Resolved(*(part[latest] for part in both))

    @staticmethod
    def none(game: Game) -> "Resolved":
        """No states."""
        return Resolved(np.zeros((0, game.state_size), np.int8), np.zeros(0, np.float32), np.zeros(0, np.int8))


class ResolvedMemory:
    """The states that the matches of a period have proven; each tree begins with them."""

    def __init__(self, game: Game, period: int) -> None:
        """`period` is the number of matches after which all is forgotten; 0 remembers nothing."""
        if period:
            prepare(_plant)
        self.period = period
        self.matches = 0
        """Matches of the present period."""
        self.known = Resolved.none(game)
        self._game = game

    def note(self, search: ForestSearch, slot: int, among: NDArray[np.bool_]) -> None:
        """Remembers what is resolved among some nodes of a tree; terminal states need not be remembered.

        The memory is emptied instead when it would take more than a quarter of a tree, for which there must be room.
        """
        if not self.period:
            return
        nodes = search.forest.nodes[slot, : len(among)]
        found = np.flatnonzero(among & (nodes["resolution"] > 0) & (nodes["terminal"] == 0))
        states = search.forest.states[slot, found]
        known = self.known.and_later(Resolved(states, nodes["value"][found], nodes["completion"][found]))
        fits = len(known) <= _MOST * search.forest.nodes.shape[1]
        self.known = known if fits else Resolved.none(self._game)

    def end_match(self, search: ForestSearch, slot: int) -> None:
        """Remembers what the tree of a finished match knows; empties the memory when its period is over."""
        if not self.period:
            return
        self.note(search, slot, np.ones(search.forest.slots[slot]["nodes"], bool))
        if over := self.matches + 1 == self.period:
            self.known = Resolved.none(self._game)
        self.matches = 0 if over else self.matches + 1  # at once: a checkpoint may be made meanwhile

    def plant(self, search: ForestSearch, slot: int) -> None:
        """Gives a tree that is only a root all states that are remembered, except that root."""
        if len(self.known):
            _plant(search.forest, slot, *vars(self.known).values())

    def as_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """All arrays by name; `restore` reads them."""
        arrays = {prefix + name: array for name, array in vars(self.known).items()}
        return {**arrays, prefix + "matches": np.array([self.matches], np.int64)} if self.period else {}

    def restore(self, tensors: Tensors, prefix: str) -> None:
        """Takes what `as_arrays` gave, if the tensors have it. Raises CheckpointError if it is damaged."""
        if not self.period or prefix + "matches" not in tensors:
            return
        (matches,) = expect(tensors, prefix + "matches", np.int64, 1)
        values = expect(tensors, prefix + "values", np.float32, None)
        states = expect(tensors, prefix + "states", np.int8, len(values), self._game.state_size)
        completions = expect(tensors, prefix + "completions", np.int8, len(values))
        if not (0 <= matches < self.period and np.isfinite(values).all() and np.isin(completions, (-1, 0, 1)).all()):
            raise CheckpointError(f"the checkpoint's {prefix}* are damaged, or changed by hand")
        self.matches, self.known = int(matches), Resolved(states, values, completions)


@kernel(types.void(FOREST, types.int64, STATES, FLOATS, array_of(np.int8)))
def _plant(forest, slot, states, values, completions):
    """Adds resolved nodes; there must be room for them."""
    for row in range(len(values)):
        key = state_key(states[row])
        if find(forest, slot, states[row], key) < 0:
            copy_state(states[row], forest.states[slot, forest.slots[slot].nodes])
            node = forest.nodes[slot, add_node(forest, slot, key)]
            node.value = values[row]
            node.completion = completions[row]
            node.resolution = 1
