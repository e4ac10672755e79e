"""What players of backgammon count, as features for networks: shots, escapes, blocks, pips.

Each player has four planes, with places in the player's own numbering: place p is column p for the first player and
column 25 - p for the second. So exchanging the players exchanges the planes and reverses their columns.

1. *Shots*: for each blot, how many of the opponent's 36 rolls hit it, with one die, with both or with a double.
2. *Escapes*: for each place from 13 on with a checker, how many of 36 rolls this checker can play with both dice (a
   double twice), in either order, past the opponent's points.
3. *Blocks*: at the lowest of neighbouring points with two or more checkers, how many of them there are.
4. *Numbers* of the whole board, one a column: see `NUMBERS`.

A player with two checkers on the bar is assumed to hit only where one enters; no other choice of a roll is weighed. GNU
Backgammon's networks also read such numbers (`eval.c`). Without contact there are no shots and no escapes.
"""

import numpy as np

from athenan import rules
from athenan.games.backgammon.board import (
    BAR,
    IN_PLAY,
    PLACES,
    POINTS,
    highest_place,
    lowest_place,
    reversed_places,
    up_to,
)
from athenan.games.backgammon.planes import MORE, THRESHOLDS
from athenan.rules import Features
from athenan.rules.geometry.bits import popcount

NUMBERS = (
    "rolls that hit a blot / 3", "rolls that hit two / 3", "pips lost by hits, mean", "escapes of the last checker / 4",
    "fewest escapes from 19 to the bar / 4", "escapes from 13 to the bar / 36", "pips / 8", "pips ahead / 3",
    "whether there is no contact", "longest block", "points in the home board", "points in the opponent's home board",
    "rolls that enter from the bar / 4", "checkers not at home", "checkers behind the opponent's last one",
    "without contact: pips ahead / 2", "without contact: pips / 6",
)  # fmt: skip
"""The columns of the last planes."""
_LEAD = 120
"""The most pips that a player may be ahead or behind."""
_SHIFT = 12
"""Places below the board, where checkers that bear off land."""
_BACK = IN_PLAY & ~up_to.py_func(12)
_HOME, _FAR = POINTS & up_to.py_func(6), POINTS & ~up_to.py_func(18)
_WITH_BIT = tuple(sum(1 << place for place in range(PLACES) if place >> bit & 1) for bit in range(5))
"""The places whose number has a bit."""
_GATHER = np.uint64(0x0102040810204080)


@rules.helper
def _columns(planes, plane):
    """The columns where a plane of 0 and 1 is 1, as bits."""
    begin, found = PLACES * plane, np.int64(0)
    for column in (0, 8, 16, PLACES - 8):
        found |= np.int64(rules.load64(planes, begin + column) * _GATHER >> np.uint64(56)) << column
    return found


@rules.helper
def _with_at_least(planes, player, count):
    """The places with at least `count` checkers of a player, in the player's numbering."""
    found = _columns(planes, player if count == 1 else MORE + THRESHOLDS * player + count - 2)
    return reversed_places(found) if player else found


@rules.helper
def _sum_of_places(places):
    """The sum of the places of a set; each bit of the numbers is counted separately."""
    found = np.int64(0)
    for bit in range(5):
        found += popcount(np.uint64(places & _WITH_BIT[bit])) << bit
    return found


@rules.helper
def _pips(planes, player):
    """The pips of a player, and the checkers outside the home board."""
    pips = outside = np.int64(0)
    for count in range(1, THRESHOLDS + 1):
        places = _with_at_least(planes, player, count)
        if places == 0:
            break
        pips += _sum_of_places(places)
        outside += popcount(np.uint64(places & ~_HOME))
    above = PLACES * (MORE + THRESHOLDS * (player + 1) - 1)
    for start in (0, 8, 16, PLACES - 8):
        if rules.load64(planes, above + start):
            for column in range(max(start, 24 * (start == PLACES - 8)), start + 8):
                more, place = np.int64(planes[above + column]), PLACES - 1 - column if player else column
                pips += place * more
                outside += more * (place > 6)
    return pips, outside


