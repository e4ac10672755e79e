"""Best-first minimax in Korf and Chickering's own form, beside a literal transcription."""

from functools import partial

import numpy as np
import pytest
from evaluators import hash_values
from exhaustive import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st
from transcription import Transcription, assert_same_tree

from athenan import Budget, Search, make
from athenan.rules.leaves import of_values
from athenan.search.algorithms.korf_chickering import KorfChickering
from athenan.search.named import SEARCHES


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
    chosen = KorfChickering(completion=False, transpositions=False)
    search = Search(game, of_values(evaluate), settings=chosen, memory=1 << 26)
    search.reset(game.initial())
    search.run(Budget(evaluations=100_000, iterations=len(reference.order)))
    nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
    expanded = np.flatnonzero(nodes["edges"])
    states = [search.forest.states[0, number].tobytes() for number in expanded]
    assert states == [game.replay(path).tobytes() for path in reference.order]
    for number, path in zip(expanded, reference.order, strict=True):
        assert [float(value) for value in search.node(int(number)).values] == [
            float(reference.value[child]) for child in reference.children[path]
        ]


def test_with_unique_values_it_is_the_papers_variant():
    """Footnote 4."""
    game, evaluate = make("othello:6"), of_values(partial(hash_values, levels=1 << 40))
    trees = []
    for algorithm in ("korf_chickering", "ubfm"):
        chosen = SEARCHES[algorithm](completion=False, transpositions=False)
        search = Search(game, evaluate, settings=chosen, memory=1 << 27)
        search.reset(game.initial())
        search.run(Budget(iterations=500))
        trees.append(search.forest.states[0, : search.forest.slots[0]["nodes"]].tobytes())
    assert trees[0] == trees[1]


class Completed(Transcription):
    """Algorithm 12, but of equal open actions the one followed last is followed, else the first."""

    def completed_best_action_dual(self, s, A):
        best = self.extreme(s)((self.ca[s, a], self.va[s, a]) for a in A)
        tied = [a for a in A if (self.ca[s, a], self.va[s, a]) == best]
        last = getattr(self, "last", {})
        self.last = last | {s: last[s] if last.get(s) in tied else tied[0]}
        return self.last[s]


@pytest.mark.parametrize("levels", [3, 1 << 20])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4"])
def test_with_completion(specification, levels):
    game, evaluate = make(specification), partial(hash_values, levels=levels)
    search = Search(game, of_values(evaluate), settings=KorfChickering(), memory=1 << 26)
    reference = Completed(game, evaluate, search.forest.random[0])
    search.reset(game.initial())
    search.run(Budget(iterations=300))
    reference.run(reference.root(game.initial()), "ubfm", True, 300)
    assert_same_tree(search, reference, completion=True)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["tictactoe", "connect_four:4x4", "othello:4", "breakthrough:3x4"]))
def test_resolved_is_never_wrong(seed, specification):
    game = make(specification)
    search = Search(game, settings=KorfChickering(), memory=1 << 26)
    search.reset(late(game, seed, 8))
    search.run(Budget(iterations=1000))
    value = exhaustive(game)
    for number in range(search.forest.slots[0]["nodes"]):
        node = search.node(number)
        if node.resolution:
            assert node.completion == value(search.forest.states[0, number])
