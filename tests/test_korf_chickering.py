"""A variant of best-first search in a few lines outside of the core, beside a literal transcription."""

from functools import partial
from pathlib import Path

import korf_chickering
import numpy as np
import pytest
from evaluators import hash_values

from athenan import Budget, Search, SearchSettings, make
from athenan.rules.leaves import of_values
from athenan.search.search import ALGORITHMS

VARIANT = ALGORITHMS.pop("korf_chickering")  # which other tests do not expect


@pytest.fixture(autouse=True)
def entered(monkeypatch):
    monkeypatch.setitem(ALGORITHMS, "korf_chickering", VARIANT)


class BestFirstMinimax:
    """Korf and Chickering's algorithm, in memory: always expands the state at the end of the principal variation.

    Values are backed up as far as they change; from the state above, whose value has not, the principal variation goes
    down again. A state's principal child stays the same while no other child is better.
    """

    def __init__(self, game, evaluate):
        self.game, self.evaluate = game, evaluate
        self.value, self.children, self.principal = {}, {}, {}
        self.order = []

    def expand(self, path):
        self.order.append(path)
        state = self.game.after(self.game.moves(path))
        self.children[path] = []
        for action in self.game.actions(state):
            child, following = (*path, int(action)), self.game.play(state, int(action))
            outcome = self.game.outcome(following)
            self.value[child] = self.evaluate(self.game.encode(following)[None])[0] if outcome is None else outcome
            self.children[path].append(child)
            if outcome is not None:
                self.children[child] = []

    def best(self, path):
        """The principal child of an expanded state."""
        mover = self.game.player(self.game.after(self.game.moves(path)))
        extreme = (max, min)[mover](self.value[child] for child in self.children[path])
        if self.value.get(self.principal.get(path)) != extreme:
            self.principal[path] = next(child for child in self.children[path] if self.value[child] == extreme)
        return self.principal[path]

    def run(self, root, expansions):
        here = root
        while len(self.order) < expansions:
            while self.children.get(here):
                here = self.best(here)
            if here in self.children:  # the principal variation ends with a finished match
                return
            self.expand(here)
            while self.value.get(here) != (value := self.value[self.best(here)]):
                self.value[here] = value
                if here == root:
                    break
                here = here[:-1]


@pytest.mark.parametrize("levels", [3, 20, 1 << 20])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4"])
def test_korf_and_chickerings_own_form(specification, levels):
    game, evaluate = make(specification), partial(hash_values, levels=levels)
    reference = BestFirstMinimax(game, evaluate)
    reference.run((), 150)
    settings = SearchSettings("korf_chickering", transpositions=False)
    search = Search(game, of_values(evaluate), settings=settings, memory=1 << 26)
    search.reset(game.initial())
    search.run(Budget(evaluations=100_000, iterations=len(reference.order)))
    nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
    expanded = np.flatnonzero(nodes["edges"])
    states = [search.forest.states[0, number].tobytes() for number in expanded]
    assert states == [game.after(game.moves(path)).tobytes() for path in reference.order]
    for number, path in zip(expanded, reference.order, strict=True):
        assert [float(value) for value in search.node(int(number)).values] == [
            float(reference.value[child]) for child in reference.children[path]
        ]


def test_with_unique_values_it_is_the_papers_variant():
    game, evaluate = make("othello:6"), of_values(partial(hash_values, levels=1 << 40))
    trees = []
    for algorithm in ("korf_chickering", "ubfm"):
        settings = SearchSettings(algorithm, completion=False, transpositions=False)
        search = Search(game, evaluate, settings=settings, memory=1 << 27)
        search.reset(game.initial())
        search.run(Budget(iterations=500))
        trees.append(search.forest.states[0, : search.forest.slots[0]["nodes"]].tobytes())
    assert trees[0] == trees[1]


def test_it_takes_at_most_30_lines():
    lines = Path(korf_chickering.__file__).read_text().partition('"""\n\n')[2].splitlines()
    assert len([line for line in lines if line.strip()]) <= 30
