"""A search that solves ends exactly, and goes on for the margin once it is proven who wins.

>>> from athenan import Budget, make
>>> from athenan.evaluation.heuristics import make_heuristic
>>> from athenan.search.algorithms.best_first import Ubfm
>>> game = make("othello:4")
>>> search = FinishingSearch(game, terminal=make_heuristic("score", game), settings=Ubfm(ends=20))
>>> search.reset(game.initial())
>>> search.run(Budget(evaluations=100_000))
>>> search.root().value, search.root().proven, search.proves_values  # white wins by 8
(-8.0, -1, True)
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue, gain
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.budget import Budget
from athenan.search.finishing.ends import Ends, require_ends
from athenan.search.settings import WalkSettings
from athenan.search.trees.algorithm import Choose
from athenan.search.trees.node import Node
from athenan.search.trees.planting import DEFAULT_MEMORY
from athenan.search.trees.selection import safest, safest_or_exact, safest_securing_draw
from athenan.search.walking.walk_search import Search

_LEAST_MEMORY = 1 << 26
"""The memory, in bytes, of a search that has room for tables beside its tree."""
_SHARE = 4
"""One part in so many of the memory is the tree's that finds the margin."""


class FinishingSearch(Search):
    """A search by the walk whose settings have `ends` or `margin`."""

    finishes = True

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None = None,
        terminal: TerminalValue = Gain(),
        settings: WalkSettings = Ubfm(),
        slots: int = 1,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        """The parameters are as for `Search`. With several slots or less than 64 MiB of memory, nothing is added to it.

        Raises ValueError if the ends of the game cannot be solved.
        """
        if settings.ends:
            require_ends(game)
        refines = settings.margin and not settings.exact and terminal.address != gain.address
        finishes = slots == 1 and memory >= _LEAST_MEMORY
        for_margin = memory // _SHARE if finishes and refines and game.players == 2 and not game.stochastic else 0
        super().__init__(game, evaluate, terminal, settings, slots, memory - for_margin, seed, threads)
        solves = settings.ends and finishes
        self._ends = Ends(game, terminal, self._leaf.copy(), settings.ends, memory) if solves else None
        """The exact solver of the roots."""
        exact = replace(settings, exact=True, ends=0, margin=False)
        self._margin = Search(game, evaluate, terminal, exact, 1, for_margin, seed) if for_margin else None
        """The search for the margin, which starts when a root is proven."""
        self._budget = Budget(iterations=1)
        self._stopped = self._refined = self._follows = False

    def seed(self, seed: int, slot: int | None = None) -> None:
        super().seed(seed, slot)
        if self._margin:
            self._margin.seed(seed, slot)

    def reset(self, state: State, slot: int = 0) -> None:
        super().reset(state, slot)
        self._refined = self._follows = False
        if self._ends:
            self._ends.forget()

    def play(self, action: int, slot: int = 0) -> None:
        super().play(action, slot)
        self._refined = False
        if self._margin and self._follows:
            self._margin.play(action)
            self._margin.make_room()

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        super().start(budget, slot, shallow)
        self._budget, self._stopped, self._refined = budget, shallow, False
        if self._ends and not shallow:
            self._ends.start(self.state(), super().root().value, budget)

    def stop(self, slot: int = 0) -> None:
        super().stop(slot)
        self._stopped = True
        if self._ends:
            self._ends.stop()
        if self._margin:
            self._margin.stop()

    def round(self) -> int:
        before = int(self.forest.slots[0]["evaluations"])
        evaluated = super().round()
        if self._ends:
            self._ends.go_on(int(self.forest.slots[0]["evaluations"]) - before)
            if self._solves and self._ends.knowledge.solved:
                super().stop()
        if self._margin and not self._refined and self._is_only_won:
            if not self._follows:
                self._margin.reset(self.state())
            self._margin.start(self._budget)
            self._refined = self._follows = True
        if self._margin and self._refined:
            evaluated += self._margin.round()
        return evaluated

    @property
    def _is_only_won(self) -> bool:
        """Whether the search has ended because it is proven which player wins, and nothing solves the root."""
        root = self.forest.nodes[0, self.forest.slots[0]["root"]]
        won = super().done().size and root["resolution"] and root["completion"]
        return bool(won and not self._stopped and not self._solves)

    @property
    def _solves(self) -> bool:
        """Whether the present root is solved exactly, or tried."""
        return self._ends is not None and self._ends.active

    def done(self) -> NDArray[np.int64]:
        done = super().done()
        goes_on = self._ends is not None and self._ends.goes_on
        refines = self._margin is not None and self._refined and not self._margin.done().size
        return done[:0] if goes_on or refines else done

    def _evaluated(self) -> int:
        return super()._evaluated() + (self._ends.evaluated() if self._ends else 0)

    @property
    def evaluations(self) -> int:
        return super().evaluations + (self._margin.evaluations if self._margin else 0)

    @property
    def proves_values(self) -> bool:
        by_ends = self._ends is not None and self._ends.has_solved_value
        return super().proves_values or self._refined or by_ends

    @property
    def choice(self) -> Choose:
        chosen = super().choice
        knows_more = self._refined or self._solves
        return safest_or_exact if knows_more and chosen in (safest, safest_securing_draw) else chosen

    def root(self, slot: int = 0) -> Node:
        """The root as the tree knows it, with what is known beyond the tree."""
        node = super().root(slot)
        if not len(node.actions):
            return node
        if self._margin and self._refined and self._margin.expanded():
            return with_margin(node, self._margin.root())
        return self._ends.shown(node) if self._ends else node


def with_margin(won: Node, exact: Node) -> Node:
    """A node of which it is proven who wins, with the values of an exact search of the same state.

    `won` says who wins after each action, where it knows it; all else is by the exact search.
    """
    completions = np.where(won.completions != 0, won.completions, exact.completions)
    best = completions == won.completion
    return replace(
        won, value=float(won.sign * (won.sign * exact.values[best]).max()), resolution=exact.resolution,
        visits=exact.visits, values=exact.values, completions=completions, resolutions=exact.resolutions,
        counts=exact.counts,
    )  # fmt: skip
