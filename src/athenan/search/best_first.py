"""UBFM, UBFM_s and Descent, with and without completion: one state machine.

`advance` walks each tree to its next unexpanded state, expands it, and writes all its non-terminal children into one
batch of planes; the evaluator answers with one batch of values; `receive` stores them, and the iteration goes on
(Descent) or is backed up (UBFM). With one slot this is exactly the sequential algorithm of the papers.

The algorithms (003: Algorithm 1 UBFM, 9 and 10 Descent, 12 UBFM_s, 11 the choice of actions) differ in small rules:

- which edge an iteration follows: `_followed_edge`;
- whether it goes on after an expansion: `rules.descend`;
- how values are backed up: `_update`;
- which action is played in the end: module `selection`.

A node marked resolved (r = 1) is proven: its completion c is its game value under perfect play, and with
`rules.exact` its value v is that of the terminal evaluation under perfect play. It rests on four
things: terminal states are exact, equal vectors are equal states, a state cannot come back in a match, and the
transposition index compares states.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.games import kernels as k
from athenan.games.randomness import random_below
from athenan.games.terminal import terminal_value
from athenan.search.forest import (
    DONE,
    FOREST,
    READY,
    WAITING,
    add_node,
    find,
    has_room,
    state_key,
)  # fmt: skip


class Rules(NamedTuple):
    """What tells the algorithms apart; each 0 or 1."""

    descend: int  # an iteration goes on to a terminal state (Descent)
    completion: int  # edges have c and r, which are propagated and used
    resolution_stop: int  # resolved states are not searched again; needs completion
    transpositions: int  # equal states are one node
    blank: int  # every unexpanded child is worth 0: no network, no batch
    exact: int  # resolved only when all children are, so that v is exact too, not only c; needs completion


class Table(NamedTuple):
    """The game and the terminal evaluation f_t, as compiled code sees them."""

    kernels: NDArray[np.int64]
    params: NDArray[np.int64]
    heuristic: int  # address of a TERMINAL_VALUE kernel
    constants: NDArray[np.float64]  # of the heuristic
    max_actions: int


_RULES = numba.typeof(Rules(0, 0, 0, 0, 0, 0))
_TABLE = numba.typeof(Table(np.zeros(1, np.int64), np.zeros(1, np.int64), 0, np.zeros(1), 0))
_PLANES = types.Array(types.int8, 2, "C")
_VALUES = types.Array(types.float32, 1, "C")

WORK = 8192
"""Children expanded and edges followed in a slot after which `advance` returns, so that its caller sees the clock."""


@k.helper
def _finished(forest, slot, rules):
    """Whether the search for the present action ends before another iteration."""
    record = forest.slots[slot]
    return (
        record.stop != 0
        or record.full != 0
        or record.iterations >= record.iteration_limit
        or record.evaluations >= record.evaluation_limit
        or (rules.resolution_stop != 0 and forest.nodes[slot, record.root].resolution != 0)
    )


@k.helper
def _walk(forest, slot, table, rules, planes, rows):
    """Continues the iteration of a slot until it ends, waits for values or has worked enough; returns the rows used.

    An iteration never pauses before a node that it has just made is expanded.
    """
    record = forest.slots[slot]
    while True:
        node = forest.nodes[slot, record.current]
        if node.terminal or (rules.resolution_stop and node.resolution):
            _back_up(forest, slot, rules)
            return rows
        if node.edges == 0:
            used = _expand(forest, slot, table, rules, planes, rows)
            if used < 0:
                record.full = 1
                _back_up(forest, slot, rules)
                return rows
            if used > rows:
                record.row, record.status = rows, WAITING
                return used
            _expanded(forest, slot, rules)
            if record.current < 0 or record.work >= WORK:
                return rows
            continue
        edge = _followed_edge(forest, slot, rules)
        child = forest.edges[slot, edge].child
        if child < 0:
            child = _step_into(forest, slot, table, rules, edge)
            if child < 0:
                record.full = 1
                _back_up(forest, slot, rules)
                return rows
        forest.edges[slot, edge].visits += 1
        forest.path[slot, record.path] = edge
        record.path += 1
        record.work += 1
        record.current = child


@k.helper
def _preference(one, other, sign, rules):
    """Above 0 if an iteration follows edge `one` rather than `other`, 0 if they tie; `sign` is -1 in a min state.

    With completion an unresolved edge goes before a resolved one, then the better c, v, and the less visited.
    """
    if rules.completion:
        if one.resolution != other.resolution:
            return np.float32(other.resolution - one.resolution)
        if one.completion != other.completion:
            return np.float32(sign * (one.completion - other.completion))
        if one.value == other.value:
            return np.float32(other.visits - one.visits)
    return np.float32(sign * (one.value - other.value))


@k.helper
def _followed_edge(forest, slot, rules):
    """The edge to follow: best_action of Algorithms 1 and 9, completed_best_action_dual (Algorithm 11) of 10 and 12.

    Ties are broken at random (Remarks 11 and 14): one random number, drawn only if there are any.
    """
    record = forest.slots[slot]
    node, edges = forest.nodes[slot, record.current], forest.edges[slot]
    sign, last = 1 - 2 * node.player, node.first_edge + node.edges
    best, ties = node.first_edge, 1
    for edge in range(node.first_edge + 1, last):
        order = _preference(edges[edge], edges[best], sign, rules)
        if order > 0:
            best, ties = edge, 1
        elif order == 0:
            ties += 1
    if ties > 1:
        others = random_below(forest.random, slot, ties)
        edge = best
        while others:
            edge += 1
            if _preference(edges[edge], edges[best], sign, rules) == 0:
                others -= 1
        best = edge
    return best


@k.helper
def _step_into(forest, slot, table, rules, edge):
    """The node of a child that has none yet: an equal state's, or a new one; -1 when the tree is full."""
    record = forest.slots[slot]
    state, following = forest.states[slot, record.current], forest.states[slot, record.nodes]
    k.play(table.kernels, table.params, state, forest.edges[slot, edge].action, following)
    key = state_key(following)
    child = find(forest, slot, following, key) if rules.transpositions else -1
    if child < 0:
        if not has_room(forest, slot, 1 + table.max_actions, table.max_actions):  # for its children, too
            return -1
        child = add_node(forest, slot, key)
    forest.edges[slot, edge].child = child
    return child


