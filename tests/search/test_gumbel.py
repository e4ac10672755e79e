"""Gumbel AlphaZero: trees as those of a literal transcription, the visits of sequential halving, the policy learnt."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from evaluators import hash_leaves
from exhaustive import exhaustive, late
from hypothesis import given
from hypothesis import strategies as st
from monte_carlo import MonteCarlo
from test_bandits import MANY, assert_same_tree, searched
from training import changed

from athenan import Budget, Search, make
from athenan.learning.recipe import recommended
from athenan.learning.schedules import SequentialHalving
from athenan.learning.self_play import SelfPlay
from athenan.learning.targets import make_target
from athenan.search.gumbel import Gumbel, advantages, improved_policy, the_candidate
from athenan.search.node import Node


def completed_values(prior, q, n, seen, raw):
    """Completed values by the mixed value, rescaled, and weighted by the visits, as mctx's `qtransforms` does it."""
    actions = range(len(q))
    share = sum(prior[a] for a in actions if seen[a])
    mixed = raw
    if share > 0:
        weighted = sum(prior[a] * q[a] for a in actions if seen[a]) / share
        mixed = (raw + sum(n) * weighted) / (1 + sum(n))
    completed = [q[a] if seen[a] else mixed for a in actions]
    least, most = min(completed), max(completed)
    return [(50 + max(n)) * 0.1 * (value - least) / max(most - least, 1e-8) for value in completed]


class GumbelTranscription(MonteCarlo):
    """MonteCarlo with the selection inside of the tree of Gumbel MuZero."""

    def choose(self, s):
        actions, side = self.actions(s), self.side(s)
        prior, n = [float(self.p[s, a]) for a in actions], [self.n[s, a] for a in actions]
        q = [side * float(self.q[s, a]) for a in actions]
        seen = [n_ > 0 or self.after(s, a) in self.ends for a, n_ in zip(actions, n, strict=True)]
        raw = next((q_ for q_, seen_ in zip(q, seen, strict=True) if not seen_), 0)
        added = completed_values(prior, q, n, seen, raw)
        weights = [p * math.exp(x - max(added)) for p, x in zip(prior, added, strict=True)]
        below = [w / sum(weights) - n_ / (1 + sum(n)) for w, n_ in zip(weights, n, strict=True)]
        if self.completion:
            below = [
                x - 2 * (self.ra[s, a] != 0 and side * self.ca[s, a] < 0) for x, a in zip(below, actions, strict=True)
            ]
        return actions[below.index(max(below))]

    def terminal(self, s):
        ended = super().terminal(s)
        if ended:
            self.ends.add(s)
        return ended

    ends: set


@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("specification", MANY)
def test_it_is_the_transcription(specification, completion):
    game = make(specification)
    for seed, levels in ((1, 1 << 20), (2, 20)):
        evaluate = partial(hash_leaves, game, levels=levels)
        chosen = Gumbel(completion=completion)
        search = searched(game, game.initial(), chosen, 150, evaluate=evaluate, seed=seed)
        reference = GumbelTranscription(game, evaluate, 0, True, None, completion)
        reference.ends = set()
        reference.run(reference.root(game.initial()), 150)
        assert_same_tree(search, reference)


def considered_visits(candidates, iterations):
    """How often each rank of candidates is visited: mctx's `get_sequence_of_considered_visits`, with its loop."""
    visits, number, left = [0] * candidates, candidates, iterations
    while left:
        for _ in range(max(1, int(iterations / (max(1, math.ceil(math.log2(candidates))) * number)))):
            for rank in range(number):
                visits[rank] += left > 0
                left -= left > 0
        number = max(2, number // 2)
    return visits


@pytest.mark.parametrize("iterations", [2, 5, 16, 32, 50, 100, 200])
@pytest.mark.parametrize("candidates", [2, 3, 4, 7, 9, 16])
def test_visits_of_sequential_halving(candidates, iterations):
    game = make("gomoku:5")
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(completion=False), memory=1 << 24)
    halving = SequentialHalving(iterations, candidates, np.random.default_rng(iterations))
    search.reset(game.initial())
    search.run(Budget(iterations=1))
    marks = []
    budget = halving.begin(search, 0)
    while budget:
        marks.append(search.root().candidates)
        search.run(budget)
        budget = halving.following(search, 0)
    root = search.root()
    wanted = considered_visits(min(candidates, iterations), iterations)
    assert sorted(root.counts, reverse=True)[: len(wanted)] == wanted
    assert root.counts.sum() == iterations
    assert root.candidates.sum() == 1
    assert root.counts[root.candidates > 0] == root.counts.max()
    for wider, narrower in zip(marks, [*marks[1:], root.candidates], strict=True):
        assert (narrower <= wider).all()


def test_the_better_half_is_kept():
    game = make("hex:3")
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(completion=False), memory=1 << 22)
    for seed in range(20):
        search.reset(game.initial())
        search.run(Budget(iterations=1))
        noise = np.random.default_rng(seed).gumbel(size=9) + np.log(search.root().priors.astype(np.float64))
        halving = SequentialHalving(12, 4, np.random.default_rng(seed))
        budget = halving.begin(search, 0)
        assert set(np.flatnonzero(search.root().candidates)) == set(np.argsort(-noise)[:4])
        while budget:
            search.run(budget)
            before = search.root()
            budget = halving.following(search, 0)
            scores = noise + advantages(before)
            kept = search.root().candidates > 0
            dropped = (before.candidates > 0) & ~kept & (before.counts == before.counts[kept].max())
            assert not dropped.any() or scores[kept].min() >= scores[dropped].max()


