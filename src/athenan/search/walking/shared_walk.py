"""UBFM by several threads: one walks through the tree, and others expand the states to which it leads.

`advance_shared` walks from the root to an unexpanded state and publishes it for whoever is free (module `expansions`).
It waits there (module `waiting_leaves`), and the next walk takes another way. Expansions are put into the tree in the
order in which they were published: when L of them wait, when a walk comes to one that waits, and before
`advance_shared` returns. So the tree depends on L alone, not on how many threads there are or how fast each is, and
with L = 1 it is the tree of the sequential algorithm.
"""

import numpy as np
from numba import types

from athenan.rules import calls
from athenan.rules.compiler import helper, inlined, kernel
from athenan.rules.state import ONGOING
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.forest import DONE, FOREST, READY, add_edge, has_room
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.expansions import EXPANSIONS, await_expansion, publish
from athenan.search.walking.waiting_leaves import (
    BLOCKED,
    LEAF,
    WAITING_LEAVES,
    back_up_leaves,
    begin_to_wait,
    end_waiting,
    is_last,
    walk_to_leaf,
)
from athenan.search.walking.walk import WORK, finish_child

_WORK = 4 * WORK


@inlined
def _add_expansion(forest, subject, steps, expansions, place):
    """Gives the node of an expansion its edges and its terminal children."""
    record, current, row = forest.slots[0], expansions.nodes[place], 0
    node, state = forest.nodes[0, current], forest.states[0, current]
    count = np.int64(expansions.counts[place])
    node.first_edge, node.edges = record.edges, count
    record.edges += count
    record.work += count
    for number in range(count):
        edge = add_edge(forest, 0, node.first_edge + number, expansions.actions[place, number])
        outcome = np.int64(expansions.outcomes[place, number])
        if outcome != ONGOING:
            calls.play(subject.rules, state, edge.action, forest.states[0, record.nodes])
            finish_child(forest, 0, subject, steps, edge, outcome)
        else:
            edge.value, edge.evaluated = expansions.values[place, row], 1
            row += 1
    record.evaluations += row


@inlined
def _commit(forest, subject, steps, waiting, expansions):
    """Puts the oldest expansion into the tree, and ends its iteration; returns whether all values were taken."""
    place = waiting.oldest[0]
    await_expansion(forest.states, subject, expansions, place)
    _add_expansion(forest, subject, steps, expansions, place)
    return end_waiting(forest, 0, steps, waiting, 1)


@helper
def _commit_oldest(forest, subject, steps, waiting, expansions):
    """Puts the oldest expansion into the tree.

    If not all values were taken, it puts in all that wait, and backs up the leaves until all values are taken.
    """
    first, count, all_taken = waiting.oldest[0], 0, True
    while count == 0 or (waiting.counts[0] and not all_taken):
        all_taken = _commit(forest, subject, steps, waiting, expansions) and all_taken
        count += 1
    while not all_taken:
        all_taken = True
        for place in range(first, first + count):
            all_taken = back_up_leaves(forest, 0, steps, waiting, place, 1, 0) and all_taken


@inlined
def _iterate(forest, subject, steps, waiting, expansions):
    """Walks to a leaf and publishes it; false if the walk comes to a leaf that waits."""
    reached = walk_to_leaf(forest, 0, subject, steps)
    if reached == LEAF:
        publish(expansions, forest.slots[0].current)
        begin_to_wait(forest, 0, steps, waiting)
    return reached != BLOCKED


@helper
def _may_publish(forest, subject, waiting):
    """Whether another leaf may wait: the ring, the tree and the limit of evaluations have room for it."""
    record, most, ahead = forest.slots[0], subject.max_actions, waiting.counts[0] + 1
    if ahead > waiting.nodes.shape[1] or not has_room(forest, 0, ahead * (1 + most), ahead * most):
        return False
    return record.evaluations + ahead * most <= record.evaluation_limit or ahead == 1


@kernel(types.int64(FOREST, SUBJECT, STEPS, WAITING_LEAVES, EXPANSIONS))
def advance_shared(forest, subject, steps, waiting, expansions):
    """Advances the search of the only tree until it ends or a few milliseconds of work are done; returns 0."""
    record = forest.slots[0]
    if record.status != READY:
        return 0
    record.work = 0
    while record.work < _WORK or waiting.counts[0]:
        ends = record.work >= _WORK or is_last(forest, 0, steps, waiting)
        may_publish = not ends and _may_publish(forest, subject, waiting)
        if may_publish and _iterate(forest, subject, steps, waiting, expansions):
            continue
        if waiting.counts[0]:
            _commit_oldest(forest, subject, steps, waiting, expansions)
        elif ends:
            record.status = DONE
            break
        else:
            record.full = 1
    record.current, record.path = -1, 0
    return 0
