"""Features of Clobber against plain Python, and small components against the literature and exhaustive search."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from clobber_values import components, value
from sizes import size

from athenan import Budget, Search, make, rules
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states

NEAR = (1, 0), (-1, 0), (0, 1), (0, -1)


def of_line(text):
    """The component in a row."""
    return tuple(((0, column), "xo".index(stone)) for column, stone in enumerate(text))


@pytest.mark.parametrize(
    ("line", "ups", "star"),
    [("xo", 0, True), ("xxo", 1, False), ("xoo", -1, False), ("xox", 0, True), ("xxoo", 0, False), ("xxxo", 2, True)],
)
def test_values_of_lines(line, ups, star):  # Albert et al. 2005
    assert value(of_line(line)) == (ups, star)


def test_a_component_that_is_no_sum_of_ups_and_a_star():
    assert value(of_line("xoxo")) is None


LINES = [component for component in components(3) if {row for (row, _), _ in component} == {0}]


@pytest.fixture(scope="module")
def search():
    """A search for all sums, as most of the time would go into making one for each."""
    return Search(make("clobber:3x5"))


@pytest.mark.parametrize("three", list(combinations_with_replacement(LINES, 3)))
def test_sums_of_components_are_won_by_whom_their_values_say(three, search):
    """On boards with an empty row between two components; the search proves it from the rules."""
    values = [worth for one in three if (worth := value(one))]
    assert len(values) == 3
    ups, odd = sum(one.ups for one in values), sum(one.star for one in values) % 2 == 1
    for mover, ahead in ((0, ups), (1, -ups)):
        state = search.game.initial()
        state[0], state[rules.HEADER :] = mover, 0
        for row, component in zip((0, 2, 4), three, strict=True):
            for (_, column), player in component:
                state[rules.HEADER + player * 16 + 2 * row] |= 1 << column
        search.reset(state)
        search.run(Budget(seconds=60))
        wins = ahead > 0 or (odd and ahead >= -1)
        assert search.root().completion == (1 if wins == (mover == 0) else -1)


def features_of(planes):
    """The features of an encoded state: an array for the first, numbers for the others."""
    left = {(int(row), int(column)): player for player in (0, 1) for row, column in np.argwhere(planes[player])}
    stones, live, ups, odd = dict(left), np.zeros(planes.shape[1:], np.int8), 0, False
    while left:
        cells = [left.popitem()[0]]
        for row, column in cells:  # which grows
            for near in [(row + down, column + right) for down, right in NEAR]:
                if left.pop(near, None) is not None:
                    cells.append(near)
        worth = settled(cells, stones)
        if worth:
            ups, odd = ups + worth.ups, odd ^ worth.star
        elif len({stones[cell] for cell in cells}) == 2:
            live[tuple(zip(*cells, strict=True))] = 1
    return live, odd, ups > 0, ups < 0


def settled(cells, stones):
    """What a component is worth if it is small and has a stone with a single neighbour."""
    neighbours = [sum((row + down, column + right) in cells for down, right in NEAR) for row, column in cells]
    if len(cells) > 4 or 1 not in neighbours or len({stones[cell] for cell in cells}) < 2:
        return None
    bottom, left = np.min(cells, axis=0).tolist()
    return value(tuple(((row - bottom, column - left), stones[row, column]) for row, column in sorted(cells)))


@pytest.mark.parametrize("name", ["clobber", "clobber:5x6", "clobber:16x16", "clobber:1x9", "clobber:2x1"])
def test_features_are_those_of_plain_python(name):
    game = make(name)
    planes = encoded_states(game, random_states(game, size(100, 300), seed=1))
    for one in with_features(game, planes).reshape(len(planes), -1, *game.planes[1:]):
        for found, expected in zip(one[3:], features_of(one[:3]), strict=True):
            assert np.array_equal(found, np.broadcast_to(expected, found.shape))


@pytest.mark.parametrize("name", ["clobber:5x4", "clobber:11x9"])
def test_every_small_component_has_the_features_of_its_value(name):
    """In the corner where the last row ends."""
    game, small = make(name), list(components(4))
    planes = np.zeros((len(small), *game.planes), np.int8)
    for one, component in zip(planes, small, strict=True):
        for (row, column), player in component:
            one[player, game.planes[1] - 1 - row, game.planes[2] - 1 - column] = 1
    for one in with_features(game, planes.reshape(len(planes), -1)).reshape(len(planes), -1, *game.planes[1:]):
        for found, expected in zip(one[3:], features_of(one[:3]), strict=True):
            assert np.array_equal(found, np.broadcast_to(expected, found.shape))


@pytest.mark.parametrize("name", ["clobber", "clobber:7x9", "clobber:16x16", "clobber:13x10"])
def test_features_are_those_of_plain_python_with_few_stones(name):
    game, random = make(name), np.random.default_rng(1)
    planes = np.zeros((200, *game.planes), np.int8)
    stones = random.integers(0, 6, (200, *game.planes[1:]))
    planes[:, 0], planes[:, 1] = stones == 0, stones == 1
    for one in with_features(game, planes.reshape(200, -1)).reshape(200, -1, *game.planes[1:]):
        for found, expected in zip(one[3:], features_of(one[:3]), strict=True):
            assert np.array_equal(found, np.broadcast_to(expected, found.shape))
