"""Small groups of stones, and which player they favour: features for pattern networks.

A component of stones of both colours is *small* if it has up to four stones and one of them has a single neighbour. The
worth of small components is known and can be added up, while a tuple of cells sees one of them at a time. Squares of
four stones, components without a known value and larger ones are left to the tuples.

What a component is worth depends only on which stones are neighbours. So there are four kinds, which are found on the
whole board at once: two stones, three and four in a path, bent or not, and one stone with three around it. The *inner*
stones of a component, all but the ones with a single neighbour, are told apart by the colours of their neighbours:

- two stones of both colours are worth a star;
- one inner stone with one stone of the other colour beside it is worth an up for its player, and a star with more;
- two inner stones of one colour, with one end of the other colour, are worth two ups for their player and a star, and
  nothing with two such ends;
- two inner stones of both colours are worth nothing if both ends have the colours of the stones beside them. With one
  end of another colour, they are worth an up for the player of the inner stone beside it, and a star. With two, their
  value is not known.

Tests compare this with the worth of each component that playing finds.
"""

from functools import cache

import numpy as np

from athenan import rules
from athenan.rules import Features
from athenan.rules.geometry.packing import fill, pack_board, unpack_board
from athenan.rules.geometry.pairs import (
    any_in,
    around,
    exchanged,
    first_of,
    load_edge_pairs,
    neighbours,
    pair,
    second_of,
)
from athenan.rules.geometry.words import count_of

EDGES = 2
"""The index in `params` of the edges."""


@rules.helper
def _of_both(boards):
    """The cells of either player, for both."""
    return boards | exchanged(boards)


@rules.helper
def _at_least(near):
    """The cells in one, two and three of four boards, or more, and in all four."""
    left, right, below, above = near
    row, column, both_of_row, both_of_column = left | right, below | above, left & right, below & above
    two, three = both_of_row | both_of_column | row & column, both_of_row & column | both_of_column & row
    return row | column, two, three, both_of_row & both_of_column


@rules.helper
def _settled(stones, near, width, edges, none):
    """The small components of known value, and perhaps empty cells beside them; then the stones of each player that
    stand for a star, for an up and for two ups.
    """
    left, right, below, above = near
    one, two, three, four = _at_least((_of_both(left), _of_both(right), _of_both(below), _of_both(above)))
    ends = stones & one & ~two
    left, right, below, above = neighbours(ends, width, edges)
    own_end, own_ends, _, _ = _at_least((left, right, below, above))
    an_end, both_ends, three_ends, _ = _at_least((_of_both(left), _of_both(right), _of_both(below), _of_both(above)))
    other_end, other_ends = exchanged(own_end), exchanged(own_ends)
    pairs, path, fork = ends & an_end, stones & two & ~three, stones & three & ~four
    single = path & both_ends | fork & three_ends  # inner stones without another one
    path &= an_end & ~both_ends
    beside_own = around(path, width, edges)
    double = path & _of_both(beside_own)  # inner stones beside another one
    unlike = double & other_end  # those with an end of the other colour
    both_unlike = unlike & _of_both(around(unlike, width, edges))
    one_unlike = unlike ^ both_unlike
    found = pairs | single | double & ~(both_unlike & ~beside_own)
    stars = pair(first_of(pairs & other_end), none) | single & other_ends | one_unlike
    ups = single & other_end & ~other_ends | one_unlike & ~beside_own
    return found | around(found, width, edges), stars, ups, one_unlike & beside_own


@rules.helper
def _lead(boards):
    """The number of the first player's cells less the second player's."""
    return count_of(first_of(boards)) - count_of(second_of(boards))


@rules.helper
def _write_features(params, planes, features, none):
    width, area, edges = params[0], params[0] * params[1], load_edge_pairs(params, EDGES, none)
    stones = pair(pack_board(planes, 0, area, none), pack_board(planes, area, area, none))
    near = neighbours(stones, width, edges)
    left, right, below, above = near
    live, all_stones = _of_both(stones & exchanged(left | right | below | above)), _of_both(stones)
    more = live
    while any_in(more):
        more = around(live, width, edges) & all_stones & ~live
        live |= more
    settled, stars, ups, two_ups = _settled(stones, near, width, edges, none)
    odd, lead = _lead(stars) & 1, _lead(ups) + 2 * _lead(two_ups)
    unpack_board(first_of(live & ~_of_both(settled)), features, 0, area)
    fill(features, area, area, odd)
    fill(features, 2 * area, area, lead > 0)
    fill(features, 3 * area, area, lead < 0)


@cache
def features_of(words: int) -> Features:
    """The features of boards of a number of words.

    Stones that may still move or be taken, except in small components; then, the same on all cells: whether the small
    components have an odd number of stars; whether their ups are more than 0; and whether they are less.
    """
    none = (np.uint64(0),) * words

    @rules.kernel(rules.FEATURES)
    def features(params, planes, features):
        _write_features(params, planes, features, none)

    return Features(4, ((2, 3),), features)
