"""A search algorithm in a few lines outside of the core, beside a literal transcription."""

from functools import partial
from pathlib import Path

import pytest
import wandering
from evaluators import hash_values
from transcription import Transcription

from athenan import Budget, Search, SearchSettings, make
from athenan.rules.leaves import of_values
from athenan.search.walk_search import ALGORITHMS

VARIANT = ALGORITHMS.pop("wandering")  # which other tests do not expect


@pytest.fixture(autouse=True)
def entered(monkeypatch):
    monkeypatch.setitem(ALGORITHMS, "wandering", VARIANT)


class Wandering(Transcription):
    """Algorithm 1 with an ε-greedy choice of the action to follow."""

    def best_action(self, s):
        if self.random.below(1000) < 125:
            return self.actions(s)[self.random.below(len(self.actions(s)))]
        return self.extreme(s)(self.actions(s), key=lambda a: self.va[s, a])


@pytest.mark.parametrize("levels", [3, 1 << 20])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4"])
def test_it_is_the_transcription(specification, levels):
    game, evaluate = make(specification), partial(hash_values, levels=levels)
    search = Search(game, of_values(evaluate), settings=SearchSettings("wandering"), memory=1 << 26, seed=3)
    reference = Wandering(game, evaluate, search.forest.random[0])
    search.reset(game.initial())
    search.run(Budget(iterations=200))
    reference.run(reference.root(game.initial()), "ubfm", False, 200)
    assert search.forest.slots[0]["nodes"] == len(reference.order)
    for number, s in enumerate(reference.order):
        assert search.forest.states[0, number].tobytes() == s[0]
        assert search.node(number).value == reference.v[s]


def test_it_takes_at_most_30_lines():
    lines = Path(wandering.__file__).read_text().partition('"""\n\n')[2].splitlines()
    assert len([line for line in lines if line.strip()]) <= 30
