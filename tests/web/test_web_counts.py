"""What the page counts of a match beside the board."""

import random

import pytest
from boards import board_of

from athenan import make
from athenan.web.position import Position


def placed(position):
    """The stones that each side has put on the board."""
    sides = [position.game.player(state) for state in position.states[:-1]]
    return [
        sum(side == own and name != "pass" for side, name in zip(sides, position.names, strict=True)) for own in (0, 1)
    ]


@pytest.mark.parametrize("name", ["go:4", "go:5,superko=simple"])
def test_captures_are_the_stones_that_are_no_longer_there(name):
    game, randomly, taken = make(name), random.Random(3), 0
    position = Position(game)
    while not position.over:
        *stones, last = game.actions(position.state).tolist()  # the last is to pass
        position.play(randomly.choice(stones or [last]))
        first, second = position.view()["counts"]
        on_board = board_of(game).count(position.state)
        assert [second, first] == [put - there for put, there in zip(placed(position), on_board, strict=True)]
        taken = max(taken, first + second)
    assert taken > 3
    names = list(position.names)
    for length in (len(names) // 2, 0, len(names)):  # the counts are those of the shown position
        position.go(" ".join(names[:length]))
        fresh = Position(game)
        fresh.go(" ".join(names[:length]))
        assert position.view()["counts"] == fresh.view()["counts"]
    assert fresh.view()["counted"] == "captures"
