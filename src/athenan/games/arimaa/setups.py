"""The pieces still to be put in the setup, and usual ways to put them."""

from athenan.games.arimaa.board import animal
from athenan.games.arimaa.memory import TURN
from athenan.games.arimaa.moves import STEPS
from athenan.games.arimaa.notation import FROM_LAST, LETTERS, PUT, piece_code
from athenan.rules import State, length
from athenan.rules.board import Awaited, Setup, WaitingPieces

SETUP = 32
"""Actions of both players' setups."""
NUMBERS = (8, 2, 2, 2, 1, 1)
"""A player's pieces, from the rabbits to the elephant."""
USUAL = {
    "99of9": ("RHCMECHR", "RRRDDRRR"),
    "cats behind": ("RHDMEDHR", "RRRCCRRR"),
    "rabbits behind": ("DHCMECHD", "RRRRRRRR"),
    "camel on the wing": ("HMCEDCHR", "RRRDRRRR"),
    "horses on one wing": ("HHECDDMR", "RRCRRRRR"),
}
"""The front row and the row behind it, as their player sees them from the left. The first three are the most common
in the archive of arimaa.com; 99of9 is the player who made that setup known. The others are the usual asymmetric ones
(Wikibooks, Arimaa, Setup)."""


def tray(state: State) -> tuple[WaitingPieces, ...]:
    """The pieces that the side to move has still to put, the strongest first."""
    if length(state) >= SETUP:
        return ()
    player = int(state[0])
    placed = [piece_code(state, square) for square in range(64)]
    left = [number - placed.count(1 + kind + 8 * player) for kind, number in enumerate(NUMBERS)]
    return tuple(
        WaitingPieces(animal(0, player, LETTERS[1 + kind]), left[kind], (PUT + kind, PUT + FROM_LAST + kind))
        for kind in reversed(range(len(NUMBERS)))
        if left[kind]
    )


def setups(state: State) -> tuple[Setup, ...]:
    """The usual setups that the pieces on the board can still become; none once the setup is complete."""
    if length(state) >= SETUP:
        return ()
    player = int(state[0])
    lowest = 48 * player
    placed = "".join(LETTERS[piece_code(state, square)] for square in range(lowest, lowest + 16))
    found = []
    for name, (front, behind) in USUAL.items():
        wanted = (front[::-1] + behind[::-1]).lower() if player else behind + front
        if all(here in (".", there) for here, there in zip(placed, wanted, strict=True)):
            moves = (f"{wanted[at]}{'abcdefgh'[at % 8]}{(lowest + at) // 8 + 1}" for at in _order(placed))
            found.append(Setup(name, " ".join(moves)))
    return tuple(found)


def awaited(state: State) -> Awaited:
    """The next piece of the setup, with the squares where it can be put; or a step, with the number of those left."""
    if length(state) >= SETUP:
        return Awaited("step", left=STEPS - int(state[TURN]) % STEPS)
    first = 8 * (length(state) // 8) + 32 * int(state[0])
    empty = [at for at in range(8) if not piece_code(state, first + at)]
    ends = (0, 7) if len(empty) == 8 else (empty[0] or empty[-1],)  # a row begun from the right goes on leftwards
    return Awaited("setup", names=tuple(f"{'abcdefgh'[at]}{first // 8 + 1}" for at in ends))


def _order(placed: str) -> list[int]:
    """The empty squares in the order in which they are filled: a row begun from the right goes on leftwards."""
    rows = [[at for at in range(start, start + 8) if placed[at] == "."] for start in (0, 8)]
    return [at for row in rows for at in (row[::-1] if row and row[0] % 8 == 0 and len(row) < 8 else row)]
