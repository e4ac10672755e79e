"""The walk through the forest, compiled once for all games and algorithms.

`advance` walks each tree to its next unexpanded state, expands it, and writes the states to evaluate into one batch of
planes: all its children that are not terminal, or the state itself, as the algorithm asks. The evaluator answers with
one batch of `Leaves`; `receive` stores them, and the iteration continues (Descent) or is backed up (UBFM). With one
slot this is exactly the sequential algorithm of the papers. If the evaluation is a kernel (`rules.leaf`), `advance`
calls it, and there are no batches.

At chance nodes the walk itself follows and updates (module `chance`). The outcomes of a chance node are evaluated like
children, even if the algorithm asks for action values. If it asks for the value of the state, the iteration passes
through: it goes on to an outcome and expands that.

A resolved node (r = 1) is proven if the algorithm's `update` is sound: terminal states are exact, equal vectors are
equal states, no state repeats within a match, and the transposition index compares states.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.arrays import PLANES
from athenan.rules.compiler import helper, kernel
from athenan.rules.leaves import LEAVES
from athenan.rules.playouts import play_out
from athenan.rules.state import CHANCE, ONGOING, copy_state
from athenan.rules.terminal import terminal_value
from athenan.search.trees import algorithm
from athenan.search.trees.algorithm import STEPS, Asks
from athenan.search.trees.answers import evaluate_inside, take_leaf, take_values_of_children
from athenan.search.trees.chance import draw_outcome, expect, take_probabilities
from athenan.search.trees.forest import DONE, FOREST, READY, WAITING, add_edge, add_node, find, has_room, state_key
from athenan.search.trees.subject import SUBJECT, list_actions

WORK = 1024
"""Children expanded and edges followed in a slot after which `advance` returns, so that its caller can check the
clock."""

_CHILDREN, _STATE = int(Asks.CHILDREN), int(Asks.STATE)


@helper
def _follow(forest, slot, steps, node):
    """The edge that the iteration follows from a node."""
    edges, random = forest.edges[slot][node.first_edge : node.first_edge + node.edges], forest.random[slot : slot + 1]
    if node.player == CHANCE:
        return node.first_edge + draw_outcome(edges, random)
    return node.first_edge + algorithm.follow(steps.follow, (node, edges, steps.constants, random))


@helper
def update_node(forest, slot, steps, node, result):
    """Updates a node from its edges."""
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if node.player == CHANCE:
        expect(node, edges, (steps.asks & _STATE) != 0)
    else:
        algorithm.update(steps.update, (node, edges, result, steps.constants))


@helper
def _questions(steps, player):
    """The questions to the evaluator when a state of this side is expanded."""
    if player != CHANCE or steps.asks == 0:
        return steps.asks
    return 0 if steps.asks & _STATE else _CHILDREN


@helper
def _passes(steps, player):
    """Whether an iteration passes through a state of this side to one of its outcomes."""
    return player == CHANCE and steps.asks & _STATE != 0


@helper
def finished(forest, slot, steps):
    """Whether the search for the present action ends before another iteration."""
    record = forest.slots[slot]
    return (
        record.stop != 0
        or record.full != 0
        or record.iterations >= record.iteration_limit
        or record.evaluations >= record.evaluation_limit
        or (steps.resolution_stop != 0 and forest.nodes[slot, record.root].resolution != 0)
    )


@helper
def walk(forest, slot, subject, steps, planes, rows):
    """Continues the iteration of a slot until it ends, waits for leaves or has done its `WORK`; returns the rows used.

    An iteration never pauses before a node that it has just made is expanded.
    """
    record = forest.slots[slot]
    while True:
        node = forest.nodes[slot, record.current]
        if node.terminal or (steps.resolution_stop and node.resolution):
            end_iteration(forest, slot, steps)
            return rows
        if node.edges == 0:
            if steps.rollouts and node.player != CHANCE:
                _roll_out(forest, slot, subject, node)
            used = expand(forest, slot, subject, steps, planes, rows)
            if used < 0:
                record.full = 1
                end_iteration(forest, slot, steps)
                return rows
            if used > rows:
                record.row, record.status = rows, WAITING
                return used
            expanded(forest, slot, steps)
            if record.current < 0 or record.work >= WORK:
                return rows
            continue
        edge = step_down(forest, slot, subject, steps, node)
        if edge < 0:
            record.full = 1
            end_iteration(forest, slot, steps)
            return rows
        forest.edges[slot, edge].visits += 1


@helper
def _roll_out(forest, slot, subject, node):
    """Gives the current node the result of a random match from there, played in two free rows of the states.

    If these rows are not free, there is no room to expand the node either.
    """
    if has_room(forest, slot, 1, 0):
        free = forest.slots[slot].nodes
        states = forest.states[slot, free : free + 2]
        copy_state(forest.states[slot, forest.slots[slot].current], states[0])
        end = states[play_out(subject.rules, states, forest.actions, forest.random[slot : slot + 1])]
        outcome = calls.outcome(subject.rules, end)
        node.value = terminal_value(subject.heuristic, subject.rules, end, outcome, subject.constants)


@helper
def step_down(forest, slot, subject, steps, node):
    """Follows an edge from the current node to its child; returns the edge, or -1 if the tree is full."""
    record = forest.slots[slot]
    edge = _follow(forest, slot, steps, node)
    child = forest.edges[slot, edge].child
    if child < 0:
        child = step_into(forest, slot, subject, steps, edge)
        if child < 0:
            return np.int64(-1)
    forest.path[slot, record.path] = edge
    record.path += 1
    record.work += 1
    record.current = child
    return np.int64(edge)


@helper
def step_into(forest, slot, subject, steps, edge):
    """The node for an edge without one: an equal state's node, or a new one; -1 if the tree is full."""
    return step_into_made(forest, slot, subject, steps, edge, state_after(forest, slot, subject, edge))


