"""Games whose states hold more than the rules need."""

import numpy as np
import pytest

from athenan import make
from athenan.rules.mobility import with_mobility


@pytest.mark.parametrize("name", ["breakthrough:3x5", "hex:3"])
def test_a_fen_of_an_extended_game_is_the_fen_of_its_game(name: str) -> None:
    game = make(name)
    extended = with_mobility(game)
    moves = " ".join(game.action_name(game.initial(), int(action)) for action in game.actions(game.initial())[:1])
    fen = game.write_fen(game.after(moves))
    assert extended.write_fen(extended.after(moves)) == fen
    state = extended.read_fen(fen)
    assert np.array_equal(state[: game.state_size], game.read_fen(fen))
    assert not state[game.state_size :].any() and len(extended.actions(state)) == len(game.actions(game.after(moves)))
