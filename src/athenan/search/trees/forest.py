"""The forest: search trees as records in arrays, one tree per slot, so that many searches advance together.

A node is a state of S in the papers' notation: expanded, or terminal (or the root, before its first iteration). An
unexpanded child is an edge without a node; its state is made again when the search steps into it. What the papers index
by (s, a) is stored on the edge: the values last seen through that edge, not the child's present values.

Equal states of a tree are one node. The transposition index finds them by a 64-bit key and then compares the states
themselves, so that a collision of keys can never prove a false win.

Module `planting` makes a forest within a budget of memory. A full tree stops growing; `prune` frees the nodes that can
no longer be reached from the root.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import STATE, array_of
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import State
from athenan.rules.kernels import RULES
from athenan.rules.state import copy_state, hash_state, same_state

NODE = np.dtype(
    [
        ("key", np.uint64),  # hash of the state
        ("first_edge", np.int32),
        ("edges", np.int32),  # number of actions; 0 if terminal or not yet expanded
        ("value", np.float32),  # v(s), first player's point of view
        ("visits", np.int32),  # iterations that passed through or ended here
        ("halving", np.int32),  # at a root of sequential halving, the iterations of its search; elsewhere 0
        ("noise", np.uint32),  # there, the seed of the Gumbel noise of its actions; 0 without noise
        ("candidates", np.int16),  # there, the actions with which halving begins
        ("player", np.int8),  # side to move: 0 first player, 1 second player, 2 chance
        ("completion", np.int8),  # c(s)
        ("resolution", np.int8),  # r(s)
        ("terminal", np.int8),
        ("refined", np.int8),  # whether as many of its children were evaluated themselves as at a root
        ("waiting", np.int8),  # whether it is a leaf whose expansion is awaited (module `waiting_leaves`)
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("action", np.int32),
        ("child", np.int32),  # node, or -1 while not visited
        ("value", np.float32),  # v(s, a)
        ("prior", np.float32),  # P(s, a) of an outcome, or of an action if the algorithm asks for a policy
        ("visits", np.int32),  # n(s, a)
        ("completion", np.int8),  # c(s, a)
        ("resolution", np.int8),  # r(s, a)
        ("evaluated", np.int8),  # 1 if v(s, a) was the evaluation of the child itself
        ("waiting", np.int8),  # paths through this edge to leaves whose expansion is awaited (module `waiting_leaves`)
    ],
    align=True,
)
SLOT = np.dtype(
    [
        ("iterations", np.int64),  # of the search for the present action
        ("iteration_limit", np.int64),
        ("evaluations", np.int64),
        ("evaluation_limit", np.int64),
        ("root", np.int32),
        ("nodes", np.int32),
        ("edges", np.int32),
        ("depth", np.int32),  # of alpha-beta: the greatest depth of the present search that was completed
        ("status", np.int32),
        ("current", np.int32),  # the present iteration's node
        ("path", np.int32),  # edges followed by the present iteration
        ("row", np.int32),  # first row of the batch that answers `current`
        ("memory", np.int64),  # bytes for nodes and edges
        ("node_bytes", np.int32),  # bytes of a node, and of an edge, with what callers keep beside them
        ("edge_bytes", np.int32),
        ("work", np.int32),  # children expanded and edges followed by the present `advance`
        ("full", np.int8),
        ("stop", np.int8),  # asked to end at the end of the iteration
        ("refining", np.int8),  # the best children of `current` are to be evaluated, or are being evaluated
        ("shallow", np.int8),  # an iteration ends after one expansion, whatever the algorithm
    ],
    align=True,
)

MUCH = 0.5
"""The share of a tree's memory beyond which it is pruned before the next search."""
READY, WAITING, DONE = 0, 1, 2
"""Status of a slot: between or inside iterations; waiting for values; its search has ended (or has not begun)."""


class Forest(NamedTuple):
    """The arrays of a forest of K slots; the leading dimension of each is the slot."""

    slots: NDArray[np.void]  # SLOT[K]
    nodes: NDArray[np.void]  # NODE[K, node capacity]
    edges: NDArray[np.void]  # EDGE[K, edge capacity]
    states: State  # int8[K, node capacity, state size]
    lookup: NDArray[np.int32]  # transposition index, int32[K, power of two]: node + 1, 0 empty; open addressing
    path: NDArray[np.int32]  # edges that the present iteration has followed from the root, int32[K, longest match + 1]
    random: NDArray[np.uint64]  # uint64[K]
    actions: NDArray[np.int32]  # int32[max_actions]: room for the actions of one state, of any slot


