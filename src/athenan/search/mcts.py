"""UCT with random rollouts: the opponent that needs no learning, against which results are measured.

    >>> import numpy as np
    >>> from athenan import make
    >>> from athenan.search.mcts import MctsSettings, mcts
    >>> game = make("tictactoe")
    >>> found = mcts(game, game.initial(), MctsSettings(rollouts=1000), np.array([7], np.uint64))
    >>> game.action_name(game.initial(), found.best), int(found.visits.sum())
    ('b2', 1000)

Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning" (2006), with the bandit UCB1 of Auer et al. (2002).
Results are 1, 0 and -1 from the first player's point of view, so values lie in [-1, 1]. A state in which the same
player moves again is no special case: the side to move says whose values an action is chosen by.

In a game of one player the result of a rollout is its score. Exploration is then in units of half the range of the
scores seen, as if that were [-1, 1], and the best match found is kept: it can be played.
"""

from dataclasses import dataclass, replace
from math import isfinite
from time import perf_counter

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.game import Game, GameError, State
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_action, random_below
from athenan.rules.state import ONGOING, copy_state, sign

NODE = np.dtype([("first_edge", np.int64), ("edges", np.int32), ("tried", np.int32), ("visits", np.int64)])
"""A state of the tree: its edges are [first_edge, first_edge + edges), of which the first `tried` have been tried."""
EDGE = np.dtype([("action", np.int32), ("child", np.int32), ("visits", np.int32), ("total", np.int32)])
"""An action of a state: the node it leads to or -1, its rollouts, and the sum of their results."""

_INITIAL_NODES, _INITIAL_EDGES = 1 << 10, 1 << 14
_MOST_ROLLOUTS = (1 << 31) - 1  # an edge counts them in an int32
_UNSEEN = 1 << 40  # beyond every result
_CHUNK_SECONDS = 0.005  # how late a search with a time budget may end


@dataclass(frozen=True)
class MctsSettings:
    """What a search may cost, and how it explores. Raises GameError for a value that makes no sense."""

    rollouts: int = 1000
    """Rollouts per search, unless `seconds` is given."""
    seconds: float | None = None
    """Time per search, in place of a number of rollouts."""
    exploration: float = 1.0
    """c of UCB1, for values in [-1, 1]: an action's mean value is raised by c * sqrt(ln(visits) / action visits).
    For one player that is in units of half the range of the scores seen.

    The default was chosen by measurement: see `docs/algorithms/mcts.md`.
    """
    memory: int = 1 << 30
    """Bytes that a tree may take; a tree that has reached them stops growing while its rollouts go on."""

    def __post_init__(self) -> None:
        if not 1 <= self.rollouts <= _MOST_ROLLOUTS:
            raise GameError(f"mcts: rollouts must be from 1 to {_MOST_ROLLOUTS}, not {self.rollouts}")
        if self.seconds is not None and not (self.seconds > 0 and isfinite(self.seconds)):
            raise GameError(f"mcts: seconds must be positive, not {self.seconds}")
        if not (self.exploration >= 0 and isfinite(self.exploration)):
            raise GameError(f"mcts: exploration must be zero or positive, not {self.exploration}")
        if self.memory < 1 << 20:
            raise GameError(f"mcts: memory must be at least {1 << 20} bytes, not {self.memory}")


@dataclass(frozen=True)
class MctsResult:
    """What a search found out about the legal actions of its state, in ascending order of the actions."""

    actions: NDArray[np.int32]
    visits: NDArray[np.int64]
    """Rollouts that began with the action; they add up to the rollouts of the search."""
    values: NDArray[np.float64]
    """Their mean result, first player's point of view, in [-1, 1], or their mean score; NaN without a rollout."""
    best: int
    """The most visited action; of several the one of higher value to the side to move, then a random one."""
    full: bool
    """Whether the tree stopped growing because it had used its memory."""
    score: int | None = None
    """One player: the best score of a rollout."""
    line: tuple[int, ...] = ()
    """One player: the actions of that rollout, from the state searched to the end of the match."""


class MctsTree:
    """The memory of searches of one game; a player keeps one, so that it is allocated once and grows as needed."""

    def __init__(self, game: Game, memory: int = MctsSettings.memory) -> None:
        prepare(_expand, _search)
        self.game = game
        self.memory = memory
        self.nodes = np.empty(_INITIAL_NODES, NODE)
        self.edges = np.empty(max(_INITIAL_EDGES, 2 * game.max_actions), EDGE)
        self.used = np.zeros(2, np.int64)  # nodes, edges
        self.full = False
        self.scored = game.players == 1
        """Whether the results of rollouts are scores."""
        self.results = np.zeros(2, np.int64)
        """The least and the largest result; of two players, who do not need it, -1 and 1."""
        self.best_line = np.empty(game.max_length + 1, np.int32)
        """Of one player: the actions that led to the largest result, from the root on, then -1."""
        self._line = np.full(game.max_length + 1, -1, np.int32)
        self._states = np.empty((2, game.state_size), np.int8)
        self._actions = np.empty(game.max_actions, np.int32)
        self._path = np.empty(game.max_length + 1, np.int64)

    def start(self, state: State) -> None:
        """Forgets the tree and makes the node of the root."""
        self.used[:], self.full = 0, False
        self.results[:] = (_UNSEEN, -_UNSEEN) if self.scored else (-1, 1)
        _expand(self.game.rules, state, self.nodes, self.edges, self.used, self._actions)

    def run(self, state: State, random: NDArray[np.uint64], exploration: float, rollouts: int) -> None:
        """Adds rollouts from the root `state`."""
        while rollouts:
            rollouts -= _search(
                self.game.rules, state, self.nodes, self.edges, self.used, random,
                exploration, rollouts, self.full, self._states, self._actions, self._path,
                self.scored, self.results, self._line, self.best_line,
            )  # fmt: skip
            if rollouts:
                self._grow()

    def _grow(self) -> None:
        self.full = 2 * (self.nodes.nbytes + self.edges.nbytes) > self.memory
        if not self.full:
            self.nodes = np.concatenate([self.nodes, np.empty_like(self.nodes)])
            self.edges = np.concatenate([self.edges, np.empty_like(self.edges)])


