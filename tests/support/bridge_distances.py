"""Distances by neighbours and bridges on hexagonal boards, in plain Python."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush

Cell = tuple[int, int]


def distances(kinds: Mapping[Cell, str], start: Iterable[Cell], around: Sequence[Cell]) -> dict[Cell, int]:
    """The distance of each cell from the cells of a side by Dijkstra's algorithm.

    kinds: own or empty, of the cells that a player may use. around: the steps to the neighbours of a cell in a circle.
    """
    found = dict.fromkeys(start, 0)
    queue = [(0, cell) for cell in found]
    while queue:
        distance, (row, column) = heappop(queue)
        if distance > found[row, column]:
            continue
        steps = list(around)
        for one, other in zip(around, [*around[1:], around[0]], strict=True):
            carriers = [(row + down, column + right) for down, right in (one, other)]
            if all(kinds.get(cell) == "empty" for cell in carriers):
                steps.append((one[0] + other[0], one[1] + other[1]))
        for down, right in steps:
            cell = row + down, column + right
            if cell in kinds:
                further = distance + (kinds[cell] == "empty")
                if further < found.get(cell, 1000):
                    found[cell] = further
                    heappush(queue, (further, cell))
    return found
