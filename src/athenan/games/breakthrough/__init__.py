"""Breakthrough on a board of 2 x 2 to 16 x 16, with 1 row of pieces a side up to half of the rows (2 by default).

Goal: reach the opponent's last row with one of your pieces, or capture all of the opponent's.

Play: White begins and moves up, Black moves down. A piece moves one cell forward, straight or diagonally, onto an empty
cell. It captures only diagonally forward. There are no draws.

The first player's (x) pieces stand on the rows at the bottom, the second's (o) on the rows at the top. A player's
foremost piece can always move. A cell is a letter for its column from the left and a number for its row from the
bottom; an action is written `a2-a3`, a capture `a2xb3`. A position may be written as FEN: the rows from the top with
`P` for the first player's pieces, `p` for the second's and the numbers of empty cells, then `w` or `b` for the side to
move, as in `pppp/4/4/PPPP w - - 0 1`; the other fields are ignored. Sources: 003, section 2.4.8; the rules of D.
Troyka, 2000; Ludii and OpenSpiel for the notation, Fairy-Stockfish for the FEN.

Actions: 3 * (row * width + column) of the piece, plus 0, 1, 2 when it goes to the column on the left, straight, or to
the column on the right, seen by the first player for both players.

State: rows of 16 bits, column a the lowest: the first player's rows from the bottom, their number rounded up to a
multiple of 4, then the second's, then 8 bytes of 0. Header byte 1: 1 when the match is won, by the player who is not
to move. Header bytes 4 and 5: the number of pieces of the first and the second player.

Planes height x width, row 1 first: first player's pieces, second player's pieces, the side to move (1 everywhere for
the first player, 0 for the second). Features: `races`.
"""

from dataclasses import replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.breakthrough.races import features_of
from athenan.rules import Advice, Decision, Fen, Forms, Game, GameError, Ruleset, Solving, State, UciVariant, require
from athenan.rules.advice import PROVEN, VECTORS
from athenan.rules.colours import exchange
from athenan.rules.geometry import grid
from athenan.rules.geometry.bits import ONE, lowest, popcount, random_bit
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.deciding import arrived
from athenan.rules.geometry.edges import edge_words, words_of
from athenan.rules.geometry.packing import fill, unpack_rows
from athenan.rules.geometry.ranks import move_number, read_ranks, split_fen, write_ranks
from athenan.rules.geometry.rectangle import Rectangle, steps
from athenan.settings import Between, shown

_LEFTMOST = np.uint64(0x0001000100010001)  # column a of four rows
_PIECES = 4  # header byte of the first player's number of pieces


@rules.helper
def _rows(params, player):
    """The byte of a state at which a player's rows begin."""
    return rules.HEADER + player * 2 * ((params[1] + 3) & ~3)


@rules.helper
def _row(state, rows, row):
    return rules.load16(state, rows + 2 * row)


@rules.helper
def _set_row(state, rows, row, bits):
    rules.store16(state, rows + 2 * row, bits)


@rules.kernel(rules.INITIAL)
def initial(params, state):
    width, height, piece_rows = params[0], params[1], params[2]
    state[:] = 0
    full = (1 << width) - 1
    for row in range(piece_rows):
        _set_row(state, _rows(params, 0), row, full)
        _set_row(state, _rows(params, 1), height - 1 - row, full)
    state[_PIECES] = state[_PIECES + 1] = width * piece_rows


