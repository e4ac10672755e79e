"""Chooses the action to play after a search.

Every choice takes a node and returns the position of the chosen action in `node.actions`.
Ties are broken at random (003, Remarks 11 and 14). The default choice of self-play, completed selection with the
ordinal distribution, is compiled code, which `search.walking.acting` calls without Python.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import ACTION_LIST, FLOATS, array_of
from athenan.rules.compiler import helper, kernel, prepare
from athenan.search.trees.algorithm import Choose
from athenan.search.trees.generator import DRAWS, Draws, below, draws_of, shuffle, unit
from athenan.search.trees.node import Node

Positions = NDArray[np.int64]
Key = Literal["completion", "resolution", "value", "visits"]
"""What decides between actions: the completion and the value as the mover sees them, the resolution, the visits."""
_KEYS: dict[Key, Callable[[Node], NDArray[np.number]]] = {
    "completion": lambda node: node.sign * node.completions,
    "resolution": lambda node: node.resolutions,
    "value": lambda node: node.sign * node.values,
    "visits": lambda node: node.counts,
}
Select = Callable[[Node, Positions, np.random.Generator], int]
"""select(node, positions, random): one of the given positions."""


def _largest(positions: Positions, random: np.random.Generator, *keys: NDArray[np.number]) -> int:
    """The position whose keys are lexicographically largest; the first key weighs most."""
    for key in keys:
        positions = positions[key[positions] == key[positions].max()]
    return int(random.choice(positions))


@dataclass(frozen=True)
class Lexicographic:
    """Chooses the first action in an order: the first key decides, the next one among equal actions, and so on."""

    keys: tuple[Key, ...]

    def __call__(self, node: Node, random: np.random.Generator) -> int:
        """The position of the chosen action in `node.actions`."""
        return self.among(node, np.arange(len(node.actions)), random)

    def among(self, node: Node, positions: Positions, random: np.random.Generator) -> int:
        """The position of the chosen one of these actions."""
        return _largest(positions, random, *(_KEYS[key](node) for key in self.keys))


best = Lexicographic(("completion", "value", "visits"))
"""The best action by (c, v, n): `best_action` of Algorithm 1, `completed_best_action` of Algorithm 11."""
safest = Lexicographic(("completion", "visits", "value"))
"""The proven, then most often chosen, then best action: `safest_action` of Algorithm 13 (UBFM_s)."""
safest_securing_draw = Lexicographic(("completion", "resolution", "visits", "value"))
"""Like `safest`, but a proven draw comes before an unproven win (Remark 16).

Remark 16 minimises (c, -r, -n, v) for the second player and maximises (c, r, n, v) for the first. Games of chance take
`safest_or_exact` instead: there a resolved action is not a draw that could be secured.
"""

exact = Lexicographic(("completion", "value"))
"""The best action by (c, v): for actions whose values are exact, so that their visits mean nothing."""


def safest_or_exact(node: Node, random: np.random.Generator) -> int:
    """Among the actions with the best c, the best resolved one if the safest other is no better, otherwise the safest.

    This is for `exact` searches, including one-player games, and for games of chance. A resolved action is no longer
    visited, but its value is exact.
    """
    gains, values = node.sign * node.completions, node.sign * node.values
    open_, resolved = (np.flatnonzero((gains == gains.max()) & (node.resolutions == r)) for r in (0, 1))
    if not open_.size:
        return exact.among(node, resolved, random)
    chosen = safest.among(node, open_, random)
    if resolved.size and values[resolved].max() >= values[chosen]:
        return exact.among(node, resolved, random)
    return chosen


@kernel(types.int64(types.int64, FLOATS, array_of(np.int8), ACTION_LIST))
def _narrow(side, values, completions, positions):
    """Writes the positions among which completed selection chooses, ascending, and returns their number.

    If it takes the best value, these are the actions that have it, and the number is negative.
    """
    most = -1
    for number in range(len(completions)):
        most = max(most, side * completions[number])
    count, best = 0, -np.inf
    for number in range(len(completions)):
        if side * completions[number] == most:
            value = side * values[number]
            if most != 0 and value > best:
                count, best = 0, value
            if most == 0 or value == best:
                positions[count] = number
                count += 1
    return count if most == 0 else -count


def completed(node: Node, select: Select, random: np.random.Generator) -> int:
    """Completed action selection (003, section 5.2): a proven win, if the node has one.

    Otherwise it selects among the actions that do not lead to a proven loss. If all do, it takes the best action.
    """
    positions = np.empty(len(node.actions), np.int32)
    count = _narrow(node.sign, node.values, node.completions, positions)
    if count < 0:
        return int(random.choice(positions[:-count]))
    return select(node, positions[:count].astype(np.int64), random)


def epsilon_greedy(epsilon: float) -> Select:
    """A uniformly random action with probability epsilon, else the best (Algorithm 2)."""

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        if random.random() < epsilon:
            return int(random.choice(positions))
        return _largest(positions, random, node.sign * node.values)

    return select


def softmax(temperature: float) -> Select:
    """An action with probability proportional to exp(v / temperature), from the mover's point of view (section 2.3).

    A temperature of 0 takes the best action, an infinite one any action.
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        values = node.sign * node.values[positions].astype(np.float64)
        if temperature == 0:
            return _largest(positions, random, node.sign * node.values)
        weights = np.exp((values - values.max()) / temperature)
        return int(random.choice(positions, p=weights / weights.sum()))

    return select


