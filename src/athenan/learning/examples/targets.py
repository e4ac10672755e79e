"""Targets select what is learnt from a match and its search trees (003, Algorithms 3, 4 and 5).

| target | states | values |
| --- | --- | --- |
| tree | all states of S: expanded or terminal, of all searches of the match | v(s), where it is not only a bound |
| tree_with_leaves | also the unexpanded leaves that were evaluated | v(s); for a leaf v(s', a) of its edge |
| root | the states of the match | v(s) of the search for the action played there; for the last state f_t |
| terminal | the states of the match | f_t of its last state |

States where chance is to move are also states of the match, though no search is made there. A chance state that a
search has expanded has its expectation in the tree. Any other, such as an initial one, has the value of the state that
was drawn, from the search made there: learnt from many matches, it is the expectation on average.

If the search asks for action values, trees also teach v(s, a), which is v of the child, for edges to states of S and
for edges whose child was evaluated itself. No search asks for the action values of chance outcomes.

A target of your own is a class that derives from `Target`, in a file: `./mine.py:0.5` (docs/algorithms/own_target.md).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.learning.examples.examples import ActionNumbers, Examples, latest_of_equal
from athenan.rules import calls
from athenan.rules.arrays import FLOATS, NUMBERS, STATES
from athenan.rules.compiler import kernel, prepare
from athenan.rules.game import State
from athenan.rules.kernels import RULES
from athenan.rules.state import CHANCE
from athenan.rules.terminal import value_of_end
from athenan.search.algorithms.gumbel import improved_policy
from athenan.search.algorithms.visits import visit_shares
from athenan.search.trees.algorithm import Asks
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.settings import Kind, classes


class Target(ABC):
    """Collects the examples of one match, played in a slot of a search. A target of your own derives from it.

    The parameters of a target are its settings, but for `policy`, what the policy learns, and `trace`. The text of
    every target may have these two: a target that takes them learns policies, or has a trace.
    """

    notes_actions = False
    """Whether `before_action` is called for each action; otherwise only where the match has met chance."""
    learns_action_values = False
    """Whether its examples have action values, if the search asks for them."""

    def before_action(self, search: ForestSearch, slot: int) -> None:  # noqa: B027 - a target needs few of the calls
        """Called when the search for an action has ended, before the action is played."""

    def at_chance(self, state: State, value: float | None) -> None:  # noqa: B027
        """Called when the match comes to a state where chance is to move, before it draws.

        `value` is the expectation in the tree, None if no search has expanded the state.
        """

    def leaving(self, search: ForestSearch, slot: int, nodes: NDArray[np.bool_]) -> None:  # noqa: B027
        """Called before the tree removes some of its nodes."""

    @abstractmethod
    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
        """Called when the match has ended with this state; returns the examples."""


def finished_examples(target: Target, search: ForestSearch, slot: int, end: State) -> Examples:
    """The examples of a match that has ended. Raises ValueError, with the target's file, if they cannot be learnt."""
    examples = target.finished(search, slot, end)
    try:
        if not isinstance(examples, Examples):
            raise ValueError(f"finished must return Examples, not {type(examples).__name__}")
        examples.check(search.game)
    except ValueError as error:
        raise ValueError(f"{type(target).__module__}: {error}") from None
    return examples


class TreeTarget(Target):
    """Tree learning (Algorithm 3): S is a set; a state that the tree removed and met again has its latest value."""

    learns_action_values = True

    def __init__(self) -> None:
        self._forgotten: list[Examples] = []
        self._chances: list[State] = []
        """States of the match that no search has expanded."""
        self._drawn: list[float] = []
        """The values of the states that were drawn there, where known."""

    def before_action(self, search: ForestSearch, slot: int) -> None:
        if len(self._drawn) < len(self._chances):
            self._drawn.append(search.root(slot).value)

    def at_chance(self, state: State, value: float | None) -> None:
        if value is None:
            self._chances.append(state)

    def leaving(self, search: ForestSearch, slot: int, nodes: NDArray[np.bool_]) -> None:
        self._forgotten.append(_known(search, slot, nodes))

    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
        everything = np.ones(search.forest.slots[slot]["nodes"], bool)
        examples = Examples.joined([*self._forgotten, _known(search, slot, everything), *self._unexpanded(search, end)])
        if not self._forgotten or not search.algorithm.transpositions:  # no duplicates, or duplicates are wanted
            return examples
        return examples.take(latest_of_equal(examples.states))

    def _unexpanded(self, search: ForestSearch, end: State) -> list[Examples]:
        """The chance states that are in no tree, with the values of the states drawn; the last may lead to the end."""
        if not self._chances:
            return []
        values = [*self._drawn, value_of_end(search.game, search.terminal, end)][: len(self._chances)]
        return [Examples(np.stack(self._chances), np.array(values, np.float32))]


