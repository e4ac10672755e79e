"""Leaf evaluations: kernels that tell what states are worth, called by a search where it expands a state.

A search that has one never leaves compiled code to evaluate. The kernel is called once for an expansion, with the
parent and all states to evaluate, so that it computes what they share only once. `evaluation.patterns` has such
networks; `by_state` makes one from a function of a single state, such as an evaluation that a game declares
(`Game.evaluations`).
"""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LIST, FLOATS, NUMBERS, STATE, STATES
from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.game import Game
from athenan.rules.kernels import RULES, STATE_VALUE, by_address
from athenan.rules.playouts import random_states

LEAF_VALUES = types.void(RULES, STATE, STATES, NUMBERS, FLOATS, FLOATS)
"""values_of(rules, parent, states, numbers, weights, values): writes the value of each state, first player's point of
view, in the units of the heuristic that is searched.

`states` (int8[n, state size], not terminal) follow the parent, or n is 1 and the state is the parent itself. `numbers`
and `weights` are the evaluation's own.
"""
LEAF_POLICY = types.float64(RULES, STATE, ACTION_LIST, NUMBERS, FLOATS, FLOATS)
"""value_and_policy_of(rules, state, actions, numbers, weights, logits) -> the value of the state, as above; writes the
logit of each of its legal actions at the action's number.
"""
_TRIED = 200
"""Random states for which an evaluation must give finite values before a search uses it."""

_MOST_ESTIMATED = 0.85

call_leaf, call_policy = by_address(LEAF_VALUES), by_address(LEAF_POLICY)
_state_value = by_address(STATE_VALUE)


class LeafKernel(NamedTuple):
    """A leaf evaluation by the address of its kernel, and what the kernel reads."""

    address: int
    numbers: NDArray[np.int64]
    weights: NDArray[np.float32]
    policy: int = 0
    """The address of a `LEAF_POLICY` kernel that reads the same; 0: it gives values only."""


@runtime_checkable
class Native(Protocol):
    """An evaluator that compiled code can call itself."""

    @property
    def leaf(self) -> LeafKernel:
        """Its kernel; searches read the arrays as they are at the time of each expansion."""


class Leaf(NamedTuple):
    """A leaf evaluation as the walk takes it, with room for the states of one expansion."""

    address: int
    """The address of a `LEAF_VALUES` kernel; 0: states are evaluated in batches, outside."""
    numbers: NDArray[np.int64]
    weights: NDArray[np.float32]
    states: NDArray[np.int8]
    """int8[max_actions, state size]"""
    values: NDArray[np.float32]
    """float32[max_actions]"""
    counts: NDArray[np.int64]
    """int64[2]: how many states were evaluated, and how many numbers were not finite. The walk takes 0 for each of
    these, and the search raises an error."""
    policy: int
    """The address of a `LEAF_POLICY` kernel; 0 without one."""
    logits: NDArray[np.float32]
    """float32[actions]"""

    @staticmethod
    def of(game: Game, kernel: LeafKernel | None) -> "Leaf":
        """A leaf evaluation for the searches of one thread; without a kernel, states are evaluated in batches."""
        address, numbers, weights, policy = kernel or LeafKernel(0, np.zeros(0, np.int64), np.zeros(0, np.float32))
        room = game.max_actions if kernel else 0
        return Leaf(
            address, numbers, weights, np.zeros((room, game.state_size), np.int8), np.zeros(room, np.float32),
            np.zeros(2, np.int64), policy, np.zeros(game.action_count if policy else 0, np.float32),
        )  # fmt: skip

    def copy(self) -> "Leaf":
        """The evaluation with arrays of its own, for another thread."""
        return self._replace(
            states=np.zeros_like(self.states), values=np.zeros_like(self.values), counts=np.zeros_like(self.counts),
            logits=np.zeros_like(self.logits),
        )  # fmt: skip

    def evaluated(self) -> int:
        """The states evaluated since this was last asked. Raises ValueError if some value was not finite."""
        states, faults = self.counts.tolist()
        self.counts.fill(0)
        if faults:
            wrong = "a state" if faults == 1 else f"{faults:,} states"
            raise ValueError(f"the evaluation gave no finite number for {wrong} of the search")
        return int(states)


LEAF = types.NamedTuple([types.int64, NUMBERS, FLOATS, STATES, FLOATS, NUMBERS, types.int64, FLOATS], Leaf)


@helper
def keep_finite(values, counts):
    """Counts the values, and puts 0 for each that is not finite, since comparisons with NaN decide nothing."""
    counts[0] += len(values)
    for row in range(len(values)):
        if not np.isfinite(values[row]):
            values[row] = 0.0
            counts[1] += 1


@helper
def keep_finite_logits(logits, actions, counts):
    """Counts the logits of these actions that are not finite, and puts 0 for each."""
    for number in range(len(actions)):
        if not np.isfinite(logits[actions[number]]):
            logits[actions[number]] = 0.0
            counts[1] += 1


@kernel(LEAF_VALUES)
def values_by_state(rules, parent, states, numbers, weights, values):
    """The values that the `STATE_VALUE` kernel at the address numbers[0] gives each state."""
    for row in range(states.shape[0]):
        values[row] = _state_value(numbers[0], (rules, states[row]))


def by_state(value: Kernel) -> LeafKernel:
    """The leaf evaluation by a `STATE_VALUE` kernel, such as a hand-written evaluation function."""
    return LeafKernel(values_by_state.address, np.array([value.address]), np.zeros(0, np.float32))


@kernel(types.void(types.int64, *LEAF_VALUES.args))
def leaf_values(address, rules, parent, states, numbers, weights, values):
    """Calls the `LEAF_VALUES` kernel at this address, from Python."""
    call_leaf(address, (rules, parent, states, numbers, weights, values))


def require_finite(game: Game, leaf: LeafKernel, name: str = "") -> None:
    """Raises ValueError, with the evaluation's name, if it does not give each of 200 random states a finite number."""
    states = random_states(game, _TRIED)
    values = np.zeros(len(states), np.float32)
    for row, state in enumerate(states):
        leaf_values(
            leaf.address, game.rules, state, states[row : row + 1], leaf.numbers, leaf.weights, values[row : row + 1]
        )
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise ValueError(
            f"the evaluation{f' {name}' if name else ''} of {game.name} must give every state a finite number: "
            f"it gives {values[wrong[0]]} for {len(wrong)} of {len(states)} random states"
        )


@helper
def advantage(difference, large):
    """A value between -1 and 1 for a difference between the players; `large`, above 0, is the one worth 1/2.

    The value of a negative difference is exactly the negative.
    """
    return difference / (abs(difference) + large)


@helper
def hundredths(value):
    """The number of an estimate (`Features.estimate`) for a value between -1 and 1: hundredths of its inverse tanh.

    Networks take the tanh again. Beyond 0.85 values do not fit in an int8, and count as 0.85.
    """
    return np.int8(np.rint(100 * np.arctanh(max(-_MOST_ESTIMATED, min(_MOST_ESTIMATED, value)))))
