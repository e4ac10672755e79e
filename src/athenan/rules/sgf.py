"""How SGF writes a game (red-bean.com/sgf, the pages of the games): its number, its rules, its places and turns.

A game declares an `Sgf` in its `Forms`, and `files.sgf` reads and writes its matches. `points` and `cells` make the
notation of games whose turns put one piece.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from athenan.rules.errors import GameError
from athenan.rules.fitting import require_fields

State = NDArray[np.int8]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Named = dict[str, dict[str, Any]]
"""Names of rules, in small letters and digits -> the settings that they stand for."""


def plain(text: str) -> str:
    """The letters and digits of the name of some rules, in small letters.

    >>> plain("Free-style Gomoku")
    'freestylegomoku'
    """
    return "".join(sign for sign in text.lower() if sign.isalnum())


def called(*names: str, **settings: Any) -> Named:
    """Several names of the same rules."""
    return dict.fromkeys(names, settings)


class SgfTurns(NamedTuple):
    """SGF's notation of the turns of a game."""

    write: Callable[[Any, State, Sequence[int]], str]
    """Writes the actions of a whole turn, for a `Game` and the state before them."""
    read: Callable[[Any, State, str], list[int]]
    """Reads the actions of a turn. Raises GameError if it is not legal."""


@dataclass(frozen=True)
class Sgf:
    """A game as SGF knows it. The first player is black, or in backgammon whoever begins."""

    name: str
    """What files call the game where they name it without settings: in RU and in the events of Little Golem."""
    number: int | None
    """The value of GM; None for a game without one."""
    turns: SgfTurns
    """The notation of turns."""
    size: str = "size"
    """The setting that SZ gives; "" without one."""
    komi: str = ""
    """The setting that KM gives; "" without one."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """Settings for files that give no others."""
    rules: Callable[[str], Mapping[str, Any] | None] = lambda text: None
    """Gives the settings that a text of RU states; None if it does not name rules of this game. The name of the game
    and an empty text need not be known."""
    foreign: tuple[str, ...] = ()
    """Words of the rules of other games. Unknown rules without them are left out, if words are given."""
    written_anywhere: bool = False
    """Whether programs write rules of this game into files of any game, where they are left out."""
    confused: tuple[int, ...] = ()
    """Numbers of other games with which programs write this one, if RU names its rules."""
    borrowed: bool = False
    """Whether the number is another game's, and only RU names this one."""
    point: Callable[[str], str] = lambda cell: cell
    """Writes a cell on which stones are put."""
    exchanged: Callable[[str], str] | None = None
    """For games in which white may also begin: what black would write for white's text."""
    set_up: Callable[[Any, Mapping[str, int], int], State] | None = None
    """Gives the state of a `Game` with stones on cells, by their names the side that owns each, and the side to move,
    also if no moves lead there. The game must have a FEN. Raises GameError for an impossible position. None: stones
    that a file sets up become moves."""
    by_action: bool = False
    """Whether each action of a turn has a node of its own."""
    swap: bool = False
    """Whether players may swap sides, which is read as a swap of pieces."""

    def __post_init__(self) -> None:
        require_fields(self, "forms.sgf")


def known(names: Named) -> Callable[[str], Mapping[str, Any] | None]:
    """Rules that are known by their names, however these are spaced and hyphenated."""
    return lambda text: names.get(plain(text))


def point(size: int, cell: str, letters: str = LETTERS) -> str:
    """The point of a cell: the letters of its column from the left and of its row from the top.

    `letters` are the letters of columns in the cell's name, whose rows count from the bottom.

    >>> point(9, "c3")
    'cg'
    """
    return LETTERS[letters.index(cell[0])] + LETTERS[size - int(cell[1:])]


def cell(size: int, text: str, letters: str = LETTERS) -> str:
    """The cell of a point. Raises GameError if the board has no such point."""
    column, row = (LETTERS.find(letter) for letter in text) if len(text) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise GameError(f"a board of {size} has no point {text[:20]!r}")
    return f"{letters[column]}{size - row}"


def points(size: int, letters: str = LETTERS) -> SgfTurns:
    """Turns of one action, which is a point or a pass."""

    def write(game: Any, state: State, actions: Sequence[int]) -> str:
        name = game.action_name(state, actions[0])
        return "" if name == "pass" else point(size, name, letters)

    def read(game: Any, state: State, text: str) -> list[int]:
        text = text.lower()
        passes = text in ("", "pass") or (text == "tt" and size <= 19)
        return [game.parse_action(state, "pass" if passes else cell(size, text, letters))]

    return SgfTurns(write, read)


def cells(size: int, words: Mapping[str, str]) -> SgfTurns:
    """Turns of one action, which is a cell with a letter and a number, or another name.

    `words` gives the names of actions for words of files; the first word of a name is written. Two letters, as on
    Little Golem, are also read: a column and a row from the top.
    """
    written = dict[str, str]()
    for word, name in words.items():
        written.setdefault(name, word)

    def write(game: Any, state: State, actions: Sequence[int]) -> str:
        name: str = game.action_name(state, actions[0])
        return written.get(name, name)

    def read(game: Any, state: State, text: str) -> list[int]:
        text = text.lower()
        if text not in words and re.fullmatch("[a-z]{2}", text) and LETTERS.index(max(text)) < size:
            text = f"{text[0]}{LETTERS.index(text[1]) + 1}"
        return [game.parse_action(state, words.get(text, text))]

    return SgfTurns(write, read)
