"""Surakarta on 6 x 6 cells, twelve pieces a side.

Goal: capture all of the opponent's pieces, or have more pieces when nothing more happens.

Play: Black begins. A piece steps to any empty cell beside it. To capture, a piece runs along its line over empty cells
and around at least one of the loops at the corners, onto the first piece in its way, which must be an opposing one.

The first player's pieces (x) stand on the two rows at the bottom, the second's (o) on the two at the top. A piece steps
to one of the eight neighbouring cells (`a2-a3`) or captures along a circuit (`a2xc6`). Each of the two circuits joins
two rows and two columns by four loops outside the corners of the board: the inner circuit the rows and columns next to
the border, the outer circuit the two in the middle. The capturing piece goes along its row or column, in either
direction, over empty cells only, on through at least one loop and along the next row or column, and so on, up to the
first piece, which must be an opponent's and is removed. The cell where it started counts as empty.

The match ends when a side has no piece, when a position (the board and the side to move) occurs for the second time,
after 50 actions in a row (25 by each player) without a capture, or when the side to move can neither step nor capture.
Then more pieces win, and equal numbers are a draw. The score is the first player's pieces less the second's. A cell is
a letter for its column from the left and a number for its row from the bottom. Sources: 003, section 2.4.5;
surakarta-core for the last of the four ways to end, which the paper does not name.

Actions: 36 * from + to, with cell 6 * row + column. A target that several loops reach from one cell is one action.

State: words with a bit for each cell of the first player's pieces and of the second's; two words with the same pieces
as stations of the circuits, 24 on the inner in bits 0-23 and 24 on the outer in bits 32-55; and the steps since the
last capture, at most 49, as bytes from and to. The steps stand for the earlier positions that could come back: taking
them back one by one compares each position exactly, in a quarter of the bytes that exact keys would need. Header byte
1: 1 when the match is over; then no steps are kept. Header byte 4: the number of steps since the last capture.

Planes 6 x 6, row 1 first: first player's pieces, second player's pieces, the side to move (1 everywhere for the first
player, 0 for the second), pieces of both sides that could be captured if it were the other's turn (loops are far
beyond the reach of a convolution), and four planes that are 1 everywhere from 10, 20, 30, 40 steps since the last
capture. The declared symmetries are the eight of the board, which keep the rules. The first two, the identity and the
mirror image, also keep the start.
"""

import numpy as np

from athenan import rules
from athenan.rules import VECTORS, Advice, Board, Game, Line, Ruleset, State
from athenan.rules.colours import exchange
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.bits import ONE, highest, lowest, popcount
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.packing import fill, unpack_row
from athenan.rules.geometry.rectangle import Rectangle, moves

_PIECES = rules.HEADER  # a word a player
_STATIONS = rules.HEADER + 16  # a word a player
_STEPS = rules.HEADER + 32
_QUIET = 4  # header byte: steps since the last capture
_LIMIT = 50
_SIZE, _CELLS, _RING = 6, 36, 24
_BOARD = (ONE << np.uint64(_CELLS)) - ONE
_STATIONS_OF_RING = (ONE << np.uint64(_RING)) - ONE
_NONE = np.uint64(0)
_BITS = CellBits(_SIZE, _SIZE, stride=_SIZE, size=8)


def _ring(line: int) -> list[int]:
    """The cells along a circuit, six after each of its four loops."""
    last, there = _SIZE - 1, range(_SIZE)
    right = [_SIZE * line + column for column in there]
    up = [_SIZE * row + last - line for row in there]
    left = [_SIZE * (last - line) + column for column in there]
    down = [_SIZE * row + line for row in there]
    return [*right, *up, *left[::-1], *down[::-1]]


def _neighbours(cell: int) -> int:
    row, column = divmod(cell, _SIZE)
    around = ((row + down, column + right) for down, right in grid.ALL_AROUND)
    return sum(1 << (_SIZE * row + column) for row, column in around if row in range(_SIZE) and column in range(_SIZE))


_CELL_OF = np.array([2 * _ring(1), 2 * _ring(2)])  # [circuit, station], twice around
_STATIONS_OF = np.array(
    [sum(1 << int(32 * ring + at) for ring, at in np.argwhere(cell == _CELL_OF[:, :_RING])) for cell in range(_CELLS)],
    np.uint64,
)
_AROUND = np.array([_neighbours(cell) for cell in range(_CELLS)], np.uint64)


@rules.helper
def _bit(cell):
    return ONE << np.uint64(cell)


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    for player in range(2):
        pieces = stations = _NONE
        for cell in range(24 * player, 24 * player + 12):
            pieces |= _bit(cell)
            stations |= _STATIONS_OF[cell]
        rules.store64(state, _PIECES + 8 * player, pieces)
        rules.store64(state, _STATIONS + 8 * player, stations)