@rules.helper
def _add(counters, first, length, places):
    """Adds 1 to the counters of places: counter `first` + k has bit k of the numbers, which have `length` bits."""
    for power in range(first, first + length):
        counters[power], places = counters[power] ^ places, counters[power] & places


@rules.helper
def _count_roll(counters, places, double):
    """Counts a roll for places: the doubles in three bits, the other rolls in four."""
    if double:
        _add(counters, 0, 3, places)
    else:
        _add(counters, 3, 4, places)


@rules.helper
def _count(counters, place):
    """How many of 36 rolls were counted for a place."""
    found = np.int64(0)
    for power in range(3):
        found += (counters[power] >> place & 1) << power
    for power in range(4):
        found += (counters[3 + power] >> place & 1) << (power + 1)
    return found


@rules.helper
def _hit_in_turn(starts, free, die, moves):
    """Where checkers can land with a double, by `moves` moves of one of them."""
    found = np.int64(0)
    for _ in range(moves):
        starts >>= die
        found |= starts
        starts &= free
    return found


@rules.helper
def _reached(own, free, two_on_bar, one, other):
    """Where the checkers at the places `own` can hit with a roll; `free` are the places where they may land."""
    if own >> BAR & 1 == 0:
        if one == other:
            return _hit_in_turn(own, free, one, 4)
        return own >> one | own >> other | (own >> one & free) >> other | (own >> other & free) >> one
    found, rest = np.int64(0), own & ~(1 << BAR)
    for die, second in ((one, other), (other, one)):
        entry = 1 << (BAR - die)
        if entry & free:
            found |= entry
            if not two_on_bar:
                found |= _hit_in_turn(rest | entry, free, die, 3) if one == other else (rest | entry) >> second
    return found


@rules.helper
def _count_shots(blots, own, free, two_on_bar, counters):
    """Counts for each blot the rolls that hit it; all in the numbering of the player who hits.

    Returns the rolls that hit, the rolls that hit two, and the pips lost by the hit that costs most, over 36 rolls.
    """
    any_hit = two_hit = lost = np.int64(0)
    for one in range(1, 7):
        for other in range(1, one + 1):
            hit = _reached(own, free, two_on_bar, one, other) & blots
            if hit:
                weight = 1 if one == other else 2
                _count_roll(counters, hit, one == other)
                any_hit += weight
                two_hit += weight * (hit & (hit - 1) != 0)
                lost += weight * highest_place(hit)
    return any_hit, two_hit, lost


@rules.helper
def _count_escapes(free, counters):
    """Counts for each place the rolls that a checker there can play with both dice."""
    below = free << _SHIFT | (1 << (_SHIFT + 1)) - 1
    for one in range(1, 7):
        for other in range(1, one + 1):
            landing = below << (one + other) & (below << one | below << other)
            _count_roll(counters, landing >> _SHIFT & IN_PLAY, one == other)


@rules.helper
def _write_blocks(features, begin, step, made):
    """Writes the blocks of points; returns the length of the longest."""
    longest, places = np.int64(0), made & POINTS
    while places:
        first = lowest_place(places)
        length = lowest_place(~(places >> first))
        features[begin + step * first] = length
        longest = max(longest, length)
        places &= ~((1 << (first + length)) - 1)
    return longest


@rules.helper
def _write_shots(features, begin, step, own, made, there, theirs, counters):
    """Writes the shots at the player's blots; returns what `_count_shots` does."""
    blots = reversed_places(own & ~made) & POINTS
    found = _count_shots(
        blots, reversed_places(there), ~reversed_places(made & POINTS) & POINTS, theirs & 1, counters
    )  # fmt: skip
    while blots:
        place = lowest_place(blots)
        blots &= blots - 1
        features[begin + step * (BAR - place)] = (_count(counters, place) + 1) // 3
    return found


