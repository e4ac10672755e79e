"""Searches of one game by the walk through a forest, from Python.

>>> from athenan import Budget, Search, make
>>> game = make("tictactoe")
>>> search = Search(game)
>>> search.reset(game.initial())
>>> search.run(Budget(iterations=10_000))
>>> root = search.root()
>>> root.resolution, root.completion  # proven: a draw
(1, 0)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import prepare
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.randomness import streams
from athenan.rules.terminal import Gain, TerminalValue, gain, value_of_end
from athenan.search.algorithm import Algorithm, Asks, Choose
from athenan.search.bandits import PUCT_EXPLORATION, UCT_EXPLORATION, bandit
from athenan.search.best_first import best_first
from athenan.search.budget import Budget
from athenan.search.forest import (
    DEFAULT_MEMORY,
    DONE,
    READY,
    Forest,
    clear,
    plant,
    prune,
    reachable,
    set_root,
)  # fmt: skip
from athenan.search.korf_chickering import korf_chickering
from athenan.search.node import Node, read_node
from athenan.search.searcher import Effort
from athenan.search.selection import SELECTIONS, best, safest, safest_score
from athenan.search.walk import Subject, advance, receive
from athenan.settings import Between, check

Play = Literal["default", "best", "safest", "safest_securing_draw"]
Exploration = Annotated[float, Between(0, 1000)] | None
_UNLIMITED = 2**62
_MUCH = 0.5  # of a tree's memory


@dataclass(frozen=True)
class SearchSettings:
    """A search algorithm and its switches. Raises ValueError if there is no such algorithm."""

    algorithm: str = "ubfm"
    """In `descent` (003, Algorithms 9, 10) each iteration continues to the end of the match, in `ubfm` (1, 12) not.
    `korf_chickering` is the original form of `ubfm` (footnote 4). `uct` and `puct` are Monte Carlo tree search with a
    network at the leaves: by UCB1, and by AlphaZero's formula with the network's policy."""
    completion: bool = True
    """Propagate and use proven results (003, section 5); without it edges have none, not even those to finished
    matches, and v(s, a) alone decides which action is best. For `uct` and `puct` it is the solver."""
    resolution_stop: bool = True
    """Do not search proven states; without completion this has no effect."""
    transpositions: bool = True
    """Equal states are one node."""
    exact: bool = False
    """A state is resolved only when all its children are (003, Remark 30), so that its value under the heuristic is
    proven too, not only who wins; this takes far longer. Games of one player are always searched so: their completion
    is 0."""
    play: Play = "default"
    """The action played after a search: the default of the algorithm (the safest), that of the best value, or the
    safest with proven draws before unproven wins (003, Remark 16)."""
    exploration: Exploration = None
    """c of `uct` and `puct`, for values of about [-1, 1]; none is 0.4 for `uct` and 1.25 for `puct`."""

    def __post_init__(self) -> None:
        check(self)
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm must be {' or '.join(ALGORITHMS)}, not {self.algorithm!r}")
        if self.exploration is not None and ALGORITHMS[self.algorithm] in (ubfm, descent, best_first_minimax):
            raise ValueError(f"exploration must be none for {self.algorithm}, which explores by values alone")


def ubfm(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Unbounded Best-First Minimax, in the papers' form (003, Algorithms 1 and 12)."""
    return best_first(False, choose, settings.completion, settings.resolution_stop, settings.exact)


def descent(settings: SearchSettings, choose: Choose) -> Algorithm:
    """Descent Minimax (003, Algorithms 9 and 10)."""
    return best_first(True, choose, settings.completion, settings.resolution_stop, settings.exact)


def best_first_minimax(settings: SearchSettings, choose: Choose) -> Algorithm:
    """UBFM in Korf and Chickering's own form (003, footnote 4)."""
    return korf_chickering(choose, settings.completion, settings.resolution_stop, settings.exact)


def uct(settings: SearchSettings, choose: Choose) -> Algorithm:
    """UCT whose leaves a network evaluates (003, section 3.3 and Remark 6)."""
    return _bandit(settings, choose, False, UCT_EXPLORATION)


def puct(settings: SearchSettings, choose: Choose) -> Algorithm:
    """The search of AlphaZero, without its noise."""
    return _bandit(settings, choose, True, PUCT_EXPLORATION)


