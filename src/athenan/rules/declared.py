"""What a game may declare beside its rules: heuristics of its own, a notation of positions, features."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from athenan.rules.compiler import Kernel

if TYPE_CHECKING:
    from athenan.rules.game import Game, State


class OwnHeuristic(NamedTuple):
    """A game's own reinforcement heuristic; it keeps the order of the gain (003, Definition 21)."""

    kernel: Kernel
    """A kernel of the signature `TERMINAL_VALUE`; its constants are empty."""
    largest: float
    """The largest absolute value of a finished match; half of it is the scale of what a network learns."""


class Fen(NamedTuple):
    """How the players of a game write a position on one line, without the earlier moves that matter."""

    read: "Callable[[Game, str], State]"
    """Gives the state, with no actions played before. Raises GameError if the text is not a position."""
    write: "Callable[[Game, State], str]"
    """Gives the text of a state, which `read` takes."""
    name: str = "FEN"
    """What players call such a text."""


class Features(NamedTuple):
    """Planes that the kernel `FEATURES` writes about an encoded state.

    Symmetries of the board move their cells like the cells of the state's first plane, and keep each plane in place.
    """

    planes: int = 0
    exchanged: tuple[tuple[int, int], ...] = ()
    """The pairs of these planes that the exchange of the players exchanges."""