@k.helper
def _expand(forest, slot, table, rules, planes, rows):
    """Adds the edges of the current node, its terminal children with their exact values, the others to the batch.

    Returns the rows used, or -1 when the tree is full, which only a root can meet.
    """
    record = forest.slots[slot]
    current = record.current
    state = forest.states[slot, current]
    count = k.actions(table.kernels, table.params, state, forest.actions)
    if not has_room(forest, slot, count, count):
        return -1
    first = record.edges
    record.edges = first + count
    record.work += count
    forest.nodes[slot, current].first_edge = first
    forest.nodes[slot, current].edges = count
    for number in range(count):
        edge = forest.edges[slot, first + number]
        edge.action = forest.actions[number]
        edge.child = -1
        edge.value = 0.0
        edge.visits = 0
        edge.completion = 0
        edge.resolution = 0
        following = forest.states[slot, record.nodes]
        k.play(table.kernels, table.params, state, edge.action, following)
        outcome = k.outcome(table.kernels, table.params, following)
        if outcome != k.ONGOING:
            edge.child = _terminal_node(forest, slot, table, rules, outcome)
            edge.value = forest.nodes[slot, edge.child].value
            if rules.completion:
                edge.completion = outcome
                edge.resolution = 1
        elif rules.blank:
            record.evaluations += 1
        else:
            k.encode(table.kernels, table.params, following, planes[rows])
            rows += 1
    return rows


