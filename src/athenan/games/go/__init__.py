"""Go on an n x n board, n from 2 to 19, with area scoring.

Goal: surround more of the board with your stones than the opponent does.

Play: Black begins. Put a stone on an empty point; it never moves. Stones of one colour that touch are a group, and a
group without an empty point beside it is taken off. You may not bring back an earlier board. Two passes in a row end
the match; then your stones and the empty points that only you enclose are your area.

The first player is x, black. Opposing groups without liberties are taken off before one's own are looked at, and
suicide is not legal. A move must not recreate an earlier board (`superko=positional`, the default), or an earlier board
with the same side to move (`superko=situational`); `superko=simple` forbids only retaking at once a single stone that
has one liberty and has just taken a single stone, and boards may repeat. `pass` is always legal. Two passes in a row
end the match, and so does its 2 * n * n-th action; then, as the board stands, a player's area is the stones and the
empty regions that touch stones of that player only. The score is the first player's area less the second's less `komi`,
with a half-point komi in half points; the player who is ahead wins, and 0 is a draw. A point is a letter for its column
from the left, without i, and a number for its row from the bottom. Sources: 003, section 6; the rules of J. Tromp and
B. Taylor (1995), but without suicide; OpenSpiel for simple ko, the limit and the notation.

Actions: n * row + column, n * n is `pass`.

State: the board (module `board`), then the history for superko (module `superko`). Header byte 1: bit 0 the last action
was a pass, bit 1 the match is over. Header bytes 4 and 5: one more than the point that ko forbids (`simple`), or the
number of moves kept. When the match is over they hold the difference of the areas, and the moves are forgotten.

Planes n x n, row 1 first: first player's stones, second player's stones, the side to move (1 everywhere for the first
player, 0 for the second), points that ko or superko forbids, 1 everywhere after a pass, stones of groups with one
liberty, stones of groups with two. Features: `territory`. What rollouts play: `rollouts`.
"""

from functools import partial
from typing import Annotated, Literal

import numpy as np

from athenan import rules
from athenan.games.go.board import tables, words_of
from athenan.games.go.handicap import with_turn
from athenan.games.go.kernels import kernels_of
from athenan.games.go.sgf import sgf_of
from athenan.games.go.superko import EXTRA, SUPERKO, history_size
from athenan.games.go.territory import features_of
from athenan.rules import VECTORS, Advice, Board, Forms, Game, GameError, Piece, Ruleset, State, require
from athenan.rules.board import NOBODY
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import grid
from athenan.rules.geometry.edges import edge_words
from athenan.rules.geometry.edges import words_of as cell_words
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.settings import Between

_OVER = 2  # bit of header byte 1
_COLUMNS = "abcdefghjklmnopqrst"
_PLANES = 7


def _image(words: int, state: State) -> State:
    """The image of a state without superko, whose keys depend on the colours of stones."""
    image = other_side(state)
    exchange(image, 8 * words)
    if state[1] & _OVER:
        rules.store16(image, EXTRA, -rules.load16(state, EXTRA))
    return image


def _board(size: int, cells: Rectangle) -> Board:
    edge = 2 if size < 13 else 3
    lines = {edge, size - 1 - edge, *[size // 2] * (size % 2)} if size > 6 else set()
    stars = tuple(Piece(row * size + column, NOBODY, "dot", size=0.2) for row in lines for column in lines)
    return cells.board("points", ground=cells.board("points").ground._replace(pieces=stars), counted="captures")


def make(
    size: Annotated[int, Between(2, 19)] = 9,
    *,
    komi: float = 7.0,
    superko: Literal["positional", "situational", "simple"] = "positional",
) -> Game:
    """Go on a size x size board; the second player gets `komi` points, whole or half."""
    area = size * size
    if komi % 0.5:
        raise GameError(f"komi must be a multiple of a half, such as 7 or 7.5, not {komi}")
    require("komi", komi, -area, max(7, area))
    rule, words = SUPERKO.index(superko), words_of(size)
    unit = 2 if komi % 1 else 1
    params = np.array([size, unit * komi, rule, unit, *tables(size), *edge_words(size, size)], np.int64)
    table = kernels_of(words)

    points = Rectangle(
        size, size, _PLANES, table.kernels["encode"], params, actions=[puts(size, size)], others=(rules.PASS_NAME,),
        symmetries=grid.SQUARE, letters=_COLUMNS,
    )  # fmt: skip
    same = komi == 0 and superko == "simple"
    exchange = points.exchange(partial(_image, words)) if same else points.plane_exchange()
    return Game(
        Ruleset(
            table,
            params,
            state_size=rules.HEADER + 16 * words + history_size(size, rule),
            max_actions=area + 1,
            max_length=2 * area,
            typical_length=max(4, 3 * area // 2),
            max_score=int(unit * (area + abs(komi))),
            unit=1 / unit,
            carries_over=("komi",),
            features=features_of(cell_words(area)),
        ),
        points.layout(_board(size, points), exchange),
        forms=Forms(sgf=sgf_of(size, _COLUMNS), gtp_capitals=True, turn_given=with_turn, programs=("gnugo",)),
        advice=Advice(f"{VECTORS},layers=true,estimate=true", exploration=0.0),
    )
