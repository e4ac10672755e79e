"""Foresight: which actions win or lose within a few turns, whatever the other side and chance do.

A turn is all actions of a player until the other one is to move. The state is searched first one turn deep, then two
turns, and so on, so each action gets its shortest forced end. Only ends of matches count, so that this means the same
in every game and needs no evaluation. It counts the states that it plays, and leaves what is behind `most` unknown.

>>> from athenan import make
>>> game = make("tictactoe")
>>> state = game.after("a1 b2 a2")
>>> actions = game.actions(state)
>>> found = Foresight(game, turns=2).ends(state, actions)
>>> [(game.action_name(state, int(action)), int(end)) for action, end in zip(actions, found)]
[('b1', -2), ('c1', -2), ('c2', -2), ('a3', 0), ('b3', -2), ('c3', -2)]
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, ACTION_LISTS, NUMBERS, STATE, STATES
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import RULES
from athenan.rules.state import CHANCE, ONGOING, sign

MOST_STATES = 300_000
"""States that a look ahead plays at most: about 20 ms."""
_HEIGHT = 32
"""Actions of one line that are looked at, the outcomes of chance included."""
_OPEN = -1
"""Not decided yet; otherwise 1 if the winner wins within its turns, and 0 if not."""
_COUNT, _POSITION, _SIDE, _TURNS = range(4)
_PLAYED, _MOST = range(2)


class Look(NamedTuple):
    """The frames of a look ahead, one for each action of a line; frame 0 is the root."""

    states: NDArray[np.int8]
    """int8[height, state size]"""
    actions: NDArray[np.int32]
    """int32[height, max_actions]: the legal actions of each frame."""
    frames: NDArray[np.int64]
    """int64[height, 4]: the number of actions and the next one; the player whose turn it is, also while chance is to
    move; and the turns left, this one included."""
    counts: NDArray[np.int64]
    """int64[2]: the states played, and the most."""


LOOK = types.NamedTuple([STATES, ACTION_LISTS, types.Array(types.int64, 2, "C"), NUMBERS], Look)


def look_of(game: Game, most: int = MOST_STATES) -> Look:
    """Room for looks ahead in a game."""
    return Look(
        np.zeros((_HEIGHT, game.state_size), np.int8), np.zeros((_HEIGHT, game.max_actions), np.int32),
        np.zeros((_HEIGHT, 4), np.int64), np.array([0, most]),
    )  # fmt: skip


class Foresight:
    """Looks some turns ahead in one game."""

    def __init__(self, game: Game, turns: int, most: int = MOST_STATES) -> None:
        self._rules, self._turns, self._look = game.rules, turns, look_of(game, most)

    @property
    def played(self) -> int:
        """The states that the last look ahead played."""
        return int(self._look.counts[_PLAYED])

    def ends(self, state: State, actions: NDArray[np.int32]) -> NDArray[np.int8]:
        """The forced end after each legal action; int8[actions].

        n > 0: the side to move wins in its turn n, counted from 1 over the turns of both sides. n < 0: the other side
        wins in turn -n, or the action loses at once (-1). 0: neither is known.
        """
        found = np.zeros(len(actions), np.int8)
        look_ahead(self._rules, self._look, state, self._turns, np.ascontiguousarray(actions, np.int32), found)
        return found


@kernel(types.void(RULES, LOOK, STATE, types.int64, ACTION_LIST, STATE))
def look_ahead(rules, look, state, turns, actions, ends):
    """Writes the forced ends within some turns; see `Foresight.ends`."""
    side, gain = np.int64(state[0]), sign(state[0])
    ends[:] = 0
    look.counts[_PLAYED] = 0
    for number in range(len(actions)):
        calls.play(rules, state, np.int64(actions[number]), look.states[1])
        outcome = calls.outcome(rules, look.states[1])
        if outcome != ONGOING:
            ends[number] = outcome * gain
    for depth in range(1, turns + 1):
        winner = side if depth % 2 else 1 - side
        for number in range(len(actions)):
            if ends[number] == 0:
                calls.play(rules, state, np.int64(actions[number]), look.states[1])
                begins = calls.outcome(rules, look.states[1]) == ONGOING and _enter(look, 1, side, depth, winner)
                if begins and _is_forced(rules, look, winner):
                    ends[number] = depth if depth % 2 else -depth
                if look.counts[_PLAYED] > look.counts[_MOST]:
                    return


@helper
def _enter(look, height, side, turns, winner):
    """Begins the frame of a state that follows the turn of a side; returns whether the winner has a turn left."""
    mover = look.states[height, 0]
    if mover not in (CHANCE, side):
        side, turns = np.int64(mover), turns - 1
    look.frames[height, _SIDE], look.frames[height, _TURNS] = side, turns
    return turns > 1 or (turns == 1 and side == winner)


@helper
def _scan(rules, look, height, winner):
    """Lists the actions of a frame; returns whether one of them decides it, or _OPEN."""
    frame, following = look.frames[height], look.states[height + 1]
    own, gain = look.states[height, 0] == winner, sign(winner)
    frame[_COUNT], frame[_POSITION] = calls.actions(rules, look.states[height], look.actions[height]), 0
    goes_on = False
    for number in range(frame[_COUNT]):
        calls.play(rules, look.states[height], np.int64(look.actions[height, number]), following)
        outcome = calls.outcome(rules, following)
        look.counts[_PLAYED] += 1
        if outcome == ONGOING and _enter(look, height + 1, frame[_SIDE], frame[_TURNS], winner):
            goes_on = True
        elif (outcome == gain) == own:
            return np.int64(own)
    return np.int64(_OPEN if goes_on and height + 2 < _HEIGHT else not own and not goes_on)


@helper
def _go_on(rules, look, height, winner):
    """Begins the frame of the next action that can decide; returns the height of the top frame, and what is found."""
    frame = look.frames[height]
    while frame[_POSITION] < frame[_COUNT] and look.counts[_PLAYED] <= look.counts[_MOST]:
        action = look.actions[height, frame[_POSITION]]
        frame[_POSITION] += 1
        calls.play(rules, look.states[height], np.int64(action), look.states[height + 1])
        look.counts[_PLAYED] += 1
        if calls.outcome(rules, look.states[height + 1]) == ONGOING and _enter(
            look, height + 1, frame[_SIDE], frame[_TURNS], winner
        ):
            return height + 1, _scan(rules, look, height + 1, winner)
    if frame[_POSITION] < frame[_COUNT]:  # as many states as may be played
        return np.int64(1), np.int64(0)
    return height, np.int64(look.states[height, 0] != winner)


@helper
def _is_forced(rules, look, winner):
    """Whether a side wins the state of frame 1 within its turns, whatever the other side and chance do."""
    height, found = np.int64(1), _scan(rules, look, 1, winner)
    while True:
        if found == _OPEN:
            height, found = _go_on(rules, look, height, winner)
        elif height == 1:
            return found == 1
        else:
            height -= 1
            if (look.states[height, 0] == winner) != (found == 1):
                found = np.int64(_OPEN)
