"""Best-first searches of one game, from Python.

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
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from athenan.games import kernels as k
from athenan.games.compiler import prepare
from athenan.games.game import Game, State
from athenan.games.terminal import Gain, TerminalValue
from athenan.search import best_first
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

Evaluate = Callable[[NDArray[np.int8]], NDArray[np.float32]]
"""int8[n, planes * rows * columns] -> float32[n], first player's point of view."""

_UNLIMITED = 2**62


@dataclass(frozen=True)
class SearchSettings:
    """The algorithm of a best-first search."""

    algorithm: Literal["descent", "ubfm"] = "ubfm"
    """`descent` (003, Algorithms 9, 10) goes on to the end of the match in each iteration, `ubfm` (1, 12) does not."""
    completion: bool = True
    """Propagate and use proven results (003, section 5); without it edges have none, not even those to finished
    matches, and v(s, a) alone says which action is best."""
    resolution_stop: bool = True
    """Do not search what is proven; without completion there is nothing to stop at."""
    transpositions: bool = True
    """Equal states are one node."""
    exact: bool = False
    """A state is resolved only when all its children are (003, Remark 30), so that its value under the heuristic is
    proven too, not only who wins; takes far longer. Games of one player are always searched so: there is no other
    player to prove anything against, and completion has nothing to say."""

    def rules(self, blank: bool, exact: bool) -> best_first.Rules:
        """The same as compiled code takes it."""
        return best_first.Rules(
            descend=int(self.algorithm == "descent"),
            completion=int(self.completion),
            resolution_stop=int(self.completion and self.resolution_stop),
            transpositions=int(self.transpositions),
            blank=int(blank),
            exact=int(exact),
        )


@dataclass(frozen=True)
class Node:
    """What a tree knows of one state; the arrays have one entry an action and are copies."""

    player: int
    """Side to move: 0 first player, 1 second player."""
    value: float
    """v(s), first player's point of view."""
    completion: int
    """c(s): proven gain of the first player, meaningful where `resolution` is 1."""
    resolution: int
    """r(s): 1 if the state is proven."""
    visits: int
    actions: NDArray[np.int32]
    children: NDArray[np.int32]
    """Nodes of the children, -1 where unvisited."""
    values: NDArray[np.float32]
    """v(s, a)"""
    completions: NDArray[np.int8]
    """c(s, a)"""
    resolutions: NDArray[np.int8]
    """r(s, a)"""
    counts: NDArray[np.int32]
    """n(s, a)"""


