"""What the board and the actions of a game look like, to networks and to people."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import Board
from athenan.rules.colours import ColourSymmetry, PlaneExchange
from athenan.rules.errors import GameError
from athenan.settings import shown

State = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Layout:
    """The planes of a game, its actions and its board, with their symmetries.

    `rules.geometry.rectangle` makes it for a board of cells in rows, from what each action touches.
    """

    planes: tuple[int, int, int]
    """Shape of an encoded state: planes, rows, columns."""
    action_count: int
    """Actions are the integers in [0, action_count)."""
    action_name: Callable[[State, int], str]
    """Gives an action of a state in the notation of the game's players."""
    text: Callable[[State], str]
    """Gives a picture of the board."""
    marks: tuple[str, str] = ("x", "o")
    """The characters of the first and the second player's pieces in the picture; "" without pieces."""
    plane_symmetries: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32[symmetries, planes * rows * columns]: planes of the image = planes[symmetry]; row 0 is the identity.
    Without rows, the default, the identity is the only symmetry."""
    action_symmetries: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32[symmetries, action_count]: the image of an action; it has as many rows as `plane_symmetries`."""
    start_symmetries: int = 0
    """How many symmetries, from the first, keep the initial state; 0: all. The others keep only the rules: they map a
    match to a match from another start, and need `turned`."""
    turned: Callable[[State, int], State] | None = None
    """The image of a state under a symmetry, by its number."""
    action_planes: int = 0
    """Planes of a convolutional head that has a number for every action; 0 if not declared. See `geometry.places`."""
    action_places: NDArray[np.int32] | None = None
    """int32[action_count]: the flat index of each action in [action_planes, rows, columns], with the rows and columns
    of the encoded states; -1 for an action without a place, such as a pass."""
    colour_symmetry: ColourSymmetry | None = None
    """The exchange of the players; None if the rules differ for the two players or no symmetry is declared."""
    plane_exchange: PlaneExchange | None = None
    """The exchange of the players where the rules favour one of them, and only by points that the estimate of
    `Features` counts, such as komi. Pattern networks with `estimate` then learn from images as well."""
    beneath: NDArray[np.int64] | None = None
    """The cell that must be filled before each cell of the planes, -1 for none: pattern networks then tell empty cells
    that can be filled from others. Only for games where pieces stand on each other, such as Connect Four."""
    boards: int = 1
    """How many boards with the same kinds of pieces the planes show: plane p belongs to board p % boards, except planes
    that are the same on all cells. Pattern networks then see the cells of each board separately."""
    board: Board | None = None
    """The look of the board and the places of its actions; without a board, the text is shown."""

    def __post_init__(self) -> None:
        if self.board is not None and not isinstance(self.board, Board):
            raise GameError(f"board must be a Board, not {shown(self.board)}")
        for name, size in (("plane_symmetries", math.prod(self.planes)), ("action_symmetries", self.action_count)):
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.arange(size, dtype=np.int32)[None, :])
        if 0 < self.start_symmetries < len(self.plane_symmetries) and self.turned is None:
            raise GameError("symmetries that do not keep the start need turned, the images of states")
