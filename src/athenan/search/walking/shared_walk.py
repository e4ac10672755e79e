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
from athenan.rules.atomics import APART, load, store
from athenan.rules.compiler import helper, kernel
from athenan.rules.state import ONGOING
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.forest import DONE, FOREST, READY, add_edge, has_room
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.expansions import COMMITTED, EXPANSIONS, PUBLISHED, take_one, wait
from athenan.search.walking.waiting_leaves import back_up_at, begin_to_wait, end_iteration_beside, parent_at
from athenan.search.walking.walk import WORK, finish_child, finished, step_down, update_node

_WORK = 4 * WORK


@helper
def _waiting(expansions):
    """The number of leaves that wait."""
    return expansions.counters[PUBLISHED] - expansions.counters[COMMITTED]


@helper
def _waits(expansions, node):
    """Whether a node is a leaf that waits."""
    size = len(expansions.nodes)
    for number in range(expansions.counters[COMMITTED], expansions.counters[PUBLISHED]):
        if expansions.nodes[number % size] == node:
            return True
    return False


@helper
def _publish(forest, steps, expansions):
    """Lets the current node wait for its expansion."""
    record, published = forest.slots[0], expansions.counters[PUBLISHED]
    place = published % len(expansions.nodes)
    for at in range(record.path):
        expansions.paths[place, at] = forest.path[0, at]
    expansions.nodes[place], expansions.lengths[place] = record.current, record.path
    store(expansions.counters, PUBLISHED, published + 1)
    begin_to_wait(forest, 0, steps)


@helper
def _await(forest, subject, steps, expansions, place, number):
    """Waits for an expansion, and makes others meanwhile."""
    looked = 0
    while load(expansions.done, place * APART) != number + 1:
        if take_one(forest.states, subject, expansions):
            looked = 0
        else:
            wait(looked)
            looked += 1


@helper
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
    update_node(forest, 0, steps, node, np.float64(node.value))
    node.visits += 1


@helper
def _commit(forest, subject, steps, expansions):
    """Puts the oldest expansion into the tree, and ends its iteration; returns whether all values were taken."""
    record, number = forest.slots[0], expansions.counters[COMMITTED]
    place = number % len(expansions.nodes)
    _await(forest, subject, steps, expansions, place, number)
    _add_expansion(forest, subject, steps, expansions, place)
    path, all_taken = expansions.paths[place], True
    for at in range(expansions.lengths[place] - 1, -1, -1):
        forest.edges[0, path[at]].waiting -= 1
        all_taken = back_up_at(forest, 0, steps, path, at) and all_taken
        parent_at(forest, 0, path, at).visits += 1
    record.iterations += 1
    expansions.counters[COMMITTED] = number + 1
    return all_taken


@helper
def _settle(forest, subject, steps, expansions, first):
    """Commits all expansions, then backs up those since the `first` until all values are taken: no leaf waits now."""
    while _waiting(expansions):
        _commit(forest, subject, steps, expansions)
    all_taken, size = False, len(expansions.nodes)
    while not all_taken:
        all_taken = True
        for number in range(first, expansions.counters[COMMITTED]):
            place = number % size
            for at in range(expansions.lengths[place] - 1, -1, -1):
                all_taken = back_up_at(forest, 0, steps, expansions.paths[place], at) and all_taken


@helper
def _commit_oldest(forest, subject, steps, expansions):
    """Puts the oldest expansion into the tree; all of them if not all values were taken."""
    first = expansions.counters[COMMITTED]
    if not _commit(forest, subject, steps, expansions):
        _settle(forest, subject, steps, expansions, first)


@helper
def _iterate(forest, subject, steps, expansions):
    """Walks to a leaf and publishes it; false if the walk comes to a leaf that waits."""
    record = forest.slots[0]
    record.current, record.path = record.root, 0
    while True:
        node = forest.nodes[0, record.current]
        if node.terminal or (steps.resolution_stop and node.resolution):
            end_iteration_beside(forest, 0, steps)
            return True
        if node.edges == 0:
            if _waits(expansions, record.current):
                return False
            _publish(forest, steps, expansions)
            return True
        step_down(forest, 0, subject, steps, node)


@helper
def _may_publish(forest, subject, expansions):
    """Whether another leaf may wait: the ring, the tree and the limit of evaluations have room for it."""
    record, most, ahead = forest.slots[0], subject.max_actions, _waiting(expansions) + 1
    if ahead > len(expansions.nodes) or not has_room(forest, 0, ahead * (1 + most), ahead * most):
        return False
    return record.evaluations + ahead * most <= record.evaluation_limit or ahead == 1


@kernel(types.int64(FOREST, SUBJECT, STEPS, EXPANSIONS))
def advance_shared(forest, subject, steps, expansions):
    """Advances the search of the only tree until it ends or a few milliseconds of work are done; returns 0."""
    record = forest.slots[0]
    if record.status != READY:
        return 0
    record.work = 0
    while record.work < _WORK:
        waiting = _waiting(expansions)
        if record.iterations + waiting >= record.iteration_limit or finished(forest, 0, steps):
            if waiting == 0:
                record.status = DONE
                break
            _commit_oldest(forest, subject, steps, expansions)
        elif _may_publish(forest, subject, expansions):
            if not _iterate(forest, subject, steps, expansions):
                _commit_oldest(forest, subject, steps, expansions)
        elif waiting:
            _commit_oldest(forest, subject, steps, expansions)
        else:
            record.full = 1
    while _waiting(expansions):
        _commit_oldest(forest, subject, steps, expansions)
    record.current, record.path = -1, 0
    return 0
