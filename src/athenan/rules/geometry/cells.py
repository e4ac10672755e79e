"""Games in which a stone is put on any empty cell, a byte each, and the second player may begin with `swap`.

The cells follow the header, 0 being empty; their actions are their numbers, and `swap` is the number of cells.
"""

from athenan import rules
from athenan.rules.randomness import random_below


@rules.helper
def _may_swap(swap, state):
    return swap != 0 and rules.length(state) == 1


@rules.helper
def list_cells(cells, swap, state, actions):
    """Writes the empty cells, and `swap` (where the game has it) after the first stone; returns their number."""
    count = 0
    for cell in range(cells):
        actions[count] = cell
        count += state[rules.HEADER + cell] == 0
    if _may_swap(swap, state):
        actions[count] = cells
        count += 1
    return count


@rules.helper
def random_cell(cells, swap, state, random):
    """One of the actions that `list_cells` lists, each equally likely; there must be one."""
    bound = cells + _may_swap(swap, state)
    while True:
        action = random_below(random, 0, bound)
        if action == cells or state[rules.HEADER + action] == 0:
            return action
