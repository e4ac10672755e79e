"""Searches by bandits in small games."""

from functools import partial

from evaluators import hash_leaves

from athenan import Budget, Search
from athenan.rules.terminal import Gain

MANY = ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:3x4"]


def searched(game, state, chosen, iterations, terminal=Gain(), evaluate=None, seed=7):
    """A search that has made so many iterations."""
    search = Search(game, evaluate or partial(hash_leaves, game), terminal, chosen, memory=1 << 27, seed=seed)
    search.reset(state)
    search.run(Budget(iterations=iterations))
    return search
