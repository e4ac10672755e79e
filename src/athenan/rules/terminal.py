"""The terminal evaluation f_t: the value of a finished match under a reinforcement heuristic.

A heuristic is a kernel, which the search calls by its address. `evaluation.heuristics` has the heuristics of the
papers. A game may have its own. Any function compiled with `@kernel(TERMINAL_VALUE)` is a heuristic of yours.
"""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.compiler import kernel
from athenan.rules.game import Game, State
from athenan.rules.kernels import TERMINAL_VALUE, by_address

_terminal_value = by_address(TERMINAL_VALUE)


@kernel(types.float64(types.int64, *TERMINAL_VALUE.args))
def terminal_value(address, rules, state, outcome, constants):
    """Calls the `TERMINAL_VALUE` kernel at this address."""
    return _terminal_value(address, (rules, state, outcome, constants))


@kernel(TERMINAL_VALUE)
def gain(rules, state, outcome, constants):
    """The gain itself, b_t."""
    return float(outcome)


@kernel(TERMINAL_VALUE)
def score(rules, state, outcome, constants):
    """The score of the match, for games with a score."""
    return float(calls.score(rules, state))


def counts_points(game: Game, terminal: "TerminalValue") -> bool:
    """Whether a search maximises the expected score, to which a certain win adds only its points.

    This holds in games of chance with the score as the heuristic.
    """
    return game.stochastic and terminal.address == score.address


def value_of_end(game: Game, terminal: "TerminalValue", end: State) -> float:
    """f_t of the final state of a match."""
    state = np.require(end, requirements=["C", "W"])
    return float(terminal_value(terminal.address, game.rules, state, game.outcome(end), terminal.constants))


@runtime_checkable
class TerminalValue(Protocol):
    """The attributes of a terminal evaluation that a search uses."""

    @property
    def address(self) -> int:
        """The address of its `TERMINAL_VALUE` kernel."""

    @property
    def constants(self) -> NDArray[np.float64]:
        """The kernel's last argument."""

    @property
    def scale(self) -> float:
        """The size of large values, such as 1 for gains; more than 0."""


@dataclass(frozen=True, eq=False)
class Gain:
    """The gain b_t of the first player, 1, 0 or -1: the classic terminal evaluation."""

    constants: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    scale: float = 1.0

    @property
    def address(self) -> int:
        return gain.address
