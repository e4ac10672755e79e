"""Which places decided a match, for `Board.deciding`.

The last stone of a row or a chain decides with the stones that it needs. What a chain needs is found by leaving out
stones: those without which it still wins are no part of it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import count, product, takewhile

import numpy as np
from numpy.typing import NDArray

from athenan.rules.board import Bytes, Place, Scene

Neighbours = Sequence[Sequence[int]]
"""For each place, the places that touch it."""
Stones = frozenset[int]
"""Places with stones of one player."""
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # down, right


def rows(stones: NDArray[np.bool_], length: int, exact: bool = False) -> tuple[int, ...]:
    """The cells of unbroken lines of at least `length` stones, or with `exact` of this length.

    `stones` is bool[height, width]; a cell is row * width + column. Lines go along rows, columns and diagonals.

    >>> rows(np.array([[0, 1, 1, 1], [0, 0, 1, 0]], bool), 3)
    (1, 2, 3)
    """
    width, found = stones.shape[1], set[int]()
    for (row, column), (down, right) in product(np.argwhere(stones).tolist(), _DIRECTIONS):
        if has_stone(stones, row - down, column - right):
            continue  # the line begins before this cell
        ahead = ((row + step * down, column + step * right) for step in count())
        line = [row * width + column for row, column in takewhile(lambda cell: has_stone(stones, *cell), ahead)]
        if len(line) == length or (len(line) > length and not exact):
            found.update(line)
    return tuple(sorted(found))


def has_stone(stones: NDArray[np.bool_], row: int, column: int) -> bool:
    """Whether a cell has a stone; cells off the board have none."""
    height, width = stones.shape
    return 0 <= row < height and 0 <= column < width and bool(stones[row, column])


def in_rows(
    encoded: Callable[[Bytes], NDArray[np.int8]], length: int, exact: bool = False
) -> Callable[[Bytes, int], tuple[int, ...]]:
    """`Board.deciding` of a game that is won by stones in a row.

    Planes 0 and 1 of `encoded` are the players' stones.
    """

    def deciding(state: Bytes, winner: int) -> tuple[int, ...]:
        return rows(encoded(state)[winner] != 0, length, exact)

    return deciding


def needed(stones: Iterable[int], wins: Callable[[Stones], bool]) -> tuple[int, ...]:
    """The stones that are left when each stone without which the others still win is taken away.

    >>> needed(range(10), lambda stones: {2, 3} <= stones or {7, 8, 9} <= stones)
    (7, 8, 9)
    """
    left = frozenset(stones)
    for stone in sorted(left):
        if wins(left - {stone}):
            left -= {stone}
    return tuple(sorted(left))


def touching(places: Sequence[Place]) -> Neighbours:
    """The neighbours of each place among places whose neighbours are one unit away, such as hexagons."""
    middles = np.array([(place.x, place.y) for place in places])
    distances = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
    return [np.flatnonzero(row).tolist() for row in (distances > 0.5) & (distances < 1.01)]


def reached(start: Iterable[int], inside: Stones, neighbours: Neighbours) -> Stones:
    """The places to which a way leads from `start`, all of its places inside `inside`."""
    found = inside & frozenset(start)
    edge = list(found)
    while edge:
        new = inside.intersection(neighbours[edge.pop()]) - found
        found |= new
        edge += new
    return found


def groups(stones: Stones, neighbours: Neighbours) -> list[Stones]:
    """The groups of stones that touch."""
    found, left = list[Stones](), stones
    while left:
        found.append(reached([min(left)], left, neighbours))
        left -= found[-1]
    return found


def arrived(
    scene: Callable[[Bytes], Scene], goals: tuple[Iterable[int], Iterable[int]]
) -> Callable[[Bytes, int], tuple[int, ...]]:
    """`Board.deciding` of a game that is won by arriving: the winner's pieces on its goals.

    `goals` are the places that the first and the second player must reach.
    """
    wanted = tuple(frozenset(one) for one in goals)

    def deciding(state: Bytes, winner: int) -> tuple[int, ...]:
        there = (piece.place for piece in scene(state).pieces if piece.owner == winner)
        return tuple(sorted(wanted[winner].intersection(there)))

    return deciding
