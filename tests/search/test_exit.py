"""The search of expert iteration: the same trees as literal transcriptions, sound proofs, its settings."""

import math
from functools import partial

import numpy as np
import pytest
from bandit_searches import searched
from best_first_transcription import Random
from evaluators import hash_leaves
from exhaustive_search import exhaustive, late
from monte_carlo_transcription import MonteCarlo, assert_same_tree

from athenan import Budget, Search, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.leaves import Leaves
from athenan.search.algorithms.exit import Exit
from athenan.search.named import parse_search
from athenan.search.trees.node import Node

GAMES = ["tictactoe", "connect_four:4x4", "othello:4", "breakthrough:3x4"]


def roll_out(game, state, random):
    """The end of a uniformly random match."""
    while game.outcome(state) is None:
        state = game.play(state, random.action(game, state))
    return state


def leaves_without_ties(game, planes):
    leaves = hash_leaves(game, planes)
    return leaves._replace(policies=leaves.policies + np.sqrt(np.arange(1, game.action_count + 1, dtype=np.float32)))


class Literal:
    """UCT_ExIt(s, a) of 003, section 8.1, of a tree in dictionaries, by the actions that lead to a state."""

    def __init__(self, game, evaluate, random_state, c=0.05, w_a=100.0, w_v=0.75):
        self.game, self.evaluate, self.random = game, evaluate, Random(random_state)
        self.c, self.w_a, self.w_v = c, w_a, w_v
        self.N, self.n, self.pi = {}, {}, {}
        self.rollouts, self.values = {}, {}  # of each state: the sums over the iterations through it

    def bound(self, path, state, action):
        child, side = (*path, action), 1 - 2 * self.game.player(state)
        n, N = self.n.get(child, 0), self.N[path]
        ended = self.game.outcome(self.game.play(state, action))
        if n:
            r, q = self.rollouts[child] / n, self.values[child] / n
        elif ended is not None:
            r = q = ended
        else:
            r, q = self.rollouts[path] / N, self.values[path] / N
        uct = side * r + self.c * math.sqrt(math.log(N) / (n + 1))
        return uct + self.w_a * self.pi[path, action] / (n + 1) + self.w_v * side * q

    def iterate(self, path, state):
        """The results of the rollout and of the network that an iteration finds."""
        ended = self.game.outcome(state)
        if ended is not None:
            r = q = ended
        elif path not in self.N:
            r = self.game.outcome(roll_out(self.game, state, self.random))
            leaves = self.evaluate(self.game.encode(state)[None])
            q, weights = float(leaves.values[0]), np.exp(leaves.policies[0].astype(float))
            actions = [int(action) for action in self.game.actions(state)]
            self.pi.update({(path, action): weights[action] / weights[actions].sum() for action in actions})
        else:
            bounds = {int(action): self.bound(path, state, int(action)) for action in self.game.actions(state)}
            best = [action for action in bounds if bounds[action] > max(bounds.values()) - 1e-9]
            action = best[self.random.below(len(best))] if len(best) > 1 else best[0]
            r, q = self.iterate((*path, action), self.game.play(state, action))
            self.n[(*path, action)] = self.n.get((*path, action), 0) + 1
        self.N[path] = self.N.get(path, 0) + 1
        self.rollouts[path] = self.rollouts.get(path, 0) + r
        self.values[path] = self.values.get(path, 0) + q
        return r, q


class Expert(MonteCarlo):
    """The same with transpositions and a solver; v and q are the means of (rollout + w_v value) / (1 + w_v)."""

    def __init__(self, game, evaluate, random_state, c=0.05, w_a=100.0, w_v=0.75, **options):
        super().__init__(game, evaluate, random_state, True, c, **options)
        self.w_a, self.w_v = w_a, w_v

    def expand(self, s):
        result, both = self.worth(roll_out(self.game, self.state(s), self.random)), self.evaluate
        leaves, share = both(self.game.encode(self.state(s))[None]), 1 / (1 + self.w_v)
        mixed = np.float32(share * result + (1 - share) * float(leaves.values[0]))
        self.evaluate = lambda planes: Leaves(np.array([mixed]), leaves.policies)
        super().expand(s)
        self.evaluate = both

    def bound(self, s, a):
        if self.ra[s, a]:
            lost = self.exact or self.side(s) * self.ca[s, a] < 0
            return -math.inf if lost else (1 + self.w_v) * super().bound(s, a)
        new = self.n[s, a] == 0 and self.game.outcome(self.state(self.after(s, a))) is None
        mean = (1 + self.w_v) * self.side(s) * float(self.v[s] if new else self.q[s, a]) / self.scale
        uct = mean + self.exploration * math.sqrt(math.log(self.N[s]) / (self.n[s, a] + 1))
        return uct + self.w_a * self.p[s, a] / (self.n[s, a] + 1)


