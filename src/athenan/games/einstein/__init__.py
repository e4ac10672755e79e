"""EinStein würfelt nicht!, a race with a die on 5 x 5 cells with six numbered pieces a side.

Goal: bring one of your pieces to the opposite corner of the board, or capture all of the opponent's pieces.

Play: First the pieces are placed, then Blue begins. Roll the die and move the piece of that number one cell towards the
opposite corner, straight or diagonally. If that piece is gone, move the piece whose number is nearest. A piece on the
cell where you land is captured, whoever owns it.

The first player's pieces (x) start on the six cells around the corner a5 and go to e1, the second's (o) start around e1
and go to a5. A piece moves to a neighbouring cell nearer to its goal: along its row, along its column, or diagonally.
If the numbers of two pieces are equally near, the player chooses. With nearest=false the player always chooses between
the next higher and the next lower number, which is the rule of the Olympiad, Ludii and OpenSpiel. There are no draws.

Placement, in 001: "the first player places his pieces in his starting area and then the second player places his pieces
in his starting area symmetrically". So in `symmetric`, the default, the first player puts the numbers 1 to 6, one an
action, on cells of the starting area. Each action also puts the second player's same number on the cell symmetric about
the centre of the board; actions of the second player would be forced. In `alternate`, as in Ludii, the players in turn
put any of their numbers on any cell of their area. In `random`, as in OpenSpiel, chance places the pieces: one event
puts one number of both players and has at most 36 equally likely outcomes. Chance must not move twice in succession, so
the first player follows each event with the only action `next`.

Sizes from 2 to 8 are possible, and 3 or 1 pieces a side with a die of as many sides and starting areas of as many
cells. Sources: 001, section 2.2; the rules of I. Althöfer, 2004.

Notation: a roll is its number, `4`. A move is the number of the piece and the cell where it goes, `4-b3`, or `4xb3` for
a capture. Putting a piece is its number and its cell, `4a5`; a pair put by chance has both cells, `4a5e1`.

Actions, with n pieces a side: n outcomes of the die; then 3 * (row * size + column) of the moving piece, plus 0 along
the row, 1 diagonally, 2 along the column; then number * size * size + cell to put a piece, where numbers begin with 0;
with random placement instead n * i + j for the i-th cell of the first player's starting area and the j-th of the
second's, from the bottom and the left, and then `next`.

State: two words, the first and the second player's: byte i is 1 + the cell of the piece i + 1, or 0 if it is not on the
board. Header byte 1: 1 when the match is won, by the player who is not to move. Byte 4: the player whose turn it is.
Bytes 5 and 6: the numbers of the pieces that may move, or 0; so rolls that allow the same moves give one state.

Planes size x size, row 1 first: a plane for each piece of the first player, by number, then of the second; the turn (1
everywhere if it is the first player's, even while the die is rolled, else 0); the pieces that may move.
"""

from typing import Annotated, Literal

import numpy as np

from athenan import rules
from athenan.games.einstein.board import EinsteinBoard, image
from athenan.games.einstein.kernels import KERNELS, MOST_PIECES, PLACEMENTS, encode
from athenan.rules import VECTORS, Advice, Game, Ruleset, Solving, require
from athenan.rules.geometry import grid
from athenan.rules.geometry.places import by_step, nowhere, on_cells, together
from athenan.rules.geometry.rectangle import Rectangle
from athenan.settings import Between


def make(
    size: Annotated[int, Between(2, 8)] = 5,
    *,
    pieces: Literal[1, 3, 6] = 6,
    placement: Literal["symmetric", "alternate", "random"] = "symmetric",
    nearest: bool = True,
) -> Game:
    """EinStein würfelt nicht! on size x size cells, with as many pieces a side as the die has sides."""
    rows, area, drawn = {1: 1, 3: 2, 6: 3}[pieces], size * size, placement == "random"
    require(f"with {pieces} pieces, size", size, rows + 1, 8)
    cells = np.arange(area)
    distance = size - 1 - cells // size + cells % size  # from the corner where the first player starts
    start = cells[distance < rows]
    options = [size, pieces, PLACEMENTS.index(placement), nearest]
    params = np.array([*options, *start, *(area - 1 - start[::-1])], np.int64)
    opening = pieces if placement == "symmetric" else 2 * pieces
    board = EinsteinBoard(params, size, pieces, drawn, opening)
    moves = 2 * int((2 * size - 3 - distance[start]).sum()) + 1  # all pieces to one step before the goal, then one
    puts = nowhere(pieces**2 + 1) if drawn else together(size, size, *[on_cells(size, size)] * pieces)
    pairs = [(number, pieces + number) for number in range(pieces)]
    squares = Rectangle(
        size, size, 2 * pieces + 2, encode, params, turned_actions=board.images,
        symmetries=(grid.IDENTITY, grid.ANTITRANSPOSE),
    )  # fmt: skip
    usual = (size, pieces, placement, nearest) == (5, 6, "symmetric", True)
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 16,
            max_actions=max(MOST_PIECES, pieces if placement == "symmetric" else pieces**2),
            max_length=opening + 2 * moves,
            typical_length=opening + 2 * max(1, moves // 3),
            carries_over=("nearest",) if drawn else ("nearest", "placement"),
        ),
        squares.layout(
            board.picture(),
            squares.exchange(lambda state: image(state, area), grid.ROTATE_180, pairs, side=2 * pieces),
            action_name=board.name,
            text=board.text,
            places=together(size, size, nowhere(pieces), by_step(size, size, 3), puts),
        ),
        title="EinStein würfelt nicht!",
        advice=Advice(VECTORS, solving=Solving((36, 48), rollouts=100) if usual else Solving()),
    )
