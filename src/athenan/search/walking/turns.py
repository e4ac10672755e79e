"""Whole turns: the states that a player's turn can lead to, and the value of a state from the ends of its turn.

A turn lasts while the same player is to move, without chance in between. Only the states in which it can end are
evaluated, not the states inside it. In games of chance with several actions per turn, such as backgammon, a network
then needs to know only the states between turns, and one expansion sees the best play of a roll.

`by_turns` gives a search this evaluation: the search asks for the values of states, and a state with a player to move
is worth the best end of that turn.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, FLOATS, NUMBERS, PLANES, RANDOM, array_of
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.declared import Features
from athenan.rules.facts import altered
from athenan.rules.game import Game
from athenan.rules.kernels import ENCODE, KernelTable
from athenan.rules.leaf import Native
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.randomness import random_below
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign
from athenan.rules.terminal import TerminalValue, terminal_value
from athenan.search.trees.subject import SUBJECT, Subject
from athenan.search.walking.turn_leaf import NativeTurns, most_states

_ROOM = 2048
"""The most states of a turn that are listed, plus those that follow one state; a turn with more is cut there."""
_AT_ONCE = 64
"""Turns whose ends are evaluated as one batch."""
_INNER, _TERMINAL = -1, -2

STEP = np.dtype(
    [
        ("before", np.int32),  # the position of the state before it; -1 for the first of a turn
        ("action", np.int32),  # the action that led to it
        ("row", np.int32),  # its row in the batch; _TERMINAL where the match is over, _INNER where the turn goes on
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
    states = turns * (1 + game.max_actions + _ROOM)
    found = Turns(
        np.zeros((states, game.state_size), np.int8), np.zeros(states, STEP), np.zeros(turns, np.int64),
        np.zeros(game.max_actions, np.int32),
    )  # fmt: skip
    return found, np.zeros((states, int(np.prod(game.planes))), np.int8)


@helper
def unfold(subject, turns, turn, state, planes, rows):
    """Lists the states that the turn of a non-terminal state can lead to, and encodes its ends; returns the rows used.

    Turns are unfolded in order. If chance is to move, the state itself is the end.
    """
    first = turns.ends[turn - 1] if turn else 0
    end, at, side = first + 1, first, state[0]
    copy_state(state, turns.states[first])
    turns.steps[first].before = -1
    while at < end:
        reached, step = turns.states[at], turns.steps[at]
        outcome = calls.outcome(subject.rules, reached)
        if outcome != ONGOING:
            step.row = _TERMINAL
            step.value = terminal_value(subject.heuristic, subject.rules, reached, outcome, subject.constants)
        elif reached[0] == side and side != CHANCE and end - first <= _ROOM:
            step.row = _INNER
            count = calls.actions(subject.rules, reached, turns.actions)
            for number in range(count):
                calls.play(subject.rules, reached, turns.actions[number], turns.states[end])
                turns.steps[end].before, turns.steps[end].action = at, turns.actions[number]
                end += 1
        else:
            calls.encode(subject.rules, reached, planes[rows])
            step.row = rows
            rows += 1
        at += 1
    turns.ends[turn] = end
    return rows


@helper
def value_of(step, values):
    """The value of an end of a turn; `values` holds the values of the rows."""
    return step.value if step.row == _TERMINAL else values[step.row]


@helper
def best_end(turns, turn, values, random):
    """The position of the best end of a turn for its player; ties are broken uniformly at random."""
    first = turns.ends[turn - 1] if turn else 0
    side, best, ties = sign(turns.states[first, 0]), -1, 0
    for number in range(first, turns.ends[turn]):
        if turns.steps[number].row == _INNER:
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
        if turns.steps[number].row != _INNER:
            seen += 1
            if random_below(random, 0, seen) == 0:
                found = number
    return found


@kernel(types.int64(SUBJECT, TURNS, PLANES, PLANES))
def _unfold_all(subject, turns, states, planes):
    rows = 0
    for turn in range(len(states)):
        rows = unfold(subject, turns, turn, states[turn], planes, rows)
    return rows


@kernel(types.void(TURNS, FLOATS, RANDOM, FLOATS))
def _fold_all(turns, values, random, found):
    for turn in range(len(found)):
        found[turn] = value_of(turns.steps[best_end(turns, turn, values, random)], values)


@kernel(ENCODE)
def _itself(params, state, planes):
    """Encodes a state as itself instead of planes."""
    copy_state(state, planes)


def by_turns(game: Game, evaluate: Evaluate, terminal: TerminalValue) -> tuple[Game, Evaluate]:
    """A game and an evaluator for a search that values states by the ends of their turns.

    If compiled code can call the evaluator, it evaluates turns inside the search. Otherwise the game passes its states
    themselves to the evaluator, which gives only values.
    """
    if isinstance(evaluate, Native) and most_states(game):
        return game, NativeTurns(game, evaluate, terminal)
    kernels = {name: one for name, one in game.table.kernels.items() if name != "features"}
    shown = altered(
        game, table=KernelTable({**kernels, "encode": _itself}), planes=(1, 1, game.state_size), features=Features(),
        plane_symmetries=np.arange(game.state_size, dtype=np.int32)[None, :],
        action_symmetries=game.action_symmetries[:1], action_planes=0, action_places=None, colour_symmetry=None,
    )  # fmt: skip
    return shown, _evaluation(game, evaluate, terminal)


def _evaluation(game: Game, evaluate: Evaluate, terminal: TerminalValue) -> Evaluate:
    """Evaluates states, int8[n, state size], by the ends of their turns."""
    prepare(_unfold_all, _fold_all)
    turns, planes = room_for(game, _AT_ONCE)
    subject, random = Subject.of(game, terminal), np.zeros(1, np.uint64)

    def some(states: NDArray[np.int8]) -> NDArray[np.float32]:
        rows = _unfold_all(subject, turns, states, planes)
        values = np.ascontiguousarray(evaluate(planes[:rows]).values) if rows else np.zeros(0, np.float32)
        found = np.empty(len(states), np.float32)
        _fold_all(turns, values, random, found)
        return found

    def evaluated(states: NDArray[np.int8]) -> Leaves:
        parts = [some(states[start : start + _AT_ONCE]) for start in range(0, len(states), _AT_ONCE)]
        return Leaves(np.concatenate(parts) if parts else np.zeros(0, np.float32))

    return evaluated