def plain(**options):
    return Exit(completion=False, transpositions=False, **options)


def first_random(game, evaluate, chosen, seed=7):
    return Search(game, evaluate, settings=chosen, memory=1 << 27, seed=seed).forest.random[0]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("weights", [(), (0.4, 5.0, 0.0), (0.1, 2.0, 3.0)])
@pytest.mark.parametrize("specification", GAMES)
def test_its_visits_are_those_of_the_formula(specification, weights):
    game, iterations = make(specification), 300
    evaluate = partial(leaves_without_ties, game)
    names = ("exploration", "policy_weight", "value_weight")[: len(weights)]
    chosen = plain(**dict(zip(names, weights, strict=True)))
    search = searched(game, game.initial(), chosen, iterations, evaluate=evaluate)
    given = weights or (0.05, 100, 0.75)
    reference = Literal(game, evaluate, first_random(game, evaluate, chosen), *given)
    for _ in range(iterations):
        reference.iterate((), game.initial())
    paths: list[tuple[tuple[int, ...], Node]] = [((), search.root())]
    while paths:
        path, node = paths.pop()
        assert node.visits == reference.N[path]
        for action, child, count in zip(node.actions, node.children, node.counts, strict=True):
            assert count == reference.n.get((*path, int(action)), 0)
            if count:
                paths.append(((*path, int(action)), search.node(int(child))))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("specification", GAMES)
def test_it_is_the_transcription(specification, completion, transpositions):
    game = make(specification)
    evaluate = partial(hash_leaves, game)
    chosen = Exit(completion=completion, transpositions=transpositions, policy_weight=4.0)
    search = searched(game, game.initial(), chosen, 200, evaluate=evaluate)
    reference = Expert(
        game, evaluate, first_random(game, evaluate, chosen), w_a=4.0,
        completion=completion, transpositions=transpositions,
    )  # fmt: skip
    reference.run(reference.root(game.initial()), 200)
    assert_same_tree(search, reference)
    assert search.evaluations == len(reference.order)


def test_one_player():
    """Values and rollouts are scores, in units of their scale."""
    game = make("morpion:4D,size=9")
    heuristic = make_heuristic("score", game)
    evaluate = partial(hash_leaves, game, scale=heuristic.scale)
    state, chosen = late(game, 4, 7), Exit()
    search = searched(game, state, chosen, 150, heuristic, evaluate)
    reference = Expert(
        game, evaluate, first_random(game, evaluate, chosen),
        completion=True, exact=True, worth=game.score, scale=heuristic.scale,
    )  # fmt: skip
    reference.run(reference.root(state), 150)
    assert_same_tree(search, reference)


@pytest.mark.parametrize("specification", ["tictactoe", "hex:3", "connect_four:4x4", "othello:4"])
def test_resolved_is_never_wrong(specification):
    game, value = make(specification), exhaustive(make(specification))
    for seed in range(6):
        search = searched(game, late(game, seed, 7), Exit(policy_weight=3.0), 400, seed=seed)
        for number in range(search.forest.slots[0]["nodes"]):
            node = search.node(number)
            if node.resolution:
                assert node.completion == node.value == value(search.forest.states[0, number])


@pytest.mark.parametrize("specification", ["tictactoe", "hex:3,swap=false", "connect_four:4x4"])
def test_rollouts_find_the_best_action_although_the_network_knows_nothing(specification):
    game, value = make(specification), exhaustive(make(specification))
    chosen = Exit(completion=False, exploration=1.0, policy_weight=1.0, value_weight=0.0)
    for seed in range(6):
        state = late(game, seed, 5)
        search = searched(game, state, chosen, 5000, seed=seed)
        assert value(game.play(state, search.line()[0])) == value(state)


def test_a_tree_that_is_nearly_full_has_no_room_for_a_rollout():
    game = make("othello:6")
    search = Search(game, partial(hash_leaves, game), settings=Exit(), memory=1 << 20)
    search.reset(game.initial())
    search.run(Budget(iterations=10**6))
    assert search.full()


def test_settings():
    assert Exit().heads() == ("values", "policies")
    with pytest.raises(ValueError, match="there is no option 'policy_weight'"):
        parse_search("puct:policy_weight=3")
    with pytest.raises(ValueError, match="Exit needs a network with policies"):
        Search(make("hex:3"), settings=Exit())
