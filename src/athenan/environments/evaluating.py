"""Values and policies of many states at once, by any network of the package or of a run.

>>> from athenan import make
>>> from athenan.environments import StateBatch
>>> evaluate = BatchEvaluator.of("athenan", make("connect_four"))
>>> batch = StateBatch(make("connect_four"), 64)
>>> evaluate.values(batch.states).shape
(64,)
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, CONSTANTS, FLOAT_ROWS, FLOATS, NUMBERS, STATES
from athenan.rules.compiler import kernel, prepare
from athenan.rules.game import Game, require_game
from athenan.rules.heads import VALUES, VALUES_AND_POLICIES
from athenan.rules.kernels import RULES
from athenan.rules.leaf import Native, call_leaf, call_policy
from athenan.rules.leaves import Evaluate
from athenan.rules.playouts import encoded_states
from athenan.rules.state import ONGOING
from athenan.rules.terminal import TerminalValue, terminal_value

_AT_ONCE = 4096
"""States whose planes are in memory at once, for a network of layers."""


@kernel(types.void(RULES, STATES, types.int64, CONSTANTS, types.int64, NUMBERS, FLOATS, FLOATS))
def values_of_states(rules, states, heuristic, constants, leaf, numbers, weights, values):
    """The value of each state by a `LEAF_VALUES` kernel, of a finished match by the heuristic."""
    for row in range(len(states)):
        state, outcome = states[row], calls.outcome(rules, states[row])
        if outcome == ONGOING:
            call_leaf(leaf, (rules, state, states[row : row + 1], numbers, weights, values[row : row + 1]))
        else:
            values[row] = terminal_value(heuristic, rules, state, outcome, constants)


@kernel(
    types.void(RULES, STATES, types.int64, CONSTANTS, types.int64, NUMBERS, FLOATS, ACTION_LIST, FLOATS, FLOAT_ROWS)
)
def policies_of_states(rules, states, heuristic, constants, leaf, numbers, weights, room, values, logits):
    """The value of each state and the logits of its legal actions, by a `LEAF_POLICY` kernel.

    A finished match has its value by the heuristic. `room` has room for `max_actions`.
    """
    for row in range(len(states)):
        state, outcome = states[row], calls.outcome(rules, states[row])
        if outcome == ONGOING:
            actions = room[: calls.actions(rules, state, room)]
            values[row] = call_policy(leaf, (rules, state, actions, numbers, weights, logits[row]))
        else:
            values[row] = terminal_value(heuristic, rules, state, outcome, constants)


class BatchEvaluator:
    """A network that evaluates whole batches of states: in one compiled call if compiled code evaluates it."""

    def __init__(self, game: Game, evaluate: Evaluate, terminal: TerminalValue, heads: Sequence[str] = VALUES) -> None:
        """`heads`: what the network gives, values or values and policies."""
        prepare(values_of_states, policies_of_states)
        self.game, self._evaluate, self._terminal, self.heads = game, evaluate, terminal, tuple(heads)

    @classmethod
    def of(cls, network: str | Path, game: Game) -> "BatchEvaluator":
        """The network of a run or a checkpoint, by its path, or the package's network of the game: `athenan`.

        Raises ValueError if there is no such network, or it does not carry over to the game.
        """
        from athenan.networks.catalogue import path_of
        from athenan.runs.checkpoint import load_header
        from athenan.runs.learnt import learnt_network, saved_network

        require_game(game)
        path = path_of(str(network), game)
        load_header(path)
        saved = saved_network(path, game, called=str(network))
        heads = VALUES_AND_POLICIES if "policies" in saved.network.heads else VALUES
        found = learnt_network(path, heads=heads, game=game, called=str(network))
        return cls(found.game, found.evaluate, found.heuristic, heads)

    def values(self, states: NDArray[np.int8]) -> NDArray[np.float32]:
        """The values of states, int8[n, state size], from the first player's point of view, in the units of the
        network's heuristic; float32[n]. A finished match is worth what the heuristic gives it.
        """
        states, values = self._checked(states), np.zeros(len(states), np.float32)
        evaluate, terminal = self._evaluate, self._terminal
        if isinstance(evaluate, Native):
            leaf = evaluate.leaf
            values_of_states(
                self.game.rules, states, terminal.address, terminal.constants, leaf.address, leaf.numbers,
                leaf.weights, values,
            )  # fmt: skip
            return values
        return self._of_layers(states)[0]

    def policies(self, states: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The values as above, and the logits of actions, float32[n, actions]; illegal ones may have any.

        Raises ValueError if the network has no policy.
        """
        if self.heads != VALUES_AND_POLICIES:
            raise ValueError("this network has no policy: values(states) gives what it knows")
        states, evaluate, terminal = self._checked(states), self._evaluate, self._terminal
        if not isinstance(evaluate, Native):
            return self._of_layers(states)
        leaf, values = evaluate.leaf, np.zeros(len(states), np.float32)
        logits = np.zeros((len(states), self.game.action_count), np.float32)
        policies_of_states(
            self.game.rules, states, terminal.address, terminal.constants, leaf.policy, leaf.numbers, leaf.weights,
            np.empty(self.game.max_actions, np.int32), values, logits,
        )  # fmt: skip
        return values, logits

    def _of_layers(self, states: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Values and policies by a network of layers, in batches."""
        values = np.zeros(len(states), np.float32)
        logits = np.zeros((len(states), self.game.action_count if self.heads == VALUES_AND_POLICIES else 0), np.float32)
        for begin in range(0, len(states), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            leaves = self._evaluate(encoded_states(self.game, states[part]))
            values[part] = leaves.values
            if self.heads == VALUES_AND_POLICIES:
                logits[part] = leaves.policies
        for row in range(len(states)):
            if (outcome := self.game.outcome(states[row])) is not None:
                terminal = self._terminal
                values[row] = terminal_value(
                    terminal.address, self.game.rules, states[row].copy(), outcome, terminal.constants
                )
        return values, logits

    def _checked(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        if states.dtype != np.int8 or states.ndim != 2 or states.shape[1] != self.game.state_size:
            given = f"{states.dtype}{list(states.shape)}"
            raise ValueError(f"states must be int8[n, {self.game.state_size}], not {given}")
        return np.require(states, requirements=["C", "W"])