def ordinal(exploitation: float) -> Select:
    """The ordinal distribution (Algorithm 14).

    From the best action to the worst, each action reached is taken with a probability between uniform (exploitation 0)
    and certain (1).
    """

    def select(node: Node, positions: Positions, random: np.random.Generator) -> int:
        if not len(positions):
            raise ValueError("there is no action to choose from")
        order = positions.astype(np.int32)
        with random.bit_generator.lock:
            return int(_ordinal(exploitation, node.sign, node.values, order, np.empty_like(order), draws_of(random)))

    return select


@kernel(types.int64(types.float64, types.int64, FLOATS, ACTION_LIST, ACTION_LIST, DRAWS))
def _ordinal(exploitation, side, values, positions, spare, draws):
    """One of the positions by the ordinal distribution; `spare` has room for the same number."""
    shuffle(draws, positions)
    rank, count = 0, len(positions)
    while unit(draws) > (exploitation * (count - rank - 1) + 1) / (count - rank):
        rank += 1
    return _at_rank(side, values, positions, spare, rank)


@helper
def _at_rank(side, values, positions, spare, rank):
    """The position at a rank by value, the best for the side first; equal ones keep their order (merge sort)."""
    count, width = len(positions), 1
    ranked, merged = positions, spare
    while width < count:
        for start in range(0, count, 2 * width):
            left, right = start, min(start + width, count)
            middle, end = right, min(start + 2 * width, count)
            for place in range(start, end):
                if right == end or (left < middle and side * values[ranked[left]] >= side * values[ranked[right]]):
                    merged[place] = ranked[left]
                    left += 1
                else:
                    merged[place] = ranked[right]
                    right += 1
        ranked, merged = merged, ranked
        width *= 2
    return np.int64(ranked[rank])


def prepare_ordinal() -> None:
    """Compiles what `completed` and `ordinal` call, so that no match waits for it."""
    prepare(_narrow, _ordinal)


class Selection(NamedTuple):
    """The choice of actions by the ordinal distribution, for compiled code."""

    exploitation: float
    """ε', from 0 to 1; negative: drawn uniformly from [0, 1] for each action."""
    completed: int
    """1 for completed selection, otherwise 0."""
    draws: Draws


SELECTION = types.NamedTuple([types.float64, types.int64, DRAWS], Selection)


@helper
def selected(selection, side, values, completions, positions, spare):
    """The position of the action to play; `positions` and `spare` are room for as many as there are values."""
    exploitation = selection.exploitation if selection.exploitation >= 0 else unit(selection.draws)
    count = len(values)
    if selection.completed:
        count = _narrow(side, values, completions, positions)
    else:
        for number in range(count):
            positions[number] = number
    if count < 0:
        return np.int64(positions[below(selection.draws, -count)])
    return _ordinal(exploitation, side, values, positions[:count], spare[:count], selection.draws)


def softmax_temperature(exploitation: float, half: float) -> float:
    """The temperature of softmax at an exploitation rate: `half` at 1/2, infinite (uniform) at 0, 0 (the best) at 1."""
    return half * (1 - exploitation) / exploitation if exploitation > 0 else np.inf


SELECTIONS: dict[str, Choose] = {"best": best, "safest": safest, "safest_securing_draw": safest_securing_draw}
"""The ways to choose the action to play, by name."""