@k.helper
def _terminal_node(forest, slot, table, rules, outcome):
    """The node of a terminal child: r = 1, c = b_t, v = f_t. Terminal children are in S, as tree learning needs."""
    state = forest.states[slot, forest.slots[slot].nodes]
    key = state_key(state)
    node = find(forest, slot, state, key) if rules.transpositions else -1
    if node < 0:
        node = add_node(forest, slot, key)
        record = forest.nodes[slot, node]
        record.value = terminal_value(table.heuristic, table.kernels, table.params, state, outcome, table.constants)
        record.completion = outcome
        record.resolution = 1
        record.terminal = 1
    return node


@k.helper
def _expanded(forest, slot, rules):
    """After an expansion: Descent goes on from the same state unless it is resolved, UBFM ends its iteration.

    Without a network, Descent ends its iteration, too, when it has been asked to stop: there is nothing to learn from
    the rest of it.
    """
    record = forest.slots[slot]
    _update(forest, slot, rules, record.current)
    if not rules.descend or record.shallow or (record.stop and rules.blank):
        _back_up(forest, slot, rules)


@k.helper
def _update(forest, slot, rules, number):
    """v(s), c(s), r(s) from the edges: completed_best_action and backup_resolution (Algorithm 11), or best_action."""
    node = forest.nodes[slot, number]
    sign = 1 - 2 * node.player
    best, all_resolved = forest.edges[slot, node.first_edge], True
    for offset in range(node.edges):
        edge = forest.edges[slot, node.first_edge + offset]
        order = sign * (edge.completion - best.completion) if rules.completion else 0
        if order > 0 or (order == 0 and sign * (edge.value - best.value) > 0):
            best = edge
        all_resolved = all_resolved and edge.resolution != 0
    node.value = best.value
    if rules.completion:
        node.completion = best.completion
        node.resolution = all_resolved or (best.completion != 0 and not rules.exact)


@k.helper
def _back_up(forest, slot, rules):
    """Ends the iteration: hands the values of the current node up the path, each through the edge that was followed."""
    record = forest.slots[slot]
    child = record.current
    forest.nodes[slot, child].visits += 1
    while record.path > 0:
        record.path -= 1
        edge, node = forest.edges[slot, forest.path[slot, record.path]], forest.nodes[slot, child]
        edge.value = node.value
        if rules.completion:
            edge.completion = node.completion
            edge.resolution = node.resolution
        child = forest.edges[slot, forest.path[slot, record.path - 1]].child if record.path else record.root
        _update(forest, slot, rules, child)
        forest.nodes[slot, child].visits += 1
    record.current = -1
    record.iterations += 1


@k.kernel(types.int64(FOREST, _TABLE, _RULES, _PLANES))
def advance(forest, table, rules, planes):
    """Brings every READY slot to a state that waits for values, to the end of its search, or to the end of its `WORK`.

    Writes the children to evaluate into the first rows of `planes` (int8[rows, cells]; slots * max_actions rows
    always suffice) and returns their number. The rows of one slot lie together, in the order of its actions.
    """
    rows = 0
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        record.work = 0
        while record.status == READY and record.work < WORK:
            if record.path == 0 and record.current < 0:
                if _finished(forest, slot, rules):
                    record.status = DONE
                    break
                record.current = record.root
            rows = _walk(forest, slot, table, rules, planes, rows)
    return rows


@k.kernel(types.void(FOREST, _RULES, _VALUES))
def receive(forest, rules, values):
    """Stores the values (float32[rows], first player's point of view) of the batch that `advance` wrote."""
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status == WAITING:
            node, row = forest.nodes[slot, record.current], record.row
            for edge in range(node.first_edge, node.first_edge + node.edges):
                if forest.edges[slot, edge].child < 0:
                    forest.edges[slot, edge].value = values[row]
                    row += 1
            record.evaluations += row - record.row
            record.status = READY
            _expanded(forest, slot, rules)
