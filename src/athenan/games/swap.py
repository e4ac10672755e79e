"""Games in which a stone is put on any empty cell, a byte each, and the second player may begin with `swap`.

The cells follow the header, 0 being empty; their actions are their numbers, and `swap` is the number of cells.
"""

from athenan.games import kernels as k
from athenan.games.randomness import random_below


@k.helper
def _may_swap(swap, state):
    return swap != 0 and k.length(state) == 1


@k.helper
def list_cells(cells, swap, state, actions):
    """Writes the empty cells, and `swap` (where the game has it) after the first stone; returns their number."""
    count = 0
    for cell in range(cells):
        actions[count] = cell
        count += state[k.HEADER + cell] == 0
    if _may_swap(swap, state):
        actions[count] = cells
        count += 1
    return count


@k.helper
def random_cell(cells, swap, state, random):
    """One of what `list_cells` lists, which must not be nothing, each equally likely."""
    bound = cells + _may_swap(swap, state)
    while True:
        action = random_below(random, 0, bound)
        if action == cells or state[k.HEADER + action] == 0:
            return action
