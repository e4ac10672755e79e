"""The variants of Fairy-Stockfish (option UCI_Variant) that are games here, and how it writes their moves.

Its white is our first player. It writes a drop as `P@c4`, and a pass as a move of the side's lowest piece to its own
square. It counts ranks from the bottom; our Othello counts rows from the top. Clobber is missing because
Fairy-Stockfish puts the first player's pieces not on a1 but beside it.
"""

import re
from dataclasses import dataclass

import numpy as np

from athenan.rules.game import Game, State
from athenan.rules.state import PASS_NAME

_CELL = re.compile(r"([a-z])(\d+)")


@dataclass(frozen=True)
class Variant:
    """A variant that is the same as one of our games."""

    name: str
    drops: bool = False
    """Whether actions are drops, and a side without a drop passes."""
    rows: int = 0
    """The number of rows, if our game counts them from the top; 0 if it counts them from the bottom."""

    def written(self, game: Game, state: State, name: str) -> str:
        """How the program writes the action with this name in a state."""
        if name == PASS_NAME:
            row, column = np.argwhere(game.encode(state)[game.player(state)][:: -1 if self.rows else 1])[0]
            return 2 * f"{chr(ord('a') + column)}{row + 1}"
        if found := _CELL.fullmatch(name):
            return f"P@{found[1]}{self.rows + 1 - int(found[2]) if self.rows else found[2]}"
        return name


VARIANTS = {
    "xiangqi:120": Variant("xiangqi"),
    "breakthrough:8x8": Variant("breakthrough"),
    "ataxx:7": Variant("ataxx", drops=True),
    "othello:8": Variant("flipello", drops=True, rows=8),
    "othello:10": Variant("flipello10", drops=True, rows=10),
}
"""Our games -> the variants."""
