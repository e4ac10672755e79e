"""Features of Amazons against distances by plain Python, and a position whose territories are known."""

from collections import deque
from itertools import product

import numpy as np
import pytest

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import random_states

FAR = 1000


def distances(empty, amazons):
    """How many king moves each cell is from the nearest of some amazons."""
    found, queue = dict.fromkeys(amazons, 0), deque(amazons)
    while queue:
        row, column = queue.popleft()
        for down, right in product((-1, 0, 1), repeat=2):
            cell = row + down, column + right
            if cell in empty and cell not in found:
                found[cell] = found[row, column] + 1
                queue.append(cell)
    return found


def territories(planes):
    """The features of encoded states in plain Python."""
    first, second, _, free, _ = ([(int(row), int(column)) for row, column in np.argwhere(plane)] for plane in planes)
    empty, found = set(free), np.zeros((2, *planes.shape[1:]), np.int8)
    own, others = distances(empty, first), distances(empty, second)
    for cell in empty:
        found[0][cell] = own.get(cell, FAR) < others.get(cell, FAR)
        found[1][cell] = others.get(cell, FAR) < own.get(cell, FAR)
    return found


@pytest.mark.parametrize("size", [6, 8, 10])
def test_features_are_those_of_plain_python(size):
    game = make(f"amazons:{size}")
    planes = np.array([game.encode(state) for state in random_states(game, 150, seed=size)])
    assert 0 < planes[:, 4].any(axis=(1, 2)).sum() < len(planes)  # some are to shoot an arrow
    inputs = with_features(game, planes.reshape(len(planes), -1)).reshape(len(planes), -1, size, size)
    for encoded, found in zip(planes, inputs, strict=True):
        assert np.array_equal(found[5:], territories(encoded))


def test_a_cell_belongs_to_the_player_who_is_nearer():
    game = make("amazons:6")
    state = game.after("b1-b5 b3 a5-c3 f3")
    first, second = with_features(game, game.encode(state).reshape(1, -1))[0, 5:].reshape(2, 6, 6)
    rows = zip(first, second, strict=True)
    found = ["".join(".xo"[one + 2 * other] for one, other in zip(*row, strict=True)) for row in rows]
    assert found[::-1] == ["...o.o", "...oo.", "x..ooo", "x..ox.", "..o.x.", "xx.x.x"]
