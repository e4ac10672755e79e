"""Alpha-beta as a compiled state machine with its own stack, which pauses when it needs an evaluation.

`advance` searches in every tree until it expands a state whose children are to be evaluated, and writes the children
into one batch; `receive` stores the answer. An iteration is a search of the root to one depth, with alpha-beta. A frame
of the stack is a node whose edges are being searched, within a window of keys (module `keys`; without completion c is
0).

The value of a chance node is its expectation: all its outcomes are searched, each with the full window. This is
Expectiminimax with cutoffs only between decisions. A roll takes a ply, as an action does.

The evaluator's value of a child stays on its edge as `prior`, so no state is evaluated twice for one edge. An outcome
of chance has its probability as `prior` and its value in `plan.values`. The other fields of an edge hold what was
last found through it: a value that was not the best of its node is a bound. Because no state recurs in a match and its
length is part of it, equal states are at the same distance from the root, so within one iteration a node is always
searched to the same depth.

A result is open if an estimate went into it. A result within its window that is not open is the value under perfect
play, by the argument that makes alpha-beta exact: nothing that was cut could change it.
"""

import numpy as np
from numba import types

from athenan.rules.arrays import PLANES
from athenan.rules.atomics import load, store
from athenan.rules.compiler import helper, kernel
from athenan.rules.leaves import LEAVES
from athenan.rules.state import CHANCE, sign
from athenan.search.alpha_beta.edge_results import estimate, known, left_to_others, offer
from athenan.search.alpha_beta.keys import HIGHEST, LOWEST, completion_in, key_of, value_in
from athenan.search.alpha_beta.ordering import better, first_depth, move_to_front, select, shuffle, swap
from athenan.search.alpha_beta.proving import has_exact_child, is_exact, prove, proven_key, resolve, take_proof
from athenan.search.alpha_beta.shared_bounds import DEPTH, PULSE, SHARED_BOUNDS, tell, told, unmark
from athenan.search.alpha_beta.stack import (
    AGAIN,
    DEEPENING,
    GAINS,
    REDUCED,
    come_back,
    forget_bounds,
    keep_bounds,
    push,
    was_searched,
)
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.answers import take_values_of_children
from athenan.search.trees.chance import expect
from athenan.search.trees.forest import DONE, FOREST, READY, WAITING
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.walk import WORK, expand, state_after, step_into_made

_PATIENCE = 50
"""The work, in the unit of `WORK`, that a companion does while the leading thread does none: some 50 milliseconds."""


@helper
def _ended(node, frame, proofs):
    """Whether no more edges of the node need to be searched."""
    if frame.position == node.edges:
        return True
    if proofs == GAINS and completion_in(frame.best) == sign(node.player):
        return True
    return frame.best >= frame.beta if sign(node.player) > 0 else frame.best <= frame.alpha


@helper
def _settle(forest, plan, slot, frame, proofs):
    """The whole search to depth 1, by estimates and by children with exact values."""
    node = forest.nodes[slot, frame.node]
    side = sign(node.player)
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    for position in range(len(edges)):
        edge = edges[position]
        value = plan.values[slot, node.first_edge + position] if node.player == CHANCE else edge.prior
        key, is_open = key_of(0, value), True
        if edge.child >= 0:
            child = forest.nodes[slot, edge.child]
            take_proof(edge, child, proofs)
            if is_exact(child, proofs):
                key, is_open = proven_key(child, proofs), False
        frame.open |= is_open
        edge.value = value_in(key)
        edge.visits += 1
        if side * key > side * frame.best:
            frame.best = key
            frame.leader = position
    frame.position = node.edges


