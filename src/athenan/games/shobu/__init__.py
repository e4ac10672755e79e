"""Shobu: four boards of 4 x 4 cells, four stones a side on each.

Goal: push all four of the opponent's stones off one of the four boards.

Play: Black begins. Each turn has two moves. First move a stone on one of your two home boards one or two cells in any
direction, without pushing. Then move a stone on a board of the other shade in the same direction and as far; this one
may push a single opposing stone.

The boards lie in a square: together columns a-h and rows 1-8, apart between d and e and between rows 4 and 5. Those on
the left are dark, those on the right light. The two boards at the bottom are the first player's (x) home, the two at
the top the second's (o). Each board starts with four x on its lowest row and four o on its highest. A turn is two
actions of one side. The passive move goes in one of the eight directions, over empty cells to an empty cell. The
aggressive move, on a board of the other colour, home or not, may push one opposing stone, wherever that is on its way,
to the next cell beyond its own, which must be empty, or off the board. It never pushes a stone of its own side or two
stones. A passive move is legal only if an aggressive move can follow. A player without a legal move loses. A move is
written `b1-b3`, from a cell to a cell. Sources: the rules of M. Vranas and J. Sajdak, 2019, and Ludii 1.3.13; that a
side without a move loses is the rule of TangilJ/shobu-engine, as the others leave it open.

Neither these rules nor Ludii's forbid the repetition of positions or end the match then (`repetition=none`, the
default); in Ludii a match is drawn after 1250 turns of each side. Here 100 turns in a row, 50 by each side, without a
stone pushed off are a draw. With `repetition=draw` the match is also drawn when a position between turns occurs for the
second time with the same side to move.

Actions: 64 * vector + cell of the stone. A cell is 16 * board + 4 * row + column on its board, and the boards are 0
lower left, 1 lower right, 2 upper left, 3 upper right. A vector is 2 * direction + distance - 1, the directions
ordered by where they lead to: down left, down, down right, left, right, up left, up, up right.

State: the words of the first and the second player's stones (bit = cell). Header byte 1: 0, or 1 when the match is won
by the player who is not to move, or 2 when it is drawn. Header byte 4: if an aggressive move follows, 1 + vector + 16 *
colour of the board of the passive move (0 dark, 1 light), else 0. Header byte 5: the turns since a stone was pushed
off. With `repetition=draw` four bytes follow for each of these turns and for a passive move: vector, cell of the
passive move, cell of the aggressive move, and the distance from there to the pushed stone, or 0. Undoing them shows
exactly all earlier positions that can come back.

Planes 4 x 4, the lowest row first, so that the vector, which the boards share, is the same shift everywhere. Each of
the first kinds is one plane a board: first player's stones; second player's stones; when an aggressive move follows,
the stones that can make it; the cells where they go; with `repetition=draw`, the stones among them whose move repeats a
position. Then the side to move (1 everywhere for the first player, 0 for the second) and three planes that are 1
everywhere from 25, 50, 75 turns since a stone was pushed off. The declared symmetries keep the rules: all boards turned
alike by one of the eight symmetries of a square, each also with the dark and the light boards exchanged. The first four
also keep the start.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.shobu.board import board_of, place_of
from athenan.games.shobu.symmetries import (
    OF_START,
    SYMMETRIES,
    image_of_cells,
    image_of_vectors,
    plane_symmetry,
    turned_actions,
)
from athenan.rules import Advice, ColourSymmetry, Game, Layout, Ruleset, State
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import grid, stones
from athenan.rules.geometry.bits import ONE, list_bits, lowest, popcount

_LIMIT = 100  # turns in which no stone is pushed off
_STONES = rules.HEADER  # the words of the first and the second player's stones
_HISTORY = rules.HEADER + 16  # with repetition=draw
_WON, _DRAWN = 1, 2  # header byte 1
_PASSIVE, _QUIET = 4, 5  # header bytes
_NONE = np.uint64(0)
_START = 0x000F000F000F000F  # the second player's stones are three rows higher
_DARK, _LIGHT = np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFF0000FFFF0000)
_HOME, _SIXTY_THREE = np.uint64(0xFFFFFFFF), np.uint64(63)
_STEP = np.array([4 * up + right for up, right in grid.ALL_AROUND])


def _room(direction: int, distance: int) -> int:
    """The cells from which `distance` steps in a direction stay on the board."""
    up, right = grid.ALL_AROUND[direction]
    cells = [(cell // 4 % 4 + distance * up, cell % 4 + distance * right) for cell in range(64)]
    return sum(1 << cell for cell, (row, column) in enumerate(cells) if row in range(4) and column in range(4))


_ROOM = np.array([[_room(direction, distance) for distance in range(4)] for direction in range(8)], np.uint64)


@rules.helper
def _bit(cell):
    return ONE << np.uint64(cell)


@rules.helper
def _has(word, cell):
    return (word >> np.uint64(cell)) & ONE != _NONE


@rules.helper
def _before(word, direction, distance):
    """The cells from which `distance` steps in a direction lead to one of the cells of `word`."""
    turn = np.uint64(distance * _STEP[direction]) & _SIXTY_THREE
    turned = (word >> turn) | (word << ((np.uint64(64) - turn) & _SIXTY_THREE))
    return turned & _ROOM[direction, distance]


@rules.helper
def _movable(own, other, direction):
    """The stones of `own` that can move, on any board: passively and aggressively, by one cell and by two cells."""
    own_1, own_2 = _before(own, direction, 1), _before(own, direction, 2)
    other_1, other_2 = _before(other, direction, 1), _before(other, direction, 2)
    free_1 = own & _ROOM[direction, 1] & ~own_1
    free_2 = own & _ROOM[direction, 2] & ~(own_1 | own_2)
    stuck_1 = other_1 & (own_2 | other_2)
    stuck_2 = (other_1 & other_2) | ((other_1 | other_2) & _before(own | other, direction, 3))
    return free_1 & ~other_1, free_1 & ~stuck_1, free_2 & ~(other_1 | other_2), free_2 & ~stuck_2


@rules.helper
def _supported(player, passive, aggressive):
    """The passive moves on home boards that an aggressive move can follow."""
    dark = _DARK if aggressive & _LIGHT != _NONE else _NONE
    light = _LIGHT if aggressive & _DARK != _NONE else _NONE
    return passive & (dark | light) & (_HOME << np.uint64(32 * player))


@rules.helper
def _attackers(state):
    """The stones that can make the aggressive move that is due."""
    own, other = rules.load64(state, _STONES + 8 * state[0]), rules.load64(state, _STONES + 8 - 8 * state[0])
    vector, colour = (state[_PASSIVE] - 1) & 15, (state[_PASSIVE] - 1) >> 4
    _, one, _, two = _movable(own, other, vector >> 1)
    return (two if vector & 1 else one) & (_DARK if colour else _LIGHT)


@rules.helper
def _can_move(own, other, player):
    for direction in range(8):
        passive_1, aggressive_1, passive_2, aggressive_2 = _movable(own, other, direction)
        if _supported(player, passive_1, aggressive_1) | _supported(player, passive_2, aggressive_2) != _NONE:
            return True
    return False


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    rules.store64(state, _STONES, np.uint64(_START))
    rules.store64(state, _STONES + 8, np.uint64(_START) << np.uint64(12))


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    player, count = state[0], 0
    if state[1]:
        return 0
    if state[_PASSIVE]:
        return list_bits(_attackers(state), 64 * (np.int64(state[_PASSIVE] - 1) & 15), actions, 0)
    own, other = rules.load64(state, _STONES + 8 * player), rules.load64(state, _STONES + 8 - 8 * player)
    for direction in range(8):
        passive_1, aggressive_1, passive_2, aggressive_2 = _movable(own, other, direction)
        count = list_bits(_supported(player, passive_1, aggressive_1), 128 * direction, actions, count)
        count = list_bits(_supported(player, passive_2, aggressive_2), 128 * direction + 64, actions, count)
    return count


@rules.helper
def _moved(vector, cell):
    """The cells that a move empties and fills with its stone."""
    return _bit(cell) | _bit(cell + ((vector & 1) + 1) * _STEP[vector >> 1])


@rules.helper
def _push_distance(other, vector, cell):
    """The distance to the stone that an aggressive move pushes; 0 without one."""
    for distance in range(1, 2 + (vector & 1)):
        if _has(other, cell + distance * _STEP[vector >> 1]):
            return distance
    return 0


@rules.helper
def _pushed(vector, cell, distance):
    """The cell that the pushed stone leaves and the cell that it enters, if on the board."""
    direction, beyond = vector >> 1, (vector & 1) + 2
    if distance == 0:
        return _NONE
    changed = _bit(cell + distance * _STEP[direction])
    if _has(_ROOM[direction, beyond], cell):
        changed |= _bit(cell + beyond * _STEP[direction])
    return changed


@rules.helper
def _repeats(state, mine, theirs):
    """Whether a turn of the side to move that changes these cells of each side brings a position back."""
    for turns in range(1, state[_QUIET] + 1):
        at = _HISTORY + 4 * (state[_QUIET] - turns)
        moves = _moved(state[at], state[at + 1]) ^ _moved(state[at], state[at + 2])
        pushes = _pushed(state[at], state[at + 2], state[at + 3])
        if turns & 1:
            mine, theirs = mine ^ pushes, theirs ^ moves
            if mine | theirs == _NONE:
                return True
        else:
            mine, theirs = mine ^ moves, theirs ^ pushes
    return False


@rules.helper
def _repeats_by(state, vector, cell, distance):
    """Whether an aggressive move and the passive move before it bring a position back."""
    passive = state[_HISTORY + 4 * state[_QUIET] + 1]
    return _repeats(state, _moved(vector, passive) ^ _moved(vector, cell), _pushed(vector, cell, distance))


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player, vector, cell, quiet = state[0], action >> 6, action & 63, np.int64(state[_QUIET])
    own, other = rules.load64(state, _STONES + 8 * player), rules.load64(state, _STONES + 8 - 8 * player)
    turn = _HISTORY + 4 * quiet  # its place in the history, if kept
    rules.copy_state(state, following)
    own ^= _moved(vector, cell)
    rules.store64(following, _STONES + 8 * player, own)
    if not state[_PASSIVE]:
        rules.advance_header(state, following, player)
        following[_PASSIVE], following[_QUIET] = 1 + vector + (cell & 16), quiet
        if params[0]:
            following[turn], following[turn + 1] = vector, cell
        return
    distance = _push_distance(other, vector, cell)
    changed = _pushed(vector, cell, distance)
    other ^= changed
    rules.store64(following, _STONES + 8 - 8 * player, other)
    calm = 0 if popcount(changed) == 1 else quiet + 1
    rules.advance_header(state, following, 1 - player)
    following[_QUIET] = calm
    board = np.uint64(0xFFFF) << (np.uint64(cell) & ~np.uint64(15))
    if other & board == _NONE or not _can_move(other, own, 1 - player):
        following[1] = _WON
    elif calm == _LIMIT or (params[0] and calm and _repeats_by(state, vector, cell, distance)):
        following[1] = _DRAWN
    if params[0]:
        following[turn + 2], following[turn + 3] = cell, distance
        if calm == 0 or following[1]:
            following[_HISTORY:] = 0


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if not state[1]:
        return rules.ONGOING
    return rules.mover_lost(state) if state[1] == _WON else 0


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    stones.write_planes(64, state, planes)
    other, vector = rules.load64(state, _STONES + 8 - 8 * state[0]), np.int64(state[_PASSIVE] - 1) & 15
    rest = 256 + 64 * params[0]  # the index of the first plane that is not a board
    planes[128:rest] = 0
    attackers = _attackers(state) if state[_PASSIVE] else _NONE
    while attackers != _NONE:
        cell = lowest(attackers)
        attackers &= attackers - ONE
        planes[128 + cell] = 1
        planes[192 + cell + ((vector & 1) + 1) * _STEP[vector >> 1]] = 1
        if params[0] and _repeats_by(state, vector, cell, _push_distance(other, vector, cell)):
            planes[256 + cell] = 1
    for cell in range(16):
        planes[rest + cell] = 1 - state[0]
        for quarter in range(1, 4):
            planes[rest + 16 * quarter + cell] = 4 * state[_QUIET] >= quarter * _LIMIT


KERNELS = rules.table(initial, actions, play, outcome, encode, pieces=rules.pieces_in_words)


def _action_name(state: State, action: int) -> str:
    vector, cell = divmod(action, 64)
    row, column = place_of(cell)
    up, right = (step * (vector % 2 + 1) for step in grid.ALL_AROUND[vector // 2])
    return f"{grid.column_name(column)}{row + 1}-{grid.column_name(column + right)}{row + up + 1}"


def _turned(state: State, transform: grid.Transform, boards: int) -> State:
    """The state with every board turned, and the boards exchanged whose numbers differ by `boards`."""
    image, cells, vectors = state.copy(), image_of_cells(transform, boards), image_of_vectors(transform)
    stones = np.unpackbits(state[_STONES:_HISTORY].view(np.uint8), bitorder="little").reshape(2, 64)
    image[_STONES:_HISTORY] = np.packbits(stones[:, np.argsort(cells)], bitorder="little").view(np.int8)
    if state[_PASSIVE]:
        colour, vector = divmod(int(state[_PASSIVE]) - 1, 16)
        image[_PASSIVE] = 1 + vectors[vector] + 16 * (colour ^ boards & 1)
    if state[1]:  # over: no history
        return image
    history, turns = image[_HISTORY:].reshape(-1, 4), int(state[_QUIET])
    moved = history[: turns + (state[_PASSIVE] > 0)]  # the last one may have only its passive move
    moved[:, 0], moved[:, 1] = vectors[moved[:, 0]], cells[moved[:, 1]]
    history[:turns, 2] = cells[history[:turns, 2]]
    return image


def _image(state: State) -> State:
    """The state with the players exchanged, upside down: the lower and the upper boards change places."""
    image = other_side(state)
    exchange(image, 8, start=_STONES)
    return _turned(image, grid.FLIP, 2)


def _colours(of_boards: int, planes: int) -> ColourSymmetry:
    turned = plane_symmetry(grid.FLIP, 2, of_boards, planes)
    return ColourSymmetry(
        state=_image,
        planes=np.where(turned < 128, turned ^ 64, turned).astype(np.int32),
        actions=turned_actions(grid.FLIP, 2),
        side=of_boards,
    )


def make(*, repetition: Literal["none", "draw"] = "none") -> Game:
    """Shobu; a position that occurs for the second time ends the match with `draw`, not with `none`."""
    draw = repetition == "draw"
    params = np.array([draw], np.int64)
    of_boards = 20 if draw else 16  # planes, four together

    def planes_of(state: State) -> NDArray[np.int8]:
        planes = np.empty(16 * (of_boards + 4), np.int8)
        encode(params, state, planes)
        return planes[:192].reshape(3, 64)

    def text(state: State) -> str:
        """Shows the boards apart; capitals are the stones that can make the aggressive move."""
        first, second, attackers = planes_of(state)
        cells = np.full((9, 9), " ")
        for cell, stone in enumerate(np.array([".", "x", "o", "", "X", "O"])[first + 2 * second + 3 * attackers]):
            row, column = place_of(cell)
            cells[row + row // 4, column + column // 4] = stone
        return grid.framed(cells[::-1], [*"abcd efgh"], [*"8765 4321"])

    return Game(
        Ruleset(
            KERNELS,
            params,
            state_size=_HISTORY + (4 * _LIMIT if draw else 0),
            max_actions=8 * 11,  # four stones on each of two boards; a cell in its middle reaches eleven cells
            max_length=2 * _LIMIT * 25,  # a board is cleared at the latest when the 25th stone is pushed off
            typical_length=200,
        ),
        Layout(
            action_count=16 * 64,
            planes=(of_boards + 4, 4, 4),
            action_name=_action_name,
            text=text,
            plane_symmetries=np.stack([plane_symmetry(*one, of_boards, of_boards + 4) for one in SYMMETRIES]),
            action_symmetries=np.stack([turned_actions(*one) for one in SYMMETRIES]),
            start_symmetries=len(OF_START),
            turned=lambda state, number: _turned(state, *SYMMETRIES[number]),
            action_planes=16 * 4,  # one a vector and board
            action_places=np.arange(16 * 64, dtype=np.int32),
            boards=4,
            board=board_of(planes_of),
            colour_symmetry=_colours(of_boards, of_boards + 4),
        ),
        advice=Advice("patterns:layers=true", search="alphabeta"),
    )
