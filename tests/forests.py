"""What tests of full trees share: how much memory a tree takes."""

from athenan.rules.game import Game
from athenan.search.forest import EDGE, NODE


def forest_bytes(game: Game, nodes: int, ends: int = 0) -> int:
    """The memory that makes room for so many nodes, and beside each of them for so many finished matches."""
    return nodes * ((1 + ends) * (NODE.itemsize + game.state_size + 8) + EDGE.itemsize * game.max_actions)
