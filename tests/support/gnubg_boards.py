"""Reads the boards that GNU Backgammon is shown through its external interface."""

from athenan.games.backgammon.board import OFF, PLACES
from athenan.games.backgammon.positions import Position

_NUMBERS = 6  # fields before the fields of the board
_TURN, _DICE, _COLOUR, _DIRECTION = 32, 33, 41, 42


def read_external_board(text: str, checkers: int = 15) -> tuple[Position, tuple[int, int]]:
    """The position and the dice, 0 and 0 before the roll, of a board, seen by the player whose turn it is."""
    fields = text.split(":")
    assert fields[0] == "board"
    board = [int(field) for field in fields[_NUMBERS : _NUMBERS + PLACES]]
    on_turn, colour, direction = (int(fields[place]) for place in (_TURN, _COLOUR, _DIRECTION))
    dice = [int(field) for field in fields[_DICE : _DICE + 4]]
    if direction > 0:
        board.reverse()  # the player named first moves down
    own, other = ([max(0, sign * number) for number in board] for sign in (colour, -colour))
    other.reverse()
    if on_turn != colour:
        own, other, dice = other, own, dice[2:]
    own[OFF], other[OFF] = checkers - sum(own), checkers - sum(other)
    return (tuple(own), tuple(other)), (dice[0], dice[1])
