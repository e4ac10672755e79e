"""Judgement: an action as a person of some strength would choose it, in compiled code.

An action is drawn by how good it seems. What it seems worth is a chance p to win, and its weight is p / (1 - p) to the
power of 1 / temperature: at a temperature of 1 an action that halves the odds is half as likely, at 1/2 a quarter as
likely. It goes by odds, because near a win or a loss all win chances are alike: a player who goes by their differences
would play at random there.

A person may also overlook what is about to happen. An end in turn n (1: an own win; 2: a win of the opponent in the
reply; 3: an own win in the next turn) is seen with a probability of sight to the power of n n / 4. All actions with the
same end are seen or overlooked together: a threat that is overlooked lets them seem as good as the best of the others.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LIST, CONSTANTS, FLOATS, STATE
from athenan.rules.compiler import helper, kernel
from athenan.rules.kernels import RULES
from athenan.search.trees.foresight import LOOK, look_ahead
from athenan.search.trees.interpolation import chance_at

TURNS = 3
"""The turns in which ends may be seen or overlooked."""
DRAWN = TURNS + 1
"""The random numbers that a choice takes."""
_LEAST = 0.001
"""No chance counts as less, or as nearer to 1."""


class Judgement(NamedTuple):
    """How surely a player sees, and how surely it plays what it sees."""

    temperature: float
    sight: float
    turns: int
    """The turns in which ends are looked for: `TURNS`, or 0 without an opponent."""
    values: NDArray[np.float64]
    """float64[n], ascending: values of a search, of the first player."""
    points: NDArray[np.float64]
    """float64[n]: the chance to win at each; between them it is interpolated."""


JUDGEMENT = types.NamedTuple([types.float64, types.float64, types.int64, CONSTANTS, CONSTANTS], Judgement)


class Options(NamedTuple):
    """The actions to choose among and what a search has found of each; views of the room that `options_of` makes."""

    actions: NDArray[np.int32]
    values: NDArray[np.float32]
    """First player's point of view."""
    completions: NDArray[np.int8]
    """Proven gains of the first player, otherwise 0."""
    ends: NDArray[np.int8]
    """Room for forced ends."""
    weights: NDArray[np.float64]
    """Room for weights."""


OPTIONS = types.NamedTuple([ACTION_LIST, FLOATS, STATE, STATE, CONSTANTS], Options)


def options_of(most: int) -> Options:
    """Room for the options of a state with at most this many actions."""
    return Options(
        np.zeros(most, np.int32), np.zeros(most, np.float32), np.zeros(most, np.int8), np.zeros(most, np.int8),
        np.zeros(most),
    )  # fmt: skip


@kernel(types.int64(RULES, LOOK, JUDGEMENT, STATE, types.int64, OPTIONS, CONSTANTS))
def judge(rules, look, judgement, state, side, options, drawn):
    """The position of the option to play in a state in which `side` (1 or -1) is to move.

    `drawn` has `DRAWN` random numbers from [0, 1).
    """
    values, ends, weights = options.values, options.ends, options.weights
    look_ahead(rules, look, state, judgement.turns, options.actions, ends)
    first, second, third = _seen(judgement, drawn, 1), _seen(judgement, drawn, 2), _seen(judgement, drawn, 3)
    for number in range(len(values)):
        weights[number] = side * values[number]
    if (first and _keep(ends, weights, 1)) or (third and _keep(ends, weights, 3)):
        return _draw(weights, ends, judgement, side, options.completions, drawn[TURNS])
    _hide(ends, weights, 1)
    _hide(ends, weights, 3)
    if first:
        _leave(ends, weights, -1)
    if second:
        _leave(ends, weights, -2)
    _hide(ends, weights, -1)
    _hide(ends, weights, -2)
    return _draw(weights, ends, judgement, side, options.completions, drawn[TURNS])


@helper
def _seen(judgement, drawn, turn):
    """Whether ends in a turn are seen."""
    return drawn[turn - 1] < judgement.sight ** (turn * turn / 4)


@helper
def _best(ends, weights, end, others):
    """The best value of the actions with an end, or of all others; -inf without any."""
    best = -np.inf
    for number in range(len(ends)):
        if (ends[number] == end) != others:
            best = max(best, weights[number])
    return best


@helper
def _keep(ends, weights, end):
    """Leaves only the actions with an end; returns whether there are any."""
    if _best(ends, weights, end, False) == -np.inf:
        return False
    for number in range(len(ends)):
        if ends[number] != end:
            weights[number] = -np.inf
    return True


@helper
def _leave(ends, weights, end):
    """Leaves out the actions with an end, unless no other would be left."""
    if _best(ends, weights, end, True) == -np.inf:
        return
    for number in range(len(ends)):
        if ends[number] == end:
            weights[number] = -np.inf


@helper
def _hide(ends, weights, end):
    """Moves the values of the actions with an end so that their best is as good as the best of the others."""
    best, other = _best(ends, weights, end, False), _best(ends, weights, end, True)
    if best == -np.inf or other == -np.inf:
        return
    for number in range(len(ends)):
        if ends[number] == end:
            weights[number] += other - best


@helper
def _draw(weights, ends, judgement, side, completions, drawn):
    """A position by the odds of the values, which become weights; -inf stands for actions that are left out."""
    greatest = -np.inf
    for number in range(len(weights)):
        if weights[number] > -np.inf:
            points = chance_at(side * weights[number], judgement.values, judgement.points)
            chance = points if side > 0 else 1 - points
            if ends[number] == 0 and completions[number] != 0:
                chance = np.float64(side * completions[number] > 0)
            chance = min(max(chance, _LEAST), 1 - _LEAST)
            weights[number] = np.log(chance / (1 - chance))
            greatest = max(greatest, weights[number])
    total = 0.0
    for number in range(len(weights)):
        weights[number] = np.exp((weights[number] - greatest) / judgement.temperature)
        total += weights[number]
    left, last = drawn * total, 0
    for number in range(len(weights)):
        if weights[number] > 0:
            last = number
            left -= weights[number]
            if left < 0:
                break
    return last
