"""Threats in line games in plain Python: windows one by one, and who wins by trying."""

from itertools import combinations

import numpy as np


def gaps_of(planes, lines, player, lacking):
    """The empty cells of each window without a stone of the opponent that lacks so many stones, as sets of cells."""
    own, other = planes[player] != 0, planes[1 - player] != 0
    found = []
    for row in range(lines.height):
        for column in range(lines.width):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + up * step, column + right * step) for step in range(-1, lines.connect + 1)]
                inside = [0 <= one < lines.height and 0 <= to < lines.width for one, to in cells]
                if not all(inside[1:-1]) or any(other[cell] for cell in cells[1:-1]):
                    continue
                if not lines.longer and any(inside[end] and own[cells[end]] for end in (0, -1)):
                    continue
                empty = {one * lines.width + to for one, to in cells[1:-1] if not own[one, to]}
                if len(empty) == lacking < lines.connect:
                    found.append(empty)
    return found


def features_of(planes, lines):
    """The six features, as flags."""
    mover = 1 - int(planes[2, 0, 0])
    left = 1 + int(planes[3, 0, 0]) if lines.stones == 2 else 1
    other, found = 1 - mover, np.zeros(6, np.int8)
    if any(gaps_of(planes, lines, mover, lacking) for lacking in range(1, left + 1)):
        found[mover] = 1
        return found
    threats = [gap for lacking in range(1, lines.stones + 1) for gap in gaps_of(planes, lines, other, lacking)]
    if threats:
        every = set().union(*threats)
        parried = any(all(gap & set(some) for gap in threats) for n in (1, left) for some in combinations(every, n))
        found[(2 if parried else 0) + other] = 1
        if not parried:
            return found
    if lines.stones == 1:
        for player in (mover, other):
            gaps = gaps_of(planes, lines, player, 2)
            cells = set().union(*gaps)
            if any(len({next(iter(gap - {cell})) for gap in gaps if cell in gap}) > 1 for cell in cells):
                if player == mover and not threats and lines.longer:
                    found[mover] = 1
                    return found
                found[4 + player] = 1
    return found
