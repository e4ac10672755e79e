"""What the board of a game looks like, as data: places, pieces, and the places that an action touches.

A game describes its board once, in its own room. The code that draws it knows no games. Coordinates are in units of a
cell, x to the right and y down. Helpers for boards of squares, points and hexagons are in `rules.geometry.boards`.
"""

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from athenan.rules.fitting import PLACE, annotations, require_fields, result_of
from athenan.rules.own_functions import OwnFunction
from athenan.settings import Between

Point = tuple[float, float]
Outline = tuple[Point, ...]
"""The corners of a polygon."""
Tone = Literal["", "light", "dark", "plain", "felt", "wood", "wall", "first", "second"]
"""How an area or a line is coloured; first and second are the players' colours, "" is not drawn."""
Colour = Literal["black", "white", "red", "blue", "gold", "silver", "yellow", "grey"]
PIECE_COLOURS: tuple[Colour, ...] = get_args(Colour)
Shape = Literal[
    "disc", "king", "queen", "arrow", "block", "dome", "dot", "elephant", "camel", "horse", "dog", "cat", "rabbit",
    "general", "advisor", "chariot", "cannon", "soldier",
]  # fmt: skip
Look = Literal["drawn", "letters", "signs"]
"""What kinds of pieces bear: figures, letters, or the signs of the game's country."""
LOOKS: tuple[Look, ...] = get_args(Look)
Counted = Literal["", "discs", "pieces", "pips", "captures"]
"""What a person wants counted for both players. Captures are the opponent's pieces taken during a match; they are
counted from its states."""
Act = Literal[
    "worker", "walk", "build", "queen", "arrow", "setup", "step", "number", "numbered", "die", "dice", "checker",
    "passive", "aggressive", "stone", "outer", "way", "check",
]  # fmt: skip
"""A kind of action. Pages have a text for each."""
Decision = Literal[
    "row", "captures", "corner", "level", "stuck", "ring", "bridge", "fork", "goal", "rabbits", "board", "four",
    "checkmate", "stalemate", "checks",
]  # fmt: skip
"""What decides a match. Pages have a text for each with each of its games."""
Bytes = NDArray[np.int8]
"""A state."""

FIRST, SECOND, NOBODY = 0, 1, 2
"""The owners of pieces."""
Owner = Annotated[int, Between(FIRST, NOBODY)]
PlaceNumber = Annotated[int, PLACE]


class Place(NamedTuple):
    """A cell or a point, on which pieces stand and which can be clicked."""

    name: str
    """The place's name in the game's notation."""
    x: float
    y: float
    outline: Outline
    """The outline within which a click means this place."""
    tone: Tone = ""


class Area(NamedTuple):
    """A coloured polygon."""

    outline: Outline
    tone: Tone


class Line(NamedTuple):
    """A line from point to point; curved lines go through many points."""

    points: Outline
    tone: Tone = "plain"


class Label(NamedTuple):
    """A text with its middle at a point."""

    x: float
    y: float
    text: str
    size: float = 0.32
    """Height of the letters."""
    ink: bool = False
    """Whether it stands on a square, not beside the board."""


class Piece(NamedTuple):
    """A piece on a place."""

    place: PlaceNumber
    owner: Owner
    """`FIRST`, `SECOND` or `NOBODY`."""
    shape: Shape = "disc"
    text: str = ""
    """The text on it, such as its number, or the letter of its kind."""
    dx: float = 0.0
    """Distance of its middle to the right of the place's middle."""
    dy: float = 0.0
    size: float = 0.8
    """Its diameter."""
    marked: bool = False
    """Whether it is the one that acts now, or one in check."""
    sign: str = ""
    """The sign of its kind, for games with such a look."""


class WaitingPieces(NamedTuple):
    """Pieces of one kind that the side to move has still to put on the board."""

    piece: Piece
    """What they look like: a piece of a player, on any place of the board."""
    number: int
    actions: tuple[int, ...]
    """Actions that put one of them, if they are legal now."""


class Setup(NamedTuple):
    """A usual way to put the pieces that wait."""

    name: str
    moves: str
    """Its remaining actions, in the game's notation, separated by spaces."""


class Awaited(NamedTuple):
    """The kind of action that a state awaits."""

    act: Act
    left: int = 0
    """How many of them the turn still has, this one included; 0: this is not said."""
    names: tuple[str, ...] = ()
    """The places where it can be done, or the pieces that can do it, if the board does not tell."""


