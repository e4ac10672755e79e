"""Actions of a match, searched and played one after the other in compiled code.

Self-play with a native evaluation would otherwise return to Python for each action, which takes up to a fifth of the
time of a short search, and holds Python's lock. Here Python is asked only on rare occasions: when the match has ended,
when the tree has little room, and now and then, so that the caller may be interrupted.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.arrays import ACTION_LIST, FLOATS, NUMBERS, PLANES, array_of
from athenan.rules.compiler import helper, kernel, prepare
from athenan.rules.kernels import by_address
from athenan.rules.state import ONGOING, sign
from athenan.search.budget import Budget
from athenan.search.clock import TIMING, Timing, is_over, start_time
from athenan.search.trees.algorithm import STEPS
from athenan.search.trees.forest import DONE, FOREST, MUCH, fullness, has_room, play_at_root, start_search
from athenan.search.trees.forest_search import ForestSearch, limits_of
from athenan.search.trees.selection import SELECTION, Selection, selected
from athenan.search.trees.subject import SUBJECT
from athenan.search.walking.walk import WORK, advance
from athenan.search.walking.walk_search import Search

WORKED, ENDED, CROWDED, UNKNOWN = 0, 1, 2, 3
"""Why compiled code returns to Python. WORKED: it has done some work and would go on. ENDED: the last action has ended
the match, and the root is the state before it. CROWDED: the state after the last action is the root of a tree that
needs room before the next search. UNKNOWN: the search is done, but the tree does not know the actions of its root, or
has no room for the next one."""


class Room(NamedTuple):
    """Room for compiled play, and what it answers."""

    actions: NDArray[np.int32]
    """The actions that were played; int32[longest match]."""
    values: NDArray[np.float32]
    """float32[max_actions], like the next three"""
    completions: NDArray[np.int8]
    positions: NDArray[np.int32]
    spare: NDArray[np.int32]
    counts: NDArray[np.int64]
    """int64[2]: how many actions were played, and how many searches a full tree has ended."""
    patience: NDArray[np.int64]
    """int64[1]: the work after which compiled code returns, in the unit of `WORK`; another thread may change it."""


ROOM = types.NamedTuple([ACTION_LIST, FLOATS, array_of(np.int8), ACTION_LIST, ACTION_LIST, NUMBERS, NUMBERS], Room)
_PATIENT = 16 * WORK  # some ten milliseconds
_advance = by_address(advance.signature)


@helper
def _choose(forest, selection, room):
    """The action to play at the root of the only tree."""
    root = forest.nodes[0, forest.slots[0].root]
    edges = forest.edges[0][root.first_edge : root.first_edge + root.edges]
    for number in range(len(edges)):
        room.values[number] = edges[number].value
        room.completions[number] = edges[number].completion
    values, completions = room.values[: len(edges)], room.completions[: len(edges)]
    position = selected(selection, sign(root.player), values, completions, room.positions, room.spare)
    return np.int64(edges[position].action)


@helper
def _ends(forest, rules, action):
    """Whether an action of the root ends the match."""
    record = forest.slots[0]
    following = forest.states[0, record.nodes]  # the row that is always free
    calls.play(rules, forest.states[0, record.root], action, following)
    return calls.outcome(rules, following) != ONGOING


@kernel(
    types.int64(
        FOREST, SUBJECT, STEPS, PLANES, types.int64, types.int64, types.int64, TIMING, ROOM, SELECTION
    )
)  # fmt: skip
def play_on(forest, subject, steps, planes, walk, iterations, evaluations, timing, room, selection):
    """Goes on with the search of the only tree, plays the action, and so on, until there is a reason to return.

    `walk` is the address of `advance`; `iterations` and `evaluations` limit each search. A search has been started.
    """
    record, work = forest.slots[0], 0
    room.counts[0] = room.counts[1] = 0
    while work < room.patience[0]:
        if record.status != DONE:
            _advance(walk, (forest, subject, steps, planes))
            work += record.work
            if is_over(timing, 0):
                record.stop = 1
            continue
        if forest.nodes[0, record.root].edges == 0 or not has_room(forest, 0, 0, 0):
            return UNKNOWN
        action = _choose(forest, selection, room)
        room.actions[room.counts[0]] = action
        room.counts[0] += 1
        if _ends(forest, subject.rules, action):
            return ENDED
        play_at_root(forest, subject.rules, steps.transpositions, 0, action)
        if fullness(forest, 0) > MUCH:
            return CROWDED
        start_time(timing, 0)
        room.counts[1] += start_search(forest, 0, iterations, evaluations, 0)
    return WORKED


class Acting:
    """Plays on in the only tree of a search."""

    def __init__(self, search: Search, budget: Budget, timing: Timing, selection: Callable[[], Selection]) -> None:
        """The limits of each search are the iterations and evaluations of the budget, and the seconds of `timing`.

        `selection` says how actions are chosen; nobody else may draw from its generator while `go_on` plays.
        """
        prepare(play_on)
        game = search.game
        most = game.max_actions
        self._search, self._selection = search, selection
        self._room = Room(
            np.empty(game.max_length + 1, np.int32), np.empty(most, np.float32), np.empty(most, np.int8),
            np.empty(most, np.int32), np.empty(most, np.int32), np.zeros(2, np.int64), np.array([_PATIENT]),
        )  # fmt: skip
        self._play_on = play_on.bound(
            search.forest, search.subject, search.steps, search.planes, advance.address, *limits_of(budget), timing,
            self._room,
        )  # fmt: skip

    @classmethod
    def by(
        cls, search: ForestSearch, budget: Budget, timing: Timing, selection: Callable[[], Selection]
    ) -> "Acting | None":
        """The compiled play of a search; None unless the walk evaluates one tree by a kernel, without chance."""
        if not isinstance(search, Search) or search.game.stochastic:
            return None
        return cls(search, budget, timing, selection) if search.is_native and len(search.forest.slots) == 1 else None

    def hurry(self, hurried: bool) -> None:
        """Lets `go_on` return after a millisecond's work if `hurried`, else after ten; any thread may call it."""
        self._room.patience[0] = WORK if hurried else _PATIENT

    def go_on(self) -> tuple[int, list[int]]:
        """Plays on; returns why it has stopped, and the actions that were played meanwhile.

        Raises ValueError if a value was not finite.
        """
        stop = int(self._play_on(self._selection()))
        played, cut_short = self._room.counts.tolist()
        self._search.count(cut_short)
        return stop, self._room.actions[:played].tolist()
