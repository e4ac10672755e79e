"""The worth of a disc on each square of Othello: the classic table of positions.

Corners cannot be turned over, and the squares beside them give them away. The weights are from P. Norvig, Paradigms
of Artificial Intelligence Programming, 1992, section 18.4, for 8 x 8. On other boards a square has the weight of the
one that is as far from the two nearest edges, at most 3.
"""

import numpy as np

from athenan import rules

LARGE = 200
"""A lead that is worth 1/2: nearly two corners."""
_WEIGHTS = np.array([[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]])
"""The weights by the distances from the nearest edge above or below, and on the left or the right."""


@rules.helper
def weight(size, row, column):
    """The worth of a disc there to its owner."""
    return _WEIGHTS[min(row, size - 1 - row, 3), min(column, size - 1 - column, 3)]
