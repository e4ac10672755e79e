"""Matches of a search against itself: one, or many side by side in the slots of a forest."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from athenan.games.game import Game, State
from athenan.search.budget import Budget
from athenan.search.search import Node, Search

Choose = Callable[[Node], int]
"""The position of the action to play in `node.actions`."""


@dataclass(frozen=True)
class FinishedMatch:
    """A match and what its search learnt: all states of the tree that are expanded or terminal (tree learning).

    S is a set: a state that the tree forgot and met again is in it once, with its latest value.
    """

    actions: list[int]
    outcome: int
    """The first player's gain."""
    states: State
    """int8[n, state size]"""
    values: NDArray[np.float32]
    """v(s) of each; float32[n]"""
    line: list[int]
    """One player: the actions of the best finished match that its search has seen; else those of the match."""


class SelfPlay:
    """Plays matches without end; each slot of the search holds one.

    Seconds of the budget are shared: with K matches side by side an action takes K times as long, so that each tree
    gets its time. With `borrowing`, what a search takes too long is made up for by the next actions, which are chosen
    by what the tree knows, after the expansion of their state if it is a new one.
    """

    def __init__(self, game: Game, search: Search, budget: Budget, choose: Choose, borrowing: bool = False) -> None:
        self.game = game
        self.search = search
        self.budget = budget
        self.choose = choose
        self.borrowing = borrowing
        slots = len(search.forest.slots)
        self._shared_seconds = (budget.seconds or np.inf) * slots
        self._deadlines = np.zeros(slots)
        self._left = time.perf_counter()
        self._actions: list[list[int]] = [[] for _ in range(slots)]
        self._forgotten: list[list[tuple[State, NDArray[np.float32]]]] = [[] for _ in range(slots)]
        for slot in range(slots):
            self._new_match(slot)

    def next_match(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        """Plays until a match ends; None when `interrupted` says so, which may happen in the middle of matches.

        What the caller does between two calls, such as learning, takes nothing from the search time of actions.
        """
        self._deadlines += time.perf_counter() - self._left
        match = self._advance(interrupted)
        self._left = time.perf_counter()
        return match

    def _advance(self, interrupted: Callable[[], bool]) -> FinishedMatch | None:
        while not interrupted():
            for slot in self.search.done():
                if match := self._play_action(int(slot)):
                    return match
            self.search.round()
            for slot in np.flatnonzero(self._deadlines <= time.perf_counter()):
                self.search.stop(int(slot))
        return None

    def _new_match(self, slot: int) -> None:
        self._actions[slot], self._forgotten[slot] = [], []
        self.search.reset(self.game.initial(), slot)
        self._deadlines[slot] = np.inf  # a match owes nothing to the one before
        self._start(slot)

    def _start(self, slot: int) -> None:
        """Lets the search for the next action begin; if its time is already borrowed, no more than an expansion."""
        now = time.perf_counter()
        began = min(now, self._deadlines[slot]) if self.borrowing else now
        self._deadlines[slot] = began + self._shared_seconds
        if self._deadlines[slot] > now:
            self.search.start(self.budget, slot)
        elif not self.search.expanded(slot):
            self.search.start(Budget(iterations=1), slot, shallow=True)

    def _play_action(self, slot: int) -> FinishedMatch | None:
        """Plays the action that a finished search led to; returns the match if that ended it."""
        root = self.search.root(slot)
        action = int(root.actions[self.choose(root)])
        following = self.game.play(self.search.state(slot), action)
        self._actions[slot].append(action)
        outcome = self.game.outcome(following)
        if outcome is not None:
            match = self._finish(slot, outcome)
            self._new_match(slot)
            return match
        self.search.play(action, slot)
        if forgotten := self.search.make_room(slot):
            self._forgotten[slot].append(forgotten)
        self._start(slot)
        return None

    def _finish(self, slot: int, outcome: int) -> FinishedMatch:
        states, values = self._learnt(slot)
        actions = self._actions[slot]
        return FinishedMatch(
            actions=actions,
            line=actions if self.game.players == 2 else self._best_line(slot),
            outcome=outcome,
            states=states,
            values=values,
        )

    def _learnt(self, slot: int) -> tuple[State, NDArray[np.float32]]:
        """S and v(s) of a match: what the tree forgot, then what it holds; of equal states the last."""
        parts = [*self._forgotten[slot], self.search.learnable(slot)]
        states, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        if len(parts) == 1 or not self.search.settings.transpositions:  # equal states are one, or are meant to be many
            return states, values
        keys = states.view(np.dtype((np.void, states.shape[1])))[:, 0]
        latest = len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]
        latest.sort()
        return states[latest], values[latest]

    def _best_line(self, slot: int) -> list[int]:
        """The best finished match in the tree; what the tree has forgotten of its beginning was played."""
        found = self.search.best_end(slot)
        assert found  # the last search has seen the end of the match
        state, actions = found
        return [*self._actions[slot][: self.game.length(state)], *actions]
