"""Floods of hexagonal boards by neighbours and bridges, for features of pattern networks.

A bridge joins a cell to another that it does not touch, but with which it has two empty neighbours in common: if the
opponent fills one of them, the player fills the other. Bridges that share neighbours are not noticed.

A row of the board is a word of bits. The cell at bit b of a row touches the bits b - 1 and b + 1 of the row, b and
b + 1 of the row above, and b and b - 1 of the row below. Several floods, the *lanes*, run side by side: the words of a
row are one beside the other, a word for each lane, and two rows above and below the board need no checks.
"""

import numpy as np

from athenan import rules

RING = 2
"""Empty rows above and below the board."""
_ONE, _TWO = np.uint64(1), np.uint64(2)


@rules.helper
def around(reached, empty, at, lanes):
    """The cells of a row that a cell reached touches, or to which it has a bridge. `lanes`: the words of a row."""
    above, below = at - lanes, at + lanes
    here, up, down = reached[at], reached[above], reached[below]
    free, free_up, free_down = empty[at], empty[above], empty[below]
    found = here << _ONE | here >> _ONE | up | up >> _ONE | down | down << _ONE
    found |= (reached[below + lanes] & free_down & free_down >> _ONE) << _ONE
    found |= (reached[above - lanes] & free_up & free_up << _ONE) >> _ONE
    found |= (up & free & free_up >> _ONE) << _ONE
    found |= (down & free & free_down << _ONE) >> _ONE
    found |= (up & free << _ONE & free_up << _ONE) >> _TWO
    return found | (down & free >> _ONE & free_down >> _ONE) << _TWO


@rules.helper
def spread(reached, own, empty, begin, end, lanes, joined, next_):
    """Adds the stones that chains of stones join to what is reached; writes the empty cells one further to `next_`.

    `begin` and `end` delimit the words of the board. The loops go over all rows and lanes in turn, by unsigned numbers,
    so that they are compiled to vectors. Stones go on to the stones beside them in their row at once, which saves a
    quarter of the rounds at Hex. `joined` is scratch room.
    """
    more = np.uint64(1)
    while more:
        more = np.uint64(0)
        for at in range(begin, end):
            found = around(reached, empty, at, lanes) & ~reached[at]
            next_[at] = found & empty[at]
            stones = found & own[at]
            joined[at] = stones | (stones << _ONE | stones >> _ONE) & own[at]
            more |= stones
        for at in range(begin, end):
            reached[at] |= joined[at]
