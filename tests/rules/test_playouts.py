"""Random matches, and what follows random states."""

import numpy as np
import pytest

from athenan import make
from athenan.rules.playouts import random_states, random_successors


@pytest.mark.parametrize("name", ["backgammon", "hex:5", "othello:6"])
def test_a_successor_follows_by_a_legal_action(name: str) -> None:
    game = make(name)
    states = random_states(game, 200, seed=2)
    before = states.copy()
    found = random_successors(game, states, seed=3)
    np.testing.assert_array_equal(states, before)
    for state, successor in zip(states, found, strict=True):
        assert any(np.array_equal(game.play(state, action), successor) for action in game.actions(state))
    assert not np.array_equal(found, random_successors(game, states, seed=4))
