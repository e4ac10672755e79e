"""Calls of a game from Python agree with its kernels, and refuse what is no state or no action of the game."""

from typing import Any

import numpy as np
import pytest

from athenan import Search, make
from athenan.rules import calls
from athenan.rules.errors import GameError
from athenan.rules.facts import altered
from athenan.rules.playouts import random_states
from athenan.rules.state import ONGOING
from athenan.search.monte_carlo.mcts import Mcts


@pytest.mark.parametrize(("name", "room"), [("connect_four", None), ("go:5", None), ("amazons:6", 2000), ("pig", None)])
def test_calls_agree_with_the_kernels(name, room):
    game = make(name)
    if room:  # a game with more actions than the stack has room for
        game = altered(game, max_actions=room)
    room, following = np.empty(game.max_actions, np.int32), np.empty(game.state_size, np.int8)
    for state in random_states(game, 60, seed=1):
        legal = room[: calls.actions(game.rules, state, room)]
        assert game.actions(state).tolist() == legal.tolist()
        for action in range(0, game.action_count, max(1, game.action_count // 50)):
            if action in legal:
                calls.play(game.rules, state, action, following)
                listed: Any = np.int32(action)  # as NumPy lists actions
                after = game.play(state, listed)
                assert np.array_equal(after, following)
                outcome = calls.outcome(game.rules, after)
                assert game.outcome(after) == (None if outcome == ONGOING else outcome)
            else:
                with pytest.raises(GameError, match=f"action {action} is not legal here"):
                    game.play(state, action)


def test_states_of_any_layout_are_read():
    game = make("tictactoe")
    state = game.after("a1 b2")
    apart = np.repeat(state, 2)[::2]
    backwards = state[::-1].copy()[::-1]
    frozen = state.copy()
    frozen.flags.writeable = False
    for same in (apart, backwards, frozen):
        assert np.array_equal(game.play(same, 8), game.play(state, 8))
        assert np.array_equal(game.actions(same), game.actions(state)) and game.outcome(same) is None


@pytest.mark.parametrize(
    "wrong", [np.zeros(8, np.int8), np.zeros(16, np.uint8), np.zeros((1, 16), np.int8), np.zeros(16), [0] * 16, None]
)
def test_what_is_no_state_is_refused(wrong):
    game = make("tictactoe")
    assert game.state_size == 16
    for call in (game.actions, game.outcome, lambda state: game.play(state, 0)):
        with pytest.raises(GameError, match="a state of tictactoe is an int8 vector of 16, not"):
            call(wrong)
    if isinstance(wrong, np.ndarray):
        for take in (game.position, Search(game).reset, Mcts(game).reset):
            with pytest.raises(GameError, match="a state of tictactoe is an int8 vector of 16, not"):
                take(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(-1, "action -1 is not legal"), (9, "action 9 is not legal"), (2**70, "action 1180591620717411303424 is not"),
     (4.0, "a whole number, not 4.0"), ("4", "a whole number, not '4'"), (None, "a whole number, not None")],
)  # fmt: skip
def test_what_is_no_action_is_refused(wrong, message):
    game = make("tictactoe")
    with pytest.raises(GameError, match=message):
        game.play(game.initial(), wrong)
