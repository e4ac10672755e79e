"""Line games of any size for tests: `connect` in a line win, on a board of width x height, with 1 or 2 stones a turn.

The first player begins with one stone. A byte of the state for each cell: 1 and 2 are the players' stones.
"""

from typing import Literal

import numpy as np

from athenan import rules
from athenan.rules import Game
from athenan.rules.geometry import places
from athenan.rules.geometry.lines import Lines
from athenan.rules.layout import Layout
from athenan.rules.ruleset import Ruleset

_BOTH = 4


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    count = 0
    if state[1]:
        return 0
    for cell in range(params[0] * params[1]):
        actions[count] = cell
        count += state[rules.HEADER + cell] == 0
    return count


@rules.helper
def _run(params, state, cell, right, up):
    """The stones of one player in a line through a cell."""
    width, height, count = params[0], params[1], 1
    for sign in (-1, 1):
        row, column = cell // width + sign * up, cell % width + sign * right
        while (
            0 <= row < height
            and 0 <= column < width
            and state[rules.HEADER + row * width + column] == state[rules.HEADER + cell]
        ):
            count, row, column = count + 1, row + sign * up, column + sign * right
    return count


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    connect, stones, longer = params[2], params[3], params[4]
    rules.copy_state(state, following)
    goes_on = stones == 2 and state[_BOTH]
    rules.advance_header(state, following, state[0] if goes_on else 1 - state[0])
    following[_BOTH] = stones == 2 and not goes_on
    following[rules.HEADER + action] = 1 + state[0]
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = _run(params, following, action, right, up)
        if run == connect or (run > connect and longer):
            following[1] = 1 + state[0]


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    if state[1]:
        return 1 if state[1] == 1 else -1
    return 0 if rules.length(state) == params[0] * params[1] else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    cells = params[0] * params[1]
    for cell in range(cells):
        planes[cell] = state[rules.HEADER + cell] == 1
        planes[cells + cell] = state[rules.HEADER + cell] == 2
        planes[2 * cells + cell] = 1 - state[0]
        planes[3 * cells + cell] = state[_BOTH]


def make(width: int, height: int, connect: int, stones: Literal[1, 2] = 1, longer: bool = True) -> Game:
    """The game; `lines` declares its lines."""
    cells, on = width * height, places.on_cells(height, width)
    return Game(
        ruleset=Ruleset(
            rules.table(initial, actions, play, outcome, encode),
            params=np.array([width, height, connect, stones, longer], np.int64),
            state_size=rules.HEADER + -(-cells // 8) * 8, max_actions=cells, max_length=cells, typical_length=cells,
            lines=Lines(width, height, connect, stones, longer),
        ),
        layout=Layout(
            planes=(4, height, width), action_count=cells, action_name=lambda state, action: str(action), text=str,
            action_planes=on.planes, action_places=on.places,
        ),
        name=f"lines:{width}x{height},{connect},{stones},{longer}",
    )  # fmt: skip
