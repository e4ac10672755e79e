"""Alpha-beta by several threads: a leading search and its companions, each with a tree of its own for the same root.

They tell each other bounds of states and what they are searching (module `shared_bounds`). When one of them completes a
depth, the others leave it and go on to the next. The answer is the one of the search that got furthest.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import prepare
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate
from athenan.rules.state import CHANCE
from athenan.rules.terminal import TerminalValue
from athenan.search.alpha_beta.deepening import accompany, lead
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.alpha_beta.shared_bounds import SharedBounds, best_action
from athenan.search.alpha_beta.stack import memory_beside
from athenan.search.budget import Budget
from athenan.search.searcher import Effort
from athenan.search.trees.node import Node
from athenan.search.trees.planting import memory_for

_DEEPEST = 2**31 - 1


class Companions:
    """Searches that go on while a leading search does; they end by themselves if it does not for some 50 ms."""

    def __init__(self, searches: list[AlphaBetaSearch], advances: list[Callable[[], None]]) -> None:
        """Each of `advances` advances one of the searches, in compiled code, until it ends or is left alone."""
        self.searches, self._advances = searches, advances
        self._running: list[Future[None] | None] = [None] * len(searches)
        self._pool = ThreadPoolExecutor(len(searches), "athenan-companion")

    def start(self) -> None:
        """Starts a search of the root by all; they begin when the leading search goes on."""
        for search in self.searches:
            with suppress(ValueError):  # of a search that was left alone
                search.count()
            search.start(Budget(iterations=_DEEPEST))

    def go_on(self) -> None:
        """Lets all search, unless they have ended or are searching already."""
        for number, (search, running) in enumerate(zip(self.searches, self._running, strict=True)):
            if (running is None or running.done()) and not search.done().size:
                self._running[number] = self._pool.submit(self._advances[number])

    def rest(self) -> None:
        """Ends the search and waits until all are idle."""
        for search in self.searches:
            search.stop()
        for running in self._running:
            if running is not None:
                running.result()


class AccompaniedSearch(AlphaBetaSearch):
    """An alpha-beta search whose further threads are companions, in searches with a limit in seconds.

    With one thread, or another limit, it is exactly `AlphaBetaSearch`. All companions together take half as much memory
    as the leading search, but each as much as the smallest tree needs.
    """

    shares_work = True

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None,
        terminal: TerminalValue,
        settings: AlphaBeta,
        memory: int,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        """The parameters are as for `AlphaBetaSearch`, but `evaluate` must be `Native`, and there is one slot."""
        super().__init__(game, evaluate, terminal, settings, 1, memory, seed)
        self._memory, self._alone = memory, self._advance
        self._shared = SharedBounds.of(0)
        self._companions: Companions | None = None
        self._answering: AlphaBetaSearch = self
        """The search that answers."""
        self._counted = 0
        self.use_threads(threads)

    def use_threads(self, threads: int) -> None:
        self._rest()
        self.threads, self._answering, self._companions = threads, self, None
        if threads > 1:
            prepare(lead, accompany, best_action)
            least = memory_for(self.game, beside=memory_beside(self.game))
            memory = max(least, self._memory // (2 * threads))
            self._shared = SharedBounds.of(memory)
            self._lead = lead.bound(*self._for_kernels, self._shared)
            searches = [
                AlphaBetaSearch(self.game, self.evaluate, self.terminal, self.settings, memory=memory, seed=number)
                for number in range(1, threads)
            ]
            advances = [accompany.bound(*search._for_kernels, self._shared) for search in searches]
            self._companions = Companions(searches, advances)
            if self.forest.slots[0]["nodes"]:
                self._reset_companions(self.state())

    def _rest(self) -> list[AlphaBetaSearch]:
        """Waits until no other thread searches; returns the searches of the others."""
        if self._companions is None:
            return []
        self._companions.rest()
        return self._companions.searches

    def _reset_companions(self, state: State) -> None:
        for search in self._rest():
            search.reset(state)
        self._shared.forget()

    def reset(self, state: State, slot: int = 0) -> None:
        super().reset(state, slot)
        self._answering = self
        self._reset_companions(state)

    def play(self, action: int, slot: int = 0) -> None:
        super().play(action, slot)
        self._answering = self
        for search in self._rest():
            search.play(action)

    def make_room(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        super().make_room(slot, leaving)
        for search in self._rest():
            search.make_room()

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        super().start(budget, slot, shallow)
        self._rest()
        self._advance, self._answering, self._counted = self._alone, self, 0
        if self._companions and self.threads_within(budget) > 1 and not shallow:
            self._advance = self._go_on
            self._shared.start()
            self._companions.start()

    def _go_on(self) -> int:
        """Advances the search while the companions search as well; returns 0.

        Raises ValueError if a companion was given a value that is not finite.
        """
        assert self._companions
        self._companions.go_on()
        self._lead()
        if self.done().size:
            self._companions.rest()
            self._answering = max((self, *self._companions.searches), key=_progress)
            for search in self._companions.searches:
                search.count()
        elif any(search.done().size and not search.full() for search in self._companions.searches):
            self.stop()  # nothing more can be found
        return 0

    def _evaluated(self) -> int:
        before, self._counted = self._counted, sum(effort.evaluations for effort in self._efforts())
        return super()._evaluated() + self._counted - before

    def _efforts(self) -> list[Effort]:
        """The costs of the companions' present searches."""
        companions = self._companions if self._advance == self._go_on else None
        return [search.effort() for search in companions.searches] if companions else []

    def effort(self, slot: int = 0) -> Effort:
        """The cost of the present search by all threads; the iterations are the depth that was completed."""
        own, others = super().effort(slot), self._efforts()
        if not others:
            return own
        evaluations, states = (sum(of) for of in zip(*((one.evaluations, one.states) for one in others), strict=True))
        depth = _progress(self._answering)[1]
        return Effort(depth, own.evaluations + evaluations, own.states + states, own.full)

    def root(self, slot: int = 0) -> Node:
        return super().root(slot) if self._answering is self else self._answering.root()

    def node(self, number: int, slot: int = 0) -> Node:
        """A node of the tree to which `root` belongs."""
        return super().node(number, slot) if self._answering is self else self._answering.node(number)

    def line(self, slot: int = 0) -> list[int]:
        """The principal variation; where the tree ends, it goes on with what the threads have told each other."""
        actions = super().line(slot) if self._answering is self else self._answering.line()
        state = self.game.replay(actions, self.state(slot))
        for _ in range(len(actions), _progress(self._answering)[1] if self._efforts() else 0):
            action = int(best_action(self._shared, state))
            if self.game.outcome(state) is not None or self.game.player(state) == CHANCE:
                break
            if action not in self.game.actions(state):
                break
            actions.append(action)
            state = self.game.play(state, action)
        return actions


def _progress(search: AlphaBetaSearch) -> tuple[bool, int]:
    """How far a search has come: whether its root is resolved, and the greatest depth that it has completed."""
    slot = search.forest.slots[0]
    return bool(search.forest.nodes[0, slot["root"]]["resolution"]), int(slot["depth"])
