"""Games in which a line of stones wins: who completes one now, and who must answer, for networks and searches.

`Lines` is what a game declares, by one line of its rules (`Ruleset.lines`): the board, how many stones make a line,
and how many stones a turn has. Networks then read the features below, and searches leave out what certainly loses.

A *threat* is an open window (`windows`) that the opponent's next turn can complete. A *double threat* is a cell with
which a player makes two threats at once, of which one stone can stop only one: an open three in Gomoku.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import helper, kernel
from athenan.rules.declared import Features
from athenan.rules.errors import GameError
from athenan.rules.geometry.packing import fill
from athenan.rules.geometry.windows import (
    BOARD,
    MOST_COLUMNS,
    MOST_CONNECT,
    MOST_ROWS,
    WINDOWS,
    find_windows,
    list_gaps,
    read_board,
    shape_of,
)
from athenan.rules.kernels import FEATURES, FORCED
from athenan.rules.memory import scratch

_WINS, _THREATENS, _DOUBLES = 0, 2, 4
_GAPS = 128
"""Numbers for the gaps of 64 windows; more never decide anything else."""
_CELLS = MOST_ROWS * MOST_COLUMNS
_PLANES = 16
"""The most planes of an encoded state."""
_ROOM = _PLANES * _CELLS


@dataclass(frozen=True)
class Lines:
    """A board of width x height cells on which `connect` stones in a row, column or diagonal win at once.

    The players put one stone a turn on any empty cell, or two with `stones=2`. Action row * width + column takes that
    cell. Planes 0 and 1 of an encoded state are the stones, plane 2 is the side to move; with two stones a turn, plane
    3 is 1 everywhere if both stones of the turn are left, else 0.
    """

    width: int
    """Number of columns, at most 24."""
    height: int
    """Number of rows, at most 24."""
    connect: int
    """Stones in a line that win, from 3 to 8."""
    stones: Literal[1, 2] = 1
    """Stones of a turn."""
    longer: bool = True
    """Whether longer lines win as well."""

    def __post_init__(self) -> None:
        if not (1 <= self.width <= MOST_COLUMNS and 1 <= self.height <= MOST_ROWS):
            raise GameError(f"lines: a board has 1 to {MOST_ROWS} rows and columns, not {self.width}x{self.height}")
        if not 3 <= self.connect <= MOST_CONNECT:
            raise GameError(f"lines: connect must be from 3 to {MOST_CONNECT}, not {self.connect}")
        if self.stones not in (1, 2):
            raise GameError(f"lines: stones must be 1 or 2, not {self.stones}")

    def require_planes(self, planes: tuple[int, int, int]) -> None:
        """Raises GameError unless encoded states of this shape can have the planes described above."""
        least = 3 if self.stones == 1 else 4
        if planes[1:] != (self.height, self.width) or not least <= planes[0] <= _PLANES:
            raise GameError(
                f"lines: encoded states must have {least} to {_PLANES} planes of {self.height} rows and {self.width} "
                f"columns, not {planes[0]} of {planes[1]} and {planes[2]}"
            )

    @property
    def params(self) -> NDArray[np.int64]:
        """What the kernels need, as the last parameters of the game (`windows.SHAPE`)."""
        return np.array([self.width, self.height, self.connect, self.stones, self.longer], np.int64)


@helper
def _list_threats(shape, rows, windows, player, most, gaps):
    """Lists the open windows of a player that lack at most one or two stones; returns how many there are."""
    count = list_gaps(shape, rows, windows, player, 1, gaps)
    if most == 2:
        count += list_gaps(shape, rows, windows, player, 2, gaps[2 * count :])
    return count


@helper
def _hits(gaps, number, cell):
    return gaps[2 * number] == cell or gaps[2 * number + 1] == cell


@helper
def _parries(gaps, count, cell, left):
    """Whether a stone on a cell, and `left` - 1 more, take a cell of each window."""
    first = second = -1
    for number in range(count):
        if _hits(gaps, number, cell):
            continue
        if left == 1:
            return False
        if first < 0:
            first, second = gaps[2 * number], gaps[2 * number + 1]
            continue
        if not _hits(gaps, number, first):
            first = -2
        if not _hits(gaps, number, second):
            second = -2
        if first < 0 and second < 0:
            return False
        first = second if first < 0 else first
        second = first if second < 0 else second
    return True


@helper
def _can_parry(gaps, count, left):
    return _parries(gaps, count, gaps[0], left) or _parries(gaps, count, gaps[1], left)


@helper
def _note_doubles(shape, gaps, count, partner, doubles):
    """Finds the cells with which a player who lacks two stones in these windows makes two threats.

    Writes such a cell and the two cells of which the player then needs one, or -1 instead of the first for more than
    two, as three numbers for each cell; returns how many cells there are, up to the room in `doubles`. `partner` is
    room for a number for each cell.
    """
    for cell in range(shape.width * shape.height):
        partner[cell] = -1
    found, most = 0, len(doubles) // 3
    for number in range(2 * count):
        cell, other = gaps[number], gaps[number ^ 1]
        if partner[cell] < 0:
            partner[cell] = other
        elif partner[cell] != other:
            known = 0
            while known < found and doubles[3 * known] != cell:
                known += 1
            if known < found:
                if doubles[3 * known + 2] != other:
                    doubles[3 * known + 1] = -1
            elif found < most:
                doubles[3 * found], doubles[3 * found + 1], doubles[3 * found + 2] = cell, partner[cell], other
                found += 1
    return found


@kernel(FEATURES)
def line_features(params, planes, features):
    """The planes of `LINE_FEATURES`."""
    shape = shape_of(params)
    cells = shape.width * shape.height
    rows, windows, gaps = scratch(BOARD, np.uint32), scratch(WINDOWS, np.uint32), scratch(_GAPS, np.int32)
    for plane in range(6):
        fill(features, plane * cells, cells, 0)
    read_board(shape, planes, rows)
    found = find_windows(shape, rows, windows)
    if not found:
        return
    mover, left = 1 - np.int64(planes[2 * cells]), 1
    if shape.stones == 2:
        left += planes[3 * cells]
    other = 1 - mover
    if found >> 2 * mover & (2 * left - 1) and _list_threats(shape, rows, windows, mover, left, gaps):
        fill(features, (_WINS + mover) * cells, cells, 1)
        return
    count = 0
    if found >> 2 * other & (2 * shape.stones - 1):
        count = _list_threats(shape, rows, windows, other, shape.stones, gaps)
    if count:
        parried = _can_parry(gaps, count, left)
        fill(features, ((_THREATENS if parried else _WINS) + other) * cells, cells, 1)
        if not parried:
            return
    if shape.stones == 2:
        return
    partner, doubles = scratch(_CELLS, np.int32), scratch(3, np.int32)
    for player in (mover, other):
        if found >> 2 * player & 2:
            pairs = list_gaps(shape, rows, windows, player, 2, gaps)
            if _note_doubles(shape, gaps, pairs, partner, doubles):
                won = player == mover and not count and shape.longer
                fill(features, ((_WINS if won else _DOUBLES) + player) * cells, cells, 1)
                if won:
                    return


LINE_FEATURES = Features(6, ((0, 1), (2, 3), (4, 5)), line_features)
"""Six planes, each the same on all cells: whether the first player, and the second, wins within a turn of each; has
threats that the opponent to move can stop; has a double threat that the opponent to move must answer."""


@helper
def _keep(actions, count, cell):
    """Keeps one action if it is legal; returns how many are left."""
    for number in range(count):
        if actions[number] == cell:
            actions[0] = cell
            return 1
    return count


@helper
def _keep_parries(actions, count, gaps, threats, left):
    """Keeps the actions after which the threats can still be stopped, or if they cannot, one that stops some."""
    kept = 0
    for number in range(count):
        if _parries(gaps, threats, actions[number], left):
            actions[kept] = actions[number]
            kept += 1
    return kept if kept else _keep(actions, count, gaps[0])


@helper
def _stops(doubles, number, cell):
    """Whether a stone on a cell takes a double threat away."""
    if doubles[3 * number] == cell:
        return True
    return doubles[3 * number + 1] >= 0 and (doubles[3 * number + 1] == cell or doubles[3 * number + 2] == cell)


@helper
def _keep_answers(actions, count, gaps, own, doubles, threats):
    """Keeps the actions that take all double threats away, or make a threat; if there are none, one that takes one."""
    kept = 0
    for number in range(count):
        cell, stopped = actions[number], 0
        while stopped < threats and _stops(doubles, stopped, cell):
            stopped += 1
        useful = stopped == threats
        for window in range(own):
            useful |= _hits(gaps, window, cell)
        if useful:
            actions[kept] = cell
            kept += 1
    return kept if kept else _keep(actions, count, doubles[0])


@helper
def _keep_by_doubles(shape, rows, windows, mover, actions, count):
    """Keeps the mover's double threat, or the answers to the opponent's; there are no threats."""
    partner, doubles = scratch(_CELLS, np.int32), scratch(_GAPS, np.int32)
    gaps, of_other = scratch(_GAPS, np.int32), scratch(_GAPS, np.int32)
    own = list_gaps(shape, rows, windows, mover, 2, gaps)
    if 2 * own == _GAPS:  # perhaps there are more of them, each of which answers
        return count
    if _note_doubles(shape, gaps, own, partner, doubles):
        return _keep(actions, count, doubles[0])
    pairs = list_gaps(shape, rows, windows, 1 - mover, 2, of_other)
    threats = _note_doubles(shape, of_other, pairs, partner, doubles)
    return _keep_answers(actions, count, gaps, own, doubles, threats) if threats else count


@kernel(FORCED)
def forced_in_lines(rules, state, actions):
    """The actions among which the best result of the mover lies; see `FORCED`.

    A player who can complete a line does so. Otherwise one who faces threats stops them, and with one stone a turn one
    who has a double threat makes it, and one who faces double threats takes them away or makes a threat. Every action
    that is left out loses within two turns of the opponent, or the one that is kept wins.
    """
    count = calls.actions(rules, state, actions)
    shape = shape_of(rules.params)
    cells = shape.width * shape.height
    planes, rows = scratch(_ROOM, np.int8), scratch(BOARD, np.uint32)
    windows, gaps = scratch(WINDOWS, np.uint32), scratch(_GAPS, np.int32)
    calls.encode(rules, state, planes)
    read_board(shape, planes, rows)
    found = find_windows(shape, rows, windows)
    if not found or count < 2:
        return count
    mover, left = 1 - np.int64(planes[2 * cells]), 1
    if shape.stones == 2:
        left += planes[3 * cells]
    other = 1 - mover
    if found >> 2 * mover & (2 * left - 1) and _list_threats(shape, rows, windows, mover, left, gaps):
        return _keep(actions, count, gaps[0])
    if found >> 2 * other & (2 * shape.stones - 1):
        threats = _list_threats(shape, rows, windows, other, shape.stones, gaps)
        if threats:
            return _keep_parries(actions, count, gaps, threats, left)
    if shape.stones == 2 or not shape.longer:
        return count
    return _keep_by_doubles(shape, rows, windows, mover, actions, count)
