"""The notation, the pictures and the symmetries of EinStein würfelt nicht!."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.einstein.kernels import MAY_MOVE, STARTS, TURN, encode
from athenan.rules import Board, Piece, Scene, State
from athenan.rules.board import Awaited, Decision, WaitingPieces
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.deciding import arrived


@dataclass(frozen=True)
class EinsteinBoard:
    """Names and pictures of one size."""

    params: NDArray[np.int64]
    size: int
    pieces: int
    drawn: bool
    """Whether chance places the pieces."""
    opening: int
    """The number of actions that place the pieces."""

    @cached_property
    def cells(self) -> list[str]:
        return [f"{grid.column_name(cell % self.size)}{cell // self.size + 1}" for cell in range(self.size**2)]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The cells of both starting areas; [2, pieces]."""
        return self.params[STARTS:].reshape(2, -1)

    def planes(self, state: State) -> NDArray[np.int8]:
        planes = np.empty((2 * self.pieces + 2, self.size**2), np.int8)
        encode(self.params, state, planes.reshape(-1))
        return planes

    def name(self, state: State, action: int) -> str:
        """An action in the notation."""
        if action < self.pieces:
            return str(action + 1)
        put = action - self.pieces - 3 * self.size**2
        if put < 0:
            return self.name_of_move(state, *divmod(action - self.pieces, 3))
        if not self.drawn:
            return f"{put // self.size**2 + 1}{self.cells[put % self.size**2]}"
        if put == self.pieces**2:
            return "next"
        first, second = self.starts[0, put // self.pieces], self.starts[1, put % self.pieces]
        return f"{np.count_nonzero(state[rules.HEADER :][:8]) + 1}{self.cells[first]}{self.cells[second]}"

    def target(self, state: State, cell: int, step: int) -> int:
        """The cell to which a move leads."""
        return cell + (1 - 2 * int(state[TURN])) * (int(step < 2) - self.size * int(step > 0))

    def path(self, state: State, action: int) -> tuple[int, ...]:
        """The cells that an action touches."""
        put = action - self.pieces - 3 * self.size**2
        if action < self.pieces or (self.drawn and put == self.pieces**2):
            return ()
        if put < 0:
            cell, step = divmod(action - self.pieces, 3)
            return cell, self.target(state, cell, step)
        if not self.drawn:
            return (put % self.size**2,)
        return int(self.starts[0, put // self.pieces]), int(self.starts[1, put % self.pieces])

    def picture(self) -> Board:
        """Squares with numbered pieces; those that may move are marked, and the starting areas are coloured."""
        cells = boards.squares(self.size, self.size, self.cells, tone="plain")
        places = tuple(
            cell._replace(tone="light") if number in self.starts else cell for number, cell in enumerate(cells)
        )

        def scene(state: State) -> Scene:
            planes = self.planes(state)
            return Scene(
                pieces=tuple(
                    Piece(int(cell), int(owner), text=str(number + 1), marked=bool(planes[-1, cell]))
                    for owner, number, cell in np.argwhere(planes[:-2].reshape(2, self.pieces, -1))
                )
            )

        labels = boards.lettered(self.size, self.size)
        return Board(
            places, scene, Scene(labels=labels), ("blue", "red"), self.path,
            dice_at=(self.size + 0.2, (self.size - 1) / 2), rolled=self.rolled, counted="pieces",
            tray=None if self.drawn else self.tray, awaited=self.awaited, decided=self.decided,
            deciding=arrived(scene, ([self.goals[0]], [self.goals[1]])),
        )  # fmt: skip

    def tray(self, state: State) -> tuple[WaitingPieces, ...]:
        """The pieces that the side to move has still to place."""
        if rules.length(state) >= self.opening:
            return ()
        player, area, puts = int(state[0]), self.size**2, self.pieces + 3 * self.size**2
        cells = state[rules.HEADER + 8 * player :][: self.pieces]
        return tuple(
            WaitingPieces(
                Piece(0, player, text=str(number + 1)),
                1,
                tuple(int(puts + number * area + cell) for cell in self.starts[player]),
            )
            for number in range(self.pieces)
            if not cells[number]
        )

    def awaited(self, state: State) -> Awaited | None:
        """The number to put, the roll, or the pieces that may move."""
        if rules.length(state) < self.opening:
            return None if self.drawn else Awaited("number")
        if state[0] == rules.CHANCE:
            return Awaited("die")
        return Awaited("numbered", names=tuple(str(one) for one in state[MAY_MOVE : MAY_MOVE + 2] if one))

    @property
    def goals(self) -> tuple[int, int]:
        """The corners that the first and the second player must reach."""
        return self.size - 1, self.size * (self.size - 1)

    def decided(self, state: State, winner: int) -> Decision:
        goal = self.goals[winner]
        return "corner" if self.planes(state)[self.pieces * winner :][: self.pieces, goal].any() else "captures"

    def rolled(self, state: State, action: int) -> int | None:
        """The number on the die; None if chance places pieces."""
        return action + 1 if action < self.pieces else None

    def name_of_move(self, state: State, cell: int, step: int) -> str:
        turn, planes = int(state[TURN]), self.planes(state)
        target = self.target(state, cell, step)
        number = planes[self.pieces * turn :, cell].argmax() + 1
        return f"{number}{'x' if planes[: 2 * self.pieces, target].any() else '-'}{self.cells[target]}"

    def text(self, state: State) -> str:
        """Shows each piece as a letter for its owner, a capital if it may move, and its number."""
        planes, picture = self.planes(state), np.full(self.size**2, ".", "<U2")
        for piece, cell in np.argwhere(planes[: 2 * self.pieces]):
            letter = "xo"[piece // self.pieces]
            picture[cell] = (letter.upper() if planes[-1, cell] else letter) + str(piece % self.pieces + 1)
        rows = [str(row + 1) for row in range(self.size)]
        columns = [grid.column_name(column) for column in range(self.size)]
        return grid.framed(picture.reshape(self.size, self.size)[::-1], columns, rows[::-1])

    def images(self, transform: grid.Transform) -> NDArray[np.int32]:
        """The images of the actions under half a turn of the board or under a reflection, which exchanges the steps."""
        area, pieces = self.size**2, self.pieces
        cells = grid.cell_symmetries(self.size, self.size, (transform,))[0]
        steps = np.arange(3)[:: -1 if transform is grid.ANTITRANSPOSE else 1]
        if self.drawn:
            place = np.zeros(area, int)
            place[self.starts] = np.arange(pieces)
            first, second = place[cells[self.starts[0]]][:, None], place[cells[self.starts[1]]][None, :]
            if transform is grid.ROTATE_180:
                first, second = second, first
            puts = np.append(pieces * first + second, pieces**2)
        else:
            puts = (area * np.arange(pieces)[:, None] + cells).reshape(-1)
        moves = (3 * cells[:, None] + steps).reshape(-1)
        return np.concatenate([np.arange(pieces), pieces + moves, pieces + 3 * area + puts]).astype(np.int32)


def image(state: State, area: int) -> State:
    """The state with the players exchanged, turned by half a turn."""
    image = other_side(state)
    exchange(image, 8)
    words = image[rules.HEADER :]
    words[words > 0] = area + 1 - words[words > 0]
    image[TURN] = 1 - state[TURN]
    return image
