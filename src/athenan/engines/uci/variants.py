"""How Fairy-Stockfish writes the moves of games that it knows by the option UCI_Variant (`rules.forms.UciVariant`).

It writes a drop as `P@c4`, and a pass as a move of the side's lowest piece to its own square. It counts ranks from the
bottom. Clobber is no such game because Fairy-Stockfish puts the first player's pieces not on a1 but beside it.
"""

import re

import numpy as np

from athenan.rules.forms import UciVariant
from athenan.rules.game import Game, State
from athenan.rules.state import PASS_NAME

_CELL = re.compile(r"([a-z])(\d+)")


def written(variant: UciVariant, game: Game, state: State, name: str) -> str:
    """How the program writes the action with this name in a state."""
    if name == PASS_NAME:
        row, column = np.argwhere(game.encode(state)[game.player(state)][:: -1 if variant.rows else 1])[0]
        return 2 * f"{chr(ord('a') + column)}{row + 1}"
    if found := _CELL.fullmatch(name):
        return f"P@{found[1]}{variant.rows + 1 - int(found[2]) if variant.rows else found[2]}"
    return name