@rules.helper
def _beside_loop(taken, ring, loop):
    """The pieces that one loop of a circuit brings together: the cells of the last one before it, of the one to which
    it comes, of the first one after it, and of the one to which that one comes. All are 0 with fewer than two pieces.

    `taken` are the occupied stations of the circuit. Only the two nearest to the loop matter. If they are one piece, on
    a cell where the circuit crosses itself, it goes on over its own cell.
    """
    turn = np.uint64(6 * loop)
    taken = ((taken >> turn) | (taken << (np.uint64(_RING) - turn))) & _STATIONS_OF_RING  # the loop is now before bit 0
    if taken & (taken - ONE) == _NONE:
        return 0, 0, 0, 0
    after, before = lowest(taken), highest(taken)
    cell_after, cell_before = _CELL_OF[ring, after + 6 * loop], _CELL_OF[ring, before + 6 * loop]
    if cell_after != cell_before:
        return cell_before, cell_after, cell_after, cell_before
    first, last = lowest(taken ^ _bit(after)), highest(taken ^ _bit(before))
    return cell_before, _CELL_OF[ring, first + 6 * loop], cell_after, _CELL_OF[ring, last + 6 * loop]


@rules.helper
def _taken(state, ring):
    """The occupied stations of a circuit."""
    stations = rules.load64(state, _STATIONS) | rules.load64(state, _STATIONS + 8)
    return stations >> np.uint64(32 * ring) & _STATIONS_OF_RING


@rules.helper
def _captures_through(state, player, ring, loop):
    """The player's captures through one loop of a circuit, forward and backward, as actions; -1 for no capture."""
    before, first, after, last = _beside_loop(_taken(state, ring), ring, loop)
    pieces, targets = rules.load64(state, _PIECES + 8 * player), rules.load64(state, _PIECES + 8 - 8 * player)
    forward = pieces & _bit(before) != _NONE and targets & _bit(first) != _NONE
    backward = pieces & _bit(after) != _NONE and targets & _bit(last) != _NONE
    return _CELLS * before + first if forward else -1, _CELLS * after + last if backward else -1


@rules.helper
def _capturable(state):
    """The pieces of both sides that could be captured if it were the other's turn."""
    first, found = rules.load64(state, _PIECES), _NONE
    for ring in range(2):
        taken = _taken(state, ring)
        for loop in range(4):
            before, to, after, back_to = _beside_loop(taken, ring, loop)
            found |= ((first >> np.uint64(before) ^ first >> np.uint64(to)) & ONE) << np.uint64(to)
            found |= ((first >> np.uint64(after) ^ first >> np.uint64(back_to)) & ONE) << np.uint64(back_to)
    return found


@rules.helper
def _can_act(state, player):
    own, other = rules.load64(state, _PIECES + 8 * player), rules.load64(state, _PIECES + 8 - 8 * player)
    empty = _BOARD & ~(own | other)
    while own:
        if _AROUND[lowest(own)] & empty:
            return True
        own &= own - ONE
    for loop in range(8):
        forward, backward = _captures_through(state, player, loop >> 2, loop & 3)
        if forward >= 0 or backward >= 0:
            return True
    return False


@rules.helper
def _insert(actions, count, action):
    """Inserts an action into an ascending list unless the list has it; returns the new count."""
    if action < 0:
        return count
    at = count
    while at > 0 and actions[at - 1] >= action:
        at -= 1
    if at < count and actions[at] == action:
        return count
    for place in range(count, at, -1):
        actions[place] = actions[place - 1]
    actions[at] = action
    return count + 1


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    player, count = state[0], 0
    if state[1]:
        return 0
    own, other = rules.load64(state, _PIECES + 8 * player), rules.load64(state, _PIECES + 8 - 8 * player)
    empty = _BOARD & ~(own | other)
    while own:
        cell = lowest(own)
        own &= own - ONE
        targets = _AROUND[cell] & empty
        while targets:  # `list_bits` is slower here
            actions[count] = _CELLS * cell + lowest(targets)
            targets &= targets - ONE
            count += 1
    for loop in range(8):
        forward, backward = _captures_through(state, player, loop >> 2, loop & 3)
        count = _insert(actions, count, forward)
        count = _insert(actions, count, backward)
    return count


