"""The features of backgammon against plain Python, which plays rolls on lists of checkers."""

import numpy as np
import pytest

from athenan import make
from athenan.games.backgammon.features import NUMBERS
from athenan.games.backgammon.notation import counts
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states

PLANES = 27
ROLLS = [(one, other, 1 if one == other else 2) for one in range(1, 7) for other in range(1, one + 1)]


def can_land(opponent, place):
    """Whether a checker may come to a place of the player's numbering."""
    return 1 <= place <= 24 and opponent[25 - place] < 2


def landings(own, opponent, one, other):
    """The places where a checker can come with a roll as the module says: one checker plays all of it."""
    orders = [(one,) * 4] if one == other else [(one, other), (other, one), (one,), (other,)]
    found = set()
    for order in orders:
        starts, rest = [place for place in range(1, 26) if own[place]], order
        if own[25]:
            entry, rest = 25 - order[0], order[1:]
            if not can_land(opponent, entry):
                continue
            found.add(entry)
            starts = [entry, *(place for place in starts if place < 25)] if own[25] == 1 else []
        for start in starts:
            for count in range(1, len(rest) + 1):
                place = start - sum(rest[:count])
                if not can_land(opponent, place):
                    break
                found.add(place)
    return found


def shots(own, opponent):
    """The rolls of the opponent that hit each blot; those that hit any and two; the pips lost by the costliest."""
    hits, any_hit, twice, lost = [0] * 26, 0, 0, 0
    blots = {25 - place for place in range(1, 25) if own[place] == 1}
    for one, other, weight in ROLLS:
        hit = landings(opponent, own, one, other) & blots
        for place in hit:
            hits[25 - place] += weight
        any_hit += weight * bool(hit)
        twice += weight * (len(hit) > 1)
        lost += weight * max(hit, default=0)
    return hits, any_hit, twice, lost


def escapes(opponent, place):
    """The rolls that a checker at a place can play with both dice; it may bear off."""

    def free(there):
        return there < 1 or can_land(opponent, there)

    return sum(
        weight for one, other, weight in ROLLS
        if free(place - one - other) and (free(place - one) or free(place - other))
    )  # fmt: skip


def features_of(own, opponent):
    """The four planes of a player in the player's numbering; `own` and `opponent` are checkers by place."""
    planes = np.zeros((4, 26), int)
    last, other_last = (max((place for place in range(1, 26) if side[place]), default=0) for side in (own, opponent))
    race = last + other_last < 25
    pips, other_pips = (sum(place * side[place] for place in range(1, 26)) for side in (own, opponent))
    made = [1 <= place <= 24 and own[place] > 1 for place in range(26)]
    runs = {
        place: next(n for n in range(1, 26) if place + n > 24 or not made[place + n])
        for place in range(1, 25) if made[place] and not made[place - 1]
    }  # fmt: skip
    for place, run in runs.items():
        planes[2, place] = run
    numbers = dict.fromkeys(NUMBERS, 0)
    if not race:
        hits, any_hit, twice, lost = shots(own, opponent)
        planes[0] = [(one + 1) // 3 for one in hits]
        planes[1] = [escapes(opponent, place) // 4 if place >= 13 and own[place] else 0 for place in range(26)]
        by_place = [escapes(opponent, place) for place in range(26)]
        numbers["rolls that hit a blot / 3"], numbers["rolls that hit two / 3"] = (any_hit + 1) // 3, (twice + 1) // 3
        numbers["pips lost by hits, mean"] = lost // 36
        numbers["escapes of the last checker / 4"] = by_place[last] // 4
        numbers["fewest escapes from 19 to the bar / 4"] = min(by_place[19:]) // 4
        numbers["escapes from 13 to the bar / 36"] = sum(by_place[13:]) // 36
    ahead = max(-120, min(120, other_pips - pips))
    closed = sum(opponent[place] > 1 for place in range(1, 7))
    numbers["pips / 8"], numbers["pips ahead / 3"] = pips // 8, ahead // 3
    numbers["whether there is no contact"] = int(race)
    numbers["longest block"] = max(runs.values(), default=0)
    numbers["points in the home board"], numbers["points in the opponent's home board"] = sum(made[:7]), sum(made[19:])
    numbers["rolls that enter from the bar / 4"] = (36 - closed**2) // 4 if own[25] else 0
    numbers["checkers not at home"] = sum(own[7:])
    numbers["checkers behind the opponent's last one"] = sum(
        min(6, own[place]) for place in range(1, 26) if other_last and place > 25 - other_last
    )
    if race:
        numbers["without contact: pips ahead / 2"], numbers["without contact: pips / 6"] = ahead // 2, pips // 6
    planes[3, : len(NUMBERS)] = list(numbers.values())
    return planes


@pytest.mark.parametrize("name", ["backgammon", "backgammon:hyper"])
def test_features_are_those_of_plain_python(name):
    game = make(name)
    states = random_states(game, 300, seed=4)
    found = with_features(game, encoded_states(game, states))[:, PLANES:]
    races = 0
    for state, one in zip(states, found, strict=True):
        sides = [counts(state, player) for player in range(2)]
        for player in range(2):
            own = one[player::2] if player == 0 else one[player::2, ::-1]
            assert np.array_equal(own, features_of(sides[player], sides[1 - player])), (player, state)
        races += one[6, 8]
    assert 0 < races < 300
