"""The tree of UCT, as records in arrays, and the random rollouts that grow it: the compiled part of `mcts`."""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, NUMBERS, RANDOM, STATE, STATES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_action, random_below, random_outcome
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign

NODE = np.dtype([("first_edge", np.int64), ("edges", np.int32), ("tried", np.int32), ("visits", np.int64)])
"""A state of the tree: its edges are [first_edge, first_edge + edges), of which the first `tried` have been tried.

The outcomes of a chance node are drawn instead of tried, and stay in their order.
"""
EDGE = np.dtype([("action", np.int32), ("child", np.int32), ("visits", np.int32), ("total", np.int32)])
"""An action of a state: the node it leads to or -1, its rollouts, and the sum of their results."""


_nodes = array_of(NODE)
_edges = array_of(EDGE)


@kernel(types.int64(RULES, STATE, _nodes, _edges, NUMBERS, ACTION_LIST))
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
    """The edge with the highest upper confidence bound (UCB1) for the side to move; all have been tried."""
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
def _playout(rules, states, now, random, actions, line, depth, scored):
    """Plays uniformly random actions from states[now] to the end of the match; returns its result.

    `line` already has `depth` actions.
    """
    outcome = calls.outcome(rules, states[now])
    while outcome == ONGOING:
        action = random_action(rules, states[now], actions, random)
        calls.play(rules, states[now], action, states[1 - now])
        now = 1 - now
        outcome = calls.outcome(rules, states[now])
        line[depth] = action
        depth += 1
    line[depth] = -1
    return calls.score(rules, states[now]) if scored else outcome


@helper
def _rollout(
    rules, root, nodes, edges, used, random, exploration, full, states, actions, path,
    scored, results, line, best_line,
):  # fmt: skip
    """Walks down the tree, adds the state below it, plays on at random, and adds the result to the edges of the path.

    A state is expanded at its second visit, when its first child is added. So is an outcome of a chance node.
    """
    copy_state(root, states[0])
    node, depth, now, in_tree = np.int64(0), 0, 0, True
    while in_tree:
        state = states[now]
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
        calls.play(rules, state, edges[edge].action, states[1 - now])
        now = 1 - now
        child = int(edges[edge].child)
        in_tree = not untried and (child >= 0 or calls.outcome(rules, states[now]) == ONGOING)
        if in_tree and child < 0:
            if full:
                break
            edges[edge].child = child = expand(rules, states[now], nodes, edges, used, actions)
        node = np.int64(child)
    result = _playout(rules, states, now, random, actions, line, depth, scored)
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
        RULES, STATE, _nodes, _edges, NUMBERS, RANDOM,
        types.float64, types.boolean, STATES, ACTION_LIST, NUMBERS,
        types.boolean, NUMBERS, ACTION_LIST, ACTION_LIST, types.int64,
    )
)  # fmt: skip
def roll_out(
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
