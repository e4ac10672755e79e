"""Floods of hexagonal boards by neighbours and bridges, for features of pattern networks.

A bridge joins a cell to another that it does not touch, but with which it has two empty neighbours in common: if the
opponent fills one of them, the player fills the other. Bridges that share neighbours are not noticed.

A board is a string of bits, row by row as in the planes. Its frame has no empty cells and no stones for a flood to
join, so that no flood runs from one row into the next. A cell touches the cells that are 1, `step` and `step` + 1 bits
away. Four floods, the *lanes*, run side by side: word 0 of each, then word 1 of each, and so on. With an empty word
before and behind the board in each lane, shifts need no checks.
"""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.geometry.bits import ONE, shift_down, shift_up

_MOST_WORDS = 7
"""The words of the largest board: Hex 19 with its frame."""
LANES = np.uint64(4)
FLOODS = (_MOST_WORDS + 2) * 4
"""Room for the words of all floods. Those of the board begin at index `LANES`."""
LINKS = 6 * FLOODS
"""Room for the words of `link`: six directions, each `FLOODS` words behind the one before it."""
_1, _2, _3, _4, _5 = (np.uint64(FLOODS * direction) for direction in range(1, 6))


@helper
def _up(words, at, bits):
    """The word at `at` if all cells of its lane are moved up by some bits."""
    return shift_up(words[at], words[at - LANES], bits)


@helper
def _down(words, at, bits):
    """The word at `at` if all cells of its lane are moved down by some bits."""
    return shift_down(words[at], words[at + LANES], bits)


@helper
def link(empty, end, step, links):
    """Writes, for each of six directions, the cells to which bridges lead: the two cells between are empty.

    `end` is the index behind the words of the board.
    """
    for at in range(LANES, end):
        up, up_step, up_both = _up(empty, at, ONE), _up(empty, at, step), _up(empty, at, step + ONE)
        down, down_step, down_both = _down(empty, at, ONE), _down(empty, at, step), _down(empty, at, step + ONE)
        links[at], links[_1 + at], links[_2 + at] = up & up_both, up_both & up_step, up_step & down
        links[_3 + at], links[_4 + at], links[_5 + at] = down & down_both, down_both & down_step, down_step & up


@helper
def around(reached, links, at, step):
    """The cells of a word that a cell reached touches, or to which it has a bridge."""
    found = _up(reached, at, ONE) | _up(reached, at, step) | _up(reached, at, step + ONE)
    found |= _down(reached, at, ONE) | _down(reached, at, step) | _down(reached, at, step + ONE)
    found |= _up(reached, at, step + ONE + ONE) & links[at] | _down(reached, at, step + ONE + ONE) & links[_3 + at]
    found |= _up(reached, at, step + step + ONE) & links[_1 + at]
    found |= _down(reached, at, step + step + ONE) & links[_4 + at]
    return found | _up(reached, at, step - ONE) & links[_2 + at] | _down(reached, at, step - ONE) & links[_5 + at]


@helper
def spread(reached, own, empty, links, end, step, next_):
    """Adds the stones that chains of stones join to what is reached; writes the empty cells one further to `next_`.

    The loop goes over all words and lanes in turn, by unsigned numbers, so that it is compiled to vectors. It joins the
    stones of the same word that new stones touch at once, which saves rounds.
    """
    more = ONE
    while more:
        more = np.uint64(0)
        for at in range(LANES, end):
            here, stones = reached[at], own[at]
            found = around(reached, links, at, step) & ~here
            next_[at] = found & empty[at]
            new = found & stones
            touched = new << ONE | new >> ONE | new << step | new >> step
            touched |= new << (step + ONE) | new >> (step + ONE)
            reached[at] = here | new | touched & stones
            more |= new