@helper
def state_after(forest, slot, subject, edge):
    """Puts the state to which an edge of the current node leads into the first free row; returns its key."""
    record = forest.slots[slot]
    state, following = forest.states[slot, record.current], forest.states[slot, record.nodes]
    calls.play(subject.rules, state, forest.edges[slot, edge].action, following)
    return state_key(following)


@helper
def step_into_made(forest, slot, subject, steps, edge, key):
    """The node for an edge whose state `state_after` has just made, as from `step_into`; `key` is the state's key."""
    following = forest.states[slot, forest.slots[slot].nodes]
    child = find(forest, slot, following, key) if steps.transpositions else -1
    if child < 0:
        expansions = 1 + _passes(steps, following[0])  # for its children as well
        if not has_room(forest, slot, expansions * (1 + subject.max_actions), expansions * subject.max_actions):
            return -1
        child = add_node(forest, slot, key)
    forest.edges[slot, edge].child = child
    return child


@helper
def expand(forest, slot, subject, steps, planes, rows):
    """Adds the edges of the current node, its terminal children with their exact values, and the planes to evaluate.

    Returns the rows used, or -1 if the tree is full, which can happen only at a root.
    """
    record = forest.slots[slot]
    current = record.current
    state = forest.states[slot, current]
    count = list_actions(subject, state, forest.actions)
    if not has_room(forest, slot, count, count):
        return -1
    first = record.edges
    record.edges = first + count
    record.work += count
    node = forest.nodes[slot, current]
    node.first_edge = first
    node.edges = count
    asks, pending = _questions(steps, node.player), 0
    for number in range(count):
        edge = add_edge(forest, slot, first + number, forest.actions[number])
        following = forest.states[slot, record.nodes]
        calls.play(subject.rules, state, edge.action, following)
        outcome = calls.outcome(subject.rules, following)
        if outcome != ONGOING:
            finish_child(forest, slot, subject, steps, edge, outcome)
        elif asks == _CHILDREN and subject.leaf.address:
            copy_state(following, subject.leaf.states[pending])
            pending += 1
        elif asks == _CHILDREN:
            calls.encode(subject.rules, following, planes[rows])
            rows += 1
        elif steps.asks == 0:
            record.evaluations += 1
    if subject.leaf.address and asks:
        evaluate_inside(forest, slot, subject, steps, asks, pending)
    elif asks & ~_CHILDREN:
        calls.encode(subject.rules, state, planes[rows])
        rows += 1
    if node.player == CHANCE:
        node.refined = 1  # all of its outcomes are evaluated themselves
        take_probabilities(subject.rules, state, forest.edges[slot][first : first + count])
    return rows