@rules.helper
def _repeats(state, quiet):
    """Whether the position after `quiet` steps is an earlier one: taking back its last steps changes nothing."""
    own = other = _NONE
    for at in range(_STEPS + 2 * quiet - 2, _STEPS, -4):
        own ^= _bit(state[at]) ^ _bit(state[at + 1])
        other ^= _bit(state[at - 2]) ^ _bit(state[at - 1])
        if own | other == _NONE:
            return True
    return False


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player, start, to, quiet = state[0], action // _CELLS, action % _CELLS, np.int64(state[_QUIET])
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    own, stations = _PIECES + 8 * player, _STATIONS + 8 * player
    other, other_stations = _PIECES + 8 - 8 * player, _STATIONS + 8 - 8 * player
    rules.store64(following, own, rules.load64(state, own) ^ _bit(start) ^ _bit(to))
    rules.store64(following, stations, rules.load64(state, stations) ^ _STATIONS_OF[start] ^ _STATIONS_OF[to])
    if rules.load64(state, other) & _bit(to):
        rules.store64(following, other, rules.load64(state, other) ^ _bit(to))
        rules.store64(following, other_stations, rules.load64(state, other_stations) ^ _STATIONS_OF[to])
        following[_STEPS:] = 0
        over = rules.load64(following, other) == _NONE
    else:
        quiet += 1
        over = quiet == _LIMIT
        if not over:
            following[_STEPS + 2 * quiet - 2], following[_STEPS + 2 * quiet - 1] = start, to
            following[_QUIET] = quiet
            over = _repeats(following, quiet)
    if over or not _can_act(following, 1 - player):
        following[1], following[_QUIET] = 1, 0
        following[_STEPS:] = 0


@rules.kernel(rules.SCORE)
def score(params, state):
    return popcount(rules.load64(state, _PIECES)) - popcount(rules.load64(state, _PIECES + 8))


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if not state[1]:
        return rules.ONGOING
    difference = popcount(rules.load64(state, _PIECES)) - popcount(rules.load64(state, _PIECES + 8))
    return (difference > 0) - (difference < 0)


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    unpack_row(rules.load64(state, _PIECES), planes, 0, _CELLS)
    unpack_row(rules.load64(state, _PIECES + 8), planes, _CELLS, _CELLS)
    fill(planes, 2 * _CELLS, _CELLS, 1 - state[0])
    unpack_row(_capturable(state), planes, 3 * _CELLS, _CELLS)
    for tens in range(1, 5):
        fill(planes, (3 + tens) * _CELLS, _CELLS, state[_QUIET] >= 10 * tens)


KERNELS = rules.table(initial, actions, play, outcome, encode, score, pieces=rules.pieces_in_words)


def _image(state: State) -> State:
    """The state with the players exchanged, upside down."""
    image = _BITS.image(_turned(state, grid.FLIP))
    exchange(image, 8, start=_STATIONS)
    return image


def _turned(state: State, transform: grid.Transform) -> State:
    """The state with its board turned."""
    image, cells = _BITS.turned(state, transform), grid.cell_symmetries(_SIZE, _SIZE, (transform,))[0]
    words = image[_STATIONS:_STEPS].view(np.uint64)
    for player, word in enumerate(words):
        words[player] = np.bitwise_or.reduce(_STATIONS_OF[cells[np.flatnonzero(_STATIONS_OF & word)]], initial=0)
    steps = slice(_STEPS, _STEPS + 2 * int(state[_QUIET]))
    image[steps] = cells[state[steps]]
    return image


def _board(points: Rectangle) -> Board:
    """Points on lines, with the loops of both circuits around the corners."""
    ground, last = boards.lattice(_SIZE, _SIZE), _SIZE - 1
    corners = ((0, 0, 0.25), (last, 0, 0.5), (last, last, 0.75), (0, last, 1.0))  # and where a loop begins, in turns
    inner = [Line(boards.arc(x, y, 1, begin, begin + 0.75), "wall") for x, y, begin in corners]
    outer = [Line(boards.arc(x, y, 2, begin, begin + 0.75), "felt") for x, y, begin in corners]
    ground = ground._replace(lines=(*ground.lines, *inner, *outer))
    return points.board("points", ground=ground, colours=("black", "red"), counted="pieces", facing=True)


def make() -> Game:
    """Surakarta on 6 x 6 cells."""
    params = np.zeros(1, np.int64)
    points = Rectangle(
        _SIZE, _SIZE, 8, encode, params, [moves(_SIZE, _SIZE)], symmetries=(grid.IDENTITY, grid.MIRROR),
        of_rules=grid.SQUARE, turned=_turned,
    )  # fmt: skip

    def action_name(state: State, action: int) -> str:
        pieces = int(state[_PIECES:_STATIONS].view(np.uint64)[1 - state[0]])
        return ("x" if pieces >> action % _CELLS & 1 else "-").join(points.touched(action))

    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=_STEPS + 104,
            max_actions=12 * 8 + 2 * 8,
            max_length=23 * _LIMIT,  # a capture at the latest after 49 steps, and 22 captures leave one piece each
            typical_length=150,
            max_score=12,
        ),
        points.layout(_board(points), points.exchange(_image, grid.FLIP), action_name=action_name),
        advice=Advice(VECTORS),
    )
