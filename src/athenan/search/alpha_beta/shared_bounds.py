"""What threads that search one root by alpha-beta tell each other: bounds of states, and which states they search now.

A thread stores the bounds of every state that it has searched, and others use them wherever they decide something. An
edge whose state another thread is searching is put off until the other edges of its node are done (M. Weill, "The
ABDADA distributed minimax-search algorithm", 1996; without locks, by T. Kerrigan). Nothing else is shared: each
thread has its own tree.

No proof rests on the table: entries have no completions, and what they say counts as an estimate. If two states have
the same key, an action may suffer, but nothing is proven by mistake.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import NUMBERS, STATE, array_of
from athenan.rules.compiler import helper, kernel
from athenan.search.alpha_beta.keys import HIGHEST, LOWEST, completion_in
from athenan.search.trees.forest import state_key

_CHECK, _LOWER, _UPPER, _SEARCH = 0, 1, 2, 3
_DEPTH_BITS = 32
_DEPTHS = (1 << _DEPTH_BITS) - 1
_MARKS = 1 << 12
_STRIDE = 0x5851F42D4C957F2D
"""An odd number that makes other keys for other depths, and after `forget`."""
PULSE, GENERATION, DEPTH = 0, 1, 2
"""Places in `SharedBounds.counters`: how often the leading thread has gone on, how often all was forgotten, and the
greatest depth that a thread has completed in the present search."""


class SharedBounds(NamedTuple):
    """Threads read and write these without locks. An entry that two threads have mixed fails its check."""

    table: NDArray[np.int64]
    """int64[power of two, 4]: a state's key, exclusive or the other three; its bounds; depth and best action."""
    marks: NDArray[np.int64]
    """int64[power of two]: keys of states, with depths, that are being searched; else 0."""
    counters: NDArray[np.int64]
    """int64[3]"""

    @staticmethod
    def of(memory: int) -> "SharedBounds":
        """An empty table of at most this many bytes and a million entries, but of at least 1024 entries."""
        entries = 1 << min(max(10, (memory // 32).bit_length() - 1), 20)
        table = np.empty((entries, 4), np.int64)
        table.fill(0)  # its pages are mapped now: a search would wait for each that it is the first to touch
        return SharedBounds(table, np.zeros(_MARKS, np.int64), np.zeros(3, np.int64))

    def start(self) -> None:
        """Makes all ready for another search."""
        self.marks.fill(0)
        self.counters[DEPTH] = 0

    def forget(self) -> None:
        """Makes all entries invalid."""
        self.counters[GENERATION] += 1


SHARED_BOUNDS = types.NamedTuple([array_of(np.int64, 2), NUMBERS, NUMBERS], SharedBounds)


@helper
def _key(shared, state_key):
    return np.int64(state_key) ^ (shared.counters[GENERATION] * _STRIDE)


@helper
def tell(shared, state_key, bound, action):
    """Stores the bounds of a state, unless they are completions, and its best action.

    Bounds into which no estimate went are left out: they are proofs, which each thread finds by itself.
    """
    if bound.open == 0:
        return
    lower = bound.lower if completion_in(bound.lower) == 0 else LOWEST
    upper = bound.upper if completion_in(bound.upper) == 0 else HIGHEST
    key, search = _key(shared, state_key), (np.int64(action) << _DEPTH_BITS) + np.int64(bound.depth)
    entry = shared.table[key & (len(shared.table) - 1)]
    entry[_CHECK] = key ^ lower ^ upper ^ search
    entry[_LOWER] = lower
    entry[_UPPER] = upper
    entry[_SEARCH] = search


@helper
def told(shared, state_key):
    """What is known about a state: its bounds, their depth and its best action; the depth is 0 without an entry."""
    key = _key(shared, state_key)
    entry = shared.table[key & (len(shared.table) - 1)]
    lower, upper, search = entry[_LOWER], entry[_UPPER], entry[_SEARCH]
    if entry[_CHECK] != key ^ lower ^ upper ^ search:
        return LOWEST, HIGHEST, np.int64(0), np.int64(-1)
    return lower, upper, search & _DEPTHS, search >> _DEPTH_BITS


@helper
def _mark_of(shared, state_key, depth):
    return _key(shared, state_key) + depth * _STRIDE


@helper
def mark(shared, state_key, depth):
    """Says that a state is being searched to a depth."""
    key = _mark_of(shared, state_key, depth)
    shared.marks[key & (len(shared.marks) - 1)] = key


@helper
def unmark(shared, state_key, depth):
    """Says that this search has ended."""
    key = _mark_of(shared, state_key, depth)
    if shared.marks[key & (len(shared.marks) - 1)] == key:
        shared.marks[key & (len(shared.marks) - 1)] = 0


@helper
def is_marked(shared, state_key, depth):
    """Whether some thread is searching a state to a depth."""
    key = _mark_of(shared, state_key, depth)
    return shared.marks[key & (len(shared.marks) - 1)] == key


@kernel(types.int64(SHARED_BOUNDS, STATE))
def best_action(shared, state):
    """The best action in a state by the last search of a thread, or -1."""
    return told(shared, state_key(state))[3]
