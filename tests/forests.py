"""What tests of full trees share: how much memory a tree takes."""

from athenan.rules.game import Game
from athenan.search.forest import EDGE, NODE


def forest_bytes(game: Game, nodes: int) -> int:
    """The memory that makes room for so many nodes."""
    return nodes * (NODE.itemsize + game.state_size + 8 + EDGE.itemsize * game.max_actions)
