"""The values that a training may learn from alpha-beta, beside those of plain minimax or Expectiminimax."""

from collections.abc import Callable

from athenan.rules.game import State
from athenan.rules.state import CHANCE
from athenan.search.alpha_beta.search import AlphaBetaSearch

Reference = Callable[[State, int], tuple[int, float]]
"""Gives (c, v) of a state, searched to a depth."""
_DEPTHS = range(1, 9)


def depth_searched(search: AlphaBetaSearch, number: int) -> int:
    """The depth to which a node was last searched to an end, 0 if another search of it was left since."""
    return int(search._plan.bounds[0, number]["depth"])


def assert_values(search: AlphaBetaSearch, reference: Reference, error: float = 0.0) -> tuple[int, int]:
    """Compares v(s) where it is learnt; returns how many are compared, and how many are only bounds.

    `error` is the largest difference, as a share of values beyond 1.
    """
    compared, bounds, valued = 0, 0, search.valued()
    for number in range(search.effort().states):
        state, depth, node = search.forest.states[0, number], depth_searched(search, number), search.node(number)
        if not len(node.actions):
            continue
        if not valued[number]:
            assert node.player != CHANCE or not node.visits
            bounds += 1
            continue
        compared += depth > 0
        wanted = [reference(state, one)[1] for one in ([depth] if depth else _DEPTHS)]
        assert any(abs(node.value - value) <= error * max(1, abs(value)) for value in wanted)
    return compared, bounds