@rules.helper
def _movable(params, state, row):
    """The pieces of four rows that can move ahead to the left, straight and to the right.

    A word read two bytes further holds the rows that they move to.
    """
    own_rows, other_rows = _rows(params, state[0]) + 2 * row, _rows(params, 1 - state[0]) + 2 * row
    forward = 2 - 4 * np.int64(state[0])
    own, own_ahead = rules.load64(state, own_rows), rules.load64(state, own_rows + forward)
    straight = own & ~(own_ahead | rules.load64(state, other_rows + forward))
    left = own & ~_LEFTMOST & ~(own_ahead << ONE)
    return left, straight, own & ~(_LEFTMOST << np.uint64(params[0] - 1)) & ~(own_ahead >> ONE)


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[1]:
        return 0
    width, height, count = params[0], params[1], 0
    for row in range(0, height, 4):
        left, straight, right = _movable(params, state, row)
        movable = left | straight | right
        while movable:
            bit = lowest(movable)
            movable &= movable - ONE
            action = 3 * ((row + (bit >> 4)) * width + (bit & 15))
            actions[count] = action
            count += (left >> np.uint64(bit)) & ONE
            actions[count] = action + 1
            count += (straight >> np.uint64(bit)) & ONE
            actions[count] = action + 2
            count += (right >> np.uint64(bit)) & ONE
    return count


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    movable, used = rules.scratch(12, np.uint64), 0
    for row in range(0, params[1], 4):
        for pieces in _movable(params, state, row):
            movable[used] = pieces
            used += 1
    number, bit = random_bit(movable, used, random)
    return 3 * ((4 * (number // 3) + (bit >> 4)) * params[0] + (bit & 15)) + number % 3


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    width, height, player = params[0], params[1], state[0]
    own, other = _rows(params, player), _rows(params, 1 - player)
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    following[_PIECES], following[_PIECES + 1] = state[_PIECES], state[_PIECES + 1]
    cell = action // 3
    row, column = cell // width, cell % width
    target, bit = row + rules.sign(player), 1 << (column + action % 3 - 1)
    _set_row(following, own, row, _row(state, own, row) & ~(1 << column))
    _set_row(following, own, target, _row(state, own, target) | bit)
    taken = _row(state, other, target) & bit
    if taken:
        _set_row(following, other, target, _row(state, other, target) & ~bit)
        following[_PIECES + 1 - player] -= 1
    following[1] = target == (height - 1) * (1 - player) or following[_PIECES + 1 - player] == 0


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    width, height = params[0], params[1]
    area = width * height
    for player in range(2):
        unpack_rows(state, _rows(params, player), planes, player * area, width, height)
    fill(planes, 2 * area, area, 1 - state[0])


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return np.int64(np.uint8(state[_PIECES + player]))


@rules.helper
def _worth(params, state, player):
    """A player's pieces, each worth 1 on the first row, and up to 2 on the last."""
    height, total = params[1], 0.0
    for advanced in range(height):
        row = advanced if player == 0 else height - 1 - advanced
        count = popcount(np.uint64(_row(state, _rows(params, player), row)))
        total += count * (1.0 + (advanced / (height - 1.0)) ** 2)
    return total


@rules.kernel(rules.STATE_VALUE)
def material(game, state):
    """Pieces, each worth 1, and up to 1 more by the square of how far it has advanced; a lead of 3 is worth 1/2."""
    return rules.advantage(_worth(game.params, state, 0) - _worth(game.params, state, 1), 3.0)


KERNELS = rules.table(initial, actions, play, encode, pieces, sample, outcome=rules.last_mover_wins)


def _cells(params: NDArray[np.int64]) -> Rectangle:
    """The board. Both players' actions go left, straight or right as the first player sees it."""
    width, height = params[:2].tolist()
    return Rectangle(
        width, height, planes=3, encode=encode, params=params,
        actions=[steps(height, width, [(1, right) for right in (-1, 0, 1)])],
        of_second=[steps(height, width, [(-1, right) for right in (-1, 0, 1)])],
        symmetries=(grid.IDENTITY, grid.MIRROR),
    )  # fmt: skip


def write_fen(game: Game, state: State) -> str:
    """A position as FEN."""
    first, second, _ = _cells(game.params).encoded(state)
    board = write_ranks("".join(row) for row in np.array([*".Pp"])[first + 2 * second][::-1])
    return f"{board} {'wb'[state[0]]} - - 0 {move_number(state)}"


def read_fen(game: Game, text: str) -> State:
    """The state that a FEN describes. Raises GameError if it is not a position."""
    (width, height), fields = game.params[:2].tolist(), split_fen(text, "wb", "- - 0 1")
    rows = read_ranks(fields[0], width, height, "Pp")[::-1]
    state, start = np.zeros(game.state_size, np.int8), game.initial()
    state[0] = mover = int(fields[1] == "b")
    won = []
    for player, letter, goal in ((0, "P", rows[-1]), (1, "p", rows[0])):
        begin, count = _rows(game.params, player), "".join(rows).count(letter)
        bits = [sum(1 << column for column, one in enumerate(row) if one == letter) for row in rows]
        state[begin : begin + 2 * height].view(np.uint16)[:] = bits
        if count > pieces(game.params, start, player):
            raise GameError(f"{shown(text)} is not a position of {game.name}: it has {count} {letter}")
        state[_PIECES : _PIECES + 2].view(np.uint8)[player] = count
        won.append(letter in goal)
    gone = [not pieces(game.params, state, player) for player in range(2)]
    if won[mover] or gone[1 - mover]:
        raise GameError(f"{shown(text)} is not a position of {game.name}: the side to move has won")
    state[1] = won[1 - mover] or gone[mover]
    return state


def make(size: Annotated[tuple[int, int], Between(2, 16)] = (8, 8), *, piece_rows: int = 2) -> Game:
    """Breakthrough on WIDTHxHEIGHT cells with `piece_rows` rows of pieces for each player."""
    width, height = size
    require("piece_rows", piece_rows, 1, height // 2)
    params = np.array([width, height, piece_rows, 65536 // width + 1, *edge_words(width, height)], np.int64)
    max_length = 2 * width * sum(height - 2 - row for row in range(piece_rows)) + 1  # every action is one row forward

    cells = _cells(params)

    def action_name(state: State, action: int) -> str:
        start, to = cells.touched(action, int(state[0]))
        taken = cells.encoded(state)[1 - state[0]].reshape(-1)[cells.names.index(to)]
        return f"{start}{'x' if taken else '-'}{to}"

    def image(state: State) -> State:
        """The state with the players exchanged, upside down."""
        exchanged = CellBits(width, height, stride=16, size=(height + 3) // 4 * 8).image(state, grid.FLIP)
        exchange(exchanged, 1, start=_PIECES)
        return exchanged

    def decided(state: State, winner: int) -> Decision:
        return "row" if cells.encoded(state)[1 - winner].any() else "captures"

    last_row = range((height - 1) * width, height * width)
    board = cells.board(
        colours=("white", "black"), counted="pieces", facing=True, decided=decided,
        deciding=arrived(cells.scene, (last_row, range(width))),
    )  # fmt: skip
    usual_pieces = piece_rows == 2
    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=rules.HEADER + 4 * ((height + 3) // 4 * 4) + 8,
            max_actions=3 * width * piece_rows,
            max_length=max_length,
            typical_length=max(1, max_length // 3),
            features=features_of(words_of(width * height)),
            evaluations={"material": material},
        ),
        cells.layout(board, cells.exchange(image, grid.FLIP), action_name=action_name),
        forms=Forms(
            Fen(read_fen, write_fen), uci=UciVariant("breakthrough") if size == (8, 8) and usual_pieces else None
        ),
        advice=Advice(
            f"{VECTORS},layers=true",
            long_network=f"{VECTORS},layers=true,walks=128",
            solving=replace(PROVEN, plies=(16, 32)) if size == (6, 6) and usual_pieces else Solving(),
        ),
    )