def _bandit(settings: SearchSettings, choose: Choose, policy: bool, default: float) -> Algorithm:
    exploration = default if settings.exploration is None else settings.exploration
    return bandit(policy, exploration, choose, settings.completion, settings.resolution_stop, settings.exact)


ALGORITHMS: dict[str, Callable[[SearchSettings, Choose], Algorithm]] = {
    "descent": descent, "ubfm": ubfm, "korf_chickering": best_first_minimax, "uct": uct, "puct": puct,
}  # fmt: skip
"""Name -> algorithm(settings, choose), where `choose` is the default choice of the action to play. Add your own."""


def asked(settings: SearchSettings) -> tuple[str, ...]:
    """The heads of a network that a search needs, such as values and policies."""
    return ALGORITHMS[settings.algorithm](settings, safest).asked()


class Search:
    """Searches that advance together, one tree per slot.

    `evaluate` receives the states of all trees as one batch; None searches without a network: every state that is
    not proven has the value 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1).
    """

    keeps_tree = True

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate | None = None,
        terminal: TerminalValue = Gain(),
        settings: SearchSettings = SearchSettings(),
        slots: int = 1,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        prepare(advance, receive, clear, set_root, reachable, prune)
        self.game = game
        self.evaluate = evaluate
        self.terminal = terminal
        self.settings = settings
        self.exact = settings.exact or game.players == 1
        default = safest if game.players == 2 else safest_score
        self.algorithm = ALGORITHMS[settings.algorithm](replace(settings, exact=self.exact), default)
        if evaluate is None and Asks.POLICY in self.algorithm.asks:
            raise ValueError(f"{settings.algorithm} needs a network with policies, and there is no network")
        self.forest: Forest = plant(game, slots, memory, seed)
        self.evaluations = 0
        """States evaluated since this object was made."""
        self.evaluation_seconds = 0.0
        """Time spent in `evaluate` since this object was made."""
        self._planes = np.empty((slots * game.max_actions, int(np.prod(game.planes))), np.int8)
        subject = Subject(game.rules, terminal.address, terminal.constants, game.max_actions)
        algorithm = replace(self.algorithm, transpositions=settings.transpositions)
        steps = algorithm.steps(evaluate is not None, terminal.scale)
        self._advance = advance.bound(self.forest, subject, steps, self._planes)
        self._receive = receive.bound(self.forest, steps)
        self._asked = self.algorithm.asked()

    def seed(self, seed: int) -> None:
        """Sets the random numbers of all trees."""
        self.forest.random[:] = streams(seed, len(self.forest.random))

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root."""
        clear(self.forest, slot)
        set_root(self.forest, slot, state)

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        """Starts a search: the slot takes part in rounds until the budget is used up. The caller watches the seconds.

        If `shallow`, iterations of Descent end after one expansion, like those of UBFM.
        """
        record = self.forest.slots[slot]
        record["shallow"] = shallow
        evaluations = min(budget.evaluations or _UNLIMITED, _UNLIMITED)
        record["iterations"] = record["evaluations"] = record["stop"] = record["full"] = 0
        record["evaluation_limit"] = evaluations
        record["iteration_limit"] = min(budget.iterations or _UNLIMITED, evaluations)
        record["status"] = READY

    def stop(self, slot: int = 0) -> None:
        """Ends the search of a slot after its present iteration; without a network, after its present expansion."""
        self.forest.slots[slot]["stop"] = 1

    def round(self) -> int:
        """Advances every slot that is not done by one evaluated batch; returns the number of states in it.

        If this is 0, the searches may have ended, or have continued for a while without a state to evaluate.
        """
        rows: int = self._advance()
        if rows:
            assert self.evaluate is not None
            began = time.perf_counter()
            leaves = self._answer(self.evaluate(self._planes[:rows]), rows)
            self.evaluation_seconds += time.perf_counter() - began
            self.evaluations += rows
            self._receive(leaves)
        return rows

    def _answer(self, leaves: Leaves, rows: int) -> Leaves:
        """The answer as compiled code takes it. Raises ValueError if a field that was asked for is missing."""
        found = {name: getattr(leaves, name) for name in self._asked}
        for name, array in found.items():
            wanted = (rows,) if name == "values" else (rows, self.game.action_count)
            if array.shape != wanted or array.dtype != np.float32:
                given = f"{array.dtype}{list(array.shape)}"
                raise ValueError(f"the search asked for {name}, float32{list(wanted)}, and was given {given}")
            if not array.flags.c_contiguous:
                found[name] = np.ascontiguousarray(array)
        return Leaves(**found)

    def done(self) -> NDArray[np.int64]:
        """The slots whose search has ended (or has not begun)."""
        return np.flatnonzero(self.forest.slots["status"] == DONE)

    def run(self, budget: Budget) -> None:
        """Searches every tree until its budget is used up, its root is proven, or it is full."""
        slots = len(self.forest.slots)
        for slot in range(slots):
            self.start(budget, slot)
        deadline = time.perf_counter() + (budget.seconds if budget.seconds is not None else np.inf)
        while self.round() or len(self.done()) < slots:
            if time.perf_counter() >= deadline:
                self.forest.slots["stop"] = 1

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root; the tree keeps all that it knows (Remark 1).

        A tree without room for one node more is pruned first.
        """
        if self.forest.slots[slot]["nodes"] == self.forest.nodes.shape[1]:
            self.prune(slot)
        forest, root = self.forest, self.forest.slots[slot]["root"]
        following = np.empty(self.game.state_size, np.int8)
        calls.play(self.game.rules, forest.states[slot, root], action, following)
        set_root(forest, slot, following)

    @property
    def proves_values(self) -> bool:
        """Whether the value of a resolved state is proven, not only who wins."""
        return self.exact or self.terminal.address == gain.address

    def end_value(self, end: State) -> float:
        """The terminal evaluation of the state in which a match has ended."""
        return value_of_end(self.game, self.terminal, end)

    def effort(self, slot: int = 0) -> Effort:
        """The cost of the present search of a slot."""
        record = self.forest.slots[slot]
        return Effort(int(record["iterations"]), int(record["evaluations"]), int(record["nodes"]), self.full(slot))

    def unreachable(self, slot: int = 0) -> NDArray[np.bool_]:
        """For each node, whether the root cannot reach it; bool[nodes]."""
        count = self.forest.slots[slot]["nodes"]
        reached, stack = np.zeros(count, bool), np.empty(count, np.int32)
        reachable(self.forest, slot, reached, stack)
        return ~reached

    def make_room(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        """`prune` if more than half of the memory is in use, so that there always is room to expand the root."""
        if self.fullness(slot) > _MUCH:
            self.prune(slot, leaving)

    def prune(self, slot: int = 0, leaving: Callable[[NDArray[np.bool_]], None] | None = None) -> None:
        """Removes the nodes that the root cannot reach; before that, `leaving` gets a mask of these nodes."""
        unreachable = self.unreachable(slot)
        if leaving:
            leaving(unreachable)
        prune(self.forest, slot, ~unreachable, np.empty(len(unreachable), np.int32))

    def full(self, slot: int = 0) -> bool:
        """Whether the memory of a tree ended its last search."""
        return bool(self.forest.slots[slot]["full"])

    def fullness(self, slot: int = 0) -> float:
        """The share of a tree's memory that is in use, from 0 to 1."""
        record = self.forest.slots[slot]
        nodes, edges = self.forest.nodes.shape[1], self.forest.edges.shape[1]
        return float(max(record["nodes"] / nodes, record["edges"] / edges))

    def expanded(self, slot: int = 0) -> bool:
        """Whether the tree knows the actions of its root."""
        return bool(self.forest.nodes[slot, self.forest.slots[slot]["root"]]["edges"] > 0)

    def state(self, slot: int = 0) -> State:
        """The state at the root."""
        return np.array(self.forest.states[slot, self.forest.slots[slot]["root"]])

    def root(self, slot: int = 0) -> Node:
        """The root as the tree knows it."""
        return self.node(int(self.forest.slots[slot]["root"]), slot)

    def node(self, number: int, slot: int = 0) -> Node:
        """A node as the tree knows it."""
        return read_node(self.forest, slot, number)

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The position, in `node.actions`, of the action to play."""
        chosen = SELECTIONS.get(self.settings.play, self.algorithm.choose)
        return chosen(node, random)

    def line(self, slot: int = 0) -> list[int]:
        """The principal variation, as far as the tree goes: the actions to play, with `exact` those of best value."""
        random = np.random.default_rng(0)
        choose = best if self.exact and self.game.players == 2 else self.choose
        node, actions = self.root(slot), list[int]()
        while len(node.actions):
            position = choose(node, random)
            actions.append(int(node.actions[position]))
            if node.children[position] < 0:
                break
            node = self.node(int(node.children[position]), slot)
        return actions