@helper
def _finish(forest, plan, slot, frame, proofs, shared):
    """Ends the search of the top frame and passes its result to the frame below; the root's frame ends a depth."""
    record, node = forest.slots[slot], forest.nodes[slot, frame.node]
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if record.path == 1 and frame.depth > 1:
        for position in range(len(edges)):
            if was_searched(frame, position):
                edges[position].value = plan.values[slot, -1 - position]
    if node.player == CHANCE:
        expect(node, edges, False)
        frame.best = key_of(node.completion, node.value)
    node.value = value_in(frame.best)
    node.visits += 1
    if proofs and node.player != CHANCE:
        prove(node, edges, frame, proofs)
    bound = plan.bounds[slot, frame.node]
    keep_bounds(bound, frame, proofs)
    if frame.leader:
        swap(edges, 0, frame.leader)
    if shared is not None:
        unmark(shared, node.key, frame.depth)
        tell(shared, node.key, bound, edges[0].action)
    record.path -= 1
    if record.path == 0:
        record.iterations += 1
        record.depth = record.iterations
        if shared is not None:
            shared.counters[DEPTH] = max(shared.counters[DEPTH], record.iterations)
        return
    below = plan.frames[slot, record.path - 1]
    parent = forest.nodes[slot, below.node]
    is_open = frame.open != 0 and not is_exact(node, proofs)
    take_proof(forest.edges[slot, parent.first_edge + below.position], node, proofs)
    if below.reduced == REDUCED and is_open and better(below, sign(parent.player), frame.best):
        below.reduced = AGAIN
        return
    offer(forest, plan, slot, below, frame.best, is_open, proofs)


@helper
def _order(forest, plan, slot, frame, edges, side, proofs, shared):
    """Moves the most promising remaining edge to the frame's position; the best by the last search stays first.

    With other threads, the edges behind the first one are put in order at once, because some may be put off. A deeper
    search of another thread says which is the first.
    """
    node = forest.nodes[slot, frame.node]
    if shared is None:
        if frame.position > 0 or node.visits == 0:
            select(edges, frame.position, side, proofs)
    elif frame.position == 1 and frame.returning == 0:
        for position in range(1, len(edges)):
            select(edges, position, side, proofs)
    elif frame.position == 0:
        _, _, searched, action = told(shared, node.key)
        if searched > plan.bounds[slot, frame.node].depth:
            move_to_front(edges, action)
        elif node.visits == 0:
            select(edges, 0, side, proofs)


@helper
def _follow(forest, plan, slot, subject, steps, proofs, reductions, frame, shared):
    """Searches the next edge of a frame, by known values or by a new frame. Returns whether there was room."""
    record, node = forest.slots[slot], forest.nodes[slot, frame.node]
    side = sign(node.player)
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if side and frame.reduced != AGAIN:
        _order(forest, plan, slot, frame, edges, side, proofs, shared)
    edge, depth = edges[frame.position], first_depth(frame, reductions)
    record.current = frame.node
    record.work += 1
    if depth == 0 and not has_exact_child(forest, slot, edge, proofs):
        estimate(forest, plan, slot, frame, edge, proofs)
        return True
    alpha = max(frame.alpha, frame.best) if side > 0 else frame.alpha
    beta = min(frame.beta, frame.best) if side < 0 else frame.beta
    reduced = depth < frame.depth - 1
    if reduced:
        alpha, beta = (alpha, alpha + 1) if side > 0 else (beta - 1, beta)
    number, child = node.first_edge + frame.position, edge.child
    key = forest.nodes[slot, child].key if child >= 0 else state_after(forest, slot, subject, number)
    if shared is not None and left_to_others(
        forest, plan, slot, frame, edge, key, depth, alpha, beta, proofs, reductions, shared
    ):
        return True
    if child < 0 and step_into_made(forest, slot, subject, steps, number, key) < 0:
        return False
    if not known(forest, plan, slot, frame, edge, depth, alpha, beta, proofs, reductions):
        frame.reduced = REDUCED if reduced else frame.reduced
        push(forest, plan, slot, edge.child, depth, alpha, beta)
    return True


