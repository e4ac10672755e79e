"""Features of Hex against distances by plain Python, and positions whose bridges are known."""

import numpy as np
import pytest
from bridge_distances import distances

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import random_states

AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)]
"""The neighbours of a cell in a circle: down, right."""


def features_of(state, size):
    """The features of a state in plain Python."""
    side = size + 2
    found = np.zeros((9, side, side), np.int8)
    stones = state[8 : 8 + size * size].reshape(size, size)
    needed = []
    for player in range(2):
        kinds = {
            (row, column): "own" if stones[row, column] & 1 << player else "empty"
            for row in range(size) for column in range(size) if not stones[row, column] & 2 >> player
        }  # fmt: skip
        lines = [[(line, at) if player == 0 else (at, line) for at in range(-1, size + 1)] for line in (-1, size)]
        kinds |= {cell: "own" for line in lines for cell in line}
        one, other = (distances(kinds, line, AROUND) for line in lines)
        needed.append(min(one.get(cell, 1000) for cell in lines[1]))
        for (row, column), kind in kinds.items():
            both = one.get((row, column), 1000), other.get((row, column), 1000)
            if kind == "own" and -1 < row < size and -1 < column < size:
                found[0, row + 1, column + 1] |= 0 in both
            if kind == "empty":
                found[1 + player, row + 1, column + 1] = sum(both) - 1 == needed[player]
    for player in range(2):
        own, others = needed[player], needed[1 - player]
        found[3 + player], found[5 + player], found[7 + player] = own == 0, own < others, own + 1 < others
    return found, needed


@pytest.mark.parametrize("size", [2, 4, 7])
def test_features_are_those_of_plain_python(size):
    game = make(f"hex:{size}")
    states = random_states(game, 150, seed=size)
    planes = np.array([game.encode(state).reshape(-1) for state in states])
    inputs = with_features(game, planes).reshape(len(states), -1, size + 2, size + 2)
    for state, found in zip(states, inputs, strict=True):
        assert np.array_equal(found[3:], features_of(state, size)[0])


@pytest.mark.parametrize(
    ("size", "moves", "needed"),
    [
        (3, "", 1),  # the middle is joined to both sides by bridges
        (3, "b2", 0),
        (5, "c3 a1 d2 a2 b4", 0),  # the second row has bridges to the side
        (5, "c3 a1 d2 a2 b4 a5", 1),  # one of them is intruded on
    ],
)  # fmt: skip
def test_a_chain_of_bridges_needs_no_stones(size, moves, needed):
    game = make(f"hex:{size},swap=false")
    assert features_of(game.after(moves), size)[1][0] == needed
