"""Empty forests within a budget of memory, and how much memory searches need.

The arrays are allocated whole, and the operating system maps their pages as they are used: the memory of a forest is a
budget, not a cost. How much of it nodes take, and how much edges, depends on how many actions the states have; so each
of both arrays is larger than its share.
"""

from typing import NamedTuple

import numpy as np

from athenan.rules.fitting import require_whole
from athenan.rules.game import Game
from athenan.rules.randomness import streams
from athenan.search.trees.forest import EDGE, NODE, SLOT, Forest

DEFAULT_MEMORY = 2 << 30
"""Bytes that the trees of a forest may take in all, by default."""
PLAYER_MEMORY = 1 << 30
"""Bytes that the tree of a player may take, unless its settings say otherwise."""
_FEW_ACTIONS = 4
"""A tree whose expanded states have fewer actions on average may end by the size of the array of nodes."""
_MOST = 2**31 - 1


class Beside(NamedTuple):
    """Bytes of the arrays that a search has beside the forest."""

    node: int = 0
    """Bytes for each node."""
    edge: int = 0
    """Bytes for each edge."""


def memory_for(game: Game, slots: int = 1, expansions: int = 0, ends: int = 0, beside: Beside = Beside()) -> int:
    """Bytes that give each of `slots` trees room for `expansions` expanded states, whatever their number of actions.

    Each may have `ends` finished matches among its children. Without expansions, this is the least that `plant`
    accepts.
    """
    spare = -(-(game.max_actions + 2) // (1 + ends))  # the walk steps into a state only if all its children have room
    return slots * _per_expansion(game, ends, beside) * max(expansions + spare, _least(game))


def _per_node(game: Game, beside: Beside) -> int:
    """Bytes of a node."""
    return NODE.itemsize + game.state_size + 8 + beside.node


def _per_expansion(game: Game, ends: int, beside: Beside) -> int:
    """Bytes of an expanded state, its edges, and the nodes of `ends` finished matches."""
    return (1 + ends) * _per_node(game, beside) + (EDGE.itemsize + beside.edge) * game.max_actions


def _least(game: Game) -> int:
    """The number of expansions for which every tree has room."""
    return 2 * (game.max_actions + 2)


def plant(
    game: Game,
    slots: int = 1,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
    beside: Beside = Beside(),
    ends: int = 0,
) -> Forest:
    """An empty forest of `slots` trees which together take at most `memory` bytes, with what a search has `beside`.

    `ends` is the number of finished matches for which there is room with each expanded state, however many actions
    these have. Raises ValueError if the memory is too small for one expansion of each tree, or more than this machine
    has.
    """
    for name, number in (("memory", memory), ("slots", slots), ("seed", seed)):
        require_whole(name, number)
    per_tree, node_bytes, edge_bytes = memory // slots, _per_node(game, beside), EDGE.itemsize + beside.edge
    expansions = per_tree // _per_expansion(game, ends, beside)
    if expansions < _least(game):
        least = memory_for(game, slots, 0, ends, beside)
        raise ValueError(f"{memory} bytes are too little for {slots} trees of {game.name}: give at least {least}")
    nodes = min(max((1 + ends) * expansions, per_tree // (node_bytes + _FEW_ACTIONS * edge_bytes)), _MOST)
    edges = min(per_tree // edge_bytes, _MOST)
    try:
        forest = Forest(
            slots=np.zeros(slots, SLOT),
            nodes=np.zeros((slots, nodes), NODE),
            edges=np.zeros((slots, edges), EDGE),
            states=np.zeros((slots, nodes, game.state_size), np.int8),
            lookup=np.zeros((slots, 1 << (2 * nodes - 1).bit_length()), np.int32),
            path=np.zeros((slots, game.max_length + 1), np.int32),
            random=streams(seed, slots),
            actions=np.zeros(game.max_actions, np.int32),
        )
    except MemoryError:
        raise ValueError(f"there is no room for search trees of {memory >> 20:,} MiB: give less memory") from None
    forest.slots["memory"] = per_tree
    forest.slots["node_bytes"], forest.slots["edge_bytes"] = node_bytes, edge_bytes
    return forest