def _forest_type() -> types.Type:
    """The numba type of every forest."""
    return numba.typeof(
        Forest(
            slots=np.zeros(1, SLOT),
            nodes=np.zeros((1, 1), NODE),
            edges=np.zeros((1, 1), EDGE),
            states=np.zeros((1, 1, 1), np.int8),
            lookup=np.zeros((1, 1), np.int32),
            path=np.zeros((1, 1), np.int32),
            random=np.zeros(1, np.uint64),
            actions=np.zeros(1, np.int32),
        )
    )


FOREST = _forest_type()
_marks = array_of(np.bool_)
_places = array_of(np.int32)


@helper
def state_key(state):
    """A 64-bit hash of a state."""
    return hash_state(state, np.uint64(0x9E3779B97F4A7C15))


@helper
def find(forest, slot, state, key):
    """The node of a state, or -1."""
    mask = forest.lookup.shape[1] - 1
    place = np.int64(key) & mask
    while True:
        node = forest.lookup[slot, place] - 1
        if node < 0:
            return -1
        if forest.nodes[slot, node].key == key and same_state(forest.states[slot, node], state):
            return node
        place = (place + 1) & mask


@helper
def _enter(forest, slot, node):
    """Adds a node to the transposition index."""
    mask = forest.lookup.shape[1] - 1
    place = np.int64(forest.nodes[slot, node].key) & mask
    while forest.lookup[slot, place]:
        place = (place + 1) & mask
    forest.lookup[slot, place] = node + 1


@helper
def _forget_index(forest, slot):
    """Empties the index by its entries, so that untouched pages stay unmapped."""
    mask = forest.lookup.shape[1] - 1
    for node in range(forest.slots[slot].nodes):
        place = np.int64(forest.nodes[slot, node].key) & mask
        while forest.lookup[slot, place]:  # clears the whole run that the entry may lie in
            forest.lookup[slot, place] = 0
            place = (place + 1) & mask


@helper
def add_node(forest, slot, key):
    """Adds a node without edges and values. Its state is already in place, in the first free row.

    The caller must ensure that there is room.
    """
    node = forest.slots[slot].nodes
    forest.slots[slot].nodes = node + 1
    record = forest.nodes[slot, node]
    record.key = key
    record.first_edge = 0
    record.edges = 0
    record.value = 0.0
    record.visits = 0
    record.player = forest.states[slot, node, 0]
    record.completion = 0
    record.resolution = 0
    record.terminal = 0
    record.refined = 0
    record.waiting = 0
    record.halving = 0
    record.noise = 0
    record.candidates = 0
    _enter(forest, slot, node)
    return node


@helper
def add_edge(forest, slot, number, action):
    """Begins an edge for an action, without a child and values; returns it."""
    edge = forest.edges[slot, number]
    edge.action = action
    edge.child = -1
    edge.value = 0.0
    edge.prior = 0.0
    edge.visits = 0
    edge.completion = 0
    edge.resolution = 0
    edge.evaluated = 0
    edge.waiting = 0
    return edge


@helper
def is_known(edge):
    """Whether the value of an edge is known: it was followed, or leads to a finished match."""
    return edge.visits > 0 or edge.child >= 0


@helper
def has_room(forest, slot, nodes, edges):
    """Whether these numbers of nodes and edges can be added; one more node stays free for the next root."""
    record = forest.slots[slot]
    nodes, edges = record.nodes + nodes + 1, record.edges + edges
    if nodes > forest.nodes.shape[1] or edges > forest.edges.shape[1]:
        return False
    return nodes * record.node_bytes + edges * record.edge_bytes <= record.memory


@helper
def fullness(forest, slot):
    """The share of a tree's memory that is in use, from 0 to 1."""
    record = forest.slots[slot]
    used = record.nodes * record.node_bytes + record.edges * record.edge_bytes
    array = max(record.nodes / forest.nodes.shape[1], record.edges / forest.edges.shape[1])
    return max(array, used / record.memory)


@kernel(types.float64(FOREST, types.int64))
def fullness_of(forest, slot):
    """The share of a tree's memory that is in use, for Python."""
    return fullness(forest, slot)


