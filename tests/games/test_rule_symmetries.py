"""Symmetries that keep the rules of a game but not its start: eight in Othello (003, section 10.3), and in Clobber."""

import numpy as np
import pytest

from athenan import make
from athenan.rules.conformance import check_game
from athenan.rules.facts import altered
from athenan.rules.game import GameError


@pytest.mark.parametrize(("name", "count", "of_start"), [
    ("othello:6", 8, 4), ("othello:10", 8, 4), ("clobber:6", 8, 4), ("clobber:5x5", 8, 8), ("clobber:4x6", 4, 2),
    ("clobber:5x6", 4, 2),
])  # fmt: skip
def test_all_symmetries_of_the_board_are_declared_and_map_matches_to_matches(name, count, of_start):
    game = make(name)
    assert (len(game.plane_symmetries), game.start_symmetries) == (count, of_start)
    assert len({row.tobytes() for row in game.plane_symmetries}) == count
    start = game.encode(game.initial()).reshape(-1)
    kept = [np.array_equal(start[row], start) for row in game.plane_symmetries]
    assert kept == [number < of_start for number in range(count)]
    check_game(game, 2 * count)


def test_a_wrong_image_of_a_state_is_found():
    game = make("othello:4")
    with pytest.raises(GameError, match="does not map matches to matches"):
        check_game(altered(game, turned=lambda state, number: state), 16)
    with pytest.raises(GameError, match="need turned"):
        altered(game, turned=None)