@helper
def _begin(forest, plan, slot):
    """Starts the top frame's node after its expansion, when its edges have the evaluator's values."""
    record = forest.slots[slot]
    forget_bounds(plan.bounds[slot, record.current])
    node = forest.nodes[slot, record.current]
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if node.player != CHANCE:
        for number in range(len(edges)):
            edges[number].prior = edges[number].value
        shuffle(edges, forest.random[slot : slot + 1])
        return
    for number in range(len(edges)):
        plan.values[slot, node.first_edge + number] = edges[number].value


@helper
def _interrupted(record):
    """Whether a search must end in the middle of a depth; the first depth is always completed."""
    return record.iterations > 0 and (record.stop != 0 or record.evaluations >= record.evaluation_limit)


@helper
def _take_over(root, bound, edges, frame, proofs):
    """Gives a root the value of its edges, which may have been proven since the last completed depth.

    The first edge was the best of that depth. Any other edge that is not proven has only a bound. If that is the best,
    the root has only a bound as well.
    """
    if root.player == CHANCE:
        expect(root, edges, False)
        return
    resolve(root, edges, False, frame, proofs)
    if not root.resolution:
        side, best, leader = sign(root.player), LOWEST * sign(root.player), 0
        for position in range(len(edges)):
            key = key_of(edges[position].completion, edges[position].value)
            if side * key > side * best:
                best, leader = key, position
        root.value = value_in(best)
        if leader and not edges[leader].resolution:
            forget_bounds(bound)


@helper
def _take_unfinished(plan, slot, root, edges, frame):
    """Gives a root's edges what a depth has found before it ends; what it has not searched comes behind its best."""
    side = sign(root.player)
    for position in range(len(edges)):
        edge = edges[position]
        if edge.resolution:
            continue
        if was_searched(frame, position):
            edge.value = plan.values[slot, -1 - position]
        elif completion_in(frame.best) == 0 and side * key_of(0, edge.value) >= side * frame.best:
            edge.value = value_in(frame.best - side)
    forget_bounds(plan.bounds[slot, frame.node])


@helper
def _leave(forest, plan, slot, proofs, reductions):
    """Ends a search in the middle of a depth. Its unfinished nodes hold values of several depths, except the root.

    The root's edges have the values of the last completed depth and what was proven since; the root takes the best.
    With reductions, an action that this depth has found better than the first one counts at once.
    """
    record = forest.slots[slot]
    for number in range(record.path):
        plan.bounds[slot, plan.frames[slot, number].node].depth = 0
    root = forest.nodes[slot, record.root]
    if record.path > 0 and root.edges > 0:
        edges, frame = forest.edges[slot][root.first_edge : root.first_edge + root.edges], plan.frames[slot, 0]
        unfinished = reductions and was_searched(frame, 0)
        if unfinished:
            _take_unfinished(plan, slot, root, edges, frame)
        if unfinished or proofs:
            _take_over(root, plan.bounds[slot, record.root], edges, frame, proofs)
    record.path = 0


@helper
def _search(forest, plan, slot, subject, steps, proofs, reductions, planes, rows, shared):
    """Continues a depth until it ends, waits for leaves or has done its work; returns the rows used.

    A node is expanded before anything else, as `forest.prune` requires.
    """
    record = forest.slots[slot]
    while record.path > 0 and record.work < WORK:
        frame = plan.frames[slot, record.path - 1]
        node = forest.nodes[slot, frame.node]
        if node.edges == 0:
            record.current = frame.node
            used = expand(forest, slot, subject, steps, planes, rows)
            if used > rows:
                record.row, record.status = rows, WAITING
                return used
            if used < 0:
                record.full = 1
                _leave(forest, plan, slot, proofs, reductions)
                return rows
            _begin(forest, plan, slot)
        if _interrupted(record):
            _leave(forest, plan, slot, proofs, reductions)
            return rows
        if shared is not None and shared.counters[DEPTH] > record.iterations:  # another thread was faster
            record.iterations = shared.counters[DEPTH]
            _leave(forest, plan, slot, proofs, reductions)
            return rows
        if frame.depth == 1:
            _settle(forest, plan, slot, frame, proofs)
            record.work += node.edges
        if shared is not None:
            come_back(frame, node.edges)
        if _ended(node, frame, proofs):
            _finish(forest, plan, slot, frame, proofs, shared)
        elif not _follow(forest, plan, slot, subject, steps, proofs, reductions, frame, shared):
            record.full = 1
            _leave(forest, plan, slot, proofs, reductions)
    return rows


