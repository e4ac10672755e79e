"""UBFM and Descent with exploration against a transcription, and against exhaustive search."""

from functools import partial
from math import sqrt

import pytest
from best_first_transcription import Transcription, assert_same_tree
from evaluators import LEVELS, hash_values, of_values
from exhaustive_search import exhaustive
from sizes import size

from athenan import Budget, Search, make
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.named import parse_search


class Exploring(Transcription):
    """Algorithms 1, 9, 10 and 12, where an edge of few visits gains a bonus.

    `visits` are the iterations of each state.
    """

    def __init__(self, *settings, exploration, **others):
        super().__init__(*settings, **others)
        self.exploration, self.visits = exploration, {}

    def gained(self, s, a):
        """v(s, a) for the side to move with the bonus."""
        value = float(self.va[s, a]) if self.first_player(s) else -float(self.va[s, a])
        return value + self.exploration * sqrt(self.visits[s] + 1) / sqrt(self.na.get((s, a), 0) + 1)

    def best_action(self, s):
        return self.arg(max, self.actions(s), lambda a: (self.gained(s, a), -self.na.get((s, a), 0)))

    def completed_best_action_dual(self, s, A):
        side = 1 if self.first_player(s) else -1
        return self.arg(max, A, lambda a: (side * self.ca[s, a], self.gained(s, a), -self.na.get((s, a), 0)))

    def ubfm_iteration(self, s):
        found = super().ubfm_iteration(s)
        self.visits[s] = self.visits.get(s, 0) + 1
        return found

    def completed_ubfm_iteration(self, s):
        found = super().completed_ubfm_iteration(s)
        self.visits[s] = self.visits.get(s, 0) + 1
        return found

    def descent_iteration(self, s):
        self.visits.setdefault(s, 0)
        found = super().descent_iteration(s)
        self.visits[s] += 1
        return found

    def completed_descent_iteration(self, s):
        self.visits.setdefault(s, 0)
        found = super().completed_descent_iteration(s)
        self.visits[s] += 1
        return found


@pytest.mark.one_of(4)
@pytest.mark.parametrize("name", ["connect_four:4x4", "connect_four:5x4", "hex:3", "othello:4", "breakthrough:4x4"])
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("exploration", [0.05, 1.0])
@pytest.mark.parametrize(("algorithm", "iterations"), [("ubfm", 150), ("descent", 40)])
def test_equals_the_transcription(name, completion, transpositions, exploration, algorithm, iterations):
    game = make(name)
    for seed, levels in ((2, 5), *size((), ((1, LEVELS),))):
        evaluate = partial(hash_values, levels=levels)
        settings = {"ubfm": Ubfm, "descent": Descent}[algorithm]
        chosen = settings(completion=completion, transpositions=transpositions, exploration=exploration)
        search = Search(game, of_values(evaluate), settings=chosen, memory=1 << 27, seed=seed)
        reference = Exploring(
            game, evaluate, search.forest.random[0], transpositions=transpositions, exploration=exploration
        )
        search.reset(game.initial())
        search.run(Budget(iterations=iterations))
        reference.run(reference.root(game.initial()), algorithm, completion, iterations)
        assert_same_tree(search, reference, completion)


@pytest.mark.parametrize("settings", [Ubfm(exploration=0.5), Descent(exploration=0.5)])
def test_it_proves_what_exhaustive_search_finds(settings):
    game = make("connect_four:4x4")
    search = Search(game, settings=settings)
    search.reset(game.initial())
    search.run(Budget(seconds=60))
    assert search.root().completion == exhaustive(game)(game.initial()) == 0
    assert search.forest.nodes[0, search.forest.slots[0]["root"]]["resolution"] == 1


def test_it_is_named_with_other_settings():
    assert parse_search("ubfm:exploration=0.05") == Ubfm(exploration=0.05)
    assert parse_search("descent:exploration=0.05") == Descent(exploration=0.05)
    assert Descent(exploration=0.05).for_play() == Ubfm()
    with pytest.raises(ValueError, match="exploration"):
        parse_search("ubfm:exploration=-1")
