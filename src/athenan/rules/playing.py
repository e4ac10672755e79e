"""The rules of a game for Python: its kernels, called on states whose form is checked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.advice import Advice
from athenan.rules.direct import ILLEGAL, NO_STATE, DirectCalls
from athenan.rules.errors import GameError
from athenan.rules.facts import Facts, State
from athenan.rules.forms import Forms
from athenan.rules.kernels import Rules
from athenan.rules.numba_messages import compiled
from athenan.rules.state import CHANCE, ONGOING
from athenan.settings import shown

_USUAL_FORMS, _USUAL_ADVICE = Forms(), Advice()
_INT8, _INT32 = np.dtype(np.int8), np.dtype(np.int32)


@dataclass(frozen=True, eq=False, repr=False)
class Playable(Facts):
    """What a game declares, and calls of its kernels."""

    forms: Forms = _USUAL_FORMS
    """How people and programs write the game."""
    advice: Advice = _USUAL_ADVICE
    """How the game is best learnt, played and solved."""
    name: str = ""
    """The canonical specification: `maker(name)` makes the same game. The catalogue sets it from the settings."""
    before_use: Callable[[Any], None] | None = None
    """Raises GameError if the rules cannot be used; called once, before their first use, with the game itself. The
    catalogue sets it for games that are not of the package."""

    @cached_property
    def rules(self) -> Rules:
        """The game for compiled code; the first access compiles its kernels.

        Raises GameError if `before_use` refuses the game, and if a kernel cannot be compiled, with numba's own error as
        the cause.
        """
        if self.before_use:
            self.before_use(replace(self, before_use=None))
        with compiled(f"{self.name}: its rules", GameError):
            return Rules(**self.table.addresses, params=self.params)

    def initial(self) -> State:
        """The state at the start of a match; int8[state_size]."""
        state = np.zeros(self.state_size, np.int8)
        calls.initial(self.rules, state)
        return state

    def _writable(self, state: State) -> State:
        """The state in the form that kernels take. Raises GameError if it cannot be a state of this game."""
        found = getattr(state, "dtype", type(state).__name__), getattr(state, "shape", ())
        if found != (_INT8, (self.state_size,)):
            given = f"{found[0]}{list(found[1])}"
            raise GameError(f"a state of {self.name} is an int8 vector of {self.state_size}, not {given}")
        return state if state.flags.carray else np.require(state, requirements=["C", "W"])

    @cached_property
    def _direct(self) -> DirectCalls:
        """The calls of the rules that must be fast from Python."""
        return DirectCalls(self.rules, self.state_size, self.max_actions)

    def actions(self, state: State) -> NDArray[np.int32]:
        """The legal actions, ascending; empty when the match is over."""
        actions = np.empty(self.max_actions, _INT32)
        try:
            count = self._direct.actions(state, actions) if state.dtype is _INT8 else NO_STATE
        except (TypeError, AttributeError):  # no vector
            count = NO_STATE
        return actions[: self._direct.actions(self._writable(state), actions) if count == NO_STATE else count]

    def play(self, state: State, action: int) -> State:
        """The state after a legal action. Raises GameError if the action is not legal."""
        following = np.empty(self.state_size, _INT8)
        try:
            played = self._direct.play(state, index(action), following) if state.dtype is _INT8 else NO_STATE
        except (TypeError, AttributeError, OverflowError):  # no vector, or no action
            played = NO_STATE
        if played == NO_STATE:
            played = self._direct.play(self._writable(state), self._whole(action), following)
        if played == ILLEGAL:
            raise GameError(f"{self.name}: action {action} is not legal here")
        return following

    def _whole(self, action: int) -> int:
        """The number of an action, -1 for a number that no action has. Raises GameError if it is no whole number."""
        try:
            return number if 0 <= (number := index(action)) < self.action_count else -1
        except TypeError:
            raise GameError(f"{self.name}: an action is a whole number, not {shown(action)}") from None

    def outcome(self, state: State) -> int | None:
        """The first player's gain (1 win, 0 draw, -1 loss), or None while the match goes on."""
        try:
            outcome = self._direct.outcome(state) if state.dtype is _INT8 else NO_STATE
        except (TypeError, AttributeError):  # no vector
            outcome = NO_STATE
        if outcome == NO_STATE:
            outcome = self._direct.outcome(self._writable(state))
        return None if outcome == ONGOING else outcome

    def score(self, state: State) -> int:
        """The score of a finished match, first player's point of view. Raises GameError in a game without a score."""
        if self.max_score is None:
            raise GameError(f"{self.name} has no score")
        return int(calls.score(self.rules, self._writable(state)))

    def encode(self, state: State) -> NDArray[np.int8]:
        """The network's input for the state; int8[planes, rows, columns]."""
        planes = np.empty(self.planes, np.int8)
        calls.encode(self.rules, self._writable(state), planes.reshape(-1))
        return planes

    @property
    def stochastic(self) -> bool:
        """Whether there are states where chance is to move."""
        return "probabilities" in self.table

    def probabilities(self, state: State) -> NDArray[np.float64]:
        """The probabilities of the `actions` of a state where chance is to move, in the same order.

        Raises GameError if chance is not to move.
        """
        if state[0] != CHANCE or not self.stochastic:
            raise GameError(f"{self.name}: chance is not to move here")
        count = len(self.actions(state))
        probabilities = np.empty(self.max_actions)
        calls.probabilities(self.rules, self._writable(state), probabilities)
        return probabilities[:count]

    def draw(self, state: State, random: np.random.Generator) -> int:
        """A random legal action, each equally likely, or an outcome by its probability if chance is to move."""
        actions = self.actions(state)
        return int(random.choice(actions, p=self.probabilities(state) if state[0] == CHANCE else None))

    def player(self, state: State) -> int:
        """The side to move: 0 first player, 1 second player, 2 chance (`rules.state`)."""
        return int(state[0])

    def length(self, state: State) -> int:
        """The number of actions played since the initial state."""
        return int(state[2:4].view(np.uint16)[0])
