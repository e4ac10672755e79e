"""Positions of Arimaa in AEI's form: the side to move, and the squares from a8 to h1 in brackets."""

import re

import numpy as np

from athenan.games.arimaa.memory import BOARD, START
from athenan.games.arimaa.moves import TRAPS
from athenan.games.arimaa.notation import LETTERS
from athenan.games.arimaa.setups import NUMBERS, SETUP
from athenan.rules import Game, GameError, State
from athenan.settings import shown

_EMPTY = " .x"
_COLOURS = "RCDHME", "rcdhme"


def position(game: Game, text: str) -> State:
    """The state of `g [rrrr...RRRR]`, without earlier positions; a setup may be incomplete.

    Raises GameError if no match can reach the position, or if the match is over in it.
    """
    found = re.fullmatch(r"([gswb])\s+\[([^\]]{64})\]\s*", text.strip())
    if not found or set(found[2]) - set(_EMPTY) - set("".join(_COLOURS)):
        raise GameError(f"{shown(text)} is not a position: write g or s, and the 64 squares from a8 to h1 in brackets")
    player, squares = int(found[1] in "sb"), re.sub("[.x]", " ", found[2])
    _check_numbers(squares)
    if not squares.strip() and player == 0:
        return game.initial()
    if player == 1 and not set(squares) & set(_COLOURS[1]):
        return _after_first_setup(game, squares)
    state = np.zeros(game.state_size, np.int8)
    state[0] = player
    state[2:4] = np.array([SETUP + player], np.uint16).view(np.int8)
    for place, letter in enumerate(squares):
        code, (row, column) = LETTERS.index(letter) if letter != " " else 0, (7 - place // 8, place % 8)
        for word in range(4):
            if code >> word & 1:
                state[BOARD + 8 * word + row] |= np.uint8(1 << column).view(np.int8)
    state[START : START + 32] = state[BOARD : BOARD + 32]
    _check_play(game, state, squares)
    return state


def _check_numbers(squares: str) -> None:
    for own in _COLOURS:
        for letter, most in zip(own, NUMBERS, strict=True):
            if squares.count(letter) > most:
                raise GameError(f"there are at most {most} pieces {letter}, not {squares.count(letter)}")


def _after_first_setup(game: Game, squares: str) -> State:
    """The state after the first player's setup. Raises GameError if the squares are not such a setup."""
    if squares[:48].strip() or " " in squares[48:]:
        raise GameError("the second player has no pieces, and the first has not put sixteen on rows 1 and 2")
    state = game.initial()
    for place in [*range(56, 64), *range(48, 56)]:
        name = f"{squares[place]}{'abcdefgh'[place % 8]}{8 - place // 8}"
        state = game.play(state, game.parse_action(state, name))
    return state


def _check_play(game: Game, state: State, squares: str) -> None:
    """Raises GameError if no match can reach the position, or if the match is over in it."""
    for trap in (square for square in range(64) if int(TRAPS) >> square & 1):
        place = 8 * (7 - trap // 8) + trap % 8
        own = next((own for own in _COLOURS if squares[place] in own), "")
        if own and not any(squares[place + step] in own for step in (-8, -1, 1, 8)):
            raise GameError(f"the piece {squares[place]} on a trap has no friendly piece beside it")
    if "R" in squares[:8] or "r" in squares[56:] or "R" not in squares or "r" not in squares:
        raise GameError("the match is over in this position")
    if not len(game.actions(state)):
        raise GameError(f"the match is over in this position: the {game.side(state)} has no turn")
