"""The arrays with which an exact solver works: a stack of states, and a table of bounds.

A frame of the stack is a state whose actions are being searched. The table keeps whole states, so a bound is never
taken for another state's.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import FLOAT_ROWS, NUMBERS, STATES, array_of
from athenan.rules.game import Game
from athenan.rules.kernels import RULES, Rules
from athenan.rules.leaf import LEAF, Leaf
from athenan.rules.terminal import TerminalValue, score

FRAME = np.dtype(
    [
        ("key", np.uint64),  # hash of the state
        ("best", np.int32),  # the best value found so far
        ("action", np.int32),  # the action that has it; -1 before there is one
        ("actions", np.int32),  # number of actions; 0 before they are listed
        ("position", np.int32),  # the number of actions that were searched
    ],
    align=True,
)
BOUND = np.dtype(
    [("lower", np.int32), ("upper", np.int32), ("action", np.int32), ("used", np.int32)],
    align=True,
)
LEAST, MOST = -(1 << 20), 1 << 20
"""Below and above the value of every state."""
NODES, HEIGHT, THRESHOLD, RESULT = 0, 1, 2, 3
"""Places in `Stack.counts`: the states searched so far; the frame on top; the value that the root's is compared with;
the value of the state that was searched last."""
_REPLIES = 8
"""How many more replies of the opponent weigh as much as the scale of values, which is 32 discs in Othello."""


class Stack(NamedTuple):
    """A solver of one tree, for compiled code."""

    rules: Rules
    leaf: Leaf
    """The evaluation that puts actions in order; its address is 0 without one."""
    remaining: int
    """The address of the game's kernel `REMAINING`; 0 without one."""
    ending: int
    """The address of its kernel `ENDING`; 0 without one."""
    from_remaining: int
    """The number of remaining actions from which that kernel solves."""
    by_score: int
    """1: values are scores; 0: they are gains."""
    reply: float
    """What an action loses in rank for each of the opponent's replies, in the unit of the network's values."""
    addresses: NDArray[np.int64]
    """The addresses that the kernel takes."""
    room: NDArray[np.uint64]
    """The kernel's room."""
    counts: NDArray[np.int64]
    frames: NDArray[np.void]
    states: NDArray[np.int8]
    """int8[longest match, state size]: the state of each frame; the next row is free."""
    actions: NDArray[np.int32]
    """int32[longest match, max_actions]"""
    ranks: NDArray[np.float32]
    """float32[longest match, max_actions]: how promising each action is."""
    bounds: NDArray[np.void]
    """BOUND[power of two]"""
    bounded: NDArray[np.int8]
    """int8[power of two, state size]: the state to which each bound belongs."""

    @staticmethod
    def of(game: Game, terminal: TerminalValue, leaf: Leaf, memory: int) -> "Stack":
        """An empty stack; its table takes about a sixteenth of this many bytes, and at most a million states.

        Values are scores if the terminal evaluation is the score, else gains.
        """
        ending = game.ruleset.ending
        solver = ending.solver if ending else None
        by_score = terminal.address == score.address
        entries = 1 << min(20, max(10, (memory // 16 // (BOUND.itemsize + game.state_size)).bit_length() - 1))
        depth = game.max_length + 2
        return Stack(
            rules=game.rules, leaf=leaf, remaining=ending.remaining.address if ending else 0,
            ending=solver.address if solver else 0, from_remaining=ending.from_remaining if ending else 0,
            by_score=int(by_score),
            reply=terminal.scale / _REPLIES,
            addresses=np.array([one.address for one in ending.helpers] if ending else [], np.int64),
            room=np.zeros(ending.words if ending else 0, np.uint64), counts=np.zeros(4, np.int64),
            frames=np.zeros(depth, FRAME), states=np.zeros((depth, game.state_size), np.int8),
            actions=np.zeros((depth, game.max_actions), np.int32),
            ranks=np.zeros((depth, game.max_actions), np.float32), bounds=np.zeros(entries, BOUND),
            bounded=np.zeros((entries, game.state_size), np.int8),
        )  # fmt: skip

    def forget(self) -> None:
        """Empties the tables."""
        self.bounds["used"] = 0
        self.room.fill(0)


STACK = types.NamedTuple(
    [
        RULES, LEAF, *[types.int64] * 4, types.float64, NUMBERS, array_of(np.uint64), NUMBERS, array_of(FRAME), STATES,
        array_of(np.int32, 2), FLOAT_ROWS, array_of(BOUND), STATES,
    ],
    Stack,
)  # fmt: skip
