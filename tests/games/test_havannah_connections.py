"""Features of Havannah against distances by plain Python, and positions whose bridges are known."""

from itertools import product

import numpy as np
import pytest
from bridge_distances import distances
from sizes import size

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import random_match

AROUND = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]
"""The neighbours of a cell in a circle: down, right."""


def lines_of(side):
    """The cells off the board from which each corner and each side is reached: those that touch nothing else."""
    board = {(row, column) for row, column in product(range(2 * side - 1), repeat=2) if abs(row - column) < side}
    missing = {
        (row, column): frozenset(step for step in AROUND if (row + step[0], column + step[1]) not in board)
        for row, column in board
    }
    corners = [{cell} for cell in sorted(board) if len(missing[cell]) == 3]
    sides = [{cell for cell in board if missing[cell] == off} for off in {*missing.values()} if len(off) == 2]
    outside = {(row, column) for row, column in product(range(-1, 2 * side), repeat=2)} - board

    def touching(cells):
        beside = {(row, column): {(row + down, column + right) for down, right in AROUND} & board
                  for row, column in outside}  # fmt: skip
        return [cell for cell, others in beside.items() if others and others <= cells]

    return board, [touching(cells) for cells in corners], [touching(cells) for cells in sides]


def features_of(state, side):
    """The features of a state in plain Python: planes of rows and columns."""
    board, corners, sides = lines_of(side)
    assert len(corners) == len(sides) == 6 and all(corners) and all(sides)
    stones = dict(zip(sorted(board), np.sign(state[8 : 8 + len(board)]), strict=True))
    found = np.zeros((4, 2 * side + 1, 2 * side + 1), np.int8)
    for player, sign in enumerate((1, -1)):
        kinds = {cell: "own" if stone else "empty" for cell, stone in stones.items() if stone != -sign}
        from_corners, from_sides = (
            [distances(kinds | dict.fromkeys(line, "own"), line, AROUND) for line in lines]
            for lines in (corners, sides)
        )
        for (row, column), kind in kinds.items():
            near, beside = ([one.get((row, column), 9) for one in reached] for reached in (from_corners, from_sides))
            far = int(kind == "empty")
            if near.count(far) >= 2 or beside.count(far) >= 3:
                if kind == "empty":
                    found[player, row + 1, column + 1] = 1
                else:
                    found[2 + player] = 1
    return found


def states_of(game, seed, apart):
    """The states of a random match, each some actions after the one before it."""
    state, states = game.initial(), []
    for number, action in enumerate(random_match(game, seed)):
        state = game.play(state, action)
        states += [state] if number % apart == 0 else []
    return states


@pytest.mark.parametrize(("side", "matches", "apart"), [(4, size(4, 8), 2), (5, size(3, 6), 3), (6, 3, 3)])
def test_features_are_those_of_plain_python(side, matches, apart):
    game = make(f"havannah:{side}")
    states = [state for seed in range(matches) for state in states_of(game, seed, apart)]
    planes = np.array([game.encode(state).reshape(-1) for state in states])
    inputs = with_features(game, planes).reshape(len(states), -1, 2 * side + 1, 2 * side + 1)
    seen = 0
    for state, found in zip(states, inputs, strict=True):
        expected = features_of(state, side)
        assert np.array_equal(found[4:], expected)
        seen += expected.any(axis=(1, 2))
    assert np.count_nonzero(seen) >= 3  # random stones seldom join so much


@pytest.mark.parametrize(
    ("moves", "wins", "joined"),
    [
        ("", "", False),
        ("a1 e5 c1", "", False),  # along a side there are no bridges
        ("a1 e5 c1 e4 b1", "d1", False),
        ("a1 d4 c2 e4 d1", "a2 b1 b2 b3 c1 c3 d2 d3 e2 e3", True),
        ("a1 d4 c2 d2 d1", "c1", False),  # one of the bridges is intruded on
    ],
)  # fmt: skip
def test_a_chain_of_bridges_needs_no_stones(moves, wins, joined):
    game = make("havannah:4,swap=false")
    found = features_of(game.after(moves), 4)
    names = {f"{'abcdefg'[column - 1]}{row}" for row, column in np.argwhere(found[0])}
    assert (names, bool(found[2, 0, 0])) == (set(wins.split()), joined)
