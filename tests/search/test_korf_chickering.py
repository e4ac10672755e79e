"""Best-first minimax in Korf and Chickering's own form, beside a literal transcription."""

from functools import partial

import numpy as np
import pytest
from best_first_transcription import assert_same_tree
from evaluators import hash_values, of_values
from korf_chickering_transcription import Completed
from walk_settings import walk_settings

from athenan import Budget, Search, check_search, make
from athenan.search.algorithms.korf_chickering import KorfChickering


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


class WithTranspositions:
    """Korf and Chickering's algorithm where equal states share a value, and each action keeps the value it last saw.

    The values of a path are backed up until one does not change; there the next iteration begins, below the same path.
    """

    def __init__(self, game, evaluate):
        self.game, self.evaluate = game, evaluate
        self.value, self.seen, self.principal, self.order = {}, {}, {}, []

    def expand(self, state):
        self.order.append(state.tobytes())
        seen = self.seen[state.tobytes()] = {}
        for action in self.game.actions(state):
            following = self.game.play(state, int(action))
            outcome = self.game.outcome(following)
            seen[int(action)] = self.evaluate(self.game.encode(following)[None])[0] if outcome is None else outcome

    def best(self, state):
        seen, mover = self.seen[state.tobytes()], self.game.player(state)
        extreme = (max, min)[mover](seen.values())
        if seen.get(self.principal.get(state.tobytes())) != extreme:
            self.principal[state.tobytes()] = next(action for action, value in seen.items() if value == extreme)
        return self.principal[state.tobytes()]

    def run(self, root, expansions):
        here, path = root, []
        while len(self.order) < expansions:
            while here.tobytes() in self.seen:
                path.append(here)
                here = self.game.play(here, self.best(here))
            if self.game.outcome(here) is not None:
                return
            self.expand(here)
            below, new = here, self.seen[here.tobytes()][self.best(here)]
            self.value[here.tobytes()] = new
            while path:
                here = path.pop()
                action = self.principal[here.tobytes()]
                self.seen[here.tobytes()][action] = self.value[below.tobytes()]
                new = self.seen[here.tobytes()][self.best(here)]
                if self.value[here.tobytes()] == new:
                    break
                self.value[here.tobytes()], below = new, here


@pytest.mark.parametrize("levels", [3, 20, 1 << 20])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "breakthrough:4x4"])
def test_values_that_transpositions_share_are_backed_up_as_far_as_they_change(specification, levels):
    game, evaluate = make(specification), partial(hash_values, levels=levels)
    reference = WithTranspositions(game, evaluate)
    reference.run(game.initial(), 300)
    search = Search(game, of_values(evaluate), settings=KorfChickering(completion=False), memory=1 << 26)
    search.reset(game.initial())
    search.run(Budget(evaluations=100_000, iterations=len(reference.order)))
    nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
    expanded = np.flatnonzero(nodes["edges"])
    assert [search.forest.states[0, number].tobytes() for number in expanded] == reference.order
    for number, state in zip(expanded, reference.order, strict=True):
        seen = [float(value) for value in reference.seen[state].values()]
        assert [float(value) for value in search.node(int(number)).values] == seen


def test_with_unique_values_it_is_the_papers_variant():
    """Footnote 4."""
    game, evaluate = make("othello:6"), of_values(partial(hash_values, levels=1 << 40))
    trees = []
    for algorithm in ("korf_chickering", "ubfm"):
        chosen = walk_settings(algorithm, completion=False, transpositions=False)
        search = Search(game, evaluate, settings=chosen, memory=1 << 27)
        search.reset(game.initial())
        search.run(Budget(iterations=500))
        trees.append(search.forest.states[0, : search.forest.slots[0]["nodes"]].tobytes())
    assert trees[0] == trees[1]


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


def test_resolved_is_never_wrong():
    check_search("korf_chickering", iterations=1000)
