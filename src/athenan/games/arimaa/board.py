"""The board of Arimaa as data to draw."""

from collections.abc import Callable, Sequence

from athenan.rules import Board, Piece, Scene, State
from athenan.rules.board import Awaited, Decision, Setup, Shape, WaitingPieces
from athenan.rules.geometry import boards, grid

_STRENGTHS = 8
"""Added to a piece's strength, its code, for the second player's pieces."""
_ANIMALS: dict[str, Shape] = {
    "E": "elephant", "M": "camel", "H": "horse", "D": "dog", "C": "cat", "R": "rabbit"
}  # fmt: skip


def animal(square: int, owner: int, letter: str) -> Piece:
    """A piece by its letter, a capital."""
    return Piece(square, owner, _ANIMALS[letter], letter, size=0.88)


def board_of(
    traps: int,
    letters: str,
    code: Callable[[State, int], int],
    path: Callable[[State, int], Sequence[int]],
    tray: Callable[[State], Sequence[WaitingPieces]],
    setups: Callable[[State], Sequence[Setup]],
    awaited: Callable[[State], Awaited],
) -> Board:
    """Squares with traps; `code` gives the piece on a square (0: empty) and `letters` the letters of the pieces."""
    cells = boards.squares(8, 8, boards.names(8, 8))
    places = tuple(cell._replace(tone="wall") if traps >> square & 1 else cell for square, cell in enumerate(cells))

    def scene(state: State) -> Scene:
        codes = [code(state, square) for square in range(64)]
        pieces = []
        for square, found in enumerate(codes):
            if found:
                pieces.append(animal(square, int(found > _STRENGTHS), letters[found].upper()))
        return Scene(pieces=tuple(pieces))

    def decided(state: State, winner: int) -> Decision:
        rabbits = [piece for piece in scene(state).pieces if piece.shape == "rabbit"]
        if any(_at_goal(piece, winner) for piece in rabbits):
            return "goal"
        return "stuck" if any(piece.owner != winner for piece in rabbits) else "rabbits"

    def deciding(state: State, winner: int) -> list[int]:
        """The goal of a rabbit."""
        pieces = scene(state).pieces
        return [one.place for one in pieces if _at_goal(one, winner)]

    ground = Scene(labels=boards.lettered(8, 8))
    return Board(
        places, scene, ground, ("gold", "silver"), path, looks=("drawn", "letters"), counted="pieces", tray=tray,
        setups=setups, facing=True, awaited=awaited, decided=decided, deciding=deciding,
    )  # fmt: skip


def _at_goal(piece: Piece, winner: int) -> bool:
    return piece.shape == "rabbit" and piece.owner == winner and piece.place // 8 == (7, 0)[winner]


def after_step(square: int, direction: int) -> int:
    """The square that a step leads to."""
    up, right = grid.ORTHOGONAL[direction]
    return square + 8 * up + right
