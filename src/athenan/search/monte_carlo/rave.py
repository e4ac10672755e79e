"""UCT with random rollouts and RAVE: rollouts that play an action later also tell something about it.

    >>> from athenan import Budget, make
    >>> from athenan.search.monte_carlo.rave import Rave
    >>> from athenan.search.searcher import run
    >>> game = make("hex:5,swap=false")
    >>> search = Rave(game, seed=7)
    >>> search.reset(game.initial())
    >>> _ = run(search, Budget(iterations=1000))
    >>> search.root().visits
    1000

Source: Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go" (2011). ExIt starts
with it in 000 (sections 8.1 and 8.2); 003 never mentions it, and uses base MCTS there (8.2.1).

In addition to the mean Q of its own rollouts, an action of a state has the mean A of all rollouts through the state in
which the side to move played that action then or later ("all moves as first"). Its value is (1 - b) Q + b A with b =
sqrt(k / (3 N + k)), for N rollouts through the state: A converges sooner; Q is unbiased. RAVE is for two players. Draws
of chance have no A.

If it is *informed*, players draw their actions below the tree with the game's kernel `rollout` instead of uniformly.
With a *prior*, a network says in advance what the actions of the tree's states are worth (`prior`). Unlike plain UCT,
`play` keeps what the tree knows of the new root.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, ACTION_LISTS, NUMBERS, RANDOM, STATE, STATES, array_of
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_action, random_below, random_outcome
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.monte_carlo.prior import PRIOR, Prior, value_actions
from athenan.search.monte_carlo.rollouts import EDGE, NODE, expand
from athenan.search.trees.node import Node
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.settings import Between


@dataclass(frozen=True)
class RaveSettings(MctsSettings):
    """The settings of a search with RAVE. Raises ValueError for a value out of bounds."""

    exploration: Annotated[float, Between(0, 1000)] = 0.25
    """c of c * sqrt(ln(visits) / (action visits + 1)); the default is from ExIt's warm start (003, section 8.4.2)."""
    equivalence: Annotated[float, Between(1e-6, 1e9)] = 1000.0
    """k: after this many rollouts through a state the mean of all moves as first has half its weight."""
    informed: bool = False
    """Whether the game draws the actions of rollouts, by its kernel `rollout`."""


class Rave(Mcts):
    """`Mcts` with RAVE and a tree that is kept. Once A is known for an action, it gets no priority for being new.

    Raises ValueError for a one-player game, or if a game that has no kernel `rollout` is to inform the rollouts.
    """

    keeps_tree = True

    def __init__(
        self, game: Game, settings: RaveSettings = RaveSettings(), seed: int = 0, prior: Prior | None = None
    ) -> None:
        if game.players != 2:
            raise ValueError(f"{game.name} has one player, and RAVE is for two")
        if settings.informed and not informs(game):
            raise ValueError(f"{game.name} has no kernel rollout, which informed=true needs: leave it out")
        prepare(_search, _keep)
        self.firsts = np.zeros((0, 2), np.int32)
        """The rollouts of A and the sum of their results, for each edge."""
        self._equivalence, self._informed = float(settings.equivalence), settings.informed
        self._prior = prior or Prior.of(game, None)
        self._seen = np.zeros((2, game.action_count), np.int64)  # the last rollout in which a side played an action
        self._count = np.zeros(1, np.int64)  # number of rollouts
        self._movers = np.zeros(game.max_length + 1, np.int8)
        self._visited = np.zeros(game.max_length + 1, np.int64)
        super().__init__(game, settings, seed)

    def _bound(self) -> Callable[[int], int]:
        firsts = np.zeros((len(self.edges), 2), np.int32)
        firsts[: len(self.firsts)] = self.firsts
        self.firsts = firsts
        return _search.bound(
            self.game.rules, self._state, self.nodes, self.edges, self.firsts, self.used, self._random,
            float(self.settings.exploration), self._equivalence, self._informed, self._full, self._states,
            self._actions, self._path, self._visited, self._line, self._movers, self._seen, self._count,
            self._prior,
        )  # fmt: skip

    @property
    def _bytes(self) -> int:
        return super()._bytes + self.firsts.nbytes

    def _plant(self, state: State) -> None:
        super()._plant(state)
        self.firsts[: self.used[1]] = 0

    def play(self, action: int, slot: int = 0) -> None:
        """Makes the state after a legal, non-final action the root, and keeps what the tree knows below it."""
        root = self.root()
        child = int(root.children[np.flatnonzero(root.actions == action)[0]])
        if child < 0:
            super().play(action, slot)
            return
        self._state[:] = self.game.play(self._state, action)
        _keep(child, self.nodes, self.edges, self.firsts, self.used, np.empty(self.used[0], np.int64))
        self._begin()

    def _node(self, number: int, state: State) -> Node:
        """The node of a state. Its values join Q and A, so that an action tried once is more than one result.

        The weight of A, of m rollouts, is m / (m + n + n * m / h) for n rollouts of Q, Gelly and Silver's schedule of
        minimum mean squared error; h is `_HALF`.
        """
        node, first = super()._node(number, state), int(self.nodes[number]["first_edge"])
        count, total = self.firsts[first : first + len(node.actions)].T.astype(np.float64)
        weight = count / np.maximum(1.0, count + node.counts + node.counts * count / _HALF)
        later = total / np.maximum(1.0, count)
        return replace(node, values=(node.values + weight * (later - node.values)).astype(np.float32))

    def _add(self, rollouts: int) -> None:
        super()._add(rollouts)
        self._prior.leaf.evaluated()


