"""Whole turns as an evaluation: a state with a player to move is worth the best end of that player's turn.

`by_turns` gives a search this evaluation. If compiled code can call the network, the search never leaves it. Otherwise
the ends of several turns are evaluated as one batch, with the same values.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOATS, NUMBERS, PLANES, RANDOM, STATE
from athenan.rules.compiler import kernel, prepare
from athenan.rules.declared import Features
from athenan.rules.facts import altered
from athenan.rules.game import Game
from athenan.rules.kernels import ENCODE, RULES, KernelTable
from athenan.rules.leaf import LEAF_VALUES, LeafKernel, Native, call_leaf
from athenan.rules.leaves import Evaluate, Leaves, answered
from athenan.rules.memory import scratch
from athenan.rules.state import CHANCE, copy_state, sign
from athenan.rules.terminal import TerminalValue
from athenan.search.trees.subject import SUBJECT, Subject
from athenan.search.walking.turns import (
    MOST_LISTED,
    OPEN,
    STEP,
    TERMINAL,
    TURNS,
    best_end,
    encode_turn,
    room_for,
    unfold,
    value_of,
)

_BYTES, _MOST_ACTIONS = 1 << 17, 1 << 10
"""Room on the machine's stack for the states of a turn, and for the actions of a state."""
_STATES = MOST_LISTED + _MOST_ACTIONS
_AT_ONCE = 64
"""Turns whose ends are evaluated as one batch, outside compiled code."""
_LEAF, _HEURISTIC, _ACTIONS, _CONSTANTS, _HEADER = range(5)
"""Positions in the numbers: the addresses of the network's kernel and of the heuristic, the most actions of a state,
how many constants the heuristic has. Then come these, as bits, and the numbers of the network."""


def most_states(game: Game) -> int:
    """The most states of a turn that are listed, including states after the last one; 0 without room for a turn."""
    states = min(MOST_LISTED + game.max_actions, _BYTES // game.state_size)
    return states if game.max_actions <= min(_MOST_ACTIONS, states // 2) else 0


@kernel(types.float64(RULES, STATE, NUMBERS, FLOATS))
def _value(rules, state, numbers, weights):
    """The value of the best end of the turn of a state."""
    actions, found = scratch(_MOST_ACTIONS, np.int32), scratch(_STATES, np.float32)
    room, steps, size = scratch(_BYTES, np.int8), scratch(_STATES, STEP), len(state)
    places = min(MOST_LISTED + numbers[_ACTIONS], _BYTES // size)
    states = room[: places * size].reshape(places, size)
    begin = _HEADER + numbers[_CONSTANTS]
    constants = numbers[_HEADER:begin].view(np.float64)
    most = places - numbers[_ACTIONS]
    end = unfold(rules, numbers[_HEURISTIC], constants, state, states, steps, actions, 0, most)
    sense = 1 if state[0] == CHANCE else sign(state[0])
    count, best = 0, -np.inf
    for number in range(end):
        if steps[number].row == TERMINAL:
            best = max(best, sense * np.float64(steps[number].value))
        elif steps[number].row == OPEN:
            copy_state(states[number], states[count])
            count += 1
    if count:
        values = found[:count]
        call_leaf(numbers[_LEAF], (rules, state, states[:count], numbers[begin:], weights, values))
        for number in range(count):
            if not np.isfinite(values[number]):
                return np.nan
            best = max(best, sense * np.float64(values[number]))
    return sense * best


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


@kernel(types.int64(SUBJECT, TURNS, PLANES, PLANES))
def _unfold_all(subject, turns, states, planes):
    rows = 0
    for turn in range(len(states)):
        rows = encode_turn(subject, turns, turn, states[turn], planes, rows)
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
        plane_exchange=None,
    )  # fmt: skip
    return shown, _evaluation(game, evaluate, terminal)


def _evaluation(game: Game, evaluate: Evaluate, terminal: TerminalValue) -> Evaluate:
    """Evaluates states, int8[n, state size], by the ends of their turns."""
    prepare(_unfold_all, _fold_all)
    turns, planes = room_for(game, _AT_ONCE)
    subject, random = Subject.of(game, terminal), np.zeros(1, np.uint64)

    def some(states: NDArray[np.int8]) -> NDArray[np.float32]:
        rows = _unfold_all(subject, turns, states, planes)
        leaves = answered(evaluate(planes[:rows]), rows) if rows else Leaves()
        values = np.ascontiguousarray(leaves.values)
        found = np.empty(len(states), np.float32)
        _fold_all(turns, values, random, found)
        return found

    def evaluated(states: NDArray[np.int8]) -> Leaves:
        parts = [some(states[start : start + _AT_ONCE]) for start in range(0, len(states), _AT_ONCE)]
        return Leaves(np.concatenate(parts) if parts else np.zeros(0, np.float32))

    return evaluated