def test_candidates_that_lose_are_dropped_first():
    """While another one is left, however much the policy is for them."""
    game, dropped = make("connect_four:4x4"), 0

    def evaluate(planes):
        leaves = hash_leaves(game, planes)
        return leaves._replace(policies=20 * leaves.policies)

    search = Search(game, evaluate, settings=Gumbel(), memory=1 << 22)
    for seed in range(60):
        search.reset(late(game, seed, 6))
        search.run(Budget(iterations=1))
        halving = SequentialHalving(12, 4, np.random.default_rng(seed))
        budget = halving.begin(search, 0)
        while budget:
            search.run(budget)
            before = search.root()
            budget = halving.following(search, 0)
            losing, kept = before.sign * before.completions < 0, search.root().candidates > 0
            left = (before.candidates > 0) & ~losing & (before.counts == before.counts[before.candidates > 0].max())
            assert not (kept & losing).any() or left.sum() < kept.sum()
            dropped += ((before.candidates > 0) & losing & ~kept).any()
    assert dropped > 5


def test_where_halving_kept_a_loss_the_most_visited_action_is_played():
    root = replace(node([0.1, 0.2, -1.0], [1 / 3] * 3, [1, 4, 5], [0, 0, -1]), candidates=np.array([0, 0, 1], np.int8))
    assert {the_candidate(root, np.array([0, 1]), np.random.default_rng(seed)) for seed in range(9)} == {1}


def node(values, priors, counts, completions=None, player=0):
    nothing = np.zeros(len(values), np.int8)
    return Node(
        player=player, value=0.0, completion=0, resolution=0, visits=int(sum(counts)) + 1,
        actions=np.arange(len(values), dtype=np.int32), children=np.where(np.array(counts) > 0, 1, -1).astype(np.int32),
        values=np.array(values, np.float32), priors=np.array(priors, np.float32),
        completions=nothing if completions is None else np.array(completions, np.int8),
        resolutions=nothing, counts=np.array(counts, np.int32), candidates=nothing,
    )  # fmt: skip


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.01, 1), st.integers(0, 9)), min_size=1, max_size=9), st.booleans()
)
def test_the_improved_policy(edges, second):
    values, priors, counts = (np.array(column) for column in zip(*edges, strict=True))
    values = np.where(counts == 0, 0.25, values).astype(np.float32).astype(float)
    priors = (priors / priors.sum()).astype(np.float32).astype(float)
    side = -1 if second else 1
    added = completed_values(priors, side * values, counts.tolist(), counts > 0, side * 0.25)
    weights = priors * np.exp(np.array(added) - max(added))
    found = improved_policy(node(values, priors, counts, player=int(second)))
    assert found == pytest.approx(weights / weights.sum(), rel=1e-4, abs=1e-9)


def test_the_improved_policy_knows_proofs():
    three = [0.5, 0.1, 0.4], [1 / 3] * 3, [3, 2, 1]
    assert improved_policy(node(*three, [0, 1, 1])) == pytest.approx([0, 0.5, 0.5])
    lost = improved_policy(node(*three, [0, -1, 0]))
    assert lost[1] == 0
    assert lost.sum() == pytest.approx(1)
    assert improved_policy(node(*three, [-1, -1, -1])).all()
    assert not improved_policy(node(*three, [0, -1, 0], player=1))[[0, 2]].any()


def test_self_play_plays_what_halving_leaves():
    game, roots = make("connect_four:4x4"), []
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(completion=False), slots=2, memory=1 << 23)

    def choose(root, played):
        roots.append(root)
        return the_candidate(root, np.arange(len(root.actions)), np.random.default_rng(0))

    halving = SequentialHalving(8, 4, np.random.default_rng(1))
    players = SelfPlay(
        game, search, Budget(iterations=8), choose, target=make_target("terminal", "improved"), schedule=halving
    )
    matches = [players.next_match(lambda: False) for _ in range(4)]
    assert all(root.candidates.sum() == 1 for root in roots)
    assert all(root.counts.sum() == (8 if len(root.actions) > 1 else 0) for root in roots)
    for match in matches:
        assert match.examples.policies.counts[:-1].all()
        assert game.outcome(game.after(game.moves(match.actions))) == match.outcome


@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:3"])
def test_proofs_are_right(specification):
    game = make(specification)
    truth = exhaustive(game)
    search = searched(game, game.initial(), Gumbel(), 3000)
    for number in range(int(search.forest.slots[0]["nodes"])):
        found = search.node(number)
        if found.proven is not None:
            assert truth(search.forest.states[0, number]) == found.proven


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"selection": "visits"}, "selection must be halving for the search gumbel, and only for it"),
        ({"seconds": 1.0}, "the limit of an action must be iterations alone for selection halving"),
        ({"iterations": None}, "the limit of an action must be iterations alone for selection halving"),
    ],
)
def test_settings_that_do_not_go_together(settings, message):
    with pytest.raises(ValueError, match=message):
        changed(recommended("hex:3", algorithm="gumbel"), **settings)