_HALF = 100.0
"""Rollouts of an action after which A has less than half the weight in the value that is shown."""

EQUIVALENCE = 4000.0
"""k of informed searches by default, which was measured in Go (docs/algorithms/mcts.md)."""


def informs(game: Game) -> bool:
    """Whether the rollouts of a game can be informed: it has two players and the kernel `rollout`."""
    return game.players == 2 and "rollout" in game.table


def usual_rave(game: Game, memory: int = PLAYER_MEMORY, prior: Prior | None = None) -> Rave:
    """RAVE with the settings that play best; informed if the game can inform its rollouts."""
    settings = RaveSettings(equivalence=EQUIVALENCE, informed=True) if informs(game) else RaveSettings()
    return Rave(game, replace(settings, memory=memory), prior=prior)


def rollout_search(game: Game, memory: int = PLAYER_MEMORY) -> Mcts:
    """The search by rollouts that plays best: RAVE if the game can inform its rollouts, otherwise UCT."""
    return usual_rave(game, memory) if informs(game) else Mcts(game, MctsSettings(memory=memory))


_nodes = array_of(NODE)
_edges = array_of(EDGE)
_table = array_of(np.int64, 2)


@helper
def _bound(edge, first, side, visits, exploration, weight):
    """The upper confidence bound of an edge; `first` holds the rollouts and the total of A, `weight` is b."""
    if edge.visits == 0 and first[0] == 0:
        return np.inf
    later = 0.0 if first[0] == 0 else first[1] / np.float64(first[0])
    own = later if edge.visits == 0 else edge.total / np.float64(edge.visits)
    if first[0] == 0:
        later = own
    return side * ((1.0 - weight) * own + weight * later) + exploration * np.sqrt(visits / (edge.visits + 1.0))


@helper
def _most_promising(nodes, edges, firsts, node, player, exploration, equivalence, random):
    """The edge with the highest bound; among equals the first after a random position."""
    first, count, visits = nodes[node].first_edge, nodes[node].edges, np.float64(max(1, nodes[node].visits))
    side, width, weight = sign(player), np.log(visits), np.sqrt(equivalence / (3.0 * visits + equivalence))
    start = random_below(random, 0, count)
    best, highest = first + start, -np.inf
    for number in range(count):
        edge = first + (start + number) % count
        bound = _bound(edges[edge], firsts[edge], side, width, exploration, weight)
        if bound > highest:
            best, highest = edge, bound
    return best


@helper
def _descend(
    rules, root, nodes, edges, firsts, used, random, exploration, equivalence, full, states, actions, path, visited,
    line, movers, prior,
):  # fmt: skip
    """Walks down the tree and adds a state to it; returns the edges walked, and leaves the last state in `states`."""
    copy_state(root, states[0])
    node, depth = np.int64(0), 0
    while True:
        state, following = states[depth & 1], states[1 - (depth & 1)]
        if state[0] == CHANCE:
            edge = nodes[node].first_edge + random_outcome(rules, state, nodes[node].edges, random)
        else:
            edge = _most_promising(nodes, edges, firsts, node, state[0], exploration, equivalence, random)
        nodes[node].visits += 1
        value_actions(rules, state, nodes[node], edges, firsts, prior)
        path[depth], visited[depth] = edge, node
        line[depth], movers[depth] = edges[edge].action, state[0]
        depth += 1
        calls.play(rules, state, edges[edge].action, following)
        if edges[edge].visits == 0 or calls.outcome(rules, following) != ONGOING:
            return depth
        if edges[edge].child < 0:
            if full:
                return depth
            before = used[1]
            edges[edge].child = expand(rules, following, nodes, edges, used, actions)
            for new in range(before, used[1]):
                firsts[new, 0] = 0
                firsts[new, 1] = 0
        node = np.int64(edges[edge].child)