class Scene(NamedTuple):
    """What is drawn, from the back to the front."""

    areas: tuple[Area, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()
    pieces: tuple[Piece, ...] = ()
    dice: tuple[int, ...] = ()
    """The numbers of the dice still to be played, if the state knows them."""


_NOTHING = Scene()


@dataclass(frozen=True, eq=False)
class Board:
    """The board of a game."""

    places: tuple[Place, ...]
    """The cells or points, by number."""
    scene: Callable[[Bytes], Scene]
    """Gives the scene of a state."""
    ground: Scene = _NOTHING
    """The scene that all states share."""
    colours: tuple[Colour, Colour] = ("black", "white")
    """The colours of the first and of the second player's pieces."""
    path: Callable[[Bytes, int], Sequence[PlaceNumber]] | None = None
    """The places that an action touches, in the order of clicks. By default these are the places that its notation
    names, in its order. A button plays an action without places, such as a pass."""
    slots: tuple[tuple[PlaceNumber, ...], ...] = ()
    """Groups of places, such as columns: a click on any place of a group means the one that an action can touch."""
    dice_at: Point = (0.0, 0.0)
    """The middle of the first die; the others are to its right."""
    looks: tuple[Look, ...] = ()
    """The looks that a person can choose from, if a piece has a kind that its shape names."""
    rolled: Callable[[Bytes, int], int | None] | None = None
    """The number that the die shows for an outcome of chance, given the state before it, for games whose states do not
    keep the roll; None for an outcome that is not a roll."""
    counted: Counted = ""
    """What is counted beside the board for both players, if the numbers tell who is ahead; "" counts nothing."""
    counts: Callable[[Bytes], tuple[int, int]] | None = None
    """Gives both numbers; by default the numbers of pieces on the board."""
    tray: Callable[[Bytes], Sequence[WaitingPieces]] | None = None
    """The pieces that the side to move has still to put on the board, in games that begin with a setup."""
    setups: Callable[[Bytes], Sequence[Setup]] | None = None
    """The usual ways to put them, from a state in which they can be played as they are."""
    facing: bool = False
    """Whether the players sit across from each other, the first one below: the second one sees the board turned."""
    awaited: Callable[[Bytes], Awaited | None] | None = None
    """What kind of action a state awaits, in games with several kinds; None where it needs no words."""
    decided: Callable[[Bytes, int], Decision | None] | None = None
    """What decided a finished match, given its last state and its winner, in games that can be won in several ways."""
    deciding: Callable[[Bytes, int], Sequence[PlaceNumber]] | None = None
    """The places that decided a finished match, such as the winning four, given its last state and its winner; empty
    where no places did. Pictures ring them. `rules.geometry.deciding` has the usual ones."""

    @cached_property
    def _results(self) -> dict[str, Any]:
        """The annotations of what its functions return, by name. Raises GameError unless all fields fit their own."""
        require_fields(self, "board", len(self.places) if isinstance(self.places, (tuple, list)) else 0)
        found = {name: result_of(annotation) for name, annotation in annotations(Board).items()}
        return {name: result for name, result in found.items() if result and getattr(self, name)}

    def guarded(self, game: str) -> "Board":
        """The board of the game of this name: whatever is wrong in its functions is a clear GameError.

        Raises GameError unless the fields fit their annotations.
        """
        results, made = self._results, copy(self)
        for name, result in results.items():
            own = OwnFunction(game, f"board.{name}", getattr(self, name), result, len(self.places))
            object.__setattr__(made, name, own)
        return made

    def count(self, state: Bytes) -> tuple[int, int]:
        """What is `counted` for the first and the second player; for captures, the pieces on the board."""
        if self.counts is not None:
            return self.counts(state)
        owners = [piece.owner for piece in self.scene(state).pieces]
        return owners.count(FIRST), owners.count(SECOND)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {place.name: number for number, place in enumerate(self.places)}

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """Matches names of places in a notation, longest first."""
        names = sorted(map(re.escape, self._numbers), key=len, reverse=True)
        return re.compile("|".join(names))

    def touched(self, state: Bytes, action: int, name: str) -> tuple[int, ...]:
        """The places that a legal action touches, in the order of clicks; `name` is its notation."""
        if self.path is not None:
            return tuple(int(place) for place in self.path(state, action))
        return tuple(self._numbers[found] for found in self._named.findall(name)) if self.places else ()
