"""The exhaustive solver that the tests compare searches with, and the late positions that it can solve."""

import math
import operator
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE


@lru_cache(maxsize=32)
def exhaustive(game: Game, worth: Callable[[State], Any] | None = None) -> Callable[[State], Any]:
    """The value of a state by plain minimax over all that follows, where chance is to move the expectation; remembered.

    A finished match has the value that `worth` gives it, which is its gain unless told; without chance any that can be
    compared will do. Where one player plays alone, that one always maximizes.
    """
    worth = worth or game.outcome

    @cache
    def value(key: bytes) -> Any:
        state = np.frombuffer(key, np.int8).copy()
        actions, over = game.actions(state), game.outcome(state) is not None
        assert over == (len(actions) == 0)
        if over:
            return worth(state)
        values = [value(game.play(state, int(action)).tobytes()) for action in actions]
        if game.player(state) == CHANCE:
            return math.fsum(map(operator.mul, game.probabilities(state), values))
        return (max, min)[game.player(state)](values)

    return lambda state: value(state.tobytes())


def secured(game: Game, worth: Callable[[State], Any]) -> Callable[[State], tuple[int, float]]:
    """(C, E) of a state of a game of chance, as `search.chance` defines them; remembered.

    C is the gain that is certain whatever chance brings, else 0, and E the expected worth where both sides play what is
    best by (C, E).
    """

    @cache
    def value(key: bytes) -> tuple[int, float]:
        state = np.frombuffer(key, np.int8).copy()
        if (outcome := game.outcome(state)) is not None:
            return outcome, float(worth(state))
        values = [value(game.play(state, int(action)).tobytes()) for action in game.actions(state)]
        if game.player(state) != CHANCE:
            return (max, min)[game.player(state)](values)
        certain = {gain for gain, _ in values}
        expected = math.fsum(map(operator.mul, game.probabilities(state), (expected for _, expected in values)))
        return certain.pop() if len(certain) == 1 else 0, expected

    return lambda state: value(state.tobytes())


def late(game: Game, seed: int, left: int) -> State:
    """A state of a random match, so many actions before its end."""
    state, actions = game.initial(), random_match(game, seed)
    for action in actions[: max(0, len(actions) - left)]:
        state = game.play(state, action)
    return state
