"""Late move reductions of alpha-beta, against a recursive transcription and against exhaustive search."""

from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
import pytest
from evaluators import LEVELS, hash_values, of_values
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan import Budget, make
from athenan.rules.game import Game, State
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch

GAMES = ["tictactoe", "connect_four:5x4", "hex:4", "othello:6", "breakthrough:5x5", "clobber:4x4", "amazons:6"]
SOLVED = ["tictactoe", "connect_four:4x4", "hex:3", "othello:4", "clobber:3x4"]


@dataclass
class Reference:
    """A node of the transcription, which is recursive, and knows neither transpositions nor proofs.

    Values are float64 holding float32s, from the first player's point of view.
    """

    game: Game
    state: State
    edges: list["Edge"] = field(default_factory=list)
    visits: int = 0
    lower: float = -np.inf
    upper: float = np.inf
    depth: int = 0
    bests: list[tuple[int, float]] = field(default_factory=list)
    """The best action and its value after each edge of the last search."""

    def expand(self) -> None:
        actions = [int(action) for action in self.game.actions(self.state)]
        states = [self.game.play(self.state, action) for action in actions]
        values = hash_values(np.stack([self.game.encode(state) for state in states]), LEVELS)
        for action, state, value in zip(actions, states, values, strict=True):
            outcome = self.game.outcome(state)
            known = float(value if outcome is None else outcome)
            self.edges.append(Edge(action, Reference(self.game, state), known, known, outcome is not None))

    def search(self, depth: int, alpha: float, beta: float, reductions: bool, root: bool = False) -> float:
        """The value of a search within a window; it keeps bounds, and the order of the edges, as a search does."""
        if not self.edges:
            self.expand()
        side = self.game.player(self.state)
        side = 1 if side == 0 else -1
        best, leader, found, self.bests = -np.inf * side, 0, list[float](), []
        for position in range(len(self.edges)):
            if depth > 1 and (best >= beta if side > 0 else best <= alpha):
                break
            if depth > 1 and (position or not self.visits):
                rest = range(position, len(self.edges))
                chosen = max(rest, key=lambda number: (side * self.edges[number].value, -number))
                self.edges[position], self.edges[chosen] = self.edges[chosen], self.edges[position]
            edge = self.edges[position]
            inner = (max(alpha, best), beta) if side > 0 else (alpha, min(beta, best))
            value = edge.prior if depth == 1 else edge.result(depth - 1, inner, side, position, reductions)
            found.append(value)
            if side * value > side * best:
                best, leader = value, position
            elif value == best and not edge.ended and depth > 1:
                found[-1] = float(np.nextafter(np.float32(value), np.float32(-np.inf * side)))
            if not root or depth == 1:
                edge.value = found[-1]
            self.bests.append((self.edges[leader].action, best))
        for edge, value in zip(self.edges, found, strict=False):
            edge.value = value
        self.visits += 1
        self.keep(depth, best, alpha, beta)
        self.edges[0], self.edges[leader] = self.edges[leader], self.edges[0]
        return best

    def keep(self, depth: int, best: float, alpha: float, beta: float) -> None:
        """Bounds of the value of a search to a depth, from a search within a window."""
        if depth != self.depth:
            self.lower, self.upper = -np.inf, np.inf
        self.depth = depth
        if depth == 1:
            self.lower = self.upper = best
            return
        if best > alpha:
            self.lower = max(self.lower, best) if best >= beta else best
        if best < beta:
            self.upper = min(self.upper, best) if best <= alpha else best


