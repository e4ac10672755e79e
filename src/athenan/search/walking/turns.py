"""Whole turns: the states that a player's turn can lead to, and the value of a state from the ends of its turn.

A turn lasts while the same player is to move, without chance in between. Only the states in which it can end are
evaluated, not the states inside it. In games of chance with several actions per turn, such as backgammon, a network
then needs to know only the states between turns, and one expansion sees the best play of a roll.

The module `turn_leaf` gives searches this evaluation.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, NUMBERS, PLANES, array_of
from athenan.rules.compiler import helper
from athenan.rules.game import Game
from athenan.rules.randomness import random_below
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign
from athenan.rules.terminal import terminal_value

MOST_LISTED = 2048
"""The most states of a turn that are listed, plus those that follow one state; a turn with more is cut there."""
INNER, TERMINAL, OPEN = -1, -2, -3
"""The rows of a state inside a turn, of the end of the match, and of an end of the turn that has no row yet."""

STEP = np.dtype(
    [
        ("before", np.int32),  # the position of the state before it; -1 for the first of a turn
        ("action", np.int32),  # the action that led to it
        ("row", np.int32),  # its row in the batch, or one of the three numbers above
        ("value", np.float32),  # f_t where the match is over
    ],
    align=True,
)


class Turns(NamedTuple):
    """The states that several turns can lead to, in consecutive lists."""

    states: NDArray[np.int8]
    """int8[n, state size]"""
    steps: NDArray[np.void]
    """STEP[n]"""
    ends: NDArray[np.int64]
    """Where the list of each turn ends; int64[turns]"""
    actions: NDArray[np.int32]
    """Room for the actions of a state."""


TURNS = types.NamedTuple([PLANES, array_of(STEP), NUMBERS, ACTION_LIST], Turns)


def room_for(game: Game, turns: int) -> tuple[Turns, NDArray[np.int8]]:
    """Room for this many turns and for the planes of their ends; the operating system maps it as it is used."""
    states = turns * (1 + game.max_actions + MOST_LISTED)
    found = Turns(
        np.zeros((states, game.state_size), np.int8), np.zeros(states, STEP), np.zeros(turns, np.int64),
        np.zeros(game.max_actions, np.int32),
    )  # fmt: skip
    return found, np.zeros((states, int(np.prod(game.planes))), np.int8)


@helper
def unfold(rules, heuristic, constants, state, states, steps, actions, first, most):
    """Lists the states that the turn of a non-terminal state can lead to, from place `first` on; returns their end.

    There is room for `most` states and those that follow one; a turn with more is cut there. If chance is to move, the
    state itself is the end of the turn.
    """
    end, at, side = first + 1, first, state[0]
    copy_state(state, states[first])
    steps[first].before = -1
    while at < end:
        reached, step = states[at], steps[at]
        outcome = calls.outcome(rules, reached)
        if outcome != ONGOING:
            step.row = TERMINAL
            step.value = terminal_value(heuristic, rules, reached, outcome, constants)
        elif reached[0] == side and side != CHANCE and end - first <= most:
            step.row = INNER
            for number in range(calls.actions(rules, reached, actions)):
                calls.play(rules, reached, actions[number], states[end])
                steps[end].before, steps[end].action = at, actions[number]
                end += 1
        else:
            step.row = OPEN
        at += 1
    return end


@helper
def encode_turn(subject, turns, turn, state, planes, rows):
    """Unfolds the turn of a state and encodes its open ends; returns the rows used. Turns are unfolded in order."""
    first = turns.ends[turn - 1] if turn else 0
    end = unfold(
        subject.rules, subject.heuristic, subject.constants, state, turns.states, turns.steps, turns.actions, first,
        MOST_LISTED,
    )  # fmt: skip
    for number in range(first, end):
        if turns.steps[number].row == OPEN:
            calls.encode(subject.rules, turns.states[number], planes[rows])
            turns.steps[number].row = rows
            rows += 1
    turns.ends[turn] = end
    return rows


@helper
def value_of(step, values):
    """The value of an end of a turn; `values` holds the values of the rows."""
    return step.value if step.row == TERMINAL else values[step.row]


@helper
def best_end(turns, turn, values, random):
    """The position of the best end of a turn for its player; ties are broken uniformly at random."""
    first = turns.ends[turn - 1] if turn else 0
    side, best, ties = sign(turns.states[first, 0]), -1, 0
    for number in range(first, turns.ends[turn]):
        if turns.steps[number].row == INNER:
            continue
        value = value_of(turns.steps[number], values)
        highest = value if best < 0 else value_of(turns.steps[best], values)
        if best < 0 or side * (value - highest) > 0:
            best, ties = number, 1
        elif value == highest:
            ties += 1
            if random_below(random, 0, ties) == 0:
                best = number
    return best


@helper
def any_end(turns, turn, random):
    """The position of an end of a turn, each equally likely."""
    found, seen = -1, 0
    for number in range(turns.ends[turn - 1] if turn else 0, turns.ends[turn]):
        if turns.steps[number].row != INNER:
            seen += 1
            if random_below(random, 0, seen) == 0:
                found = number
    return found