@helper
def _finished(forest, plan, slot, proofs):
    """Whether a search ends before another depth, for example because a deeper one would find nothing more."""
    record = forest.slots[slot]
    bound = plan.bounds[slot, record.root]
    if record.full or (proofs and forest.nodes[slot, record.root].resolution):
        return True
    return record.iterations > 0 and (
        record.stop != 0
        or record.iterations >= record.iteration_limit
        or record.evaluations >= record.evaluation_limit
        or (bound.depth == record.iterations and bound.open == 0)
    )


@helper
def _advance(forest, plan, subject, steps, proofs, reductions, planes, shared):
    """Brings every READY slot to a state that waits for leaves, to the end of its search, or to the end of its `WORK`.

    Returns the number of rows of `planes` that it wrote.
    """
    rows = 0
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        record.work = 0
        while record.status == READY and record.work < WORK:
            if record.path == 0:
                if _finished(forest, plan, slot, proofs):
                    record.status = DONE
                    break
                push(forest, plan, slot, record.root, record.iterations + 1, LOWEST, HIGHEST)
            rows = _search(forest, plan, slot, subject, steps, proofs, reductions, planes, rows, shared)
    return rows


_SEARCH = FOREST, DEEPENING, SUBJECT, STEPS, types.int64, types.int64, PLANES


@kernel(types.int64(*_SEARCH))
def advance(forest, plan, subject, steps, proofs, reductions, planes):
    """Advances the searches of all slots, until they end, wait for leaves, or have done some work.

    Writes the states to evaluate into the first rows of `planes` and returns their number, as `walk.advance` does.
    `steps` says how nodes are expanded, `proofs` what is proven about them, such as `GAINS`, and `reductions` whether
    late edges are searched less deep.
    """
    return _advance(forest, plan, subject, steps, proofs, reductions, planes, None)


@kernel(types.int64(*_SEARCH, SHARED_BOUNDS))
def lead(forest, plan, subject, steps, proofs, reductions, planes, shared):
    """Advances the only slot of a search as `advance` does, while its companions search; returns 0."""
    store(shared.counters, PULSE, shared.counters[PULSE] + 1)
    return _advance(forest, plan, subject, steps, proofs, reductions, planes, shared)


@kernel(types.void(*_SEARCH, SHARED_BOUNDS))
def accompany(forest, plan, subject, steps, proofs, reductions, planes, shared):
    """Advances a companion until its search ends, or until the leading thread has not gone on for a while."""
    record, pulse, since = forest.slots[0], np.int64(0), 0
    while record.status == READY and since < _PATIENCE:
        _advance(forest, plan, subject, steps, proofs, reductions, planes, shared)
        since += 1
        if load(shared.counters, PULSE) != pulse:
            pulse, since = load(shared.counters, PULSE), 0


@kernel(types.void(FOREST, DEEPENING, LEAVES))
def receive(forest, plan, leaves):
    """Stores the answer to the batch that `advance` wrote."""
    for slot in range(forest.slots.shape[0]):
        record = forest.slots[slot]
        if record.status == WAITING:
            node = forest.nodes[slot, record.current]
            edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
            record.evaluations += take_values_of_children(edges, leaves.values, record.row) - record.row
            _begin(forest, plan, slot)
            record.status = READY
