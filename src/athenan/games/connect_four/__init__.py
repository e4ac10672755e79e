"""Connect Four on a board of any size from 2 x 2 to 20 x 20, with any length of the winning line (4 by default).

Goal: have four of your stones in an unbroken row, column or diagonal first.

Play: Red begins. Drop a stone into a column; it falls onto the stones below. A full board without such a line is a
draw.

The first player is x, the second o. With another `connect`, as many stones in a row, a column or a diagonal win. An
action is a column that is not full, written as its number from 1 at the left. Source: the rules in J. D. Allis, A
Knowledge-based Approach of Connect-Four, 1988, on 7 columns by 6 rows.

State: header byte 1: 1 when the match is won, by the player who is not to move. If width * (height + 1) bits fit in a
word of 64, two words hold the first and the second player's stones. The cell of a column from the left and a row from
the bottom, both counted from 0, is bit column * (height + 1) + row. So one bit above each column stays empty and a few
shifts find a line (J. Tromp, Fhourstones). On larger boards a byte holds each cell, column by column: 0 empty, 1 first,
2 second player.

Planes height x width, bottom row first: first player's stones, second player's stones, the side to move (1
everywhere for the first player, 0 for the second).
"""

from typing import Annotated

import numpy as np

from athenan import rules
from athenan.games.connect_four.threats import EDGES, features_of
from athenan.rules import Advice, Area, Board, Game, Label, Ruleset, Scene, Solving, State, require
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry import boards, grid
from athenan.rules.geometry.bits import ONE, has_line
from athenan.rules.geometry.deciding import in_rows
from athenan.rules.geometry.edges import edge_words, words_of
from athenan.rules.geometry.packing import fill
from athenan.rules.geometry.rectangle import Rectangle, puts
from athenan.settings import Between

_FIRST = rules.HEADER  # the byte at which the words of the stones begin
_SECOND = rules.HEADER + 8
_BITS = EDGES + 2  # index in `params` of the bit of each cell, on boards of one word
_LARGE = 20  # a lead by lines that is worth 1/2


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1]:
        return rules.mover_lost(state)
    return 0 if rules.length(state) == params[0] * params[1] else rules.ONGOING


@rules.kernel(rules.ACTIONS)
def actions_of_words(params, state, actions):
    if state[1]:
        return 0
    width, height, count = params[0], params[1], 0
    stones = (rules.load64(state, _FIRST) | rules.load64(state, _SECOND)) >> np.uint64(height - 1)
    for column in range(width):
        actions[count] = column
        count += stones & ONE == 0
        stones >>= np.uint64(height + 1)
    return count


@rules.kernel(rules.PLAY)
def play_on_words(params, state, action, following):
    height, connect, player = params[1], params[2], state[0]
    own, other = rules.load64(state, _FIRST + 8 * player), rules.load64(state, _SECOND - 8 * player)
    bottom = ONE << np.uint64(action * (height + 1))
    column = ((ONE << np.uint64(height)) - ONE) * bottom
    own |= ((own | other) + bottom) & column  # adding at the bottom carries to the lowest empty cell
    rules.advance_header(state, following, 1 - player)
    rules.store64(following, _FIRST + 8 * player, own)
    rules.store64(following, _SECOND - 8 * player, other)
    following[1] = has_line(own, height + 1, connect)


@rules.kernel(rules.ENCODE)
def encode_words(params, state, planes):
    area, first, second = params[0] * params[1], rules.load64(state, _FIRST), rules.load64(state, _SECOND)
    for cell in range(area):
        bit = np.uint64(params[_BITS + cell])
        planes[cell] = first >> bit & ONE
        planes[area + cell] = second >> bit & ONE
    fill(planes, 2 * area, area, 1 - state[0])


@rules.kernel(rules.ACTIONS)
def actions_of_cells(params, state, actions):
    if state[1]:
        return 0
    width, height, count = params[0], params[1], 0
    for column in range(width):
        actions[count] = column
        count += state[rules.HEADER + column * height + height - 1] == 0
    return count


@rules.helper
def _run(params, state, column, row, right, up):
    """The number of stones of a cell's colour that follow it in one direction."""
    width, height, count = params[0], params[1], 0
    stone = state[rules.HEADER + column * height + row]
    while True:
        column, row = column + right, row + up
        if not (0 <= column < width and 0 <= row < height) or state[rules.HEADER + column * height + row] != stone:
            return count
        count += 1


@rules.kernel(rules.PLAY)
def play_on_cells(params, state, action, following):
    height, connect, player = params[1], params[2], state[0]
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - player)
    row = 0
    while state[rules.HEADER + action * height + row]:
        row += 1
    following[rules.HEADER + action * height + row] = 1 + player
    for right, up in ((0, 1), (1, -1), (1, 0), (1, 1)):
        before = _run(params, following, action, row, -right, -up)
        if before + 1 + _run(params, following, action, row, right, up) >= connect:
            following[1] = 1


@rules.kernel(rules.ENCODE)
def encode_cells(params, state, planes):
    width, height = params[0], params[1]
    area = width * height
    for row in range(height):
        for column in range(width):
            cell, stone = row * width + column, state[rules.HEADER + column * height + row]
            planes[cell] = stone & 1
            planes[area + cell] = stone >> 1
    fill(planes, 2 * area, area, 1 - state[0])


