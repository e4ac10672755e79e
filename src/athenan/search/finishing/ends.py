"""Solving the ends of matches beside a search.

A search whose root has few actions left lets an exact solver work on the root between its own rounds. The solver first
finds who wins, then the value, by searches that compare it with thresholds. Whatever it knows is shown in the root, and
the search ends when the root is solved. The tables are kept from action to action.
"""

from math import log2

import numpy as np

from athenan.rules.compiler import prepare
from athenan.rules.game import Game, State
from athenan.rules.leaf import Leaf
from athenan.rules.terminal import TerminalValue, gain, score
from athenan.search.budget import Budget
from athenan.search.finishing.knowledge import Knowledge
from athenan.search.finishing.solver import go_on, most_remaining
from athenan.search.finishing.stack import HEIGHT, NODES, RESULT, THRESHOLD, Stack
from athenan.search.trees.node import Node

_A_SECOND = 1 << 23
"""About as many states as a solver searches in a second."""
_SLICE = 1 << 14
"""The states that it searches between two rounds of a search that is limited in time: about two milliseconds."""
_FOR_EVALUATION = 8
"""The states that it searches for each evaluation of a search that is limited otherwise; both take as long."""
_EVALUATIONS = 8
"""The evaluations that an iteration is taken to make, to judge how far a search will come."""
_LARGEST_STEP = 8
"""The largest step, in points, by which the value is sought."""


def require_ends(game: Game) -> None:
    """Raises ValueError unless the ends of a game can be solved."""
    if game.stochastic or game.players == 1:
        raise ValueError(f"ends must be 0 in {game.name}: only games of two players without chance have ends to solve")


def actions_left(game: Game, state: State) -> int:
    """The most actions that remain, as the game declares it, or else by the length of its longest match."""
    ending = game.ruleset.ending
    return int(most_remaining(ending.remaining.address if ending else 0, game.max_length, game.rules, state))


class Ends:
    """The exact solver of the roots of one tree."""

    def __init__(self, game: Game, terminal: TerminalValue, leaf: Leaf, reach: int, memory: int) -> None:
        """`reach` is the number of remaining actions that are solved in about a second.

        `leaf` is an evaluation for this solver alone, `memory` the bytes of the search's tree. Raises ValueError if the
        ends of the game cannot be solved.
        """
        require_ends(game)
        prepare(go_on, most_remaining, *(game.ruleset.ending.kernels if game.ruleset.ending else ()))
        self._game, self._reach = game, reach
        self._parts = game, terminal, leaf, memory
        self._stack: Stack | None = None
        self._by_score = terminal.address == score.address
        self._with_values = self._by_score or terminal.address == gain.address
        self._most = game.max_score if self._by_score and game.max_score is not None else 1
        self._root: State = np.zeros(0, np.int8)
        self.knowledge = Knowledge(-self._most, self._most)
        """What is known about the present root."""
        self._guess, self._step, self._side = 0, 2, 1
        self._timed, self._last = False, 0
        self.active = False
        """Whether the present search solves its root."""

    def start(self, root: State, value: float, budget: Budget) -> None:
        """Starts to solve a root if the budget is likely to suffice; `value` is an estimate of its value."""
        self._timed, within = budget.seconds is not None, _states_within(budget)
        self._last = self.states + int(within)
        self.active = actions_left(self._game, root) <= self._reach + log2(within / _A_SECOND)
        if self.active and not np.array_equal(root, self._root):
            self._root, self._side = root, 1 - 2 * int(root[0])
            self.knowledge = Knowledge(-self._most, self._most)
            self._guess, self._step = round(value), 2
            self._compare()

    @property
    def goes_on(self) -> bool:
        """Whether the solver works on when the search itself has nothing left to do."""
        return self.active and not self.knowledge.solved and (self._timed or self.states < self._last)

    @property
    def has_solved_value(self) -> bool:
        """Whether the present root's value is known under the terminal evaluation, not only who wins."""
        return self.active and self._with_values and self.knowledge.solved

    @property
    def states(self) -> int:
        """The states that were searched since this object was made."""
        return int(self._stack.counts[NODES]) if self._stack else 0

    def go_on(self, evaluations: int) -> None:
        """Solves for a while, after a round of the search that made this number of evaluations."""
        stack = self._stack
        if not self.goes_on or stack is None:
            return
        states = _SLICE if self._timed or not evaluations else _FOR_EVALUATION * evaluations
        if not go_on(stack, states if self._timed else min(states, self._last - self.states)):
            return
        found, threshold = int(stack.counts[RESULT]), int(stack.counts[THRESHOLD])
        self.knowledge = self.knowledge.narrowed(threshold, found, int(stack.frames[0]["action"]), self._side)
        if found > threshold:
            self._guess = found + self._step - 2
        else:
            self._guess = found - self._step + 1
        if abs(found) > 1 or not self._sign_is_open:
            self._step = min(2 * self._step, _LARGEST_STEP)
        if not self.knowledge.solved:
            self._compare()

    @property
    def _sign_is_open(self) -> bool:
        """Whether it is not yet known who wins."""
        return self.knowledge.lower <= 0 <= self.knowledge.upper

    def _compare(self) -> None:
        """Begins to compare the root's value with the next threshold: first with those that show who wins."""
        lower, upper = self.knowledge.lower, self.knowledge.upper
        if lower == upper:  # but no action is known that secures it
            threshold = lower - 1 if self._side > 0 else lower
        elif self._sign_is_open:
            threshold = 0 if upper > 0 and (self._guess > 0 or lower == 0) else -1
        else:
            threshold = min(max(self._guess, lower), upper - 1)
        if self._stack is None:
            self._stack = Stack.of(*self._parts)
        stack = self._stack
        stack.counts[HEIGHT], stack.counts[THRESHOLD] = 0, threshold
        stack.states[0] = self._root
        stack.frames[0]["actions"] = 0

    def shown(self, node: Node) -> Node:
        """The root's node with what is known about it."""
        return self.knowledge.shown(node, self._with_values) if self.active else node

    def evaluated(self) -> int:
        """The evaluations since this was last asked. Raises ValueError if some value was not finite."""
        return self._parts[2].evaluated()

    def stop(self) -> None:
        """Ends the present search."""
        self._timed, self._last = False, 0

    def forget(self) -> None:
        """Forgets all."""
        if self._stack is not None:
            self._stack.forget()
        self._root, self.active = np.zeros(0, np.int8), False


def _states_within(budget: Budget) -> float:
    """About as many states as a solver searches beside a search within a budget."""
    limits = [
        budget.seconds and budget.seconds * _A_SECOND,
        budget.evaluations and budget.evaluations * _FOR_EVALUATION,
        budget.iterations and budget.iterations * _EVALUATIONS * _FOR_EVALUATION,
    ]
    return min(limit for limit in limits if limit)
