"""The games by their names.

>>> from athenan import GAMES, make
>>> len(GAMES), make("hex:11,swap=false").name
(21, 'hex:11,swap=false')
"""

from dataclasses import replace
from importlib import import_module
from types import ModuleType

from athenan import settings
from athenan.rules.game import Game, GameError

GAMES = {
    "amazons": "athenan.games.amazons",
    "arimaa": "athenan.games.arimaa",
    "ataxx": "athenan.games.ataxx",
    "breakthrough": "athenan.games.breakthrough",
    "clobber": "athenan.games.clobber",
    "connect6": "athenan.games.connect6",
    "connect_four": "athenan.games.connect_four",
    "draughts": "athenan.games.draughts",
    "go": "athenan.games.go",
    "gomoku": "athenan.games.gomoku",
    "havannah": "athenan.games.havannah",
    "hex": "athenan.games.hex",
    "lines_of_action": "athenan.games.lines_of_action",
    "morpion": "athenan.games.morpion",
    "othello": "athenan.games.othello",
    "outer_open_gomoku": "athenan.games.gomoku",
    "santorini": "athenan.games.santorini",
    "shobu": "athenan.games.shobu",
    "surakarta": "athenan.games.surakarta",
    "tictactoe": "athenan.games.tictactoe",
    "xiangqi": "athenan.games.xiangqi",
}
"""Name of every game -> the module that holds its rules and its `make` function."""


def make(specification: str | Game) -> Game:
    """The game that a text such as "hex", "hex:11", "hex:11,swap=false" or "breakthrough:6x8" names; a game is itself.

    The first value is that of the game's first setting (a board size; WIDTHxHEIGHT where it may be oblong), then
    SETTING=VALUE, in any case. Raises GameError if there is no such game, setting or value.
    """
    if isinstance(specification, Game):
        return specification
    name, values = settings.split(specification)
    build = module_of(name).make
    try:
        given = settings.read(build, values)
        first = next(one for one, module in GAMES.items() if module == GAMES[name])  # of several names
        made: Game = build(**given)
        return replace(made, name=settings.write(first, build, given), maker=make)
    except ValueError as error:
        raise GameError(f"{name}: {error}") from None


def known(name: str) -> Game:
    """The game of that name, if it is in the table: a name that comes from a file runs no code. Raises GameError."""
    return make(name)


def module_of(name: str) -> ModuleType:
    """The module of a game in the table. Raises GameError if there is none of that name."""
    if name not in GAMES:
        raise GameError(f"there is no game {name!r}; the games are {', '.join(GAMES)}")
    return import_module(GAMES[name])
