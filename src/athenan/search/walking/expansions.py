"""Expansions that any thread may make: the actions of a state, and the outcome and value of each of its children.

The thread that leads a search publishes states to expand in a ring. Assistants, and the leader itself while it waits,
take them in order. What an expansion finds depends on the state alone, so it does not matter who makes it, or when.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, ACTION_LISTS, FLOAT_ROWS, NUMBERS, array_of
from athenan.rules.atomics import APART, load, pause, replace, rest, store
from athenan.rules.compiler import helper, inlined, kernel
from athenan.rules.game import Game
from athenan.rules.leaf import call_leaf, keep_finite
from athenan.rules.state import ONGOING
from athenan.search.trees.subject import SUBJECT, list_actions

_PUBLISHED, _TAKEN = 0, APART
"""Places in `Expansions.counters`: how many expansions were published, and how many of these a thread has taken."""
_TURNS, _REST, _IDLE = 1000, 20_000, 100
"""A thread without work looks this often for some (about 40 µs), then rests so many nanoseconds before each further
look. An assistant ends after this many rests."""


class Expansions(NamedTuple):
    """A ring of L expansions of one tree, at the places of the leaves that wait for them."""

    counters: NDArray[np.int64]
    done: NDArray[np.int64]  # int64[L * APART]: at place * APART, 1 if the expansion there is done
    nodes: NDArray[np.int32]  # int32[L]: the states to expand
    counts: NDArray[np.int32]  # int32[L]: their numbers of actions
    actions: NDArray[np.int32]  # int32[L, max_actions]
    outcomes: NDArray[np.int32]  # int32[L, max_actions]: of the children
    values: NDArray[np.float32]  # float32[L, max_actions]: of the children that are not terminal, in their order

    @staticmethod
    def of(game: Game, number: int) -> "Expansions":
        """A ring of this many expansions."""
        shape = number, game.max_actions
        return Expansions(
            np.zeros(2 * APART, np.int64), np.zeros(number * APART, np.int64), np.zeros(number, np.int32),
            np.zeros(number, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32),
            np.zeros(shape, np.float32),
        )  # fmt: skip


EXPANSIONS = types.NamedTuple(
    [NUMBERS, NUMBERS, ACTION_LIST, ACTION_LIST, ACTION_LISTS, ACTION_LISTS, FLOAT_ROWS], Expansions
)
_states_of_slots = array_of(np.int8, 3)


@helper
def _expand(states, subject, expansions, place):
    """Makes the expansion at a place of the ring."""
    state, actions = states[0, expansions.nodes[place]], expansions.actions[place]
    following, pending = subject.leaf.states, 0
    count = list_actions(subject, state, actions)
    for number in range(count):
        calls.play(subject.rules, state, actions[number], following[pending])
        outcome = calls.outcome(subject.rules, following[pending])
        expansions.outcomes[place, number] = outcome
        pending += outcome == ONGOING
    leaf, values = subject.leaf, expansions.values[place, :pending]
    call_leaf(leaf.address, (subject.rules, state, following[:pending], leaf.numbers, leaf.weights, values))
    keep_finite(values, leaf.counts)
    expansions.counts[place] = count


@helper
def publish(expansions, node):
    """Offers the expansion of a node to all threads, at the next place of the ring."""
    published = expansions.counters[_PUBLISHED]
    place = published % len(expansions.nodes)
    expansions.nodes[place], expansions.done[place * APART] = node, 0
    store(expansions.counters, _PUBLISHED, published + 1)


@inlined
def await_expansion(states, subject, expansions, place):
    """Waits until the expansion at a place is done, and makes others meanwhile."""
    looked = 0
    while not load(expansions.done, place * APART):
        looked = _work_or_wait(states, subject, expansions, looked)


@helper
def _work_or_wait(states, subject, expansions, looked):
    """Makes an expansion, or waits for one; returns how often the thread has found nothing to do since its last one."""
    if _take_one(states, subject, expansions):
        return 0
    if looked < _TURNS:
        pause()
    else:
        rest(_REST)
    return looked + 1


@helper
def _take_one(states, subject, expansions):
    """Makes the next expansion that nobody has taken; returns whether there was one."""
    taken = load(expansions.counters, _TAKEN)
    if taken >= load(expansions.counters, _PUBLISHED) or not replace(expansions.counters, _TAKEN, taken, taken + 1):
        return False
    place = taken % len(expansions.nodes)
    _expand(states, subject, expansions, place)
    store(expansions.done, place * APART, 1)
    return True


@kernel(types.void(_states_of_slots, SUBJECT, EXPANSIONS))
def assist(states, subject, expansions):
    """Makes expansions until none is published for a few milliseconds; `subject` belongs to the calling thread."""
    looked = 0
    while looked < _TURNS + _IDLE:
        looked = _work_or_wait(states, subject, expansions, looked)