class LeavesTarget(TreeTarget):
    """Tree learning with the non-terminal leaves (Remark 3).

    A leaf has no node. Its value is v(s, a) of an edge that leads to it. A state of S has its v(s), even if another
    edge leads to it as to a leaf.
    """

    def __init__(self) -> None:
        prepare(_play_all)
        super().__init__()
        self._leaves: list[Examples] = []

    def leaving(self, search: ForestSearch, slot: int, nodes: NDArray[np.bool_]) -> None:
        super().leaving(search, slot, nodes)
        self._leaves.append(_evaluated_leaves(search, slot, nodes))

    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
        everything = np.ones(search.forest.slots[slot]["nodes"], bool)
        leaves = [*self._leaves, _evaluated_leaves(search, slot, everything)]
        examples = Examples.joined([*leaves, super().finished(search, slot, end)])
        return examples.take(latest_of_equal(examples.states)) if search.algorithm.transpositions else examples


def _known(search: ForestSearch, slot: int, wanted: NDArray[np.bool_]) -> Examples:
    """The states of S among some nodes, with their v(s), including states of earlier matches that this one reached."""
    nodes = search.forest.nodes[slot, : len(wanted)]
    reached = (nodes["resolution"] > 0) & (nodes["visits"] > 0)
    in_s = (nodes["edges"] > 0) | (nodes["terminal"] > 0) | reached
    chosen = np.flatnonzero(wanted & in_s & search.valued(slot))
    by_action = _action_values(search, slot, chosen, in_s) if search.algorithm.asks & Asks.ACTION_VALUES else None
    return Examples(search.forest.states[slot, chosen], nodes["value"][chosen], action_values=by_action)


def _action_values(
    search: ForestSearch, slot: int, chosen: NDArray[np.int64], in_s: NDArray[np.bool_]
) -> ActionNumbers:
    """v of the children of some nodes that are in S (bool[nodes]) or evaluated; nothing where chance is to move."""
    nodes, edges = search.forest.nodes[slot], search.forest.edges[slot]
    places, owners = _edges(nodes[chosen])
    children, values = edges["child"][places], edges["value"][places]
    known = children >= 0
    known[known] = in_s[children[known]]
    values[known] = nodes["value"][children[known]]
    known |= edges["evaluated"][places] != 0
    known &= nodes["player"][chosen[owners]] != CHANCE
    counts = np.bincount(owners[known], minlength=len(chosen)).astype(np.int32)
    return ActionNumbers(counts, edges["action"][places[known]], values[known])


