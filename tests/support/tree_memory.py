"""What tests of full trees share: how much memory trees take, and what they use of it."""

from athenan.rules.game import Game
from athenan.search.trees.forest import EDGE, NODE
from athenan.search.trees.forest_search import ForestSearch


def forest_bytes(game: Game, nodes: int, ends: int = 0) -> int:
    """The memory that makes room for so many nodes, and beside each of them for so many finished matches."""
    return nodes * ((1 + ends) * (NODE.itemsize + game.state_size + 8) + EDGE.itemsize * game.max_actions)


def used_bytes(search: ForestSearch, beside_node: int = 0, beside_edge: int = 0) -> int:
    """The memory of the nodes and edges of the only tree, with what the search has beside each."""
    slot = search.forest.slots[0]
    per_node = NODE.itemsize + search.game.state_size + 8 + beside_node
    return int(slot["nodes"]) * per_node + int(slot["edges"]) * (EDGE.itemsize + beside_edge)
