"""Searches in small games of chance."""

from pathlib import Path

import numpy as np
from evaluators import LEVELS, hash_leaves

from athenan import Budget, Search, make
from athenan.rules.terminal import Gain

FATE = str(Path(__file__).parents[1] / "support" / "chance_games.py")


BEST_FIRST = ["descent", "ubfm", "korf_chickering"]


MEANS = ["uct", "puct", "gumbel", "exit"]


def fate(seed, *more):
    return make(",".join([f"{FATE}:{seed}", *more]))


def leaves(game, planes, levels=LEVELS):
    """Answers of all heads."""
    answer = hash_leaves(game, planes, levels=levels)
    return answer._replace(action_values=answer.policies / np.float32(3.4) % 2 - 1)


def searched(game, chosen, iterations, evaluate=None, terminal=Gain(), state=None, seed=7, **more):
    search = Search(game, evaluate, terminal, chosen, memory=1 << 26, seed=seed, **more)
    search.reset(game.initial() if state is None else state)
    search.run(Budget(iterations=iterations))
    return search


def nodes_of(search):
    for number in range(search.forest.slots[0]["nodes"]):
        yield search.forest.states[0, number], search.node(number)