@helper
def finish_child(forest, slot, subject, steps, edge, outcome):
    """Gives an edge its terminal child, whose state is in the first free row, and the child's exact values."""
    edge.child = _terminal_node(forest, slot, subject, steps, outcome)
    child = forest.nodes[slot, edge.child]
    algorithm.back_up(steps.back_up, (edge, child, np.float64(child.value), steps.constants))


@helper
def _terminal_node(forest, slot, subject, steps, outcome):
    """The node of a terminal child: r = 1, c = b_t or 0, v = f_t. Trees learn terminal children: they are in S."""
    state = forest.states[slot, forest.slots[slot].nodes]
    key = state_key(state)
    node = find(forest, slot, state, key) if steps.transpositions else -1
    if node < 0:
        node = add_node(forest, slot, key)
        record = forest.nodes[slot, node]
        record.value = terminal_value(subject.heuristic, subject.rules, state, outcome, subject.constants)
        record.completion = outcome * subject.gains
        record.resolution = 1
        record.terminal = 1
    return node


@helper
def expanded(forest, slot, steps):
    """Continues the iteration after an expansion, from the same state, or ends it.

    It never ends at a state that it passes through. Without a network it also ends if the search was stopped, because
    the rest would teach nothing.
    """
    record = forest.slots[slot]
    node = forest.nodes[slot, record.current]
    update_node(forest, slot, steps, node, np.float64(node.value))
    if _passes(steps, node.player):
        return
    ends = record.shallow or (record.stop and not steps.asks)
    if ends or not algorithm.goes_on(steps.goes_on, (node, steps.constants)):
        end_iteration(forest, slot, steps)


@helper
def end_iteration(forest, slot, steps):
    """Backs up the current node along the path, through the edges that were followed.

    Above a chance node the result is its expectation, so neither luck nor the choice of open outcomes enters a mean.
    """
    record = forest.slots[slot]
    child = record.current
    result = np.float64(forest.nodes[slot, child].value)
    forest.nodes[slot, child].visits += 1
    while record.path > 0:
        record.path -= 1
        edge = forest.edges[slot, forest.path[slot, record.path]]
        algorithm.back_up(steps.back_up, (edge, forest.nodes[slot, child], result, steps.constants))
        child = forest.edges[slot, forest.path[slot, record.path - 1]].child if record.path else record.root
        node = forest.nodes[slot, child]
        update_node(forest, slot, steps, node, result)
        if node.player == CHANCE:
            result = np.float64(node.value)
        node.visits += 1
    record.current = -1
    record.iterations += 1


@helper
def begin_or_end(forest, slot, steps):
    """Begins the next iteration of a slot if none is under way; returns whether the slot goes on for now."""
    record = forest.slots[slot]
    if record.status != READY or record.work >= WORK:
        return False
    if record.path == 0 and record.current < 0:
        if finished(forest, slot, steps):
            record.status = DONE
            return False
        record.current = record.root
    return True


@kernel(types.int64(FOREST, SUBJECT, STEPS, PLANES))
def advance(forest, subject, steps, planes):
    """Advances every READY slot until a state waits for leaves, its search ends, or its `WORK` is done.

    Writes the states to evaluate into the first rows of `planes` (int8[rows, cells]; slots * max_actions rows
    always suffice) and returns their number. The rows of one slot lie together, in the order of its actions.
    """
    rows = 0
    for slot in range(forest.slots.shape[0]):
        forest.slots[slot].work = 0
        while begin_or_end(forest, slot, steps):
            rows = walk(forest, slot, subject, steps, planes, rows)
    return rows


@helper
def take_answer(forest, slot, steps, leaves):
    """Stores the answer for the current node of a slot, which waited for it."""
    record = forest.slots[slot]
    node, row = forest.nodes[slot, record.current], record.row
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if _questions(steps, node.player) == _CHILDREN:
        record.evaluations += take_values_of_children(edges, leaves.values, row) - row
    else:
        take_leaf(node, edges, leaves, row, steps.asks, steps.rollouts)
        record.evaluations += 1


@kernel(types.void(FOREST, STEPS, LEAVES))
def receive(forest, steps, leaves):
    """Stores the answer to the batch that `advance` wrote, and continues the iterations that waited for it."""
    for slot in range(forest.slots.shape[0]):
        if forest.slots[slot].status == WAITING:
            forest.slots[slot].status = READY
            take_answer(forest, slot, steps, leaves)
            expanded(forest, slot, steps)
