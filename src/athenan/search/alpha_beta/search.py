"""Iterative-deepening alpha-beta: minimax of depth 1, then 2 and so on, each ordered by the results of the last.

    >>> from athenan import Budget, make
    >>> from athenan.search.alpha_beta.search import AlphaBetaSearch
    >>> game = make("tictactoe")
    >>> search = AlphaBetaSearch(game)
    >>> search.reset(game.after("b2 b1"))
    >>> search.run(Budget(iterations=9))
    >>> search.root().proven, search.effort().iterations  # the first player wins; depth 5 shows it
    (1, 5)

Source: 003, section 2.1, which names alpha-beta (Knuth and Moore 1975), iterative deepening (Korf 1985), move ordering
(Fink 1982) and transpositions. Late move reductions are no part of it. The compiled part is in `deepening`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import prepare
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue, counts_points, gain
from athenan.search.algorithms.best_first import best_first
from athenan.search.alpha_beta.deepening import advance, receive
from athenan.search.alpha_beta.stack import BOTH, GAINS, NOTHING, VALUES, memory_beside, plan
from athenan.search.budget import Budget
from athenan.search.settings import SearchSettings, TurnSettings
from athenan.search.trees.algorithm import Choose
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.search.trees.planting import DEFAULT_MEMORY, plant
from athenan.search.trees.selection import best
from athenan.search.trees.subject import Subject
from athenan.settings import Between


@dataclass(frozen=True)
class AlphaBeta(TurnSettings):
    """Iterative-deepening alpha-beta; in games of chance it is Expectiminimax (001, section 2.1.3)."""

    depth: Annotated[int, Between(1, 10_000)] | None = None
    """The greatest depth, in actions and outcomes of chance. Without one, the search deepens until the budget ends.
    Depth 1 evaluates only the children."""
    reductions: bool = False
    """Late move reductions: the best action by the last search is searched to the full depth, the others first less
    deep, and again if they then seem better. Values are then not exactly minimax. Games of chance have none."""

    def heads(self, stochastic: bool = False) -> tuple[str, ...]:
        return ("values",)

    def for_play(self) -> SearchSettings:
        return AlphaBeta(turns=self.turns)

    @property
    def sees_actions(self) -> bool:
        return True

    def make(
        self, game: Game, evaluate: Evaluate | None, terminal: TerminalValue, slots: int, memory: int, seed: int
    ) -> ForestSearch:
        return AlphaBetaSearch(game, evaluate, terminal, self, slots, memory, seed)


def _proofs(game: Game, terminal: TerminalValue) -> int:
    """What completion proves in a game under a terminal evaluation.

    With chance, a value under perfect play is an expectation, which a win alone does not determine unless values are
    gains. If points count, values alone decide.
    """
    if game.players == 1 or counts_points(game, terminal):
        return VALUES
    return BOTH if game.stochastic and terminal.address != gain.address else GAINS


class AlphaBetaSearch(ForestSearch):
    """Alpha-beta searches that advance together, one tree per slot; iterations are completed depths.

    `evaluate` is given all non-terminal children of a state as one batch; None searches without a network: every
    unproven state is worth 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1).

    A search that is stopped in the middle of a depth, by time, evaluations or memory, returns the result of the last
    completed depth and, with completion, what was proven since; with reductions also the best that the depth has found
    once its first action was searched. Depth 1 is always completed. The value of an edge that is not the best is a
    bound. In nodes the actions are in the order in which they were searched.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None = None,
        terminal: TerminalValue = Gain(),
        settings: AlphaBeta = AlphaBeta(),
        slots: int = 1,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        prepare(advance, receive)
        proofs = _proofs(game, terminal) if settings.completion else NOTHING
        expanding = best_first(False, best, proofs >= GAINS, resolution_stop=False, exact=False)
        algorithm = replace(expanding, transpositions=settings.transpositions)
        super().__init__(game, evaluate, terminal, plant(game, slots, memory, seed, memory_beside(game)), algorithm)
        self.settings = settings
        self._plan = plan(game, slots, self.forest.nodes.shape[1], self.forest.edges.shape[1])
        steps = algorithm.steps(evaluate is not None, terminal.scale)
        subject = Subject.of(game, terminal, self._leaf)
        reductions = int(settings.reductions and not game.stochastic)
        self._for_kernels = self.forest, self._plan, subject, steps, proofs, reductions, self.planes
        self._advance = advance.bound(*self._for_kernels)
        self._receive = receive.bound(self.forest, self._plan)

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        """Searches a tree to depth 1, 2 and so on, up to the budget or `settings.depth`; only depth 1 if `shallow`."""
        depths = [1] if shallow else [depth for depth in (budget.iterations, self.settings.depth) if depth]
        super().start(replace(budget, iterations=min(depths, default=None)), slot)

    def prune(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        """Removes what the root cannot reach; other nodes keep their bounds. `leaving` as in `ForestSearch.prune`."""
        kept = ~self.unreachable(slot)
        bounds = self._bounds(slot)[kept]
        if self.game.stochastic:  # edges have the order of their nodes
            kept_edges = np.repeat(kept, self.forest.nodes[slot, : len(kept)]["edges"])
            estimates = self._plan.values[slot, : len(kept_edges)]
            estimates[: kept_edges.sum()] = estimates[kept_edges]
        super().prune(slot, leaving)
        self._bounds(slot)[:] = bounds

    def _bounds(self, slot: int) -> NDArray[np.void]:
        """The bounds of the nodes of a tree: BOUND[nodes]."""
        bounds: NDArray[np.void] = self._plan.bounds[slot, : self.forest.slots[slot]["nodes"]]
        return bounds

    def can_choose(self, slot: int = 0) -> bool:
        """Whether the root is resolved, or was searched to an end within its window before it became the root."""
        root = self.forest.slots[slot]["root"]
        bound = self._bounds(slot)[root]
        known = self.forest.nodes[slot, root]["resolution"] or (bound["depth"] and bound["lower"] == bound["upper"])
        return self.expanded(slot) and bool(known)

    def valued(self, slot: int = 0) -> NDArray[np.bool_]:
        """Whether v(s) of each node is minimax to some depth, or proven, and not only a bound; bool[nodes]."""
        bounds, nodes = self._bounds(slot), self.forest.nodes[slot, : self.forest.slots[slot]["nodes"]]
        exact: NDArray[np.bool_] = (bounds["lower"] == bounds["upper"]) | (nodes["resolution"] > 0)
        return exact

    @property
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""
        return self.game.players == 1 or self.game.stochastic or self.terminal.address == gain.address

    @property
    def choice(self) -> Choose:
        """The best action by (c, v)."""
        return best

    def _following(self, node: Node, depth: int, slot: int, random: np.random.Generator) -> int | None:
        """The line goes on to the last completed depth, and with proofs. Below the root, the best edge of a node's last
        search stands first.
        """
        if depth >= self.forest.slots[slot]["iterations"] and not node.resolution:
            return None
        return 0 if depth else self.choose(node, random)