def mcts(
    game: Game, state: State, settings: MctsSettings, random: NDArray[np.uint64], tree: MctsTree | None = None
) -> MctsResult:
    """Searches a state.

    `random` is uint64[1] and moves on: the same random state gives the same result, unless the budget is a time.
    `tree` is memory of the same game to use again. Raises GameError if the match is over.
    """
    if game.outcome(state) is not None:
        raise GameError(f"{game.name}: there is nothing to search, the match is over")
    if tree is None:
        tree = MctsTree(game, settings.memory)
    elif tree.game.name != game.name:
        raise GameError(f"a tree of {tree.game.name} cannot hold a search of {game.name}")
    most = _MOST_ROLLOUTS // (game.max_score or 1 if tree.scored else 1)  # so that the sum of results is an int32
    tree.start(state)
    if settings.seconds is None:
        if settings.rollouts > most:
            raise GameError(f"mcts: rollouts of {game.name} must be at most {most}, not {settings.rollouts}")
        tree.run(state, random, settings.exploration, settings.rollouts)
    else:
        _run_for(tree, state, random, settings.exploration, settings.seconds, most)
    return _result(tree, game.player(state))


def _run_for(
    tree: MctsTree, state: State, random: NDArray[np.uint64], exploration: float, seconds: float, most: int
) -> None:
    """Rollouts in chunks of some milliseconds, until the time is over; at least one chunk, no more than `most`."""
    end, chunk, now = perf_counter() + seconds, 16, 0.0
    while now < end and tree.nodes[0]["visits"] + chunk <= most:
        began = perf_counter()
        tree.run(state, random, exploration, chunk)
        now = perf_counter()
        span = min(_CHUNK_SECONDS, max(0.0, end - now))
        chunk = max(1, min(4 * chunk, int(chunk * span / max(now - began, 1e-7))))


def _result(tree: MctsTree, player: int) -> MctsResult:
    edges = tree.edges[: int(tree.nodes[0]["edges"])]
    visits = edges["visits"].astype(np.int64)
    values = np.where(visits > 0, edges["total"] / np.maximum(visits, 1), np.nan)
    # edges lie in the order in which they were tried, which is random: the first of equals is a random one
    best = np.lexsort((-values * sign(player), -visits))[0]
    order = np.argsort(edges["action"])
    result = MctsResult(edges["action"][order], visits[order], values[order], int(edges["action"][best]), tree.full)
    if not tree.scored:
        return result
    line = tree.best_line[: int(np.argmin(tree.best_line))]
    return replace(result, score=int(tree.results[1]), line=tuple(map(int, line)))


_numbers = types.Array(types.int64, 1, "C")
_state = types.Array(types.int8, 1, "C")
_states = types.Array(types.int8, 2, "C")
_action_list = types.Array(types.int32, 1, "C")
_random = types.Array(types.uint64, 1, "C")
_nodes = types.Array(numba.from_dtype(NODE), 1, "C")
_edges = types.Array(numba.from_dtype(EDGE), 1, "C")


@kernel(types.int64(RULES, _state, _nodes, _edges, _numbers, _action_list))
def _expand(rules, state, nodes, edges, used, actions):
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
    """A random edge that has not been tried, which is moved behind those that have."""
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
    """Walks down the tree, adds the state below it, plays on at random, and gives the result to the edges walked.

    A state is expanded when it is met for the second time, which is when its first child is added.
    """
    state, following = states[0], states[1]
    copy_state(root, state)
    node, depth, in_tree = np.int64(0), 0, True
    while in_tree:
        untried = nodes[node].tried < nodes[node].edges
        if untried:
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
            edges[edge].child = _expand(rules, state, nodes, edges, used, actions)
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
        types.float64, types.int64, types.boolean, _states, _action_list, _numbers,
        types.boolean, _numbers, _action_list, _action_list,
    )
)  # fmt: skip
def _search(
    rules, root, nodes, edges, used, random, exploration, rollouts, full, states, actions, path,
    scored, results, line, best_line,
):  # fmt: skip
    """Makes rollouts and returns how many: fewer than asked for when the tree needs room and is not said to be full.

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
