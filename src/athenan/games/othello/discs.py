"""Moves and captures of Othello on words of 64 bits, up to 8 x 8: a row and a column are bit 8 * row + column."""

import numpy as np
from numpy.typing import NDArray

from athenan import rules
from athenan.rules.geometry.bits import ONE, highest

_NONE = np.uint64(0)


@rules.helper
def _shift(word, step):
    """Every bit `step` places up, or down if it is negative."""
    return word << np.uint64(step) if step > 0 else word >> np.uint64(-step)


@rules.helper
def _fill(start, through, step):
    """The run of `through` beside the start, at most six cells, found by doubling (Kogge-Stone)."""
    run = through & _shift(start, step)
    run |= through & _shift(run, step)
    through &= _shift(through, step)
    run |= through & _shift(run, 2 * step)
    return run | (through & _shift(run, 2 * step))


@rules.helper
def _ends(own, through, step):
    """The cells just behind the runs that begin beside own discs."""
    return _shift(_fill(own, through, step), step) | _shift(_fill(own, through, -step), -step)


@rules.helper
def moves_of(own, other, empty, inner):
    """The empty cells where a disc of `own` captures.

    `inner` are the cells outside the first and the last column: discs on these columns are captured only along them.
    """
    within = other & inner
    ends = _ends(own, within, 1) | _ends(own, other, 8) | _ends(own, within, 7) | _ends(own, within, 9)
    return empty & ends


def _rays() -> NDArray[np.uint64]:
    """The cells in each direction from a cell, as words: four directions to higher bits, then four to lower ones."""
    up = ((0, 1), (1, -1), (1, 0), (1, 1))
    rays = np.zeros((64, 8), np.uint64)
    for cell in range(64):
        for number, (down, right) in enumerate((*up, *((-down, -right) for down, right in up))):
            row, column = divmod(cell, 8)
            while 0 <= (row := row + down) < 8 and 0 <= (column := column + right) < 8:
                rays[cell, number] |= ONE << np.uint64(8 * row + column)
    return rays


_RAYS = _rays()


@rules.helper
def _turned_up(own, other, ray):
    """The discs of `other` that turn along a ray to higher bits: a carry runs through them to the first other cell."""
    end = ((other | ~ray) + ONE) & own & ray
    return (end - np.uint64(end != _NONE)) & ray


@rules.helper
def _turned_down(own, other, ray):
    """The discs of `other` that turn along a ray to lower bits: all above its highest other cell, if that is own."""
    end = own & ray & (ONE << np.uint64(highest((ray & ~other) | ONE)))
    return ray & (_NONE - (end << ONE))


@rules.helper
def captures(own, other, cell):
    """The discs of `other` that turn when a disc of `own` is put on an empty cell."""
    rays = _RAYS[cell]
    found = _NONE
    for number in range(4):
        found |= _turned_up(own, other, rays[number]) | _turned_down(own, other, rays[4 + number])
    return found
