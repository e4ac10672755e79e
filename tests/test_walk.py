"""The walk with algorithms that ask for other things than the values of children."""

import math
from dataclasses import replace

import numpy as np
import pytest
from evaluators import hash_levels, hash_values

from athenan import Budget, Search, SearchSettings, make
from athenan.rules.compiler import kernel
from athenan.rules.leaves import Leaves, of_values
from athenan.rules.state import sign
from athenan.search.algorithm import BACK_UP, FOLLOW, UPDATE, Algorithm, Asks
from athenan.search.best_first import ends
from athenan.search.search import ALGORITHMS, ubfm
from athenan.search.selection import safest

EXPLORATION = 1.5


@kernel(FOLLOW)
def follow_upper_bound(node, edges, constants, random):
    """PUCT: the mean result, and more for what the policy says and for what was visited little."""
    side, best, highest = sign(node.player), 0, -np.inf
    for number in range(len(edges)):
        edge = edges[number]
        bound = side * edge.value + constants[0] * edge.prior * np.sqrt(float(node.visits)) / (1 + edge.visits)
        if bound > highest:
            best, highest = number, bound
    return best


@kernel(BACK_UP)
def back_up_mean(edge, child, result, constants):
    if edge.visits > 0:
        edge.value += (result - edge.value) / edge.visits


@kernel(UPDATE)
def update_mean(node, edges, result, constants):
    node.value += (result - node.value) / (node.visits + 1)


PUCT = Algorithm(
    follow=follow_upper_bound, goes_on=ends, back_up=back_up_mean, update=update_mean, asks=Asks.STATE | Asks.POLICY,
    choose=safest, transpositions=False, constants=(EXPLORATION,),
)  # fmt: skip


@pytest.fixture
def algorithms(monkeypatch):
    """The table of algorithms, to which a test may add."""
    monkeypatch.setattr("athenan.search.search.ALGORITHMS", dict(ALGORITHMS))
    return __import__("athenan.search.search", fromlist=["ALGORITHMS"]).ALGORITHMS


def logits_of(planes, actions):
    """Logits that depend on the state and the action."""
    return (hash_levels(planes)[:, None] * (np.arange(actions) + 1) % 1009 / 300).astype(np.float32)


def policy_evaluator(game):
    return lambda planes: Leaves(hash_values(planes), policies=logits_of(planes, game.action_count))


class Puct:
    """AlphaZero's search, written plainly: statistics by the actions that lead to a state."""

    def __init__(self, game):
        self.game, self.visits, self.total, self.prior, self.order = game, {}, {}, {}, []

    def iterate(self, path=()):
        """Returns the result of one iteration below a state, first player's point of view."""
        game = self.game
        state = game.after(game.moves(path))
        if (outcome := game.outcome(state)) is not None:
            return outcome
        actions = game.actions(state)
        if path not in self.order:
            self.order.append(path)
            planes = game.encode(state)[None]
            weights = np.exp(logits_of(planes, game.action_count)[0][actions].astype(float))
            for action, weight in zip(actions, weights / weights.sum(), strict=True):
                edge = (*path, int(action))
                self.visits[edge], self.total[edge], self.prior[edge] = 0, 0.0, weight
            return float(hash_values(planes)[0])
        edges = [(*path, int(action)) for action in actions]
        visited = 1 + sum(self.visits[edge] for edge in edges)
        side = 1 - 2 * game.player(state)

        def bound(edge):
            mean = self.total[edge] / max(1, self.visits[edge])
            return side * mean + EXPLORATION * self.prior[edge] * math.sqrt(visited) / (1 + self.visits[edge])

        edge = max(edges, key=bound)
        result = self.iterate(edge)
        self.visits[edge] += 1
        self.total[edge] += result
        return result


@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:4", "othello:6"])
def test_a_policy_has_its_place(specification, algorithms):
    algorithms["puct"] = lambda settings, choose: PUCT
    game = make(specification)
    search = Search(game, policy_evaluator(game), settings=SearchSettings("puct", transpositions=False), memory=1 << 26)
    search.reset(game.initial())
    search.run(Budget(iterations=300))
    reference = Puct(game)
    for _ in range(300):
        reference.iterate()
    root = search.root()
    assert search.evaluations == len(reference.order)
    assert root.counts.tolist() == [reference.visits[(int(action),)] for action in root.actions]
    assert root.priors == pytest.approx([reference.prior[(int(action),)] for action in root.actions], rel=1e-5)
    means = [reference.total[(int(action),)] / max(1, reference.visits[(int(action),)]) for action in root.actions]
    assert root.values == pytest.approx(means, abs=1e-5)


def test_action_values_have_their_place(algorithms):
    """Best-first search that evaluates a state once for all its actions, where the evaluator says the same of both."""
    algorithms["by_action_values"] = lambda settings, choose: replace(ubfm(settings, choose), asks=Asks.ACTION_VALUES)
    game = make("othello:4")
    states = {}

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
        (SearchSettings("by_action_values"), evaluate),
        (SearchSettings(), of_values(hash_values)),
    ):
        search = Search(game, evaluator, settings=settings, memory=1 << 26)
        search.reset(game.initial())
        search.run(Budget(iterations=200))
        nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
        trees.append((search.forest.states[0, : len(nodes)].tobytes(), nodes["value"].tolist()))
    assert trees[0] == trees[1]


def test_an_answer_that_is_not_what_was_asked_for_is_refused(algorithms):
    algorithms["puct"] = lambda settings, choose: PUCT
    game = make("tictactoe")
    for evaluate, settings, message in (
        (of_values(hash_values), SearchSettings("puct"), r"asked for policies, float32\[1, 9\], .*float32\[0, 0\]"),
        (lambda planes: Leaves(np.zeros(len(planes))), SearchSettings(), r"float32\[9\], and was given float64\[9\]"),
        (lambda planes: Leaves(np.zeros(1, np.float32)), SearchSettings(), r"asked for values, float32\[9\]"),
    ):
        search = Search(game, evaluate, settings=settings)
        search.reset(game.initial())
        with pytest.raises(ValueError, match=message):
            search.run(Budget(iterations=5))


def test_an_algorithm_is_checked():
    with pytest.raises(ValueError, match=r"follow must be a function decorated with @kernel\(FOLLOW\)"):
        replace(PUCT, follow=update_mean)
    with pytest.raises(ValueError, match="values of children or for what belongs to the state, not both"):
        replace(PUCT, asks=Asks.CHILDREN | Asks.POLICY)
    with pytest.raises(ValueError, match="algorithm must be descent or ubfm"):
        SearchSettings("alpha")
