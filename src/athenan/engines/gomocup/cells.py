"""Cells of Gomoku as Gomocup writes them: `X,Y`, both counted from 0, Y from the top."""

import re

from athenan.games.catalogue import settings_of
from athenan.rules.game import Game, GameError, State

_CELL = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*")
EXACT = 1
"""The bit of INFO rule for exact five: only lines of exactly five stones win."""


def check(game: Game) -> None:
    """Raises GameError if the protocol does not have a game."""
    if "gomocup" not in game.forms.programs:
        raise GameError(f"the protocol of Gomocup is for gomoku, not for {game.name}")


def written(game: Game, name: str) -> str:
    """Writes the cell with this name in the game's notation."""
    return f"{ord(name[0]) - ord('a')},{_size(game) - int(name[1:])}"


def read(game: Game, state: State, text: str) -> int:
    """The action that puts a stone on a cell. Raises GameError if it is not legal."""
    found = _CELL.fullmatch(text)
    if not found or max(column := int(found[1]), row := int(found[2])) >= _size(game):
        raise GameError(f"{text[:40]!r} is not a cell X,Y of {game.name}")
    return game.parse_action(state, f"{chr(ord('a') + column)}{_size(game) - row}")


def _size(game: Game) -> int:
    return int(settings_of(game)["size"])
