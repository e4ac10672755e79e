"""A search that shares its expansions with other threads, from Python."""

from concurrent.futures import Future, ThreadPoolExecutor

from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.search.trees.algorithm import Algorithm, Steps
from athenan.search.trees.forest import Forest
from athenan.search.trees.subject import Subject
from athenan.search.walking.expansions import Expansions, assist
from athenan.search.walking.shared_walk import advance_shared
from athenan.search.walking.waiting_leaves import WaitingLeaves

_LEAVES, _MOST_LEAVES = 2, 64
"""Leaves that wait at the same time, for each thread and in all, unless the settings say how many."""


def can_share(game: Game, algorithm: Algorithm, subject: Subject, slots: int) -> bool:
    """Whether several threads can search: one tree without chance, whose children are valued in compiled code.

    Without values to compute, the walks would take nearly all of the time, and they are one thread's.
    """
    return algorithm.together and bool(subject.leaf.address) and slots == 1 and not game.stochastic


def leaves_for(threads: int, algorithm: Algorithm) -> int:
    """The leaves that wait at the same time: fewer would leave threads idle, more would be worse choices."""
    return algorithm.leaves if algorithm.leaves > 1 else min(_LEAVES * threads, _MOST_LEAVES)


class Sharing:
    """Several threads that search one tree: the thread that calls `advance`, and assistants.

    Assistants sleep if they find no work for a few milliseconds. They end with this object, or with the program.
    """

    def __init__(self, game: Game, forest: Forest, subject: Subject, steps: Steps, threads: int, leaves: int) -> None:
        """`leaves` wait at the same time. The tree depends on this number, and not on the number of threads."""
        prepare(advance_shared, assist)
        waiting, expansions = WaitingLeaves.of(game, 1, leaves), Expansions.of(game, leaves)
        self._leaves = [subject.leaf.copy() for _ in range(threads)]
        own, *others = (subject._replace(leaf=leaf) for leaf in self._leaves)
        self._advance = advance_shared.bound(forest, own, steps, waiting, expansions)
        self._assist = [assist.bound(forest.states, other, expansions) for other in others]
        self._running: list[Future[None] | None] = [None] * len(others)
        self._pool = ThreadPoolExecutor(max(1, len(others)), "athenan-assistant")

    def advance(self) -> int:
        """Advances the search until it ends or a few milliseconds of work are done; returns 0."""
        for number, running in enumerate(self._running):
            if running is None or running.done():
                self._running[number] = self._pool.submit(self._assist[number])
        return int(self._advance())

    def evaluated(self) -> int:
        """The states evaluated since this was last asked; see `Leaf.evaluated`."""
        return sum(leaf.evaluated() for leaf in self._leaves)
