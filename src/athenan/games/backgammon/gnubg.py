"""Positions in the formats of GNU Backgammon: position IDs, and the boards that its external interface takes.

A position ID is 80 bits in base 64 (GNU Backgammon manual, "A technical description of the Position ID"): for each
player, last the player who is to roll or to move, as many ones as checkers and then a zero, for points 1 to 24 and the
bar. The board of the external interface is the "board" line of FIBS: fields separated by colons, the numbers of
checkers on the 24 points and the two bars among them, positive for one player, negative for the other.
"""

import base64
import binascii
from dataclasses import dataclass

from athenan.games.backgammon import turn
from athenan.games.backgammon.board import BAR, OFF, PLACES
from athenan.games.backgammon.positions import Position, position_of
from athenan.rules import CHANCE, GameError, State

_ID_LENGTH = 14
_BITS = 80


def position_id(state: State) -> str:
    """The position ID for the player whose turn it is: `4HPwATDgc/ABMA` is the standard start."""
    own, other = position_of(state, int(state[turn.TURN]))
    bits = "".join("1" * checkers[place] + "0" for checkers in (other, own) for place in range(1, PLACES))
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(_BITS // 8, "little")).decode()[:_ID_LENGTH]


def position_of_id(text: str, checkers: int = 15) -> Position:
    """The position of an ID: the checkers of the player whose turn it is, then the other's; missing checkers are off.

    Raises GameError if the text is not a position ID with at most `checkers` checkers a player.
    """
    try:
        number = int.from_bytes(base64.b64decode(f"{text.strip()}==", validate=True), "little")
    except (binascii.Error, ValueError):
        number = -1
    bits = f"{max(number, 0):0{_BITS}b}"[::-1]
    stacks = [len(ones) for ones in bits.split("0")]
    own, other = stacks[PLACES - 1 : 2 * PLACES - 2], stacks[: PLACES - 1]
    if number < 0 or len(text.strip()) != _ID_LENGTH or len(other) + len(own) < 2 * PLACES - 2:
        raise GameError(f"{text!r} is not a position ID, such as 4HPwATDgc/ABMA")
    if max(sum(own), sum(other)) > checkers or any(stacks[2 * PLACES - 2 :]):
        raise GameError(f"the position ID {text} has more than {checkers} checkers of a player")
    return (checkers - sum(own), *own), (checkers - sum(other), *other)


@dataclass(frozen=True)
class Circumstances:
    """What a board of the external interface says besides the position and the dice; points are points of the match."""

    names: tuple[str, str] = ("athenan", "gnubg")
    """The names of the player whose turn it is and of the other player."""
    match_length: int = 0
    """Points that win the match; 0 means unlimited play."""
    scores: tuple[int, int] = (0, 0)
    cube: int = 1
    may_double: tuple[bool, bool] = (True, True)
    """Whether the player whose turn it is may double, and whether the other may. GNU Backgammon 1.07 reads a board on
    which nobody may double as the offer of a double."""
    was_doubled: bool = False
    """Whether the other player has doubled, so that the player whose turn it is must take or drop."""
    crawford: bool = False
    """Whether this game or an earlier one was the Crawford game."""


def external_board(state: State, dice: tuple[int, int] = (0, 0), around: Circumstances | None = None) -> str:
    """The external interface's board of a state in which a player is about to roll, and the dice or 0, 0.

    Raises GameError if no player is about to roll.
    """
    if state[0] != CHANCE:
        raise GameError("a board shows a turn before any of it is played: give the state before the roll, and the dice")
    around = around or Circumstances()
    own, other = position_of(state, int(state[turn.TURN]))
    points = [own[point] - other[BAR - point] for point in range(1, BAR)]
    fields = [
        *around.names, around.match_length, *around.scores, -other[BAR], *points, own[BAR], 1, *dice, 0, 0,
        around.cube, *map(int, around.may_double), int(around.was_doubled), 1, -1, OFF, BAR, own[OFF], other[OFF],
        own[BAR], other[BAR], 0, 0, int(around.crawford), 0,
    ]  # fmt: skip
    return ":".join(map(str, ["board", *fields]))
