"""What the search asks about a finished match: its value under the reinforcement heuristic that is learned.

The heuristic itself is a kernel that the search is given by its address; `evaluation.heuristics` has those of the
papers, and a user's own is any function compiled with `@kernel(TERMINAL_VALUE)`.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.games import kernels as k

_addresses = types.Array(types.int64, 1, "C")
_params = types.Array(types.int64, 1, "C")
_state = types.Array(types.int8, 1, "C")
_constants = types.Array(types.float64, 1, "C")

TERMINAL_VALUE = types.float64(_addresses, _params, _state, types.int64, _constants)
"""value(kernels, params, state, outcome, constants) -> f_t of a finished match, first player's point of view.

`kernels` and `params` are the game's, `outcome` is its gain (1, 0, -1), `constants` are the heuristic's own.
"""

_terminal_value = k.by_address(TERMINAL_VALUE)


@k.kernel(types.float64(types.int64, *TERMINAL_VALUE.args))
def terminal_value(address, kernels, params, state, outcome, constants):
    """Calls the `TERMINAL_VALUE` kernel at this address."""
    return _terminal_value(address, (kernels, params, state, outcome, constants))


@k.kernel(TERMINAL_VALUE)
def gain(kernels, params, state, outcome, constants):
    """The gain itself, b_t."""
    return float(outcome)


class TerminalValue(Protocol):
    """What a search needs to know of a terminal evaluation."""

    @property
    def address(self) -> int:
        """Of its `TERMINAL_VALUE` kernel."""

    @property
    def constants(self) -> NDArray[np.float64]:
        """What that kernel is given besides the match."""


@dataclass(frozen=True, eq=False)
class Gain:
    """The gain b_t of the first player, 1, 0 or -1: the classic terminal evaluation."""

    constants: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def address(self) -> int:
        return gain.address
