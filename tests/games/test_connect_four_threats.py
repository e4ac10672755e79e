"""Features of Connect Four against plain Python, and endings whose winner is known."""

import numpy as np
import pytest
from packaged_positions import packaged_positions
from sizes import size

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states


def threats_of(stones, empty, connect):
    """The empty cells, as (row, column), with which stones (bool[rows, columns]) make a line."""
    height, width = stones.shape
    found = set[tuple[int, int]]()
    for row, column in np.ndindex(height, width):
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + step * up, column + step * right) for step in range(connect)]
            if all(0 <= r < height and 0 <= c < width for r, c in line):
                left = [cell for cell in line if not stones[cell]]
                found |= set(left) & empty if len(left) == 1 else set()
    return found


def gain(own, other, tops, height):
    """What zugzwang gives the player to move, 1, 0 or -1, cell by cell; `tops` are the lowest empty rows."""

    def after(column):
        return -gain(other, own, [*tops[:column], tops[column] + 1, *tops[column + 1 :]], height)

    columns = [column for column, top in enumerate(tops) if top < height]
    if any((tops[column], column) in own for column in columns):
        return 1
    forced = [column for column in columns if (tops[column], column) in other]
    safe = [column for column in columns if (tops[column] + 1, column) not in own | other]
    if forced or safe:
        return after((forced or safe)[0])
    if not columns:
        return 0
    free = [column for column in columns if (tops[column] + 1, column) not in other]
    if not free:
        return -1

    def preference(column):
        rows = range(tops[column] + 1, height)
        bits = [sum(1 << row - rows[0] for row in rows if (row, column) in some) for some in (own, other)]
        next_threat = next((row for row in rows if row > rows[0] + 1 and (row, column) in own | other), None)
        released = height - rows[0] - 1 if next_threat is None else next_threat - rows[0] - 2
        return released % 2, *bits, tops[column]

    return after(max(free, key=preference))


def features_of(planes, connect):
    """The features of an encoded state, cell by cell."""
    _, height, width = planes.shape
    found, taken = np.zeros((4, height, width), np.int8), planes[0] + planes[1]
    empty = {(int(row), int(column)) for row, column in np.argwhere(taken == 0)}
    threats = [threats_of(planes[player] != 0, empty, connect) for player in range(2)]
    for player, cells in enumerate(threats):
        for cell in cells:
            found[player][cell] = 1
    mover = 1 - int(planes[2, 0, 0])
    result = gain(threats[mover], threats[1 - mover], taken.sum(axis=0).tolist(), height)
    if result:
        found[2 + (mover if result > 0 else 1 - mover)] = 1
    return found


@pytest.mark.parametrize(
    "name",
    [
        "connect_four", "connect_four:5x4", "connect_four:9x8", "connect_four:5x5,connect=3",
        "connect_four:2x2,connect=2", "connect_four:3x20", "connect_four:20x20,connect=5",
    ],
)  # fmt: skip
def test_features_are_those_of_plain_python(name):
    game = make(name)
    count = size(100, 300) if game.max_length < 100 else size(15, 40)  # in plain Python the time grows with the board
    planes = encoded_states(game, random_states(game, count, seed=1))
    for one in with_features(game, planes).reshape(len(planes), -1, *game.planes[1:]):
        assert np.array_equal(one[3:], features_of(one[:3], int(game.params[2])))


@pytest.mark.parametrize(
    "name",
    ["connect_four", "connect_four:8x8,connect=3", "connect_four:9x8", "connect_four:16x10", "connect_four:4x20"],
)
def test_features_are_those_of_plain_python_where_threats_abound(name):
    """Columns filled at random, as in no match, have more threats, and several at once to play beneath."""
    game, random = make(name), np.random.default_rng(1)
    _, height, width = game.planes
    tops = random.integers(0, height, (100, 1, width))
    stones = random.integers(0, 2, (100, height, width)) + 2 * (np.arange(height)[:, None] >= tops)
    planes = np.zeros((100, *game.planes), np.int8)
    planes[:, 0], planes[:, 1], planes[:, 2] = stones == 0, stones == 1, random.integers(0, 2, (100, 1, 1))
    for one in with_features(game, planes.reshape(100, -1)).reshape(100, -1, height, width):
        assert np.array_equal(one[3:], features_of(one[:3], int(game.params[2])))


def test_whom_zugzwang_favours_mostly_wins_late_positions():
    """By BitBully's values of the package's positions, and of what their actions lead to, with 24 stones and more."""
    game = make("connect_four")
    right = favoured = 0
    for position in packaged_positions(game.name).positions:
        state = game.after(position.moves)
        for action, gain in position.gains.items():
            following = game.play(state, action)
            if game.outcome(following) is None and game.length(following) >= 24:
                planes = with_features(game, game.encode(following).reshape(1, -1))[0, 5:7, 0].tolist()
                favoured += any(planes)
                right += gain != 0 and planes[game.player(state) if gain > 0 else game.player(following)]
    assert favoured > 1000
    assert right > 0.8 * favoured