def _edges(nodes: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the edges of some nodes are in the tree, and the positions of their nodes among these."""
    counts = nodes["edges"].astype(np.int64)
    firsts = np.repeat(nodes["first_edge"] - (np.cumsum(counts) - counts), counts)
    return firsts + np.arange(counts.sum()), np.repeat(np.arange(len(nodes)), counts)


def _evaluated_leaves(search: ForestSearch, slot: int, wanted: NDArray[np.bool_]) -> Examples:
    """The unexpanded children of some nodes that were evaluated, with v(s, a) of their edges."""
    forest, asks = search.forest, search.algorithm.asks
    nodes, edges = forest.nodes[slot, : len(wanted)], forest.edges[slot]
    evaluates = asks & (Asks.CHILDREN | Asks.ACTION_VALUES)
    parents = np.flatnonzero(wanted & (nodes["edges"] > 0)) if evaluates else np.zeros(0, np.int64)
    places, owners = _edges(nodes[parents])
    open_ = edges["child"][places] < 0
    if asks & Asks.ACTION_VALUES:  # for other children, v(s, a) comes from the state's answer
        open_ &= edges["evaluated"][places] != 0
    places, owners = places[open_], parents[owners[open_]]
    states = np.empty((len(places), search.game.state_size), np.int8)
    _play_all(search.game.rules, forest.states[slot], owners, edges["action"][places].astype(np.int64), states)
    return Examples(states, edges["value"][places].astype(np.float32))


@kernel(types.void(RULES, STATES, NUMBERS, NUMBERS, STATES))
def _play_all(rules, states, owners, actions, following):
    """Writes the state after each action in states[owner]."""
    for number in range(len(owners)):
        calls.play(rules, states[owners[number]], actions[number], following[number])


Policy = Callable[[Node], NDArray[np.float64]]
"""policy(root): the probabilities of `root.actions` that are learnt."""
POLICIES: dict[str, Policy | None] = {"none": None, "visits": visit_shares, "improved": improved_policy}
"""What policies learn, by the names of `LearningSettings.policy_target`."""


class RootTarget(Target):
    """Root learning (Algorithm 4), with policies if one is given; with a trace λ, by λ-returns (Sutton 1988).

    The target of a state is λ times the target of the next state of the match plus 1 - λ times its own value.
    """

    notes_actions = True

    def __init__(self, policy: Policy | None = None, trace: float = 0.0) -> None:
        self._policy, self._trace = policy, trace
        self._states: list[State] = []
        self._values: list[float | None] = []
        self._policies: list[ActionNumbers] = []

    def before_action(self, search: ForestSearch, slot: int) -> None:
        root, valued = search.root(slot), search.valued(slot)[search.forest.slots[slot]["root"]]
        self._note(search.state(slot), root.value if valued else None)
        if self._policy:
            self._policies.append(policy_numbers(root, self._policy(root)))

    def at_chance(self, state: State, value: float | None) -> None:
        self._note(state, value)
        self._policies.append(ActionNumbers.none(1))

    def _note(self, state: State, value: float | None) -> None:
        self._states.append(state)
        self._values.append(value)

    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
        known = np.array([*self._values, value_of_end(search.game, search.terminal, end)], np.float32)  # None is NaN
        values = returns(known, self._trace)
        policies = ActionNumbers.joined([*self._policies, ActionNumbers.none(1)]) if self._policy else None
        return Examples(np.stack([*self._states, end]), values, policies)


class TerminalTarget(RootTarget):
    """Terminal learning (Algorithm 5), with policies if one is given: the λ-returns of λ = 1."""

    def __init__(self, policy: Policy | None = None) -> None:
        super().__init__(policy, trace=1.0)


def returns(values: NDArray[np.float32], trace: float) -> NDArray[np.float32]:
    """The λ-returns of the states of a match, float32[n], the last of which has a value.

    A state without a value, NaN, has the return of the next state.
    """
    found = np.empty(len(values), np.float32)
    _returns(values, trace, found)
    return found


@kernel(types.void(FLOATS, types.float64, FLOATS))
def _returns(values, trace, found):
    following = np.float64(values[-1])
    for number in range(len(values) - 1, -1, -1):
        value = np.float64(values[number])
        if number + 1 < len(values) and not np.isnan(value):
            following = trace * following + (1 - trace) * value
        found[number] = following


def policy_numbers(root: Node, shares: NDArray[np.float64]) -> ActionNumbers:
    """Probabilities of the actions of one state, without those that are 0."""
    chosen = np.flatnonzero(shares)
    return ActionNumbers(
        np.array([len(chosen)], np.int32), root.actions[chosen].astype(np.int32), shares[chosen].astype(np.float32)
    )


TARGETS: dict[str, type[Target]] = {
    "tree": TreeTarget, "tree_with_leaves": LeavesTarget, "root": RootTarget, "terminal": TerminalTarget,
}  # fmt: skip
"""The targets by the names of `LearningSettings.target`, and yours."""
_OF_EVERY_TARGET = frozenset({"policy", "trace"})  # as `LearningSettings` writes them in the text of the target
KIND = Kind(
    "target", "--target", TARGETS, lambda module: classes(module, Target), "one class that derives from Target",
    given=_OF_EVERY_TARGET, shared=lambda text: _OF_EVERY_TARGET,
)  # fmt: skip
"""Targets among the parts that a user's file may bring."""


def make_target(text: str, policy: str = "none", trace: float = 0.0) -> Callable[[], Target]:
    """A function that makes the target of each match, by the settings' texts and values."""
    return partial(KIND.known(text).make, policy=POLICIES[policy], trace=trace)
