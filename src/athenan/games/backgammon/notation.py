"""The players' names of actions, and the picture of the board."""

import numpy as np
from numpy.typing import NDArray

from athenan.games.backgammon import turn
from athenan.games.backgammon.board import BAR, BOARD, OFF, PLACES, PLAYER_BYTES
from athenan.rules import CHANCE, PASS_NAME, State

_ROWS = 5
_SIGNS = "xo"


def counts(state: State, player: int) -> NDArray[np.int64]:
    """The number of the player's checkers at each place, from 0 (borne off) to 25 (bar) in the player's numbering."""
    base = BOARD + PLAYER_BYTES * player
    sets = state[base : base + PLAYER_BYTES].view(np.uint32)
    bits = np.unpackbits(sets.view(np.uint8), bitorder="little").reshape(4, 32)[:, :PLACES]
    return np.asarray((1 << np.arange(4)) @ bits.astype(np.int64))


def set_counts(state: State, player: int, numbers: NDArray[np.int64]) -> None:
    """Writes the number of the player's checkers at each place, as `counts` reads them."""
    bits = np.zeros((4, 32), np.uint8)
    bits[:, :PLACES] = np.asarray(numbers)[None, :] >> np.arange(4)[:, None] & 1
    base = BOARD + PLAYER_BYTES * player
    state[base : base + PLAYER_BYTES] = np.packbits(bits.reshape(-1), bitorder="little").view(np.int8)


def place_name(place: int) -> str:
    """`off`, `bar`, or the number of a point."""
    return {OFF: "off", BAR: "bar"}.get(place, str(place))


def action_name(state: State, action: int) -> str:
    """`13/7`, `8/5*`, `bar/20`, `6/off`, `pass`, or a roll, `3-1`."""
    if action >= turn.ROLLS:
        return "{}-{}".format(*turn.numbers_of(action))
    if action == turn.PASS:
        return PASS_NAME
    player = int(state[turn.TURN])
    die, start = turn.die_and_place(player, action)
    end = max(OFF, start - die)
    hit = end > OFF and counts(state, 1 - player)[BAR - end] > 0
    return f"{place_name(start)}/{place_name(end)}{'*' if hit else ''}"


def text(state: State) -> str:
    """The board seen by the first player, whose checkers are x; bars in the middle, checkers borne off on the right.

    A column of more than five checkers shows their number at its end.
    """
    first, second = counts(state, 0), counts(state, 1)
    upper = _half(first, second, list(range(13, 25)), (second[BAR], "o"), (second[OFF], "o"))
    lower = _half(first, second, list(range(12, 0, -1)), (first[BAR], "x"), (first[OFF], "x"))
    return "\n".join([*upper, "", *reversed(lower), _situation(state)])


Stack = tuple[int, str]


def _half(first: NDArray[np.int64], second: NDArray[np.int64], points: list[int], bar: Stack, off: Stack) -> list[str]:
    """The lines of half of the board, from the edge to the middle."""
    stacks: list[Stack] = []
    for point in points:
        player = int(second[BAR - point] > 0)
        stacks.append((int((first[point], second[BAR - point])[player]), _SIGNS[player]))
    columns = [_column(*stack) for stack in (*stacks[:6], bar, *stacks[6:], off)]
    names = [*map(str, points[:6]), "bar", *map(str, points[6:]), "off"]
    rows = [names, *([column[row] for column in columns] for row in range(_ROWS))]
    return ["".join(f"{entry:>4}" for entry in row).rstrip() for row in rows]


def _column(count: int, sign: str) -> list[str]:
    """A stack of checkers, from the edge to the middle."""
    column = [sign if row < count else "." for row in range(_ROWS)]
    if count > _ROWS:
        column[-1] = str(count)
    return column


def _situation(state: State) -> str:
    """The player whose turn it is, and what is to be played."""
    player = ("first player (x)", "second player (o)")[int(state[turn.TURN])]
    if state[turn.OVER]:
        score = int(state[turn.OVER]) - turn.DRAWN
        return f"score {score:+d}" if score else "drawn"
    if state[0] == CHANCE:
        return f"{player} to roll"
    dice = [str(state[byte]) for byte in (turn.FIRST_DIE, turn.SECOND_DIE) if state[byte]]
    left = int(state[turn.LEFT])
    if left == 0:
        return f"{player} cannot move with {' '.join(dice)}"
    return f"{player} to play {' '.join(dice if len(dice) == left else dice * left)}"
