"""Features of Go against plain Python, and positions whose dead stones and territories are known."""

from itertools import product

import numpy as np
import pytest

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import random_states

FAR, ROOM, LITTLE_ROOM = 4, 8, 3


def beside(point):
    row, column = point
    return {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}


def around(points):
    return set().union(*map(beside, points))


def parts_of(points):
    """The points in parts that hang together."""
    left, parts = set(points), []
    while left:
        part, new = set(), {left.pop()}
        while new:
            part |= new
            new = around(new) & left
            left -= new
        parts.append(part)
    return parts


def held_by(stones, empty):
    """The stones of both players, with the empty points that are nearer to them."""
    held, near, free = [set(own) for own in stones], [set(own) for own in stones], set(empty)
    for _ in range(FAR):
        near = [around(one) & free for one in near]
        free -= near[0] | near[1]
        near = [near[0] - near[1], near[1] - near[0]]
        held = [own | new for own, new in zip(held, near, strict=True)]
    return held


def strength(part, held, empty, points):
    """1 for a strong part, -1 for a weak one, and otherwise 0."""
    room = part & empty
    eyes = [region for region in parts_of(room) if not around(region) & points - held]
    if len(eyes) >= 2 or len(room) >= ROOM:
        return 1
    return -1 if len(room) <= LITTLE_ROOM else 0


def guessed(planes, komi):
    """The features of an encoded state in plain Python: four boards and the estimate."""
    size = planes.shape[1]
    points = set(product(range(size), repeat=2))
    stones = [{(int(row), int(column)) for row, column in np.argwhere(plane)} for plane in planes[:2]]
    for last in (False, True):
        empty = points - stones[0] - stones[1]
        held = held_by(stones, empty)
        strengths = [[(part, strength(part, own, empty, points)) for part in parts_of(own)] for own in held]
        if not last:
            weak = [set().union(*(part for part, found in own if found < 0)) for own in strengths]
            stones = [own - dead for own, dead in zip(stones, weak, strict=True)]
    found = np.zeros((4, size, size), np.int8)
    for player, own in enumerate(strengths):
        for part, strong in own:
            for point in part:
                found[player if strong > 0 else 2 + player][point] = 1
    lead = len(held[0]) - len(held[1]) - komi
    return found, round(100 * lead / (size * size + abs(komi)))


@pytest.mark.parametrize("name", ["go:2", "go:5", "go:7,komi=0.5", "go:8", "go:9", "go:9,komi=-3", "go:13"])
def test_features_are_those_of_plain_python(name):
    game = make(name)
    planes = np.array([game.encode(state) for state in random_states(game, 80, seed=game.planes[1])])
    inputs = with_features(game, planes.reshape(len(planes), -1)).reshape(len(planes), -1, *game.planes[1:])
    komi = game.params[1] / game.params[3]
    for encoded, found in zip(planes, inputs, strict=True):
        boards, estimate = guessed(encoded, komi)
        assert np.array_equal(found[7:11], boards)
        assert (found[11] == estimate).all()


def picture(moves):
    """Strong parts as X and O, the others as x and o, and the estimate, from the upper row down."""
    game = make("go:7,komi=0")
    inputs = with_features(game, game.encode(game.after(moves)).reshape(1, -1)).reshape(-1, 7, 7)
    boards = sum(code * board.astype(int) for code, board in zip((1, 2, 3, 4), inputs[7:11], strict=True))
    return ["".join(".XOxo"[code] for code in row) for row in boards[::-1]], int(inputs[11, 0, 0])


def test_stones_without_room_and_eyes_are_taken_for_dead():
    walls = "d1 e1 d2 e2 d3 e3 d4 e4 d5 e5 d6 e6 d7 e7"
    alone, lead = picture(walls)
    assert alone == ["XXXXOOO"] * 7 and lead == round(100 * 7 / 49)
    assert picture(f"{walls} f4 pass") == (alone, lead)
    fighting = ["XXXXooo", "XXXXooo", "XXXXo.x", "XXXXoxx", "XXXXoxx", "XXXXo.x", "XXXXooo"]
    assert picture(f"{walls} f4 pass f3")[0] == fighting
