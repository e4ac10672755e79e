"""The checks of what people see of a state: the board and the FEN."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import NOBODY
from athenan.rules.conformance.guards import Guarded, require
from athenan.rules.game import State
from athenan.rules.state import CHANCE
from athenan.settings import shown


def check_board(game: Guarded, state: State, actions: NDArray[np.int32], outcome: int | None) -> None:
    """Calls the functions of the board that a page calls for this state; they check what they return themselves."""
    if game.board is None:
        return
    for name in ("scene", "counts"):
        _seen(game, name, state)
    if outcome is None:
        for name in ("awaited", "setups"):
            _seen(game, name, state)
        right = all(one.piece.owner != NOBODY for one in _seen(game, "tray", state) or ())
        require(right, game, "its board.tray must return pieces of the players, not of NOBODY")
        for action in actions.tolist():
            _seen(game, "rolled" if game.player(state) == CHANCE else "path", state, action)
    elif outcome:
        for name in ("decided", "deciding"):
            _seen(game, name, state, int(outcome < 0))


def _seen(game: Guarded, name: str, state: State, *given: int) -> Any:
    """What a function of the board returns for a state, which it must not change; None without this function."""
    if (function := getattr(game.board, name)) is None:
        return None
    game.mark(f"board.{name}")
    copied = state.copy()
    result = function(copied, *given)
    require(np.array_equal(copied, state), game, f"its board.{name} changes the state that it is given")
    return result


def check_fen(game: Guarded, state: State, outcome: int | None) -> None:
    """Writes the FEN of a state and, while the match goes on, reads it: a position read from a FEN is read again."""
    if game.forms.fen is None:
        return
    game.mark("forms.fen.write")
    text = game.write_fen(state)
    right = bool(text) and text.isprintable()
    require(right, game, f"its forms.fen.write must return one line of printable characters, not {shown(text)}")
    if outcome is not None:
        return
    game.mark("forms.fen.read")
    found, what = game.read_fen(text), f"its forms.fen.read({shown(text)}) returns"
    require(game.player(found) == game.player(state), game, f"{what} a state with another side to move")
    again = game.read_fen(game.write_fen(found))
    require(np.array_equal(again, found), game, f"{what} a state that is another one when it is written and read again")