@helper
def _finish(rules, random, states, actions, line, movers, depth, informed):
    """Plays random actions after the first `depth` to the end of the match; returns its length and its outcome."""
    outcome = calls.outcome(rules, states[depth & 1])
    while outcome == ONGOING:
        state, following = states[depth & 1], states[1 - (depth & 1)]
        if informed and state[0] != CHANCE:
            action = calls.rollout(rules, state, line[depth - 1], random)
        else:
            action = random_action(rules, state, actions, random)
        line[depth], movers[depth] = action, state[0]
        depth += 1
        calls.play(rules, state, action, following)
        outcome = calls.outcome(rules, following)
    return depth, outcome


@helper
def _learn(nodes, edges, firsts, path, visited, line, movers, seen, rollout, walked, length, result):
    """Gives the result to the edges walked, and to all edges of the states passed whose action came then or later."""
    for depth in range(length - 1, -1, -1):
        if depth < walked:
            edges[path[depth]].visits += 1
            edges[path[depth]].total += result
        if movers[depth] == CHANCE:
            continue
        seen[movers[depth], line[depth]] = rollout
        if depth < walked:
            node = nodes[visited[depth]]
            for edge in range(node.first_edge, node.first_edge + node.edges):
                if seen[movers[depth], edges[edge].action] == rollout:
                    firsts[edge, 0] += 1
                    firsts[edge, 1] += result


@kernel(types.void(types.int64, _nodes, _edges, ACTION_LISTS, NUMBERS, NUMBERS))
def _keep(root, nodes, edges, firsts, used, numbers):
    """Makes a node the root of the tree, and forgets the nodes that it cannot reach.

    `numbers` (int64[nodes]) is room for the new numbers of the nodes. A node has a larger number than its parent, and
    so have their edges. So what is kept moves towards the beginning and stays in its order.
    """
    numbers[:] = -1
    numbers[root], kept = 0, 0
    for node in range(root, used[0]):
        if numbers[node] < 0:
            continue
        numbers[node] = kept
        kept += 1
        for edge in range(nodes[node].first_edge, nodes[node].first_edge + nodes[node].edges):
            if edges[edge].child >= 0:
                numbers[edges[edge].child] = 0
    last, used[1] = used[0], 0
    used[0] = kept
    for node in range(root, last):
        if numbers[node] < 0:
            continue
        first, after = nodes[node].first_edge, used[1]
        nodes[numbers[node]] = nodes[node]
        nodes[numbers[node]].first_edge = after
        for edge in range(first, first + nodes[node].edges):
            edges[after], firsts[after, 0], firsts[after, 1] = edges[edge], firsts[edge, 0], firsts[edge, 1]
            if edges[edge].child >= 0:
                edges[after].child = numbers[edges[edge].child]
            after += 1
        used[1] = after


@kernel(
    types.int64(
        RULES, STATE, _nodes, _edges, ACTION_LISTS, NUMBERS, RANDOM,
        types.float64, types.float64, types.boolean, types.boolean, STATES, ACTION_LIST, NUMBERS,
        NUMBERS, ACTION_LIST, STATE, _table, NUMBERS, PRIOR, types.int64,
    )
)  # fmt: skip
def _search(
    rules, root, nodes, edges, firsts, used, random, exploration, equivalence, informed, full, states, actions, path,
    visited, line, movers, seen, count, prior, rollouts,
):  # fmt: skip
    """Makes rollouts and returns their number: fewer than requested if the tree needs room and is not `full`."""
    for done in range(rollouts):
        if not full and (used[0] == nodes.shape[0] or used[1] + actions.shape[0] > edges.shape[0]):
            return done
        walked = _descend(
            rules, root, nodes, edges, firsts, used, random, exploration, equivalence, full, states, actions, path,
            visited, line, movers, prior,
        )  # fmt: skip
        length, result = _finish(rules, random, states, actions, line, movers, walked, informed)
        count[0] += 1
        _learn(nodes, edges, firsts, path, visited, line, movers, seen, count[0], walked, length, result)
    return rollouts
