"""A board of cells in rows and columns, stated once: its planes, its symmetries, and what each action touches.

The symmetries of planes and actions, the exchange of the players, the places of actions, their names, the picture in
text and the look of the board follow. A cell is row * width + column.

>>> touched = steps(3, 3, [(1, 0), (1, 1)])
>>> touched.shape, touched[9].tolist()
((18, 2, 2), [[1, 1], [2, 1]])
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import Board, Bytes, Scene, Tone
from athenan.rules.colours import ColourSymmetry, PlaneExchange, exchanged_planes
from athenan.rules.compiler import Kernel
from athenan.rules.errors import GameError
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.places import Places
from athenan.rules.layout import Layout

Touched = NDArray[np.int32]
"""int32[actions, points, 2]: the row and the column of each point that an action touches, in the order of clicks.
Points may lie beyond the edge, for actions that are never legal."""


def puts(height: int, width: int) -> Touched:
    """One action for each cell, on which something is put."""
    return np.indices((height, width), np.int32).reshape(2, -1).T[:, None]


def steps(height: int, width: int, directions: Sequence[tuple[int, int]]) -> Touched:
    """The actions cell * len(directions) + direction, each from a cell by some rows and columns."""
    start = puts(height, width)
    to = start + np.array(directions, np.int32)
    return np.stack([np.broadcast_to(start, to.shape), to], axis=2).reshape(-1, 2, 2)


def moves(height: int, width: int) -> Touched:
    """The actions cell * cells + other cell, from any cell to any other."""
    every = puts(height, width)[:, 0]
    start, to = np.divmod(np.arange(len(every) ** 2), len(every))
    return np.stack([every[start], every[to]], axis=1)


@dataclass(frozen=True, eq=False)
class Rectangle:
    """A board of cells in rows and columns, and what its actions touch."""

    width: int
    """Number of columns."""
    height: int
    """Number of rows."""
    planes: int
    """Number of planes of an encoded state; 0 and 1 are the players' pieces."""
    encode: Kernel
    """The kernel that encodes a state."""
    params: NDArray[np.int64]
    """Its parameters."""
    actions: Sequence[Touched] = ()
    """The actions by number, in groups of one kind. Symmetries map each group to itself."""
    others: tuple[str, ...] = ()
    """The names of the actions after them, which touch no cell, such as a pass."""
    of_second: Sequence[Touched] | None = None
    """What the actions of the second player touch, if numbers mean something else from that side."""
    turned_actions: Callable[[grid.Transform], NDArray[np.int32]] | None = None
    """Gives the image of each action under a symmetry, where it does not follow from what the actions touch. They have
    own names and places then."""
    border: int = 0
    """Rows and columns of the planes beyond each edge of the board."""
    symmetries: Sequence[grid.Transform] = (grid.IDENTITY,)
    """The symmetries of the board that keep the rules and the start; the identity is the first."""
    letters: Sequence[str] = tuple(map(grid.column_name, range(26)))
    """The names of the columns."""
    up: bool = True
    """Whether row 1 is at the bottom."""
    of_rules: Sequence[grid.Transform] = ()
    """All symmetries that keep the rules, if some of them do not keep the start. They need `bits` or `turned`."""
    bits: CellBits | None = None
    """The sets of cells in a state, if nothing else in it depends on the players and the board."""
    turned: Callable[[Bytes, grid.Transform], Bytes] | None = None
    """The image of a state under a symmetry, where it does not follow from `bits`."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of an encoded state: planes, rows, columns."""
        return self.planes, self.height + 2 * self.border, self.width + 2 * self.border

    @cached_property
    def all_symmetries(self) -> tuple[grid.Transform, ...]:
        """First the symmetries that keep the start, then those that keep only the rules."""
        return *self.symmetries, *(one for one in self.of_rules if one not in self.symmetries)

    def encoded(self, state: Bytes) -> NDArray[np.int8]:
        """The planes of a state; int8[planes, rows, columns]."""
        planes = np.empty(self.shape, np.int8)
        self.encode(self.params, state, planes.reshape(-1))
        return planes

    def images(self, transform: grid.Transform, onto: Sequence[Touched] | None = None) -> NDArray[np.int32]:
        """The image of each action under a symmetry: int32[actions]. `onto` is what the images touch by number."""
        if self.turned_actions:
            return self.turned_actions(transform)
        found, first = list[NDArray[np.int64]](), 0
        for own, other in zip(self.actions, onto or self.actions, strict=True):
            numbers, wanted = _numbers(other), _numbers(self._turned(own, transform))
            order = np.argsort(numbers)
            found.append(first + order[np.searchsorted(numbers[order], wanted)])
            first += len(own)
        return np.concatenate([*found, first + np.arange(len(self.others))]).astype(np.int32)

    def _turned(self, touched: Touched, transform: grid.Transform) -> Touched:
        """The points that a symmetry makes of points, on a board with a margin that holds all of them."""
        margin = 1 + max(0, -int(touched.min()), int((touched - [self.height - 1, self.width - 1]).max()))
        high, wide = self.height + 2 * margin, self.width + 2 * margin
        images = grid.cell_symmetries(high, wide, (transform,))[0]
        turned = images[(touched[..., 0] + margin) * wide + touched[..., 1] + margin]
        return np.stack(np.divmod(turned, wide), axis=-1).astype(np.int32) - margin

    @cached_property
    def places(self) -> Places:
        """The place of each action: a plane for each way to go, at the first cell touched."""
        found, first, (_, high, wide) = list[NDArray[np.int64]](), 0, self.shape
        for touched in self.actions:
            ways, way = np.unique(_numbers(touched - touched[:, :1]), return_inverse=True)
            start = (touched[:, 0, 0] + self.border) * wide + touched[:, 0, 1] + self.border
            found.append((first + way) * high * wide + start)
            first += len(ways)
        return Places(first, np.concatenate([*found, np.full(len(self.others), -1)]).astype(np.int32))

    @cached_property
    def names(self) -> list[str]:
        """The names of the cells, row by row."""
        return boards.names(self.width, self.height, self.letters)

    def touched(self, action: int, player: int = 0) -> tuple[str, ...]:
        """The names of the cells that an action touches; its own name if it touches none."""
        if (found := self._touched.get((action, player))) is None:
            found = self._touched[action, player] = self._look_up(action, player)
        return found

    @cached_property
    def _touched(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """What `touched` has found, for all actions of a state are asked again and again."""
        return {}

    def _look_up(self, action: int, player: int) -> tuple[str, ...]:
        for points in (self.of_second or self.actions) if player else self.actions:
            if action < len(points):
                return tuple(self.names[row * self.width + column] for row, column in points[action].tolist())
            action -= len(points)
        return (self.others[action],)

    def text(self, state: Bytes) -> str:
        """A picture of the pieces."""
        return self.framed(grid.stones(self.encoded(state)))

    def framed(self, shown: NDArray[np.str_]) -> str:
        """A picture of the board with a text for each cell; row 1 comes first in `shown`."""
        rows = [str(row + 1) for row in range(self.height)]
        turn = -1 if self.up else 1
        return grid.framed(shown[::turn], self.letters[: self.width], rows[::turn])

    @cached_property
    def scene(self) -> Callable[[Bytes], Scene]:
        """Gives discs on the cells where planes 0 and 1 have pieces."""
        return boards.stones(self.encode, self.params, self.planes, self.width * self.height)

    def board(self, kind: Literal["squares", "points"] = "squares", tone: Tone | None = None, **others: Any) -> Board:
        """The look of the board: squares, light and dark or of one tone, or points on lines, with discs on them.

        `others` are more fields of the `Board`, or take the place of those that would follow.
        """
        width, height = self.width, self.height
        ground, tone = (Scene(), tone) if kind == "squares" else (boards.lattice(width, height), "")
        labels = boards.lettered(width, height, up=self.up, columns=self.letters[:width])
        places = boards.squares(width, height, self.names, up=self.up, tone=tone)
        return replace(Board(places, self.scene, ground._replace(labels=labels)), **others)

    def exchange(
        self,
        image: Callable[[Bytes], Bytes] | None = None,
        transform: grid.Transform = grid.IDENTITY,
        pairs: Sequence[tuple[int, int]] = ((0, 1),),
        side: int = 2,
        begins: int = 0,
    ) -> ColourSymmetry:
        """The exchange of the players, who see the board turned by a symmetry.

        `image` gives the image of a state where it does not follow from `bits`. `pairs` are the planes that change
        places, `side` is the plane of the side to move, and `begins` is the number of actions before the rules are
        symmetric.
        """
        bits, planes = self.bits, exchanged_planes(*self.shape, transform, pairs)
        if image is None:
            if bits is None:
                raise GameError("the exchange of the players needs bits or image, the images of states")
            return self.exchange(lambda state: bits.image(state, transform), transform, pairs, side, begins)
        return ColourSymmetry(image, planes, self.images(transform, self.of_second), side, begins)

    def plane_exchange(self, pairs: Sequence[tuple[int, int]] = ((0, 1),), side: int = 2) -> PlaneExchange:
        """The exchange of the players, who see the board alike, in planes and actions alone."""
        planes = exchanged_planes(*self.shape, grid.IDENTITY, pairs)
        return PlaneExchange(planes, self.images(grid.IDENTITY, self.of_second), side)

    def layout(
        self,
        board: Board,
        exchange: ColourSymmetry | PlaneExchange | None = None,
        *,
        action_name: Callable[[Bytes, int], str] | None = None,
        text: Callable[[Bytes], str] | None = None,
        marks: tuple[str, str] = ("x", "o"),
        places: Places | None = None,
        beneath: NDArray[np.int64] | None = None,
    ) -> Layout:
        """The layout of a game. By default an action is named by the cells that it touches, such as a1-b2."""
        places, every = places or self.places, self.all_symmetries
        turned = self.turned or (self.bits and self.bits.turned)
        return Layout(
            planes=self.shape,
            action_count=len(places.places),
            action_name=action_name or (lambda state, action: "-".join(self.touched(action, int(state[0])))),
            text=text or self.text,
            marks=marks,
            plane_symmetries=grid.plane_symmetries(*self.shape, every),
            action_symmetries=np.stack([self.images(transform) for transform in every]),
            start_symmetries=len(self.symmetries),
            turned=(lambda state, number: turned(state, every[number])) if self.of_rules and turned else None,
            action_planes=places.planes,
            action_places=places.places,
            colour_symmetry=None if isinstance(exchange, PlaneExchange) else exchange,
            plane_exchange=exchange if isinstance(exchange, PlaneExchange) else None,
            beneath=beneath,
            board=board,
        )


def _numbers(touched: Touched) -> NDArray[np.int64]:
    """A number for the points of each action: equal for equal points, and ordered by row and column."""
    flat = touched.reshape(len(touched), -1).astype(np.int64)
    numbers = np.zeros(len(flat), np.int64)
    for coordinate in flat.T:
        numbers = numbers * 256 + coordinate + 128
    return numbers
