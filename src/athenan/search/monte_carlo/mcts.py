"""UCT with random rollouts: the reference opponent, which needs no learning.

    >>> from athenan import Budget, make
    >>> from athenan.search.monte_carlo.mcts import Mcts
    >>> from athenan.search.searcher import run
    >>> game = make("tictactoe")
    >>> search = Mcts(game, seed=7)
    >>> search.reset(game.initial())
    >>> _ = run(search, Budget(iterations=1000))
    >>> game.action_name(game.initial(), search.line()[0]), search.root().visits
    ('b2', 1000)

Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning" (2006), with the bandit UCB1 of Auer et al. (2002).
Results are 1, 0 and -1 from the first player's point of view, so values lie in [-1, 1]. Sides need not alternate: the
side to move of each state decides whether its actions are chosen by high or low values.

In a one-player game the result of a rollout is its score. Exploration is then in units of half the range of the scores
seen, and the best match found is kept, so that it can be played, unless it needs luck.

If chance is to move, each rollout draws an outcome by the probabilities: in the limit, means are expectations.

UCT has its own loop instead of the forest's walk: a rollout needs neither batches nor planes nor proofs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan.rules.compiler import prepare
from athenan.rules.game import Game, State
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.search.monte_carlo.rollouts import EDGE, NODE, expand, roll_out
from athenan.search.searcher import Effort
from athenan.search.trees.node import Node
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.settings import Between, Checked

_INITIAL_NODES, _INITIAL_EDGES = 1 << 10, 1 << 14
MOST_ROLLOUTS = (1 << 31) - 1
"""The most rollouts of a tree: an edge counts them, and in a one-player game sums their scores, in an int32."""
_UNSEEN = 1 << 40  # beyond every result
_ROUND_SECONDS = 0.004


@dataclass(frozen=True)
class MctsSettings(Checked):
    """The exploration of a search and the memory of its tree. Raises ValueError for a value out of bounds."""

    exploration: Annotated[float, Between(0, 1000)] = 1.0
    """c of UCB1, for values in [-1, 1]: an action's mean value is raised by c * sqrt(ln(visits) / action visits). In a
    one-player game c is in units of half the range of the scores seen.

    The default was chosen by measurement: see `docs/algorithms/mcts.md`.
    """
    memory: Annotated[int, Between(1 << 20, 1 << 50)] = PLAYER_MEMORY
    """Bytes that a tree may take. A tree that has reached them stops growing, but rollouts continue."""


class Mcts:
    """A `Searcher` with one tree, whose iterations and evaluations are rollouts.

    `play` empties the tree, as in plain UCT, but in a one-player game without chance it keeps the best match found,
    which `line` and `choose` follow. In nodes the actions are in the order in which they were tried, which is random.
    """

    shares_work = False
    threads = 1
    keeps_tree = False
    proves_values = False

    def __init__(self, game: Game, settings: MctsSettings = MctsSettings(), seed: int = 0) -> None:
        prepare(expand, roll_out)
        self.game = game
        self.settings = settings
        self.evaluations = 0
        """Rollouts since this object was made."""
        self.nodes = np.empty(_INITIAL_NODES, NODE)
        self.edges = np.empty(max(_INITIAL_EDGES, 2 * game.max_actions), EDGE)
        self.used = np.zeros(2, np.int64)  # nodes, edges
        self.results = np.zeros(2, np.int64)
        """The least and the largest result; always -1 and 1 with two players."""
        self.best_match: list[int] = []
        """The actions, from the root on, of the best match found so far, with one player and no chance."""
        self._best_score = 0
        self._scored = game.players == 1
        self._keeps_best = self._scored and not game.stochastic
        self._most = MOST_ROLLOUTS // (game.max_score or 1 if self._scored else 1)
        self._full = False
        self._began, self._limit = 0, 0  # rollouts of the tree at the start and at the end of the search
        self._chunk = 16  # rollouts that take about _ROUND_SECONDS
        self._random = streams(seed, 1)
        self._state = game.initial()
        self._line = np.full(game.max_length + 1, -1, np.int32)
        self._best_line = np.empty(game.max_length + 1, np.int32)
        self._states = np.empty((2, game.state_size), np.int8)
        self._actions = np.empty(game.max_actions, np.int32)
        self._path = np.empty(game.max_length + 1, np.int64)
        self._rollouts = self._bound()
        self._plant(self._state)

    def _bound(self) -> Callable[[int], int]:
        """The compiled loop with all of its arguments but the number of rollouts."""
        return roll_out.bound(
            self.game.rules, self._state, self.nodes, self.edges, self.used, self._random,
            float(self.settings.exploration), self._full, self._states, self._actions, self._path,
            self._scored, self.results, self._line, self._best_line,
        )  # fmt: skip

    @property
    def scale(self) -> float:
        """The size of large values."""
        return float(self.game.max_score or 1) if self._scored else 1.0

    def use_threads(self, threads: int) -> None:
        """A search by rollouts takes one thread."""
        return

    def use_forced(self, forced: bool) -> None:
        """A search by rollouts expands all actions."""
        return

    def threads_within(self, budget: Budget) -> int:
        """One thread, whatever the budget."""
        return self.threads

    def seed(self, seed: int) -> None:
        """Seeds the random numbers."""
        self._random[:] = streams(seed, 1)

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties the tree and makes a state, which must not be terminal, its root."""
        self.best_match = []
        self._plant(self.game.position(state))

    def _plant(self, state: State) -> None:
        self._state[:] = state
        self.used[:] = 0
        self.results[:] = (_UNSEEN, -_UNSEEN) if self._scored else (-1, 1)
        expand(self.game.rules, self._state, self.nodes, self.edges, self.used, self._actions)
        self._begin()

    def _begin(self) -> None:
        """No search has begun at this root, and its tree has room again."""
        self._began = self._limit = self._visits
        if self._full:
            self._full = False
            self._rollouts = self._bound()

    def prepare(self, budget: Budget, slot: int = 0) -> None:
        """Does nothing: the tree is new for each action."""

    def start(self, budget: Budget, slot: int = 0) -> None:
        """Starts a search with the rollouts of the budget; a tree has at most `MOST_ROLLOUTS` in all."""
        rollouts = min(budget.iterations or self._most, budget.evaluations or self._most)
        self._began = self._visits
        self._limit = min(self._began + rollouts, self._most)

    def stop(self, slot: int = 0) -> None:
        """Ends the search now."""
        self._limit = self._visits

    @property
    def _visits(self) -> int:
        return int(self.nodes[0]["visits"])

    def round(self) -> int:
        """Makes rollouts for a few milliseconds and returns their number."""
        rollouts = min(self._chunk, self._limit - self._visits)
        if rollouts <= 0:
            return 0
        began = perf_counter()
        self._add(rollouts)
        seconds = perf_counter() - began
        self._chunk = max(1, min(4 * self._chunk, int(rollouts * _ROUND_SECONDS / max(seconds, 1e-7))))
        self.evaluations += rollouts
        if self._keeps_best and (not self.best_match or self.results[1] > self._best_score):
            self.best_match = self._best_line[: int(np.argmin(self._best_line))].tolist()
            self._best_score = int(self.results[1])
        return rollouts

    @property
    def _bytes(self) -> int:
        """The bytes that the tree takes."""
        return self.nodes.nbytes + self.edges.nbytes

    def _add(self, rollouts: int) -> None:
        while rollouts:
            rollouts -= self._rollouts(rollouts)
            if rollouts:
                self._grow()

    def _grow(self) -> None:
        self._full = 2 * self._bytes > self.settings.memory
        if not self._full:
            self.nodes = np.concatenate([self.nodes, np.empty_like(self.nodes)])
            self.edges = np.concatenate([self.edges, np.empty_like(self.edges)])
        self._rollouts = self._bound()

    def done(self) -> NDArray[np.int64]:
        """The only slot, if its search has ended (or has not begun)."""
        return np.arange(self._visits >= self._limit, dtype=np.int64)

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root of an empty tree."""
        self.best_match = self.best_match[1:] if self.best_match[:1] == [action] else []
        self._plant(self.game.play(self._state, action))

    def make_room(self, slot: int = 0) -> None:
        """Does nothing: each root has its own tree."""

    def state(self, slot: int = 0) -> State:
        """The state at the root."""
        return self._state.copy()

    def root(self, slot: int = 0) -> Node:
        """The root as the tree knows it; values are mean results."""
        return self._node(0, self._state)

    def _node(self, number: int, state: State) -> Node:
        """The node of a state. An action without a rollout has the value of its state."""
        first, count = int(self.nodes[number]["first_edge"]), int(self.nodes[number]["edges"])
        edges, visits = self.edges[first : first + count], int(self.nodes[number]["visits"])
        mean = float(edges["total"].sum()) / max(visits, 1)
        values = np.where(edges["visits"] > 0, edges["total"] / np.maximum(edges["visits"], 1), mean)
        nothing, player = np.zeros(count, np.int8), self.game.player(state)
        priors = self.game.probabilities(state) if player == CHANCE else nothing
        return Node(
            player=player, value=mean, completion=0, resolution=0, visits=visits, actions=edges["action"].copy(),
            children=edges["child"].copy(), values=values.astype(np.float32), priors=priors.astype(np.float32),
            completions=nothing, resolutions=nothing, counts=edges["visits"].copy(),
            stochastic=self.game.stochastic,
        )  # fmt: skip

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The most visited action of the root; among equals the one with the higher value, then the one tried first.

        In a one-player game without chance it is the next action of the best match.
        """
        if self.best_match:
            return int(np.flatnonzero(node.actions == self.best_match[0])[0])
        return int(np.lexsort((-node.sign * node.values, -node.counts))[0])

    def line(self, slot: int = 0) -> list[int]:
        """The most visited actions, as far as the tree goes or until chance is to move; or the best match, if kept."""
        if self._keeps_best:
            return list(self.best_match)
        random, number, state, actions = np.random.default_rng(0), 0, self._state, list[int]()
        while number >= 0 and self.nodes[number]["visits"] and self.game.player(state) != CHANCE:
            node = self._node(number, state)
            position = self.choose(node, random)
            actions.append(int(node.actions[position]))
            number, state = int(node.children[position]), self.game.play(state, actions[-1])
        return actions

    def effort(self, slot: int = 0) -> Effort:
        """The cost of the present search."""
        rollouts = self._visits - self._began
        return Effort(rollouts, rollouts, int(self.used[0]), self._full)

    def end_value(self, end: State) -> float:
        """The result of a finished match."""
        return float(self.game.score(end) if self._scored else self.game.outcome(end) or 0)
