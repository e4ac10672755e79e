"""Features of Breakthrough against plain Python, and positions whose races are known."""

import numpy as np
import pytest

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states


def features_of(planes):
    """The features of an encoded state, cell by cell."""
    _, height, width = planes.shape
    found, steps = np.zeros((4, height, width), np.int8), [1000, 1000]
    pieces = [{(int(row), int(column)) for row, column in np.argwhere(planes[player])} for player in range(2)]
    for player, forward in ((0, 1), (1, -1)):
        own, other = pieces[player], pieces[1 - player]
        for row, column in own:
            attackers = sum((row + forward, column + side) in other for side in (-1, 1))
            defenders = sum((row - forward, column + side) in own for side in (-1, 1))
            found[0, row, column] = attackers > defenders
            ahead = [((one - row) * forward, abs(to - column)) for one, to in other]
            if not any(rows > 0 and aside <= min(rows, (rows + 3) // 2) for rows, aside in ahead):
                found[1, row, column] = 1
                steps[player] = min(steps[player], height - 1 - row if player == 0 else row)
    first_moves = bool(planes[2, 0, 0])
    found[2] = steps[0] < 1000 and (steps[0] <= steps[1] if first_moves else steps[0] < steps[1])
    found[3] = steps[1] < 1000 and (steps[1] < steps[0] if first_moves else steps[1] <= steps[0])
    return found


@pytest.mark.parametrize(
    "name", ["breakthrough", "breakthrough:5x6", "breakthrough:16x16", "breakthrough:2x3,piece_rows=1"]
)
def test_features_are_those_of_plain_python(name):
    game = make(name)
    planes = encoded_states(game, random_states(game, 200, seed=1))
    for one in with_features(game, planes).reshape(len(planes), -1, *game.planes[1:]):
        assert np.array_equal(one[3:], features_of(one[:3]))


@pytest.mark.parametrize(
    ("fen", "leads"),
    [
        ("8/8/P7/8/8/6p1/8/8 w - - 0 1", [1, 0]),  # two steps against two
        ("8/8/P7/8/8/6p1/8/8 b - - 0 1", [0, 1]),
        ("8/1p6/P7/8/8/6p1/8/8 w - - 0 1", [0, 1]),  # the first piece would be taken
        ("8/8/P7/p7/8/8/8/8 b - - 0 1", [1, 0]),  # they have passed each other
    ],
)
def test_who_leads_the_race(fen, leads):
    game = make("breakthrough")
    planes = game.encode(game.read_fen(fen)).reshape(1, -1)
    assert with_features(game, planes)[0, 5:7, 0].tolist() == leads