@dataclass
class Edge:
    """An edge of the transcription; `prior` is what the child is worth without a search."""

    action: int
    child: Reference
    prior: float
    value: float
    ended: bool

    def result(self, depth: int, window: tuple[float, float], side: int, position: int, reductions: bool) -> float:
        """The value of the search through an edge: first less deep, if it is late."""
        if self.ended:
            return self.prior
        alpha, beta = window
        if reductions and position:
            less = max(0, depth - min(position.bit_length(), 1 + depth // 2))
            if side > 0:
                value = self.within(less, alpha, next_above(alpha), reductions) if less else self.prior
                if value <= alpha:
                    return value
            else:
                value = self.within(less, next_below(beta), beta, reductions) if less else self.prior
                if value >= beta:
                    return value
        return self.within(depth, alpha, beta, reductions)

    def within(self, depth: int, alpha: float, beta: float, reductions: bool) -> float:
        """The child's value within a window: by its bounds, if they are of this depth or of a greater one."""
        child = self.child
        if child.edges and (child.depth == depth or (reductions and child.depth > depth)):
            if child.lower >= beta or child.lower == child.upper:
                return child.lower
            if child.upper <= alpha:
                return child.upper
        return child.search(depth, alpha, beta, reductions)


def next_above(value: float) -> float:
    return float(np.nextafter(np.float32(value), np.float32(np.inf)))


def next_below(value: float) -> float:
    return float(np.nextafter(np.float32(value), np.float32(-np.inf)))


def searching(game: Game, reductions: bool, **settings: bool) -> AlphaBetaSearch:
    wanted = AlphaBeta(reductions=reductions, **settings)
    return AlphaBetaSearch(game, of_values(lambda planes: hash_values(planes, LEVELS)), settings=wanted, memory=1 << 28)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_equals_a_recursive_search(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(GAMES)))
    start = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(3, 12)))
    reductions, depth = data.draw(st.booleans()), data.draw(st.integers(1, 5))
    search, reference = searching(game, reductions, completion=False, transpositions=False), Reference(game, start)
    search.reset(start)
    search.run(Budget(iterations=depth))
    for deeper in range(1, search.effort().iterations + 1):
        value = reference.search(deeper, -np.inf, np.inf, reductions, root=True)
    assert search.root().value == value
    root = search.root()
    found = dict(zip(root.actions.tolist(), root.values.tolist(), strict=True))
    assert found == {edge.action: edge.value for edge in reference.edges}


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_stopped_in_the_middle_it_plays_the_best_action_that_was_searched(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(GAMES)))
    start = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(3, 12)))
    reference, depth, last = Reference(game, start), 0, 0
    for evaluations in range(1, 600, 37):
        search = searching(game, True, completion=False, transpositions=False)
        search.reset(start)
        search.run(Budget(evaluations=evaluations))
        while depth < search.effort().iterations:
            depth, last = depth + 1, 0
            reference.search(depth, -np.inf, np.inf, True, root=True)
            before = reference.bests[-1]
        coming = deepcopy(reference)
        coming.search(depth + 1, -np.inf, np.inf, True, root=True)
        root = search.root()
        found = int(root.actions[search.choose(root, np.random.default_rng(0))]), float(root.value)
        shown = [before, *coming.bests]
        assert found in shown[last:]
        last = shown.index(found, last)


def test_an_action_that_an_unfinished_depth_finds_better_is_played() -> None:
    game, changed = make("breakthrough:5x5"), 0
    for seed in range(40):
        start, played = late(game, seed, 12), list[int]()
        stopped, whole = searching(game, True), searching(game, True)
        for search in (stopped, whole):
            search.reset(start)
            depth = stopped.effort().iterations
            search.run(Budget(iterations=depth) if depth else Budget(evaluations=400))
            root = search.root()
            played.append(int(root.actions[search.choose(root, np.random.default_rng(0))]))
        changed += played[0] != played[1]
    assert changed


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_what_is_proven_is_right(data: st.DataObject) -> None:
    game = make(data.draw(st.sampled_from(SOLVED)))
    start, value = late(game, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 8))), exhaustive(game)
    search = searching(game, True, transpositions=data.draw(st.booleans()))
    search.reset(start)
    search.run(Budget(iterations=100))
    assert search.root().proven == value(start)
    for number in range(search.effort().states):
        if search.node(number).resolution:
            assert search.node(number).completion == value(search.forest.states[0, number])


@pytest.mark.parametrize("name", ["othello:6", "breakthrough:6x6", "draughts:brazilian"])
def test_evaluates_fewer_states_to_the_same_depth(name: str) -> None:
    game = make(name)
    evaluations = []
    for reductions in (False, True):
        search = searching(game, reductions)
        search.reset(game.initial())
        search.run(Budget(iterations=5))
        assert search.effort().iterations == 5
        evaluations.append(search.evaluations)
    assert evaluations[1] < evaluations[0]
