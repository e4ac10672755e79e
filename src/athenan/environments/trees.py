"""Trees of many rows in compiled code: their roots are set, the actions to play are chosen and their results read."""

from typing import get_args

import numpy as np
from numba import types

from athenan.rules.arrays import ACTION_LIST, CONSTANTS, FLOATS, NUMBERS, STATES, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.rules.randomness import random_below, random_bits, random_unit
from athenan.rules.state import sign
from athenan.search.trees.algorithm import Choose
from athenan.search.trees.foresight import LOOK
from athenan.search.trees.forest import (
    DONE,
    FOREST,
    MUCH,
    clear,
    find,
    fullness,
    set_root,
    start_search,
    state_key,
)
from athenan.search.trees.judgement import JUDGEMENT, OPTIONS, Options, judge
from athenan.search.trees.selection import Key, best, exact, safest, safest_or_exact, safest_securing_draw

_ORDERS = best, safest, safest_securing_draw, exact
_SAFEST, _EXACT = 1, 3
_KEYS = np.array([[*map(get_args(Key).index, one.keys), 4, 4][:4] for one in _ORDERS])
"""int64[orders, 4]: the numbers of each order's keys; 4 for none."""
ORDERS: dict[Choose, int] = {best: 0, safest: _SAFEST, safest_securing_draw: 2, safest_or_exact: _EXACT}
"""The number of each choice of `selection` in compiled code."""
_STREAMS = array_of(np.uint64, 2)
"""A random stream for each slot."""


@helper
def _place(forest, slot, state):
    """Makes a state the root: its node, if the tree knows it and has room, else the only node of an empty tree."""
    record, known = forest.slots[slot], -1
    if record.root >= 0 and fullness(forest, slot) <= MUCH:
        known = find(forest, slot, state, state_key(state))
    if known < 0:
        clear(forest, slot)
        set_root(forest, slot, state)
        return
    record.root = known
    record.current = -1
    record.path = 0
    record.refining = 0
    record.status = DONE


@kernel(types.void(FOREST, _STREAMS, NUMBERS, array_of(np.uint64)))
def forget_rows(forest, random, slots, seeds):
    """Empties the trees of slots, and begins their random streams anew: of the search, and of the choice of actions."""
    for number in range(len(slots)):
        forest.slots[slots[number]].root = -1
        forest.random[slots[number]] = random_bits(seeds[number], 0)
        random[slots[number], 0] = random_bits(seeds[number], 1)


@kernel(types.void(FOREST, NUMBERS, STATES, types.int64, types.int64, types.int64))
def begin_rows(forest, slots, states, iterations, evaluations, starts):
    """Makes each state the root of a slot's tree and, if `starts`, starts a search of it with these limits."""
    for number in range(len(slots)):
        slot = slots[number]
        _place(forest, slot, states[number])
        forest.nodes[slot, forest.slots[slot].root].halving = 0
        if starts:
            start_search(forest, slot, iterations, evaluations, 0)


@kernel(types.void(RULES, LOOK, JUDGEMENT, OPTIONS, CONSTANTS, FOREST, _STREAMS, NUMBERS, NUMBERS))
def choose_rows(rules, look, judgement, room, drawn, forest, random, slots, actions):
    """Chooses an action of each slot's root, which is expanded, at a level (`search.trees.judgement`).

    `room` is for `max_actions` options and `drawn` for `DRAWN` numbers; `random` (uint64[slots, 1]) has a stream for
    each slot.
    """
    for number in range(len(slots)):
        slot = slots[number]
        root = forest.nodes[slot, forest.slots[slot].root]
        edges = forest.edges[slot][root.first_edge : root.first_edge + root.edges]
        count = len(edges)
        for place in range(count):
            room.actions[place], room.values[place] = edges[place].action, edges[place].value
            room.completions[place] = edges[place].completion
        for place in range(len(drawn)):
            drawn[place] = random_unit(random[slot], 0)
        options = Options(
            room.actions[:count], room.values[:count], room.completions[:count], room.ends[:count], room.weights[:count]
        )
        state = forest.states[slot, forest.slots[slot].root]
        actions[number] = edges[judge(rules, look, judgement, state, sign(root.player), options, drawn)].action


@helper
def _rank(order, side, edge):
    """What decides between actions in an order of choice, the most important number first."""
    gain, value = np.float64(side * edge.completion), np.float64(side * edge.value)
    numbers, keys = (gain, np.float64(edge.resolution), value, np.float64(edge.visits), 0.0), _KEYS[order]
    return numbers[keys[0]], numbers[keys[1]], numbers[keys[2]], numbers[keys[3]]


@helper
def _first(order, side, edges, resolution, random):
    """The position of the action that an order puts first, among actions of this `resolution` (2: all actions).

    It is -1 if no action has that resolution. Equally good actions are equally likely.
    """
    first, equal, greatest = -1, 0, (-np.inf, -np.inf, -np.inf, -np.inf)
    for number in range(len(edges)):
        if resolution == 2 or edges[number].resolution == resolution:
            rank = _rank(order, side, edges[number])
            equal = 1 if rank > greatest else equal + (rank == greatest)
            if rank > greatest or (rank == greatest and random_below(random, 0, equal) == 0):
                first, greatest = number, rank
    return first


@helper
def _safest_or_exact(side, edges, random):
    """The position that the choice `safest_or_exact` gives."""
    unresolved = _first(_SAFEST, side, edges, 0, random)
    exact = _first(_EXACT, side, edges, 1, random)
    if unresolved < 0 or exact < 0:
        return max(unresolved, exact)
    return exact if _rank(_EXACT, side, edges[exact]) >= _rank(_EXACT, side, edges[unresolved]) else unresolved


@kernel(types.void(FOREST, _STREAMS, types.int64, NUMBERS, NUMBERS))
def first_rows(forest, random, order, slots, actions):
    """Chooses the first action of each slot's root, which is expanded, in an order; `random` as in `choose_rows`."""
    for number in range(len(slots)):
        slot = slots[number]
        root = forest.nodes[slot, forest.slots[slot].root]
        edges, side = forest.edges[slot][root.first_edge : root.first_edge + root.edges], sign(root.player)
        if order == _EXACT:
            position = _safest_or_exact(side, edges, random[slot])
        else:
            position = _first(order, side, edges, 2, random[slot])
        actions[number] = edges[position].action


@kernel(types.void(FOREST, types.int64, FLOATS, ACTION_LIST))
def read_edges(forest, slot, values, visits):
    """Writes the values and the visits of the root's actions, at the actions' numbers; an empty vector takes none."""
    root = forest.nodes[slot, forest.slots[slot].root]
    for number in range(root.first_edge, root.first_edge + root.edges):
        edge = forest.edges[slot, number]
        if len(values):
            values[edge.action] = edge.value
        if len(visits):
            visits[edge.action] = edge.visits
