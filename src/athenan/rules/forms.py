"""How people and programs write one game: positions on a line, and what the protocols of programs call it.

All of it is declared by the game. A protocol or a file of a game that declares nothing uses the game's own notation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.rules.fitting import require_fields
from athenan.rules.sgf import Sgf, SgfTurns

Program = Literal["aei", "gnubg", "gnugo", "gomocup", "grhino", "hub"]
"""A protocol or a program that is made for one game."""


class Fen(NamedTuple):
    """How the players of a game write a position on one line, without the earlier moves that matter."""

    read: Callable[[Any, str], NDArray[np.int8]]
    """Gives the state for a `Game` and a text, with no actions played before. Raises GameError if the text is not a
    position."""
    write: Callable[[Any, NDArray[np.int8]], str]
    """Gives the text of a state of a `Game`, which `read` takes."""
    name: str = "FEN"
    """What players call such a text."""


class Mat(NamedTuple):
    """How the programs of backgammon write a game in files that end with .mat (`files.mat`)."""

    variation: str
    """What such a file calls the game, in the tag Variation."""
    turns: SgfTurns
    """Writes a roll and the moves after it as `31: 8/5 6/5`, and reads them."""


@dataclass(frozen=True)
class UciVariant:
    """The game as Fairy-Stockfish and programs like it know it, by the option UCI_Variant.

    Their white is the first player here.
    """

    name: str
    """The value of UCI_Variant."""
    drops: bool = False
    """Whether actions are drops, and a side without a drop passes."""
    rows: int = 0
    """The number of rows, if the game counts them from the top; 0 if it counts them from the bottom."""
    first_rank: int = 0
    """What the programs add to the numbers of rows: 1 if the game counts them from 0."""


class Words(NamedTuple):
    """What a game's docstring says in English, in another language."""

    title: str
    """The name as people write it."""
    goal: str
    """What wins, from a capital letter to a full stop."""
    play: str
    """How it is played, in a few sentences."""


@dataclass(frozen=True)
class Forms:
    """How people and programs write one game. Raises GameError unless its fields fit their annotations."""

    fen: Fen | None = None
    """Reads and writes positions, if the game's players have a form for them."""
    uci: UciVariant | None = None
    """The variant of UCI that is this game; None without one."""
    gtp: Mapping[str, str] = field(default_factory=dict)
    """The names of actions that GTP writes in another way, such as swap-pieces for swap. Both are read."""
    gtp_capitals: bool = False
    """Whether GTP writes points in capital letters."""
    turn_given: Callable[[Any, NDArray[np.int8], int], NDArray[np.int8]] | None = None
    """Gives a state of a `Game` with this side to move and no pass before it, if a side may pass at any time. Programs
    and files then let one side play several times in a row. Raises GameError if the match has its most actions."""
    programs: tuple[Program, ...] = ()
    """The protocols and programs made for this game that play it."""
    sgf: Sgf | None = None
    """How SGF writes the game; None for a game that SGF does not know."""
    pdn: int | None = None
    """The GameType of PDN that is this game; None without one."""
    ggf: str = ""
    """What the Generic Game Format calls the game: one of black and white discs on a square board, whose only setting
    is its size. Black is the first player. Empty for a game without that format."""
    mat: Mat | None = None
    """How the files of programs of backgammon write the game; None for another game."""
    words: Mapping[str, Words] = field(default_factory=dict)
    """The title, the goal and the play in other languages, by their codes, such as de."""

    def __post_init__(self) -> None:
        require_fields(self, "forms")

    @property
    def free_passes(self) -> bool:
        """Whether a side may pass at any time."""
        return self.turn_given is not None
