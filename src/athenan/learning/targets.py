"""Targets select what is learnt from a match and its search trees (003, Algorithms 3, 4 and 5).

| target | states | values |
| --- | --- | --- |
| tree | all states of S: expanded or terminal, of all searches of the match | v(s) |
| root | the states of the match | v(s) of the search for the action played there; of the last state f_t |
| terminal | the states of the match | f_t of its last state |

A target of your own is a class with the three methods of `Target`, passed to `SelfPlay`.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples import Examples
from athenan.rules.game import State
from athenan.rules.terminal import value_of_end
from athenan.search.search import Search


class Target(Protocol):
    """Collects the examples of one match, played in a slot of a search."""

    def before_action(self, search: Search, slot: int) -> None:
        """Called when the search for an action has ended, before the action is played."""

    def leaving(self, search: Search, slot: int, nodes: NDArray[np.bool_]) -> None:
        """Called before the tree removes some of its nodes."""

    def finished(self, search: Search, slot: int, end: State) -> Examples:
        """Called when the match has ended with this state; returns the examples."""


class TreeTarget:
    """Tree learning (Algorithm 3): S is a set; a state that the tree removed and met again has its latest value."""

    def __init__(self) -> None:
        self._forgotten: list[Examples] = []

    def before_action(self, search: Search, slot: int) -> None:
        pass

    def leaving(self, search: Search, slot: int, nodes: NDArray[np.bool_]) -> None:
        self._forgotten.append(_known(search, slot, nodes))

    def finished(self, search: Search, slot: int, end: State) -> Examples:
        everything = np.ones(search.forest.slots[slot]["nodes"], bool)
        examples = Examples.joined([*self._forgotten, _known(search, slot, everything)])
        if not self._forgotten or not search.settings.transpositions:  # no duplicates, or duplicates are wanted
            return examples
        keys = examples.states.view(np.dtype((np.void, examples.states.shape[1])))[:, 0]
        latest = len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]
        latest.sort()
        return examples.take(latest)


def _known(search: Search, slot: int, wanted: NDArray[np.bool_]) -> Examples:
    """The states of S among some nodes, with their v(s)."""
    nodes = search.forest.nodes[slot, : len(wanted)]
    chosen = np.flatnonzero(wanted & ((nodes["edges"] > 0) | (nodes["terminal"] > 0)))
    return Examples(search.forest.states[slot, chosen], nodes["value"][chosen])


class RootTarget:
    """Root learning (Algorithm 4)."""

    def __init__(self) -> None:
        self._states: list[State] = []
        self._values: list[float] = []

    def before_action(self, search: Search, slot: int) -> None:
        self._states.append(search.state(slot))
        self._values.append(search.root(slot).value)

    def leaving(self, search: Search, slot: int, nodes: NDArray[np.bool_]) -> None:
        pass

    def finished(self, search: Search, slot: int, end: State) -> Examples:
        values = [*self._values, value_of_end(search.game, search.terminal, end)]
        return Examples(np.stack([*self._states, end]), np.array(values, np.float32))


class TerminalTarget(RootTarget):
    """Terminal learning (Algorithm 5)."""

    def finished(self, search: Search, slot: int, end: State) -> Examples:
        value = value_of_end(search.game, search.terminal, end)
        return Examples(np.stack([*self._states, end]), np.full(len(self._states) + 1, value, np.float32))


TARGETS: dict[str, type[Target]] = {"tree": TreeTarget, "root": RootTarget, "terminal": TerminalTarget}
"""The targets by the names of `LearningSettings.target`."""
