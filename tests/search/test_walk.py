"""The walk with algorithms that ask for other things than the values of children."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluators import hash_values, of_values

from athenan import Budget, Search, make
from athenan.rules.game import State
from athenan.rules.leaves import Leaves
from athenan.search.algorithms.bandits import Puct, Uct
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.named import parse_search
from athenan.search.trees.algorithm import Asks
from athenan.search.trees.selection import safest


class ByActionValues(Ubfm):
    def algorithm(self, choose):
        return replace(super().algorithm(choose), asks=Asks.ACTION_VALUES)


def test_action_values_have_their_place():
    """Best-first search that evaluates a state once for all its actions, where the evaluator says the same of both."""
    game = make("othello:4")
    states = dict[bytes, State]()

    def evaluate(planes):
        values = np.full((len(planes), game.action_count), np.nan, np.float32)
        for row, key in enumerate(map(bytes, planes)):
            state = states[key]
            for action in game.actions(state):
                following = game.play(state, int(action))
                states[game.encode(following).tobytes()] = following
                values[row, action] = hash_values(game.encode(following)[None])[0]
        return Leaves(action_values=values)

    states[game.encode(game.initial()).tobytes()] = game.initial()
    trees = []
    for settings, evaluator in (
        (ByActionValues(), evaluate),
        (Ubfm(), of_values(hash_values)),
    ):
        search = Search(game, evaluator, settings=settings, memory=1 << 26)
        search.reset(game.initial())
        search.run(Budget(iterations=200))
        nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
        trees.append((search.forest.states[0, : len(nodes)].tobytes(), nodes["value"].tolist()))
    assert trees[0] == trees[1]


def wide(count: int) -> Any:
    """Values of another type than the search takes."""
    return np.zeros(count)


def test_an_answer_that_is_not_what_was_asked_for_is_refused():
    game = make("tictactoe")
    for evaluate, settings, message in (
        (of_values(hash_values), Puct(), "asked for policies, which the evaluation does not give"),
        (lambda planes: Leaves(wide(len(planes))), Ubfm(), r"float32\[9\], and was given float64\[9\]"),
        (lambda planes: Leaves(np.zeros(1, np.float32)), Ubfm(), r"asked for values, float32\[9\]"),
    ):
        search = Search(game, evaluate, settings=settings)
        search.reset(game.initial())
        with pytest.raises(ValueError, match=message):
            search.run(Budget(iterations=5))


def test_an_invalid_algorithm_is_refused():
    algorithm = Uct().algorithm(safest)
    with pytest.raises(ValueError, match=r"follow must be a function decorated with @kernel\(FOLLOW\)"):
        replace(algorithm, follow=algorithm.update)
    with pytest.raises(ValueError, match="values of children or for what belongs to the state, not both"):
        replace(algorithm, asks=Asks.CHILDREN | Asks.POLICY)
    with pytest.raises(ValueError, match=r"^search 'alpha' does not exist: choose one of descent, ubfm, .*expectim"):
        parse_search("alpha")
