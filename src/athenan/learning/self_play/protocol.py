"""What all kinds of self-play have in common: matches without end, and what a checkpoint must know of them.

| kind | module | matches are played by |
| --- | --- | --- |
| `SearchPlay` | `by_search` | a search for each action |
| `ExpertIteration` | `by_policy` | the network's policy; a search then labels a state of each |
| `TurnPlay` | `by_turns` | the values of the states in which a turn can end |
| `DeterminizedPlay` | `determinized` | either of the first two, with dice known beforehand |
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.learning.examples.examples import Examples
from athenan.rules.game import State
from athenan.runs.checkpoint import Tensors
from athenan.search.trees.forest_search import ForestSearch

Begin = Callable[[int], State]
"""begin(seed): the initial state of a match; seeds are in [0, 2^63)."""


@dataclass(frozen=True)
class FinishedMatch:
    """A finished match and its examples."""

    actions: list[int]
    """All actions, including outcomes of chance."""
    outcome: int
    """The first player's gain."""
    examples: Examples
    line: list[int]
    """The actions of the best finished match that the search has seen, with one player and no chance; otherwise the
    actions of the match."""


@dataclass(frozen=True)
class Spent:
    """The cost of playing so far. The fields have the names of a training's progress (`Progress`)."""

    evaluations: int = 0
    """States evaluated."""
    batches: int = 0
    """Batches for which searches have asked; a shared evaluator evaluates several of them together."""
    cut_short: int = 0
    """Searches that ended early because their tree was full."""
    network_seconds: float = 0.0
    """Seconds spent evaluating states."""
    search_seconds: float = 0.0
    """The other seconds spent playing, the trees and the rules; `Actor` measures them."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(*(one - two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    @staticmethod
    def among(actors: Sequence["Spent"]) -> "Spent":
        """What actors that play at the same time have spent: sums of counts, and means of seconds."""
        whole, count = sum(actors, Spent()), len(actors)
        network, search = whole.network_seconds / count, whole.search_seconds / count
        return replace(whole, network_seconds=network, search_seconds=search)

    @staticmethod
    def by(search: ForestSearch) -> "Spent":
        """What a search has spent since it was made."""
        evaluate = search.evaluate
        batches, seconds = (evaluate.batches, evaluate.seconds) if evaluate else (0, 0.0)
        return Spent(search.evaluations, batches, search.cut_short, seconds)


class SelfPlay(Protocol):
    """Matches without end, one or several side by side, played by one thread at a time."""

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match is finished; None if `interrupted`, which may happen in the middle of matches.

        The next call continues the matches in play. The time between two calls is not search time.
        """

    def hurry(self, hurried: bool) -> None:
        """Tells `next_match` whether to check often for an interruption, as someone waits. Any thread may call it.

        Does nothing unless overridden: most kinds check after each batch.
        """
        return

    def restart(self) -> None:
        """Begins all matches anew."""

    @property
    def random(self) -> NDArray[np.uint64]:
        """The random states of the matches side by side, which may be written; uint64[matches]."""

    @property
    def spent(self) -> Spent:
        """What was spent since this object was made."""

    def as_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What is remembered from match to match, by names that begin with the prefix; nothing unless overridden."""
        return {}

    def restore(self, tensors: Tensors, prefix: str) -> None:
        """Remembers what `as_arrays` gave. Raises CheckpointError if it is damaged."""
        return
