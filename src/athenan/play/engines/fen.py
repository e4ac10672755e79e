"""Positions as FEN, of the games that have it."""

from collections.abc import Callable

from athenan.games.draughts import read_fen
from athenan.games.xiangqi import position as read_xiangqi
from athenan.rules.game import Game, GameError, State

FENS: dict[str, Callable[[Game, str], State]] = {"xiangqi": read_xiangqi, "draughts": read_fen}
"""Name of a game -> what reads its FEN. Raises GameError for a text that is none."""


def position_of_fen(game: Game, text: str) -> State:
    """The state of a FEN, with no earlier moves. Raises GameError if it is none, or if the game has no FEN."""
    kind = game.name.partition(":")[0]
    if kind not in FENS:
        raise GameError(f"{game.name} has no FEN: give the moves from its start")
    return FENS[kind](game, text)
