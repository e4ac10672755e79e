"""The worth of groups of up to four stones, by the theory of combinatorial games.

Connected stones are a *component*. A position of Clobber is the sum of its components, as no stone ever comes beside a
stone of another. As long as one side can move so can the other, so most small components are worth some *ups* (a
small advantage of the first player, or of the second if negative) and perhaps a *star* (a tempo): with N ups, and N
above 1, the first player wins whoever begins, and two stars are worth nothing. Sources: M. H. Albert, J. P. Grossman,
R. J. Nowakowski and D. Wolfe, "An Introduction to Clobber" (2005); E. R. Berlekamp, J. H. Conway and R. K. Guy,
"Winning Ways" (1982), chapter 8, for ups and stars.

The values are found by playing: a sum is worth nothing if whoever begins loses.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

Cell = tuple[int, int]
Component = tuple[tuple[Cell, int], ...]
"""The cells, sorted, with the player whose stone is there; the lowest row and the lowest column are 0."""
Sum = tuple[Component, ...]

STAR: Component = (((0, 0), 0), ((0, 1), 1))
UP: Component = (((0, 0), 0), ((0, 1), 0), ((0, 2), 1))
_MOST_UPS = 2


class Worth(NamedTuple):
    """The worth of a component."""

    ups: int
    star: bool


def components(most: int) -> Iterator[Component]:
    """All components of up to `most` stones in which both players have stones."""
    for shape in _shapes(most):
        for players in product((0, 1), repeat=len(shape)):
            if len(set(players)) == 2:
                yield tuple(zip(shape, players, strict=True))


def value(component: Component) -> Worth | None:
    """Its value; None if it is not a sum of at most two ups and a star."""
    for ups in range(-_MOST_UPS, _MOST_UPS + 1):
        for star in (False, True):
            rest = [UP if ups < 0 else _exchanged(UP)] * abs(ups) + [STAR] * star
            if not any(_wins(tuple(sorted([component, *rest])), player) for player in (0, 1)):
                return Worth(ups, star)
    return None


def _shapes(most: int) -> Iterator[tuple[Cell, ...]]:
    """The connected sets of up to `most` cells."""
    of_size: set[tuple[Cell, ...]] = {((0, 0),)}
    for _ in range(most):
        yield from sorted(of_size)
        of_size = {
            _moved([*shape, near]) for shape in of_size for cell in shape for near in _beside(cell) if near not in shape
        }


def _moved(cells: list[Cell]) -> tuple[Cell, ...]:
    """The cells, sorted, moved to row and column 0."""
    row, column = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple(sorted((one - row, other - column) for one, other in cells))


def _beside(cell: Cell) -> list[Cell]:
    row, column = cell
    return [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]


def _exchanged(component: Component) -> Component:
    return tuple((cell, 1 - player) for cell, player in component)


def _parts(stones: dict[Cell, int]) -> Iterator[Component]:
    """The components in which both players have stones; the others are worth nothing."""
    left = dict(stones)
    while left:
        part = [left.popitem()]
        for cell, _ in part:  # which grows
            part += [(near, left.pop(near)) for near in _beside(cell) if near in left]
        if len({player for _, player in part}) == 2:
            cells = _moved([cell for cell, _ in part])
            yield tuple(zip(cells, (player for _, player in sorted(part)), strict=True))


def _options(whole: Sum, player: int) -> Iterator[Sum]:
    """The sums that a player can move to."""
    for number, component in enumerate(whole):
        others, stones = whole[:number] + whole[number + 1 :], dict(component)
        for cell, owner in component:
            for near in _beside(cell) if owner == player else ():
                if stones.get(near) == 1 - player:
                    after = {place: one for place, one in stones.items() if place != cell} | {near: player}
                    yield tuple(sorted([*others, *_parts(after)]))


@cache
def _wins(whole: Sum, player: int) -> bool:
    """Whether a player who begins makes the last capture."""
    return any(not _wins(after, 1 - player) for after in _options(whole, player))