class Search:
    """Best-first searches that advance together, one tree a slot.

    `evaluate` receives all children of all slots as one batch; None searches without a network: every state that is
    not proven is worth 0. `terminal` is the value of finished matches (default: the gain 1, 0, -1).
    """

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
        prepare(best_first.advance, best_first.receive, clear, set_root, reachable, prune)
        self.game = game
        self.evaluate = evaluate
        self.settings = settings
        self.exact = settings.exact or game.players == 1
        """Whether a resolved state has its value under perfect play proven, not only who wins."""
        self.forest: Forest = plant(game, slots, memory, seed)
        self.evaluations = 0
        """States evaluated since this object was made."""
        self.evaluation_seconds = 0.0
        """Time spent in `evaluate` since this object was made."""
        self._table = best_first.Table(
            game.kernels, game.params, terminal.address, terminal.constants, game.max_actions
        )
        self._rules = settings.rules(blank=evaluate is None, exact=self.exact)
        self._planes = np.empty((slots * game.max_actions, int(np.prod(game.planes))), np.int8)

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties a tree and makes a state, which must not be terminal, its root."""
        clear(self.forest, slot)
        set_root(self.forest, slot, state)

    def start(self, budget: Budget, slot: int = 0, shallow: bool = False) -> None:
        """Lets a tree grow: its slot takes part in rounds until the budget is used up. Seconds are the caller's.

        If `shallow`, iterations of Descent end after one expansion, as those of UBFM do.
        """
        record = self.forest.slots[slot]
        record["shallow"] = shallow
        evaluations = min(budget.evaluations or _UNLIMITED, _UNLIMITED)
        record["iterations"] = record["evaluations"] = record["stop"] = record["full"] = 0
        record["evaluation_limit"] = evaluations
        record["iteration_limit"] = min(budget.iterations or _UNLIMITED, evaluations)
        record["status"] = READY

    def stop(self, slot: int = 0) -> None:
        """Lets the search of a slot end with its present iteration; without a network, with its present expansion."""
        self.forest.slots[slot]["stop"] = 1

    def round(self) -> int:
        """Advances every slot that is not done by one evaluated batch; returns the number of states in it.

        Without any, the searches may have ended, or have gone on for a while without meeting a state to evaluate.
        """
        rows = best_first.advance(self.forest, self._table, self._rules, self._planes)
        if rows:
            assert self.evaluate is not None
            began = time.perf_counter()
            values = self.evaluate(self._planes[:rows])
            self.evaluation_seconds += time.perf_counter() - began
            self.evaluations += rows
            best_first.receive(self.forest, self._rules, values)
        return int(rows)

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
            self.forget(slot)
        forest, root = self.forest, self.forest.slots[slot]["root"]
        following = np.empty(self.game.state_size, np.int8)
        k.play(self.game.kernels, self.game.params, forest.states[slot, root], action, following)
        set_root(forest, slot, following)

    def forget(self, slot: int = 0) -> tuple[State, NDArray[np.float32]]:
        """Frees the memory of what the root cannot reach; returns its `learnable` states and values."""
        count = self.forest.slots[slot]["nodes"]
        kept, numbers = np.zeros(count, bool), np.empty(count, np.int32)
        reachable(self.forest, slot, kept, numbers)
        forgotten = self._learnable(slot, ~kept)
        prune(self.forest, slot, kept, numbers)
        return forgotten

    def make_room(self, slot: int = 0) -> tuple[State, NDArray[np.float32]] | None:
        """`forget` if more than half of the memory is in use, so that there always is room to expand the root."""
        return self.forget(slot) if self.fullness(slot) > 0.5 else None

    def learnable(self, slot: int = 0) -> tuple[State, NDArray[np.float32]]:
        """All states of S, expanded or terminal, with their v(s): int8[n, state size], float32[n] (tree learning)."""
        return self._learnable(slot, np.ones(self.forest.slots[slot]["nodes"], bool))

    def _learnable(self, slot: int, wanted: NDArray[np.bool_]) -> tuple[State, NDArray[np.float32]]:
        nodes = self.forest.nodes[slot, : len(wanted)]
        chosen = np.flatnonzero(wanted & ((nodes["edges"] > 0) | (nodes["terminal"] > 0)))
        return self.forest.states[slot, chosen], nodes["value"][chosen]

    def best_end(self, slot: int = 0) -> tuple[State, list[int]] | None:
        """How to reach the finished match of the largest value that the tree holds: a state and the actions from there.

        The state is the earliest that the tree still knows on the way, a root of an earlier search. None if the tree
        holds no finished match.
        """
        record = self.forest.slots[slot]
        nodes, edges = self.forest.nodes[slot, : record["nodes"]], self.forest.edges[slot, : record["edges"]]
        ends = np.flatnonzero(nodes["terminal"])
        if not ends.size:
            return None
        node, actions = int(ends[np.argmax(nodes["value"][ends])]), list[int]()
        expanded = np.flatnonzero(nodes["edges"])
        expanded = expanded[np.argsort(nodes["first_edge"][expanded])]
        while (into := np.flatnonzero(edges["child"] == node)).size:
            actions.append(int(edges["action"][into[0]]))
            node = int(expanded[np.searchsorted(nodes["first_edge"][expanded], into[0], side="right") - 1])
        return np.array(self.forest.states[slot, node]), actions[::-1]

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
        """What the tree knows of its root."""
        return self.node(int(self.forest.slots[slot]["root"]), slot)

    def node(self, number: int, slot: int = 0) -> Node:
        """What the tree knows of one of its nodes."""
        record = self.forest.nodes[slot, number]
        first, count = int(record["first_edge"]), int(record["edges"])
        edges = self.forest.edges[slot, first : first + count]
        return Node(
            player=int(record["player"]),
            value=float(record["value"]),
            completion=int(record["completion"]),
            resolution=int(record["resolution"]),
            visits=int(record["visits"]),
            actions=edges["action"].copy(),
            children=edges["child"].copy(),
            values=edges["value"].copy(),
            completions=edges["completion"].copy(),
            resolutions=edges["resolution"].copy(),
            counts=edges["visits"].copy(),
        )
