"""Whole turns as a leaf evaluation: a state is worth the best end of its turn, without leaving compiled code.

It gives the same values as `turns` outside compiled code, and calls the leaf kernel of a network for the ends.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import FLOATS, NUMBERS, STATE
from athenan.rules.compiler import helper, kernel
from athenan.rules.game import Game
from athenan.rules.kernels import RULES
from athenan.rules.leaf import LEAF_VALUES, LeafKernel, Native, call_leaf
from athenan.rules.leaves import Leaves
from athenan.rules.memory import scratch
from athenan.rules.state import CHANCE, ONGOING, copy_state, sign
from athenan.rules.terminal import TerminalValue, terminal_value

_BYTES, _MOST_ACTIONS = 1 << 17, 1 << 10
"""Room on the machine's stack for the states of a turn, and for the actions of a state."""
_MOST_STATES, _FLOATS = 2048, 2048 + _MOST_ACTIONS
"""The most states of a turn that are listed, plus those that follow one state; a turn with more is cut there."""
_LEAF, _HEURISTIC, _ACTIONS, _CONSTANTS, _HEADER = range(5)
"""Positions in the numbers: the addresses of the network's kernel and of the heuristic, the most actions of a state,
how many constants the heuristic has. Then come these, as bits, and the numbers of the network."""


def most_states(game: Game) -> int:
    """The most states of a turn that are listed, including states after the last one; 0 without room for a turn."""
    states = min(_MOST_STATES + game.max_actions, _BYTES // game.state_size)
    return states if game.max_actions <= min(_MOST_ACTIONS, states // 2) else 0


@helper
def _sense(state):
    """The sign of the side to move; 1 if chance is to move, when the state is its own end."""
    return 1 if state[0] == CHANCE else sign(state[0])


@helper
def _list_ends(rules, state, numbers, constants, actions, listed, ends):
    """Lists the non-terminal ends of the turn of a state.

    Returns their number, and the best terminal value times `_sense`.
    """
    size, side, count, best = len(state), state[0], 0, -np.inf
    most = len(listed) // size - numbers[_ACTIONS]
    copy_state(state, listed[:size])
    at, end = 0, 1
    while at < end:
        reached = listed[at * size : (at + 1) * size]
        outcome = calls.outcome(rules, reached)
        if outcome != ONGOING:
            best = max(best, _sense(state) * terminal_value(numbers[_HEURISTIC], rules, reached, outcome, constants))
        elif reached[0] == side and side != CHANCE and end <= most:
            for number in range(calls.actions(rules, reached, actions)):
                calls.play(rules, reached, actions[number], listed[end * size : (end + 1) * size])
                end += 1
        else:
            copy_state(reached, ends[count * size : (count + 1) * size])
            count += 1
        at += 1
    return count, best


@kernel(types.float64(RULES, STATE, NUMBERS, FLOATS))
def _value(rules, state, numbers, weights):
    """The value of the best end of the turn of a state."""
    actions, found = scratch(_MOST_ACTIONS, np.int32), scratch(_FLOATS, np.float32)
    listed, ends = scratch(_BYTES, np.int8), scratch(_BYTES, np.int8)
    begin, size = _HEADER + numbers[_CONSTANTS], len(state)
    constants = numbers[_HEADER:begin].view(np.float64)
    count, best = _list_ends(rules, state, numbers, constants, actions, listed, ends)
    if count:
        values = found[:count]
        rows = ends[: count * size].reshape(count, size)
        call_leaf(numbers[_LEAF], (rules, state, rows, numbers[begin:], weights, values))
        for number in range(count):
            if not np.isfinite(values[number]):
                return np.nan
            best = max(best, _sense(state) * np.float64(values[number]))
    return _sense(state) * best


@kernel(LEAF_VALUES)
def turn_values(rules, parent, states, numbers, weights, values):
    """The values of states by the ends of their turns; see `LEAF_VALUES`."""
    for row in range(states.shape[0]):
        values[row] = _value(rules, states[row], numbers, weights)


class NativeTurns:
    """An evaluator of states by the ends of their turns, which searches call in compiled code."""

    def __init__(self, game: Game, network: Native, terminal: TerminalValue) -> None:
        """`network` values the ends, and `terminal` finished matches. Raises ValueError without room for a turn."""
        if not most_states(game):
            raise ValueError(f"there is no room for the turns of {game.name}")
        self._network = network
        header = [network.leaf.address, terminal.address, game.max_actions, len(terminal.constants)]
        bits = np.ascontiguousarray(terminal.constants, np.float64).view(np.int64)
        self._numbers = np.concatenate([np.array(header, np.int64), bits, network.leaf.numbers])

    @property
    def leaf(self) -> LeafKernel:
        """See `rules.leaf.Native`."""
        return LeafKernel(turn_values.address, self._numbers, self._network.leaf.weights)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Raises TypeError: planes do not tell what a turn leads to."""
        raise TypeError("whole turns are evaluated inside the search, not from planes")
