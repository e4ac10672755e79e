"""Gumbel AlphaZero: trees as those of a literal transcription, sequential halving, the policy learnt."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import wide_game
from bandit_searches import MANY, searched
from best_first_transcription import Reached
from evaluators import hash_leaves
from exhaustive_search import late
from hypothesis import given
from hypothesis import strategies as st
from monte_carlo_transcription import MonteCarlo, assert_same_tree
from numba import types
from scipy.stats import kstest
from small_trainings import changed

from athenan import Budget, Search, check_search, make
from athenan.learning.examples.targets import make_target
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.compiler import kernel
from athenan.rules.state import CHANCE
from athenan.search.algorithms.gumbel import (
    Gumbel,
    advantages,
    considered_visits,
    gumbel_noise,
    halve,
    halved,
    improved_policy,
)
from athenan.search.trees.node import Node


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

    ends: set[Reached]


@pytest.mark.one_of(2)
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


def sequence(candidates, iterations):
    """The visits that each iteration considers: `get_sequence_of_considered_visits` of mctx."""
    if candidates <= 1:
        return list(range(iterations))
    found, visits, number = list[int](), [0] * candidates, candidates
    while len(found) < iterations:
        for _ in range(max(1, int(iterations / (math.ceil(math.log2(candidates)) * number)))):
            found += visits[:number]
            visits[:number] = [n + 1 for n in visits[:number]]
        number = max(2, number // 2)
    return found[:iterations]


@pytest.mark.parametrize("candidates", [*range(1, 41), 100, 361])
def test_visits_of_sequential_halving(candidates):
    for iterations in (1, 2, 5, 16, 31, 32, 33, 50, 100, 200, 1000):
        found = [considered(candidates, iterations, number) for number in range(iterations)]
        assert found == sequence(candidates, iterations)


@kernel(types.int64(types.int64, types.int64, types.int64))
def considered(candidates, iterations, number):
    return considered_visits(candidates, iterations, number)


class Halving(GumbelTranscription):
    """The same with the selection of mctx at the root, whose actions have this noise."""

    halved: Reached
    candidates: int
    iterations: int
    noise: np.ndarray

    def choose(self, s):
        if s != self.halved:
            return super().choose(s)
        actions, side = self.actions(s), self.side(s)
        n = [self.n[s, a] for a in actions]
        considered = sequence(min(self.candidates, len(actions)), self.iterations)[sum(n)]
        scores = [score if n_ == considered else -math.inf for score, n_ in zip(self.scores(s), n, strict=True)]
        lost = [self.completion and side * self.ca[s, a] < 0 for a in actions]
        best = max(range(len(actions)), key=lambda i: (n[i] == considered, not lost[i], scores[i]))
        return actions[best]

    def scores(self, s):
        actions, side = self.actions(s), self.side(s)
        n, q = [self.n[s, a] for a in actions], [side * float(self.q[s, a]) for a in actions]
        seen = [n_ > 0 or self.after(s, a) in self.ends for a, n_ in zip(actions, n, strict=True)]
        raw = next((q_ for q_, seen_ in zip(q, seen, strict=True) if not seen_), 0)
        added = completed_values([float(self.p[s, a]) for a in actions], q, n, seen, raw)
        return [g + math.log(self.p[s, a]) + x for g, a, x in zip(self.noise, actions, added, strict=True)]

    def played(self, s):
        """Of the most visited actions the best; wins before all others, losses behind them."""
        actions, scores = self.actions(s), self.scores(s)
        return max(
            range(len(actions)),
            key=lambda i: (self.side(s) * self.ca[s, actions[i]], self.n[s, actions[i]], scores[i]),
        )


def halving_search(game, state, completion, noise, candidates, iterations, evaluate=None):
    search = searched(game, state, Gumbel(completion=completion), 1, evaluate=evaluate)
    halve(search.forest, 0, candidates, iterations, noise)
    search.run(Budget(iterations=iterations))
    return search


@pytest.mark.one_of(2)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("specification", MANY)
def test_halving_is_the_transcription(specification, completion):
    game = make(specification)
    for seed in range(12):
        state, candidates, iterations = late(game, seed, 3 + seed % 5), 2 + seed, 20 + 3 * seed
        search = halving_search(game, state, completion, seed, candidates, iterations)
        reference = Halving(game, partial(hash_leaves, game), 0, True, None, completion)
        reference.ends, reference.halved = set(), reference.root(state)
        reference.candidates, reference.iterations = candidates, iterations
        reference.noise = gumbel_noise(seed, game.actions(state))
        reference.run(reference.halved, 1 + iterations)
        assert_same_tree(search, reference)
        assert search.choose(search.root(), np.random.default_rng(0)) == reference.played(reference.halved)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("count", range(2, 41))
def test_the_action_does_not_depend_on_the_order_of_the_actions(count):
    """The odd visit of the last phase is the better candidate's, and the best of the most visited is played."""
    game, evaluate = wide_game.make(count), partial(hash_leaves, wide_game.make(count))
    for seed in range(1, 9):
        search = halving_search(game, game.initial(), False, seed, 16, 32, evaluate)
        root = search.root()
        scores = gumbel_noise(seed, root.actions) + np.log(root.priors) + advantages(root)
        most = root.counts == root.counts.max()
        played = search.choose(root, np.random.default_rng(0))
        assert most[played]
        assert scores[played] == scores[most].max()