@rules.helper
def _write_escapes(features, begin, step, own, counters):
    """Writes the escapes of the checkers at the back."""
    back = own & _BACK
    while back:
        place = lowest_place(back)
        back &= back - 1
        features[begin + step * place] = _count(counters, place) // 4


@rules.helper
def _escapes_in_all(counters):
    """The fewest escapes of the places from 19 on, and the sum of the escapes from 13 on."""
    fewest, total = np.int64(36), np.int64(0)
    for place in range(13, BAR + 1):
        count = _count(counters, place)
        total += count
        if place >= 19:
            fewest = min(fewest, count)
    return fewest, total


@rules.helper
def _behind(planes, player, there):
    """The checkers of a player, up to six of a place, that have not passed the opponent's last one."""
    found, passed = np.int64(0), up_to(lowest_place(there | 1 << BAR))
    for count in range(1, THRESHOLDS + 1):
        found += popcount(np.uint64(_with_at_least(planes, player, count) & ~passed))
    return found


@rules.helper
def _write_player(planes, features, player, own, made, pips, race):
    """Writes the planes of a player; `own`, `made` and `pips` have the numbers of both."""
    step, begin = (-1, PLACES - 1) if player else (1, 0)
    shots, numbers = begin + PLACES * player, begin + PLACES * (6 + player)
    mine, points = own[player], made[player]
    there, theirs = reversed_places(own[1 - player]), reversed_places(made[1 - player])
    counters, ahead = rules.scratch(7, np.int64), pips[1 - player] - pips[player]
    if not race:
        counters[:] = 0
        hit, twice, lost = _write_shots(features, shots, step, mine, points, there, theirs, counters)
        features[numbers], features[numbers + step], features[numbers + 2 * step] = (
            (hit + 1) // 3, (twice + 1) // 3, lost // 36
        )  # fmt: skip
        counters[:] = 0
        _count_escapes(~theirs & POINTS, counters)
        _write_escapes(features, shots + 2 * PLACES, step, mine, counters)
        fewest, total = _escapes_in_all(counters)
        features[numbers + 3 * step] = _count(counters, highest_place(mine | 1)) // 4
        features[numbers + 4 * step], features[numbers + 5 * step] = fewest // 4, total // 36
    ahead = max(-_LEAD, min(_LEAD, ahead))
    features[numbers + 6 * step], features[numbers + 7 * step] = pips[player] // 8, ahead // 3
    features[numbers + 8 * step] = race
    features[numbers + 9 * step] = _write_blocks(features, shots + 4 * PLACES, step, points)
    features[numbers + 10 * step] = popcount(np.uint64(points & _HOME))
    features[numbers + 11 * step] = popcount(np.uint64(points & _FAR))
    closed = popcount(np.uint64(theirs & _FAR))
    features[numbers + 12 * step] = (36 - closed * closed) // 4 if mine >> BAR & 1 else 0
    features[numbers + 14 * step] = _behind(planes, player, there)
    if race:
        features[numbers + 15 * step], features[numbers + 16 * step] = ahead // 2, pips[player] // 6


@rules.kernel(rules.FEATURES)
def features(params, planes, features):
    features[: 8 * PLACES] = 0
    own, made = rules.scratch(2, np.int64), rules.scratch(2, np.int64)
    pips, outside = rules.scratch(2, np.int64), rules.scratch(2, np.int64)
    for player in range(2):
        own[player], made[player] = _with_at_least(planes, player, 1), _with_at_least(planes, player, 2)
        pips[player], outside[player] = _pips(planes, player)
    race = highest_place(own[0] | 1) + highest_place(own[1] | 1) < BAR
    for player in range(2):
        _write_player(planes, features, player, own, made, pips, race)
        step, begin = (-1, PLACES - 1) if player else (1, 0)
        features[begin + PLACES * (6 + player) + 13 * step] = outside[player]


FEATURES = Features(8, ((0, 1), (2, 3), (4, 5), (6, 7)), features)
