"""Small groups of stones, and which player they favour: features for pattern networks.

A component of stones of both colours is *small* if it has up to four stones and one of them has a single neighbour. The
worth of small components is known (`values`) and can be added up, while a tuple of cells sees one of them at a time.
Squares of four stones, components without a known value and larger ones are left to the tuples.
"""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.games.clobber.values import components, value
from athenan.rules import Features
from athenan.rules.geometry.bits import ONE, lowest, popcount
from athenan.rules.geometry.packing import fill, pack_row, unpack_row

FEATURES = Features(planes=4, exchanged=((2, 3),))
"""Stones that may still move or be taken, except in small components; then, the same on all cells: whether the small
components have an odd number of stars; whether their ups are more than 0; and whether they are less.
"""
_SMALL = 4
_REACH = _SMALL - 1
"""Rows and columns beyond a stone that its component may reach."""
_RING = _SMALL
"""Empty rows before and behind, and columns before, so that none needs a check."""
_ROOM = 16 + 2 * _RING
_WIDTH = 8
"""Bits of a row of the window around a stone: seven cells and an empty one."""
_CENTRE = np.uint64(ONE << np.uint64(_WIDTH * _REACH + _REACH))
_ROW = np.uint64(2 ** (2 * _REACH + 1) - 1)
_MULTIPLIER, _SLOTS, _SHIFT = np.uint64(0x67CE74A409681369), 4096, np.uint64(64 - 12)
"""No two small components have the same slot."""
_UNKNOWN, _STAR = 8, 16


@rules.helper
def _slot(component, first):
    """The slot of a component in `_VALUES`: its cells and the first player's, 16 bits each in rows of four."""
    return ((component << np.uint64(16) | first) * _MULTIPLIER) >> _SHIFT


def _table() -> NDArray[np.int8]:
    """The ups and _STAR of each slot, or _UNKNOWN, int8[_SLOTS]."""
    table = np.full(_SLOTS, _UNKNOWN, np.int8)
    for component in components(_SMALL):
        cells = sum(1 << 4 * row + column for (row, column), _ in component)
        first = sum(1 << 4 * row + column for (row, column), player in component if player == 0)
        worth = value(component)
        if worth:
            slot = (cells << 16 | first) * int(_MULTIPLIER) % 2**64 >> int(_SHIFT)
            table[slot] = worth.ups + _STAR * worth.star
    return table


_VALUES = _table()


@rules.helper
def _beside(rows, row):
    """The cells beside the cells of a row."""
    return rows[row] << ONE | rows[row] >> ONE | rows[row - 1] | rows[row + 1]


@rules.helper
def _read(planes, width, height, first, second, stones):
    """Writes the stones as bits, row by row."""
    for row in range(height + 2 * _RING):
        first[row] = second[row] = stones[row] = np.uint64(0)
    for row in range(_RING, _RING + height):
        begin = (row - _RING) * width
        first[row] = pack_row(planes, begin, width) << np.uint64(_RING)
        second[row] = pack_row(planes, width * height + begin, width) << np.uint64(_RING)
        stones[row] = first[row] | second[row]


@rules.helper
def _find(first, second, stones, height, live, ends):
    """Writes the stones of components of both colours, and the stones with a single neighbour."""
    for row in range(height + 2 * _RING):
        live[row] = ends[row] = np.uint64(0)
    for row in range(_RING, _RING + height):
        left, right, below, above = stones[row] << ONE, stones[row] >> ONE, stones[row - 1], stones[row + 1]
        live[row] = first[row] & _beside(second, row) | second[row] & _beside(first, row)
        ends[row] = stones[row] & (left ^ right ^ below ^ above) & ~(left & right | below & above)
    more = ONE
    while more:
        more = np.uint64(0)
        for row in range(_RING, _RING + height):
            reached = stones[row] & (live[row] | _beside(live, row))
            more |= reached & ~live[row]
            live[row] = reached


@rules.helper
def _window(rows, row, column):
    """The cells around one as bits, _WIDTH for each row."""
    cells, shift = np.uint64(0), np.uint64(column - _REACH)
    for line in range(2 * _REACH + 1):
        cells |= ((rows[row - _REACH + line] >> shift) & _ROW) << np.uint64(_WIDTH * line)
    return cells


@rules.helper
def _component(stones):
    """The stones of a window that are connected with the one at its centre, or more than _SMALL of them."""
    found = _CENTRE
    for _ in range(_SMALL):
        found |= (found << ONE | found >> ONE | found << np.uint64(_WIDTH) | found >> np.uint64(_WIDTH)) & stones
    return found


@rules.helper
def _goes_on(component, stones, row, column):
    """Whether a straight component of _SMALL stones has another one beyond its window."""
    far, line = _SMALL, _WIDTH * _REACH
    below = component >> np.uint64(_REACH) & stones[row - far] >> np.uint64(column)
    above = component >> np.uint64(2 * line + _REACH) & stones[row + far] >> np.uint64(column)
    left = component >> np.uint64(line) & stones[row] >> np.uint64(column - far)
    right = component >> np.uint64(line + 2 * _REACH) & stones[row] >> np.uint64(column + far)
    return (below | above | left | right) & ONE


@rules.helper
def _packed(cells):
    """The lowest four rows and columns of a window, four bits each."""
    cells = (cells | cells >> np.uint64(4)) & np.uint64(0x00FF00FF)
    return (cells | cells >> np.uint64(8)) & np.uint64(0xFFFF)


@rules.helper
def _worth(component, first):
    """The ups and _STAR, or _UNKNOWN, of a component of a window; `first` are its stones of the first player."""
    columns = component
    for half in (32, 16, 8):
        columns |= columns >> np.uint64(half)
    shift = np.uint64((lowest(component) & ~(_WIDTH - 1)) + lowest(columns & _ROW))
    return _VALUES[_slot(_packed(component >> shift), _packed(first >> shift))]


@rules.helper
def _settle(first, stones, height, live, ends):
    """Takes small components of known value from the live stones. Returns their ups, and 1 if their stars are odd."""
    ups, odd = 0, 0
    for row in range(_RING, _RING + height):
        left = ends[row] & live[row]
        while left:
            column = lowest(left)
            left &= left - ONE
            component = _component(_window(stones, row, column))
            other_ends = component & _window(ends, row, column) & (_CENTRE - ONE)
            if other_ends or popcount(component) > _SMALL or _goes_on(component, stones, row, column):
                continue  # only one end of a component counts
            worth = _worth(component, component & _window(first, row, column))
            if worth == _UNKNOWN:
                continue
            star = worth > _UNKNOWN
            ups, odd = ups + worth - _STAR * star, odd ^ star
            for line in range(2 * _REACH + 1):
                cells = (component >> np.uint64(_WIDTH * line)) & _ROW
                live[row - _REACH + line] &= ~(cells << np.uint64(column - _REACH))
    return ups, odd


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    width, height = params[0], params[1]
    area = width * height
    first, second = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    stones, live = rules.scratch(_ROOM, np.uint64), rules.scratch(_ROOM, np.uint64)
    ends = rules.scratch(_ROOM, np.uint64)
    _read(planes, width, height, first, second, stones)
    _find(first, second, stones, height, live, ends)
    ups, odd = _settle(first, stones, height, live, ends)
    for row in range(height):
        unpack_row(live[_RING + row] >> np.uint64(_RING), features, row * width, width)
    fill(features, area, area, odd)
    fill(features, 2 * area, area, ups > 0)
    fill(features, 3 * area, area, ups < 0)
