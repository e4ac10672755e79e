"""UCT with random rollouts: the reference opponent, which needs no learning.

    >>> from athenan import Budget, make
    >>> from athenan.search.mcts import Uct
    >>> from athenan.search.searcher import run
    >>> game = make("tictactoe")
    >>> search = Uct(game, seed=7)
    >>> search.reset(game.initial())
    >>> _ = run(search, Budget(iterations=1000))
    >>> game.action_name(game.initial(), search.line()[0]), search.root().visits
    ('b2', 1000)

Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning" (2006), with the bandit UCB1 of Auer et al. (2002).
Results are 1, 0 and -1 from the first player's point of view, so values lie in [-1, 1]. Sides need not alternate: the
side to move of each state decides whether its actions are chosen by high or low values.

In a game of one player the result of a rollout is its score. Exploration is then in units of half the range of the
scores seen, and the best match found is kept, so that it can be played, unless it needs luck.

Where chance is to move, each rollout draws an outcome by the probabilities: means are expectations in the end.

UCT has its own loop instead of the forest's walk: a rollout needs neither batches nor planes nor proofs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_action, random_below, random_outcome, streams
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign
from athenan.search.budget import Budget
from athenan.search.node import Node
from athenan.search.searcher import Effort
from athenan.settings import Between, check

NODE = np.dtype([("first_edge", np.int64), ("edges", np.int32), ("tried", np.int32), ("visits", np.int64)])
"""A state of the tree: its edges are [first_edge, first_edge + edges), of which the first `tried` have been tried.

The outcomes of a chance node are not tried, but drawn, and stay in their order.
"""
EDGE = np.dtype([("action", np.int32), ("child", np.int32), ("visits", np.int32), ("total", np.int32)])
"""An action of a state: the node it leads to or -1, its rollouts, and the sum of their results."""

_INITIAL_NODES, _INITIAL_EDGES = 1 << 10, 1 << 14
MOST_ROLLOUTS = (1 << 31) - 1
"""Of a tree: an edge counts them, and in a game of one player adds up their scores, in an int32."""
_UNSEEN = 1 << 40  # beyond every result
_ROUND_SECONDS = 0.004


@dataclass(frozen=True)
class UctSettings:
    """The exploration of a search and the memory of its tree. Raises ValueError for a value out of bounds."""

    exploration: Annotated[float, Between(0, 1000)] = 1.0
    """c of UCB1, for values in [-1, 1]: an action's mean value is raised by c * sqrt(ln(visits) / action visits).
    In a game of one player c is in units of half the range of the scores seen.

    The default was chosen by measurement: see `docs/algorithms/mcts.md`.
    """
    memory: Annotated[int, Between(1 << 20, 1 << 50)] = 1 << 30
    """Bytes that a tree may take; a tree that has reached them stops growing, and its rollouts continue."""

    def __post_init__(self) -> None:
        check(self)


class Uct:
    """A `Searcher` with one tree, whose iterations and evaluations are rollouts.

    `play` empties the tree, as in plain UCT, but in a game of one player without chance it keeps the best match found,
    which `line` and `choose` follow. In nodes the actions are in the order in which they were tried, which is random.
    """

    keeps_tree = False
    proves_values = False

    def __init__(self, game: Game, settings: UctSettings = UctSettings(), seed: int = 0) -> None:
        prepare(expand, _search)
        self.game = game
        self.settings = settings
        self.evaluations = 0
        """Rollouts since this object was made."""
        self.nodes = np.empty(_INITIAL_NODES, NODE)
        self.edges = np.empty(max(_INITIAL_EDGES, 2 * game.max_actions), EDGE)
        self.used = np.zeros(2, np.int64)  # nodes, edges
        self.results = np.zeros(2, np.int64)
        """The least and the largest result; -1 and 1 with two players, who do not need it."""
        self.best_match: list[int] = []
        """With one player and no chance: the actions, from the root on, of the best match found up to now."""
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
        return _search.bound(
            self.game.rules, self._state, self.nodes, self.edges, self.used, self._random,
            float(self.settings.exploration), self._full, self._states, self._actions, self._path,
            self._scored, self.results, self._line, self._best_line,
        )  # fmt: skip

    @property
    def scale(self) -> float:
        """The size of large values."""
        return float(self.game.max_score or 1) if self._scored else 1.0

    def seed(self, seed: int) -> None:
        """Sets the random numbers."""
        self._random[:] = streams(seed, 1)

    def reset(self, state: State, slot: int = 0) -> None:
        """Empties the tree and makes a state, which must not be terminal, its root."""
        self.best_match = []
        self._plant(state)

    def _plant(self, state: State) -> None:
        self._state[:] = state
        self._began = self._limit = 0
        self.used[:] = 0
        self.results[:] = (_UNSEEN, -_UNSEEN) if self._scored else (-1, 1)
        expand(self.game.rules, self._state, self.nodes, self.edges, self.used, self._actions)
        if self._full:
            self._full = False
            self._rollouts = self._bound()

    def start(self, budget: Budget, slot: int = 0) -> None:
        """Starts a search by the rollouts of the budget; a tree has at most `MOST_ROLLOUTS` in all."""
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
        """Makes rollouts for some milliseconds; returns their number."""
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
        """What the tree takes."""
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
            completions=nothing, resolutions=nothing, counts=edges["visits"].copy(), candidates=nothing,
            stochastic=self.game.stochastic,
        )  # fmt: skip

    def choose(self, node: Node, random: np.random.Generator) -> int:
        """The most visited action of the root; among equals the one of higher value, then the one tried first.

        In a game of one player without chance it is the next action of the best match.
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


