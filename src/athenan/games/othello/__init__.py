"""Othello on an n x n board, n even from 4 to 16.

Goal: have more discs of your colour on the board than the opponent when neither can move.

Play: Black begins. Put a disc so that it encloses a straight run of opposing discs between itself and another of your
discs. All discs enclosed this way turn over. If you have no move, you pass.

Black (x) is the first player. The start is white on the upper left and lower right of the four central cells (d4 and e5
on 8 x 8), black on the other two. Runs go along rows, columns and diagonals. A pass is an action (`pass`), legal only
without a move; the match ends as soon as neither side can move. More discs win; equal numbers are a draw. The score is
the first player's discs less the second's; empty cells count for nobody. A cell is a letter for its column from the
left and a number for its row from the top. Sources: 003, section 2.4.4; the rules of the World Othello Federation.

Actions: n * row + column; n * n is `pass`.

State up to 8 x 8: three words of 64 bits: the first player's discs, the second's, and the legal moves of the side to
move; the cell of a row and a column from 0 is bit 8 * row + column. Larger boards: see `large`. The state keeps the
moves because the end of the match depends on them. Header byte 1: 0, or 1 when the side to move must pass, or 2 when
the match is over.

Planes n x n: first player's discs, second player's discs, the side to move (1 everywhere for the first player, 0 for
the second). The declared symmetries are the eight of the board, which keep the rules. The first four also keep the
start; the others exchange the colours of its discs.
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.othello import large
from athenan.games.othello.discs import captures, moves_of
from athenan.games.othello.ending import ENDING
from athenan.games.othello.squares import LARGE, weight
from athenan.rules import Advice, Forms, Game, GameError, Ruleset, Solving, UciVariant
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.packing import fill, unpack_row
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.rules.sgf import Sgf, called, cells, known
from athenan.settings import Between

_DISCS = rules.HEADER  # the words of the first and the second player's discs
_MOVES = rules.HEADER + 16
_MUST_PASS, _OVER = 1, 2  # header byte 1
_UCI = {
    8: UciVariant("flipello", drops=True, rows=8),
    10: UciVariant("flipello10", drops=True, rows=10),
}
_SOLVING = {
    8: Solving((46, 50), rollouts=100),
    6: Solving((15, 22), rollouts=1000, evaluations=3_000_000),
}
"""How positions are solved, by the size of the board."""


@rules.helper
def _moves(params, own, other):
    """The cells where a disc of `own` captures."""
    return moves_of(own, other, np.uint64(params[1]) & ~(own | other), np.uint64(params[2]))


@rules.helper
def _store(params, state, player, own, other):
    """Writes the discs, the moves of `player`, who has `own` and is to move, and the flag in the header."""
    moves = _moves(params, own, other)
    rules.store64(state, _DISCS + 8 * player, own)
    rules.store64(state, _DISCS + 8 - 8 * player, other)
    rules.store64(state, _MOVES, moves)
    if not moves:
        state[1] = _MUST_PASS if _moves(params, other, own) else _OVER


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    middle = np.uint64(9 * (params[0] // 2 - 1))  # the upper left of the four central cells
    _store(params, state, 0, np.uint64(0x0102) << middle, np.uint64(0x0201) << middle)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    size, moves, count = params[0], rules.load64(state, _MOVES), 0
    if state[1] == _MUST_PASS:
        actions[0] = size * size
        return 1
    while moves:
        bit = lowest(moves)
        moves &= moves - ONE
        actions[count] = (bit >> 3) * size + (bit & 7)
        count += 1
    return count


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    size, player = params[0], state[0]
    own, other = rules.load64(state, _DISCS + 8 * player), rules.load64(state, _DISCS + 8 - 8 * player)
    if action != size * size:
        cell = 8 * (action // size) + action % size
        captured = captures(own, other, cell)
        own, other = own | (ONE << np.uint64(cell)) | captured, other & ~captured
    rules.advance_header(state, following, 1 - player)
    _store(params, following, 1 - player, other, own)


@rules.kernel(rules.SCORE)
def score(params, state):
    return popcount(rules.load64(state, _DISCS)) - popcount(rules.load64(state, _DISCS + 8))


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1] != _OVER:
        return rules.ONGOING
    difference = popcount(rules.load64(state, _DISCS)) - popcount(rules.load64(state, _DISCS + 8))
    return (difference > 0) - (difference < 0)


@rules.kernel(rules.STATE_VALUE)
def squares(game, state):
    """Discs by a table of positions: corners are good, the squares beside them bad; about two corners are worth 1/2."""
    lead = 0
    for player in range(2):
        discs = rules.load64(state, _DISCS + 8 * player)
        while discs:
            bit = lowest(discs)
            discs &= discs - ONE
            lead += rules.sign(player) * weight(game.params[0], bit >> 3, bit & 7)
    return rules.advantage(lead, LARGE)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    size = params[0]
    area, first, second = size * size, rules.load64(state, _DISCS), rules.load64(state, _DISCS + 8)
    for row in range(size):
        unpack_row(first >> np.uint64(8 * row), planes, row * size, size)
        unpack_row(second >> np.uint64(8 * row), planes, area + row * size, size)
    fill(planes, 2 * area, area, 1 - state[0])


KERNELS = rules.table(initial, actions, play, outcome, encode, score, pieces=rules.pieces_in_words)


def _masks(size: int) -> list[int]:
    """The words of all the board's cells and of the cells outside its first and last column."""
    rows = [sum(1 << column for column in columns) for columns in (range(size), range(1, size - 1))]
    return [sum(row << 8 * number for number in range(size)) for row in rows]


def _sgf(size: int) -> Sgf:
    passes = ("pass", "", "tt", "pa")[: 3 + (size < 16)]  # pa is a point of larger boards
    names = called("othello", "reversi", "standard", "normal", "default", "wof", "wofrules")
    return Sgf("othello", 2, cells(size, dict.fromkeys(passes, "pass")), rules=known(names))


def make(size: Annotated[int, Between(4, 16)] = 8) -> Game:
    """Othello on a size x size board."""
    if size % 2:
        raise GameError(f"size must be even, not {size}")
    small = size <= 8
    kernels = KERNELS if small else large.KERNELS
    params = np.array([size, *(_masks(size) if small else ())], np.uint64).view(np.int64)

    cells = Rectangle(
        size, size, planes=3, encode=kernels.kernels["encode"], params=params, actions=[puts(size, size)],
        others=(rules.PASS_NAME,), up=False, symmetries=grid.DIAGONAL, of_rules=grid.SQUARE,
        bits=CellBits(size, size, stride=8 if small else 16, size=8 if small else 2 * size, sets=3),
    )  # fmt: skip
    return Game(
        Ruleset(
            kernels,
            params,
            state_size=rules.HEADER + 24 if small else large.state_size(size),
            max_actions=size * size - 4,
            max_length=2 * (size * size - 4),
            typical_length=size * size - 4,
            max_score=size * size,
            ending=ENDING if small else None,
            evaluations={"squares": squares if small else large.squares},
        ),
        cells.layout(
            cells.board(tone="felt", counted="discs"),
            cells.exchange(transform=grid.MIRROR),  # the image of the start is the start with the other side to move
        ),
        forms=Forms(
            sgf=_sgf(size),
            uci=_UCI.get(size),
            programs=("grhino",) if size == 8 else (),
            ggf="Othello",
        ),
        advice=Advice(
            "patterns:entries=6561,vector=8,lines=true,windows=false",  # 3^8: whole rows
            ends=19 if size == 8 else 24 if size < 8 else 0,
            solving=_SOLVING.get(size, Solving()),
        ),
    )