@kernel(types.boolean(FOREST, types.int64))
def has_room_for_root(forest, slot):
    """Whether one more node, which becomes the root, can be added without pruning."""
    return has_room(forest, slot, 0, 0)


@kernel(types.void(FOREST, types.int64))
def clear(forest, slot):
    """Empties a tree."""
    _forget_index(forest, slot)
    record = forest.slots[slot]
    record.nodes = 0
    record.edges = 0
    record.root = -1
    record.full = 0
    record.status = DONE


@helper
def _place_root(forest, slot, state, node, transpositions):
    """Makes a non-terminal state the root, as the given node.

    If that is -1, the root is the node of an equal state, with transpositions, or else a new node, for which there must
    be room.
    """
    record = forest.slots[slot]
    key = state_key(state)
    if node < 0 and transpositions:
        node = find(forest, slot, state, key)
    if node < 0:
        copy_state(state, forest.states[slot, record.nodes])
        node = add_node(forest, slot, key)
    record.root = node
    record.current = -1
    record.path = 0
    record.refining = 0
    record.status = DONE


@kernel(types.void(FOREST, types.int64, STATE))
def set_root(forest, slot, state):
    """Makes a non-terminal state the root of an empty tree."""
    _place_root(forest, slot, state, -1, 0)


@kernel(types.void(FOREST, RULES, types.int64, types.int64, types.int64))
def play_at_root(forest, rules, transpositions, slot, action):
    """Makes the state after a legal, non-final action the root: the tree's child, if it has one.

    There must be room for one more node.
    """
    record, child = forest.slots[slot], -1
    root = forest.nodes[slot, record.root]
    for edge in range(root.first_edge, root.first_edge + root.edges):
        if forest.edges[slot, edge].action == action:
            child = forest.edges[slot, edge].child
    following = forest.states[slot, record.nodes]
    calls.play(rules, forest.states[slot, record.root], action, following)
    _place_root(forest, slot, following, child, transpositions)


@kernel(types.int64(FOREST, types.int64, types.int64, types.int64, types.int64))
def start_search(forest, slot, iterations, evaluations, shallow):
    """Makes a slot ready for a search with these limits; returns whether full memory ended the previous search."""
    record = forest.slots[slot]
    ended_early = record.full
    record.full = 0
    record.shallow = shallow
    record.iterations = record.evaluations = record.stop = record.depth = 0
    record.iteration_limit = iterations
    record.evaluation_limit = evaluations
    record.status = READY
    return ended_early


@kernel(types.void(FOREST, types.int64, _marks, _places))
def reachable(forest, slot, reached, stack):
    """Marks the nodes that can be reached from the root: `reached` is bool[nodes], all False; `stack` int32[nodes]."""
    root = forest.slots[slot].root
    stack[0], top, reached[root] = root, 1, True
    while top:
        top -= 1
        record = forest.nodes[slot, stack[top]]
        for edge in range(record.first_edge, record.first_edge + record.edges):
            child = forest.edges[slot, edge].child
            if child >= 0 and not reached[child]:
                reached[child] = True
                stack[top] = child
                top += 1


@kernel(types.void(FOREST, types.int64, _marks, _places))
def prune(forest, slot, kept, renamed):
    """Removes all nodes but the kept ones, which must be closed under children; frees their room.

    A node is expanded as soon as it is made, so nodes and their edges are in the same order, and moving each to the
    left overwrites nothing that is still needed. `renamed` is int32[nodes], for the new numbers of the kept nodes.
    """
    _forget_index(forest, slot)
    record, nodes, edges = forest.slots[slot], forest.nodes[slot], forest.edges[slot]
    count, edge_count = 0, 0
    for node in range(record.nodes):
        if kept[node]:
            first = nodes[node].first_edge
            for offset in range(nodes[node].edges):
                edges[edge_count + offset] = edges[first + offset]
            nodes[count] = nodes[node]
            nodes[count].first_edge = edge_count
            copy_state(forest.states[slot, node], forest.states[slot, count])
            edge_count += nodes[count].edges
            renamed[node] = count
            count += 1
    for edge in range(edge_count):
        if edges[edge].child >= 0:
            edges[edge].child = renamed[edges[edge].child]
    record.nodes = count
    record.edges = edge_count
    record.root = renamed[record.root]
    record.full = 0
    for node in range(count):
        _enter(forest, slot, node)
