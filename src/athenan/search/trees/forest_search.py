"""The base class of searches of a forest."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import prepare
from athenan.rules.game import Game, State
from athenan.rules.leaf import Leaf
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE
from athenan.rules.terminal import TerminalValue, value_of_end
from athenan.search.budget import Budget
from athenan.search.clock import Deadlines
from athenan.search.searcher import advance
from athenan.search.trees.algorithm import Algorithm, Choose
from athenan.search.trees.asking import answer_of, kernel_of
from athenan.search.trees.forest import (
    DONE,
    MUCH,
    Forest,
    clear,
    has_room_for_root,
    play_at_root,
    prune,
    set_root,
    start_search,
)
from athenan.search.trees.metering import metered
from athenan.search.trees.node import Node
from athenan.search.trees.readable import ReadableTrees

_UNLIMITED = 2**62


def limits_of(budget: Budget) -> tuple[int, int]:
    """The most iterations and evaluations of a search within a budget."""
    evaluations = min(budget.evaluations or _UNLIMITED, _UNLIMITED)
    return min(budget.iterations or _UNLIMITED, evaluations), evaluations


class ForestSearch(ReadableTrees, ABC):
    """Searches that advance together, one tree per slot; subclasses add the kernels and the choice of the action."""

    keeps_tree = True
    shares_work = False
    threads = 1

    def __init__(
        self, game: Game, evaluate: Evaluate | None, terminal: TerminalValue, forest: Forest, algorithm: Algorithm
    ) -> None:
        prepare(clear, set_root)
        super().__init__(game, forest)
        self.evaluate = metered(evaluate) if evaluate is not None else None
        """The evaluator, which counts its states and batches."""
        self.terminal = terminal
        self.algorithm = algorithm
        """How states are expanded, and whether equal states are one node; in the walk, the whole search."""
        self._statuses = forest.slots["status"]
        self._start = start_search.bound(forest)
        self._play = play_at_root.bound(forest, game.rules, int(algorithm.transpositions))
        self._evaluated_inside = 0  # states that the walk evaluated by a kernel
        self._cut_short = 0
        self.planes = np.empty((len(forest.slots) * game.max_actions, int(np.prod(game.planes))), np.int8)
        """Room for the batch of states to evaluate."""
        self._advance: Callable[[], int]
        """Set by the subclass: advances all trees until states wait for leaves, and returns their number."""
        self._receive: Callable[[Leaves], None]
        """Set by the subclass: stores the leaves."""
        self._leaf = Leaf.of(game, kernel_of(game, algorithm, self.evaluate))
        self._asked = algorithm.asked(game.stochastic)
        """The fields of `Leaves` that the evaluator must give."""

    @property
    @abstractmethod
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""

    @property
    @abstractmethod
    def choice(self) -> Choose:
        """How the action to play is chosen after a search."""

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action to play."""
        return self.choice(node, random)

    def line(self, slot: int = 0) -> list[int]:
        """The principal variation, as far as the tree goes: the actions to play.

        It ends where chance is to move, because what follows is drawn.
        """
        random = np.random.default_rng(0)
        node, actions = self.root(slot), list[int]()
        while len(node.actions) and node.player != CHANCE:
            position = self._following(node, len(actions), slot, random)
            if position is None:
                break
            actions.append(int(node.actions[position]))
            if node.children[position] < 0:
                break
            node = self.node(int(node.children[position]), slot)
        return actions

    def _following(self, node: Node, depth: int, slot: int, random: np.random.Generator) -> int | None:
        """The position, in `node.actions`, of the line's next action; None where the line ends."""
        return self.choose(node, random)

    @property
    def scale(self) -> float:
        """The size of large values."""
        return self.terminal.scale

    @property
    def evaluations(self) -> int:
        """States evaluated since this object was made."""
        return self._evaluated_inside + (self.evaluate.states if self.evaluate else 0)

    @property
    def cut_short(self) -> int:
        """Searches since this object was made that ended early because their tree had filled its memory."""
        return self._cut_short + int(self.forest.slots["full"].sum())

    def use_threads(self, threads: int) -> None:
        """Most searches take one thread."""
        return

    def use_forced(self, forced: bool) -> None:
        """Most searches expand all actions."""
        return

    def threads_within(self, budget: Budget) -> int:
        """The number of threads that a search within this budget uses: a limit in seconds lets all of them search."""
        return self.threads if budget.seconds is not None else 1

    def seed(self, seed: int, slot: int | None = None) -> None:
        """Seeds the random numbers of all trees, or of one tree as if it were the only one."""
        if slot is None:
            self.forest.random[:] = streams(seed, len(self.forest.random))
        else:
            self.forest.random[slot] = streams(seed, 1)[0]

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root.

        Raises GameError if the state cannot be one of this game.
        """
        root = self.game.position(state)
        self._count_full(slot)
        clear(self.forest, slot)
        set_root(self.forest, slot, root)

    def _count_full(self, slot: int) -> None:
        """Counts the last search of a tree if full memory ended it, before the tree forgets that."""
        self._cut_short += int(self.forest.slots[slot]["full"])
        self.forest.slots[slot]["full"] = 0

    def prepare(self, budget: Budget, slot: int = 0) -> None:
        """Prepares a tree for a search of the action to play, within this budget; most searches need nothing."""
        return

    def expand(self, slot: int = 0) -> None:
        """Expands the root of a tree; searches of other trees continue meanwhile."""
        self.start(Budget(iterations=1), slot, shallow=True)
        while slot not in self.done():
            self.round()

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        """Starts a search: the slot takes part in rounds until the budget is used up. The caller watches the seconds.

        If `shallow`, iterations of Descent end after one expansion, like UBFM's.
        """
        self._cut_short += self._start(slot, *limits_of(budget), shallow)

    def stop(self, slot: int = 0) -> None:
        """Ends the search of a slot after its present iteration; without a network, after its present expansion."""
        self.forest.slots[slot]["stop"] = 1

    def round(self) -> int:
        """Advances every slot that is not done by one evaluated batch; returns the number of states in it.

        If this is 0, the searches may have ended, or may have run for a while without a state to evaluate. If a kernel
        evaluates, the slots advance until they have done some work. Raises ValueError if a value was not finite; the
        trees then have 0 in its place.
        """
        if self._leaf.address:
            self._advance()
            return self.count()
        rows: int = self._advance()
        if rows:
            assert self.evaluate is not None
            leaves = self.evaluate(self.planes[:rows])
            self._receive(answer_of(leaves, self._asked, rows, self.game.action_count))
        return rows

    def count(self, cut_short: int = 0) -> int:
        """Counts the states that a kernel has evaluated since they were last counted, and returns their number.

        `cut_short` are searches that full memory has ended, to be counted as well. Raises ValueError like `round`.
        """
        self._cut_short += cut_short
        evaluated = self._evaluated()
        self._evaluated_inside += evaluated
        return evaluated

    def _evaluated(self) -> int:
        """The states that a kernel has evaluated since this was last asked; see `Leaf.evaluated`."""
        return self._leaf.evaluated()

    @property
    def is_native(self) -> bool:
        """Whether a kernel evaluates, so that a search never waits for Python."""
        return bool(self._leaf.address)

    def done(self) -> NDArray[np.int64]:
        """The slots whose search has ended (or has not begun)."""
        done: NDArray[np.int64] = (self._statuses == DONE).nonzero()[0]
        return done

    def run(self, budget: Budget) -> None:
        """Searches every tree until its budget is used up, its root is proven, or it is full."""
        slots = len(self.forest.slots)
        deadlines = Deadlines(slots)
        for slot in range(slots):
            self.start(budget, slot)
            deadlines.start(slot, budget.seconds)
        while advance(self, deadlines):
            pass

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root. The tree keeps all that it knows (Remark 1).

        Without transpositions the new root is the root's own child, even if there are equal states. A tree without room
        for one more node is pruned first.
        """
        if not has_room_for_root(self.forest, slot):
            self.prune(slot)
        self._play(slot, action)

    def end_value(self, end: State) -> float:
        """The terminal evaluation of the state in which a match ended."""
        return value_of_end(self.game, self.terminal, end)

    def make_room(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        """Prunes if more than half of the memory is in use, so that there is always room to expand the root."""
        if self.fullness(slot) > MUCH:
            self.prune(slot, leaving)

    def prune(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        """Removes the nodes that the root cannot reach; before that, `leaving` gets a mask of these nodes."""
        unreachable = self.unreachable(slot)
        if leaving:
            leaving(unreachable)
        self._count_full(slot)
        prune(self.forest, slot, ~unreachable, np.empty(len(unreachable), np.int32))