def test_candidates_that_lose_come_last():
    """While another one with the considered visits is left, however much the policy is for them."""
    game, lost = make("connect_four:4x4"), 0

    def evaluate(planes):
        leaves = hash_leaves(game, planes)
        return leaves._replace(policies=20 * leaves.policies)

    for seed in range(60):
        search = searched(game, late(game, seed, 6), Gumbel(), 1, evaluate=evaluate)
        halve(search.forest, 0, 4, 12, seed)
        for number in range(12):
            before = search.root()
            if before.resolution:
                break
            search.run(Budget(iterations=1))
            followed = np.flatnonzero(search.root().counts > before.counts)[0]
            candidates = before.counts == sequence(min(4, len(before.actions)), 12)[number]
            losing = before.sign * before.completions < 0
            assert candidates[followed]
            assert not losing[followed] or losing[candidates].all()
            lost += losing[candidates].any() and not losing[followed]
        root = search.root()
        losing = root.sign * root.completions < 0
        assert losing.all() or not losing[search.choose(root, np.random.default_rng(0))]
    assert lost > 5


def test_of_the_playable_actions_the_most_visited_is_played():
    root = replace(node([0.1, 0.2, -1.0], [1 / 3] * 3, [1, 4, 5], [0, 0, -1]), halving=10, noise=3)
    assert halved(root, np.array([0, 1]), np.random.default_rng(0)) == 1
    assert halved(root, np.arange(3), np.random.default_rng(0)) == 1


def test_the_noise_is_gumbel_noise():
    actions = np.arange(200, dtype=np.int32)
    noise = np.stack([gumbel_noise(seed, actions) for seed in (1, 2, 3, 2**31, 2**32 - 1)])
    assert kstest(noise.ravel(), "gumbel_r").pvalue > 0.01
    assert np.abs(np.corrcoef(noise) - np.eye(5)).max() < 0.3
    assert not gumbel_noise(0, actions).any()


def test_roots_that_cannot_be_halved():
    game = make("hex:3")
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(), memory=1 << 22)
    search.reset(game.initial())
    with pytest.raises(ValueError, match="the root has no actions yet"):
        halve(search.forest, 0, 4, 8, 1)
    search.run(Budget(iterations=2))
    with pytest.raises(ValueError, match="the actions of the root were already visited"):
        halve(search.forest, 0, 4, 8, 1)


