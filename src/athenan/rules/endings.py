"""What a game declares about the ends of its matches, for the exact solver of ends (`search.finishing`)."""

from dataclasses import dataclass

import numpy as np
from numba import types

from athenan.rules.arrays import NUMBERS, PARAMS, STATE, array_of
from athenan.rules.compiler import Kernel

REMAINING = types.int64(PARAMS, STATE)
"""remaining(params, state) -> the most actions that the rest of the match can have, not counting passes."""

ENDING = types.int64(PARAMS, STATE, types.int64, types.int64, NUMBERS, array_of(np.uint64), NUMBERS)
"""ending(params, state, lower, upper, addresses, room, counts) -> the score under perfect play of a state that is not
terminal, first player's point of view.

It is exact inside the window from `lower` to `upper`. Outside, it is a bound: a score of at most `lower` is at least
the true one, a score of at least `upper` at most the true one. `addresses` are those of `Ending.helpers`. `room` holds
`Ending.words` words, zero at first, which are the kernel's own from call to call. The kernel adds the number of states
that it searches to counts[0].
"""


@dataclass(frozen=True, eq=False)
class Ending:
    """How many actions remain, and perhaps a solver of the game's own for the last ones."""

    remaining: Kernel
    """A kernel of the signature `REMAINING`."""
    solver: Kernel | None = None
    """A kernel of the signature `ENDING`, which is faster than the generic solver; None without one. The game has a
    score."""
    from_remaining: int = 0
    """The number of remaining actions up to which it takes over; about a millisecond's work."""
    helpers: tuple[Kernel, ...] = ()
    """Kernels that it calls by address, such as itself."""
    words: int = 0
    """How many words of room it needs."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All of its kernels."""
        return self.remaining, *((self.solver,) if self.solver else ()), *self.helpers