_numbers = types.Array(types.int64, 1, "C")
_state = types.Array(types.int8, 1, "C")
_states = types.Array(types.int8, 2, "C")
_action_list = types.Array(types.int32, 1, "C")
_random = types.Array(types.uint64, 1, "C")
_nodes = types.Array(numba.from_dtype(NODE), 1, "C")
_edges = types.Array(numba.from_dtype(EDGE), 1, "C")


@kernel(types.int64(RULES, _state, _nodes, _edges, _numbers, _action_list))
def expand(rules, state, nodes, edges, used, actions):
    """Adds the node of a state to the tree, with an edge for each of its actions; returns its index."""
    node, first = used[0], used[1]
    count = calls.actions(rules, state, actions)
    nodes[node].first_edge = first
    nodes[node].edges = count
    nodes[node].tried = 0
    nodes[node].visits = 0
    for index in range(count):
        edges[first + index].action = actions[index]
        edges[first + index].child = -1
        edges[first + index].visits = 0
        edges[first + index].total = 0
    used[0] += 1
    used[1] += count
    return node


@helper
def _try_next(nodes, edges, node, random):
    """A random untried edge, which is moved to the end of the tried ones."""
    tried = nodes[node].tried
    edge = nodes[node].first_edge + tried
    chosen = edge + random_below(random, 0, nodes[node].edges - tried)
    edges[edge].action, edges[chosen].action = edges[chosen].action, edges[edge].action
    nodes[node].tried = tried + 1
    return edge


_TABLED = 2048
_RARITY = np.array([0.0, *(1.0 / np.sqrt(np.arange(1.0, _TABLED)))])
"""1 / sqrt(visits): small trees spend most of their time on it."""
_WIDTH = np.array([0.0, *np.sqrt(np.log(np.arange(1.0, _TABLED)))])


@helper
def _most_promising(nodes, edges, node, player, exploration):
    """The edge of the highest upper confidence bound (UCB1) for the side to move; all have been tried."""
    first, side = nodes[node].first_edge, np.float64(sign(player))
    visits = nodes[node].visits
    width = exploration * (_WIDTH[visits] if visits < _TABLED else np.sqrt(np.log(np.float64(visits))))
    best, best_bound = first, -np.inf
    for edge in range(first, first + nodes[node].edges):
        visits = edges[edge].visits
        rarity = _RARITY[visits] if visits < _TABLED else 1.0 / np.sqrt(np.float64(visits))
        bound = rarity * (side * edges[edge].total * rarity + width)  # mean value + width / sqrt(visits)
        if bound > best_bound:
            best, best_bound = edge, bound
    return best


@helper
def _playout(rules, state, following, random, actions, line, depth, scored):
    """Plays uniformly random actions to the end of the match; returns its result. `line` has `depth` actions before."""
    outcome = calls.outcome(rules, state)
    while outcome == ONGOING:
        action = random_action(rules, state, actions, random)
        calls.play(rules, state, action, following)
        state, following = following, state
        outcome = calls.outcome(rules, state)
        line[depth] = action
        depth += 1
    line[depth] = -1
    return calls.score(rules, state) if scored else outcome


@helper
def _rollout(
    rules, root, nodes, edges, used, random, exploration, full, states, actions, path,
    scored, results, line, best_line,
):  # fmt: skip
    """Walks down the tree, adds the state below it, plays on at random, and adds the result to the edges of the path.

    A state is expanded at its second visit, when its first child is added; an outcome of a chance node likewise.
    """
    state, following = states[0], states[1]
    copy_state(root, state)
    node, depth, in_tree = np.int64(0), 0, True
    while in_tree:
        untried = nodes[node].tried < nodes[node].edges
        if state[0] == CHANCE:
            edge = nodes[node].first_edge + random_outcome(rules, state, nodes[node].edges, random)
            untried = edges[edge].visits == 0
        elif untried:
            edge = _try_next(nodes, edges, node, random)
        else:
            edge = _most_promising(nodes, edges, node, state[0], exploration * ((results[1] - results[0]) / 2))
        nodes[node].visits += 1
        path[depth] = edge
        line[depth] = edges[edge].action
        depth += 1
        calls.play(rules, state, edges[edge].action, following)
        state, following = following, state
        in_tree = not untried and calls.outcome(rules, state) == ONGOING
        if in_tree and edges[edge].child < 0:
            if full:
                break
            edges[edge].child = expand(rules, state, nodes, edges, used, actions)
        node = np.int64(edges[edge].child)
    result = _playout(rules, state, following, random, actions, line, depth, scored)
    for index in range(depth):
        edges[path[index]].visits += 1
        edges[path[index]].total += result
    results[0] = min(results[0], result)
    if result > results[1]:
        results[1] = result
        for index in range(line.shape[0]):
            best_line[index] = line[index]


@kernel(
    types.int64(
        RULES, _state, _nodes, _edges, _numbers, _random,
        types.float64, types.boolean, _states, _action_list, _numbers,
        types.boolean, _numbers, _action_list, _action_list, types.int64,
    )
)  # fmt: skip
def _search(
    rules, root, nodes, edges, used, random, exploration, full, states, actions, path,
    scored, results, line, best_line, rollouts,
):  # fmt: skip
    """Makes rollouts and returns their number: fewer than requested if the tree needs room and is not `full`.

    A rollout adds at most one node and the edges of one state.
    """
    for done in range(rollouts):
        if not full and (used[0] == nodes.shape[0] or used[1] + actions.shape[0] > edges.shape[0]):
            return done
        _rollout(
            rules, root, nodes, edges, used, random, exploration, full, states, actions, path,
            scored, results, line, best_line,
        )  # fmt: skip
    return rollouts