def node(values, priors, counts, completions=None, player=0):
    nothing = np.zeros(len(values), np.int8)
    return Node(
        player=player, value=0.0, completion=0, resolution=0, visits=int(sum(counts)) + 1,
        actions=np.arange(len(values), dtype=np.int32), children=np.where(np.array(counts) > 0, 1, -1).astype(np.int32),
        values=np.array(values, np.float32), priors=np.array(priors, np.float32),
        completions=nothing if completions is None else np.array(completions, np.int8),
        resolutions=nothing, counts=np.array(counts, np.int32),
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
        return halved(root, np.arange(len(root.actions)), np.random.default_rng(0))

    preparation = Gumbel(candidates=4).preparation(Budget(iterations=8), np.random.default_rng(1))
    target = make_target("terminal", "improved")
    players = SearchPlay(game, search, Budget(iterations=8), choose, target=target, preparation=preparation)
    matches = [players.next_match(lambda: False) for _ in range(4)]
    assert all(root.halving == 8 for root in roots)
    assert len({root.noise for root in roots}) > len(roots) / 2
    assert all(root.counts.sum() == (8 if len(root.actions) > 1 else 0) for root in roots)
    for match in matches:
        assert match and match.examples.policies and match.examples.policies.counts[:-1].all()
        assert game.outcome(game.replay(match.actions)) == match.outcome


def test_proofs_are_right():
    check_search("gumbel", ["tictactoe", "connect_four:4x4", "hex:3"], iterations=3000)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"selection": "visits"},
            "selection needs --matches-by search, and a search that leaves the choice of actions",
        ),
        ({"seconds": 1.0}, "the limit of an action must be iterations alone for gumbel, which shares them"),
        ({"iterations": None}, "the limit of an action must be iterations alone for gumbel, which shares them"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        changed(recommended("hex:3", algorithm="gumbel"), **settings)


# -- Players ---------------------------------------------------------------------------------------------------------


def player(game, **settings):
    search = Search(game, partial(hash_leaves, game), settings=Gumbel(**settings), memory=1 << 23)
    return SearchPlayer("gumbel", search)


@pytest.mark.parametrize("candidates", [2, 5, 16])
def test_a_player_halves_in_a_new_tree_for_each_action(candidates):
    game = make("hex:4")
    halving = player(game, completion=False, candidates=candidates)
    halving.new_match(game, 3)
    state = game.initial()
    for _ in range(6):
        chosen = halving.select(state, Budget(iterations=24)).action
        root = halving.searcher.root()
        fresh = halving_search(game, state, False, 0, candidates, 24)
        expected = sequence(min(candidates, len(root.actions)), 24)
        assert root.counts.sum() == len(expected) == 24
        np.testing.assert_array_equal(root.counts, fresh.root().counts)
        assert (root.counts > 0).sum() == min(candidates, len(root.actions))
        assert chosen == root.actions[halved(root, np.arange(len(root.actions)), np.random.default_rng(0))]
        state = game.play(state, chosen)
        halving.observe(chosen, state)


@pytest.mark.parametrize("limit", [Budget(evaluations=20), Budget(iterations=20, seconds=1e6)])
def test_a_player_that_cannot_know_its_iterations_keeps_its_tree(limit):
    game = make("hex:4")
    keeping = player(game, completion=False)
    keeping.new_match(game, 3)
    keeping.select(game.initial(), Budget(iterations=24))
    assert keeping.searcher.root().halving == 24
    keeping.select(game.initial(), limit)
    assert keeping.searcher.root().halving == 0
    assert keeping.searcher.root().counts.sum() > 24


def test_a_win_that_is_proven_is_played():
    game = make("tictactoe")
    halving = player(game)
    halving.new_match(game, 3)
    state = game.after("a1 b1 a2 b2")
    assert game.action_name(state, halving.select(state, Budget(iterations=16)).action) == "a3"


def test_an_analysis_halves():
    game = make("hex:4")
    session = Session(Search(game, partial(hash_leaves, game), settings=Gumbel(), memory=1 << 23))
    session.position(game.initial())
    session.think(Budget(iterations=24))
    root = session.searcher.root()
    assert root.halving == 24 and root.counts.sum() == 24


def test_what_chance_draws_is_not_halved():
    game = make("pig:10,length=40")
    state = game.play(game.initial(), int(game.actions(game.initial())[0]))
    assert game.player(state) == CHANCE
    halving = player(game)
    halving.new_match(game, 3)
    assert -1 <= halving.expectation(state, Budget(iterations=16)) <= 1
    assert halving.searcher.root().halving == 0
