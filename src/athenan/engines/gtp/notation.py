"""Colours and moves as GTP writes them.

The first player is black. Moves are in the game's notation. If the programs of a game write a move differently, such as
the swap of Hex, their form is written, and both forms are read. A turn of several actions is written as several moves
of one colour.
"""

from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE, FIRST, PASS_NAME, SECOND

_COLOURS = {"b": FIRST, "black": FIRST, "w": SECOND, "white": SECOND, "chance": CHANCE}
COLOURS = "black", "white", "chance"
"""The colour of each side to move."""


def side_of(text: str) -> int:
    """The side of a colour. Raises ValueError if the text is not a colour."""
    if (side := _COLOURS.get(text.lower())) is None:
        raise ValueError(f"invalid color {text!r}: expected black or white")
    return side


def is_colour(text: str) -> bool:
    """Whether a text is a colour."""
    return text.lower() in _COLOURS


def written(game: Game, name: str) -> str:
    """Writes in GTP the action with this name in the game's notation."""
    return game.forms.gtp.get(name, name.upper() if game.forms.gtp_capitals and name != PASS_NAME else name)


def read(game: Game, state: State, text: str) -> int:
    """Reads an action of a state. Raises GameError if it is not legal."""
    ours = {theirs: name for name, theirs in game.forms.gtp.items()}
    return game.parse_action(state, ours.get(text.lower(), text))
