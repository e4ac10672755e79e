"""Windows: the groups of `connect` neighbouring cells of a row, column or diagonal, in which a line can be completed.

A window that has no stone of the opponent is *open*. Here all windows of a board are looked at together: rows are words
of bits, a loop goes over all rows, and what a window lacks is counted up to three. So the processor counts eight rows
at once.
"""

import numpy as np

from athenan.rules.compiler import helper, inlined
from athenan.rules.geometry.bits import ONE, lowest
from athenan.rules.geometry.packing import pack_row
from athenan.rules.memory import record_at, scratch

MOST_ROWS = 24
"""The most rows of a board."""
MOST_COLUMNS = 24
"""The most columns of a board."""
MOST_CONNECT = 8
"""The most cells of a line. A word of 32 bits has room for a row moved by one cell less."""
DIRECTIONS = 4
SHAPE = np.dtype(
    [("width", np.int64), ("height", np.int64), ("connect", np.int64), ("stones", np.int64), ("longer", np.int64)],
    align=True,
)
"""The board and its lines, as the last parameters of a game (`lines.Lines`)."""
SHAPE_SIZE = SHAPE.itemsize // 8
ROWS = 32
"""Numbers for the rows of one player, with the rows beyond the edge that windows reach."""
BOARD = 2 * ROWS
"""Numbers for the rows of both players."""
_SMALL = 16
WINDOWS = 4 * DIRECTIONS * MOST_ROWS
"""Numbers for `find_windows`."""


@helper
def shape_of(params):
    """The board and its lines, from the parameters of a game."""
    return record_at(params, len(params) - SHAPE_SIZE, SHAPE)


@helper
def read_board(shape, planes, rows):
    """Writes the stones of both players, planes 0 and 1, as rows of bits."""
    width, height, cells = shape.width, shape.height, shape.width * shape.height
    for player in range(2):
        begin = player * ROWS
        for row in range(height):
            rows[begin + row] = np.uint32(pack_row(planes, player * cells + row * width, width))
        for row in range(height, ROWS):
            rows[begin + row] = 0


@helper
def place_of(player, lacking, direction):
    """Where `find_windows` writes the rows of the open windows of a player that lack one or two stones."""
    return ((2 * player + lacking - 1) * DIRECTIONS + direction) * MOST_ROWS


@inlined
def _scan(shape, rows, windows, used):
    """Finds the windows of boards with up to `used` rows, a constant; returns the bits of what `find_windows` does."""
    one, two, three = scratch(MOST_ROWS, np.uint32), scratch(MOST_ROWS, np.uint32), scratch(MOST_ROWS, np.uint32)
    of_first, of_second = scratch(MOST_ROWS, np.uint32), scratch(MOST_ROWS, np.uint32)
    connect, found = shape.connect, 0
    for direction in range(DIRECTIONS):
        up, right, left = np.int64(direction > 0), np.uint32(direction in (0, 2)), np.uint32(direction == 3)
        for row in range(used):
            one[row] = two[row] = three[row] = of_first[row] = of_second[row] = 0
        for step in range(connect):
            by_right, by_left, begin = right * np.uint32(step), left * np.uint32(step), up * step
            for row in range(used):
                first = (rows[begin + row] << by_left) >> by_right
                second = (rows[ROWS + begin + row] << by_left) >> by_right
                empty = ~(first | second)
                of_first[row] |= first
                of_second[row] |= second
                three[row] |= two[row] & empty
                two[row] |= one[row] & empty
                one[row] |= empty
        columns = np.uint32((1 << shape.width) - 1)
        if right:
            columns >>= np.uint32(connect - 1)
        if left:
            columns &= ~np.uint32((1 << (connect - 1)) - 1)
        inside = shape.height - up * (connect - 1)
        for player in range(2):
            own, other = (of_first, of_second) if player == 0 else (of_second, of_first)
            at, any_one, any_two = place_of(player, 1, direction), np.uint32(0), np.uint32(0)
            second_at = at + DIRECTIONS * MOST_ROWS
            for row in range(used):
                lacks_one = np.uint32(0)
                lacks_two = np.uint32(0)
                if row < inside:
                    open_windows = columns & own[row] & ~other[row]
                    lacks_one = open_windows & one[row] & ~two[row]
                    lacks_two = open_windows & two[row] & ~three[row]
                windows[at + row], windows[second_at + row] = lacks_one, lacks_two
                any_one |= lacks_one
                any_two |= lacks_two
            found |= (int(any_one != 0) | int(any_two != 0) << 1) << 2 * player
    return found


@helper
def find_windows(shape, rows, windows):
    """Writes the open windows of each player that lack one stone and that lack two, by direction and row, as the bits
    of their first cells.

    Returns which there are: bit 2 * player + lacking - 1.
    """
    if shape.height <= _SMALL:
        return _scan(shape, rows, windows, _SMALL)
    return _scan(shape, rows, windows, MOST_ROWS)


@helper
def _ends_beside(shape, rows, player, row, column, up, right):
    """Whether a stone of the player stands beside an end of a window, so that it is part of a longer line."""
    for step in (-1, shape.connect):
        at, to = row + step * up, column + step * right
        if 0 <= at < shape.height and 0 <= to < shape.width and rows[player * ROWS + at] >> np.uint32(to) & 1:
            return True
    return False


@helper
def list_gaps(shape, rows, windows, player, lacking, gaps):
    """Lists the empty cells of the open windows that lack one or two stones: two numbers for each, perhaps the same.

    Returns how many windows there are, as many as `gaps` has room for. Windows that could only become part of a longer
    line are left out where those do not win.
    """
    count, most = 0, len(gaps) // 2
    for direction in range(DIRECTIONS):
        up = np.int64(direction > 0)
        right = 0 if direction == 1 else -1 if direction == 3 else 1
        begin = place_of(player, lacking, direction)
        for row in range(shape.height):
            bits = np.uint64(windows[begin + row])
            while bits and count < most:
                column = lowest(bits)
                bits &= bits - ONE
                if not shape.longer and _ends_beside(shape, rows, player, row, column, up, right):
                    continue
                found = 0
                for step in range(shape.connect):
                    at, to = row + step * up, column + step * right
                    if not (rows[at] | rows[ROWS + at]) >> np.uint32(to) & 1:
                        gaps[2 * count + (found & 1)] = at * shape.width + to
                        found += 1
                if found == 1:
                    gaps[2 * count + 1] = gaps[2 * count]
                count += 1
    return count