@rules.helper
def _lines(params, cells):
    """The lines that one player alone has stones in, each counted by the square of their number."""
    width, height, connect, lead = params[0], params[1], params[2], 0
    for right, up in ((0, 1), (1, -1), (1, 0), (1, 1)):
        for column in range(width - right * (connect - 1)):
            for row in range(connect - 1 if up < 0 else 0, height - (connect - 1 if up > 0 else 0)):
                first = second = 0
                for step in range(connect):
                    stone = cells[(column + step * right) * height + row + step * up]
                    first += stone == 1
                    second += stone == 2
                if not first or not second:
                    lead += first * first - second * second
    return rules.advantage(lead, _LARGE)


@rules.kernel(rules.STATE_VALUE)
def lines_on_words(game, state):
    """Lines that are open to one player alone, by the square of the stones in them; a lead of 20 is worth 1/2."""
    width, height, cells = game.params[0], game.params[1], rules.scratch(64, np.int8)
    first, second = rules.load64(state, _FIRST), rules.load64(state, _SECOND)
    for column in range(width):
        for row in range(height):
            bit = np.uint64(column * (height + 1) + row)
            cells[column * height + row] = (first >> bit & ONE) + 2 * (second >> bit & ONE)
    return _lines(game.params, cells)


@rules.kernel(rules.STATE_VALUE)
def lines_on_cells(game, state):
    """Lines that are open to one player alone, by the square of the stones in them; a lead of 20 is worth 1/2."""
    return _lines(game.params, state[rules.HEADER :])


ON_WORDS = rules.table(
    outcome, initial=rules.empty_board, actions=actions_of_words, play=play_on_words, encode=encode_words
)
ON_CELLS = rules.table(
    outcome, initial=rules.empty_board, actions=actions_of_cells, play=play_on_cells, encode=encode_cells
)


def _image_of_words(state: State) -> State:
    image = other_side(state)
    exchange(image, 8)
    return image


def _image_of_cells(state: State) -> State:
    image = other_side(state)
    cells = image[rules.HEADER :]
    cells[cells > 0] = 3 - cells[cells > 0]
    return image


def _board(cells: Rectangle, connect: int) -> Board:
    """Holes in a wall. An action touches the cell where its stone comes to rest; a click on its column plays it."""
    width, height = cells.width, cells.height
    columns = np.arange(width * height).reshape(height, width).T
    wall = Area(boards.rectangle(-0.6, -0.6, width - 0.4, height - 0.4), "wall")
    holes = [Area(boards.arc(place.x, place.y, 0.42, 0, 1), "light") for place in cells.board().places]
    labels = [Label(column, height - 0.1, str(column + 1)) for column in range(width)]

    def path(state: State, action: int) -> tuple[int]:
        taken = {piece.place for piece in cells.scene(state).pieces}
        return (next(int(cell) for cell in columns[action] if cell not in taken),)

    return cells.board(
        tone="",
        ground=Scene(areas=(wall, *holes), labels=tuple(labels)),
        colours=("red", "yellow"),
        path=path,
        slots=tuple(tuple(map(int, column)) for column in columns),
        decided=lambda state, winner: "four" if connect == 4 else None,
        deciding=in_rows(cells.encoded, connect),
    )


def make(size: Annotated[tuple[int, int], Between(2, 20)] = (7, 6), *, connect: int = 4) -> Game:
    """Connect Four on WIDTHxHEIGHT cells; `connect` in a line win."""
    width, height = size
    require(f"on a {width}x{height} board, connect", connect, 2, max(size))
    one_word = width * (height + 1) <= 64
    kernels = ON_WORDS if one_word else ON_CELLS
    rows, columns = np.indices((height, width)).reshape(2, -1)
    bits: list[int] = (columns * (height + 1) + rows).tolist() if one_word else []
    params = np.array([width, height, connect, *edge_words(width, height), *bits], np.int64)

    encode = kernels.kernels["encode"]
    cells = Rectangle(
        width, height, 3, encode, params, actions=[puts(1, width)], symmetries=(grid.IDENTITY, grid.MIRROR)
    )
    usual = (width, height, connect) == (7, 6, 4)

    def text(state: State) -> str:
        stones = grid.stones(cells.encoded(state))[::-1]
        return grid.framed(stones, [str(column + 1) for column in range(width)], [""] * height)

    return Game(
        Ruleset(
            kernels,
            params,
            state_size=rules.HEADER + (16 if one_word else (width * height + 7) // 8 * 8),
            max_actions=width,
            max_length=width * height,
            typical_length=min(width * height * 2 // 3, 12 * connect),  # with much room a line comes early
            features=features_of(words_of(width * height)),
            evaluations={"lines": lines_on_words if one_word else lines_on_cells},
        ),
        cells.layout(
            _board(cells, connect),
            cells.exchange(_image_of_words if one_word else _image_of_cells),
            action_name=lambda state, action: str(action + 1),
            text=text,
            beneath=np.concatenate([np.full(width, -1), np.arange((height - 1) * width)]),
        ),
        advice=Advice(
            "patterns:lines=true,windows=false",
            pattern_heuristic="classic",
            exploration=0.05,
            perfect="bitbully" if usual else None,
            solving=Solving((8, 30), solver="bitbully") if usual else Solving(),
        ),
    )
