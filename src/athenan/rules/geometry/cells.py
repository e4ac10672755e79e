"""Games in which an action puts a stone on any empty cell, and the second player may begin with `swap`.

The cells follow the header, one byte each; 0 is empty. The action of a cell is its number; `swap` is the number of
cells.
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
    """One of the actions that `list_cells` lists, each equally likely; at least one must exist."""
    bound = cells + _may_swap(swap, state)
    while True:
        action = random_below(random, 0, bound)
        if action == cells or state[rules.HEADER + action] == 0:
            return action
