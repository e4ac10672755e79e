"""UCT with RAVE: the same trees as a literal transcription, bookkeeping, convergence, and its player."""

import math
import re

import numpy as np
import pytest
from best_first_transcription import Random
from evaluators import hash_state
from exhaustive_search import exhaustive, late

from athenan import make, rules
from athenan.arena.roster import make_player
from athenan.games import tictactoe
from athenan.play.player import PlayerError
from athenan.rules.facts import altered
from athenan.rules.leaf import by_state
from athenan.search.budget import Budget
from athenan.search.monte_carlo.prior import EXPERIENCE, VISIT, Prior
from athenan.search.monte_carlo.rave import Rave, RaveSettings, rollout_search
from athenan.search.searcher import run

SMALL = ["tictactoe", "hex:3", "connect_four:4x4", "othello:4", "breakthrough:4x4", "connect6:7"]


def grown(game, state, rollouts, seed=1, settings=RaveSettings(), prior=None):
    search = Rave(game, settings, seed, prior)
    search.reset(state)
    run(search, Budget(iterations=rollouts))
    return search


class Plain:
    """The algorithm in dictionaries, by the actions that lead to a state."""

    def __init__(self, game, random_state, settings, expected=None):
        self.game, self.random, self.settings, self.expected = game, Random(random_state), settings, expected
        self.tree: set[tuple[int, ...]] = {()}
        self.N, self.n, self.q, self.m, self.a = {}, {}, {}, {}, {}

    def bound(self, path, state, action):
        edge = (path, action)
        n, m, N = self.n.get(edge, 0), self.m.get(edge, 0), max(1, self.N.get(path, 0))
        if n == m == 0:
            return math.inf
        own = self.q[edge] / n if n else self.a[edge] / m
        later = self.a[edge] / m if m else own
        weight = math.sqrt(self.settings.equivalence / (3 * N + self.settings.equivalence))
        value = (1 - 2 * self.game.player(state)) * ((1 - weight) * own + weight * later)
        return value + self.settings.exploration * math.sqrt(math.log(N) / (n + 1))

    def choose(self, path, state):
        actions = [int(action) for action in self.game.actions(state)]
        start = self.random.below(len(actions))
        return max(actions[start:] + actions[:start], key=lambda action: self.bound(path, state, action))

    def value_actions(self, path, state):
        for action in map(int, self.game.actions(state)):
            following = self.game.play(state, action)
            if self.game.outcome(following) is None:
                self.m[path, action] = self.m.get((path, action), 0) + EXPERIENCE
                self.a[path, action] = self.a.get((path, action), 0) + round(EXPERIENCE * self.expected(following))

    def rollout(self, state):
        path: tuple[int, ...] = ()
        passed, played = [], []
        while path in self.tree:
            action = self.choose(path, state)
            self.N[path] = self.N.get(path, 0) + 1
            if self.expected and self.N[path] == VISIT:
                self.value_actions(path, state)
            passed.append((path, state, action))
            played.append((self.game.player(state), action))
            state, new = self.game.play(state, action), self.n.get((path, action), 0) == 0
            path = (*path, action)
            if self.game.outcome(state) is not None:
                break
            if not new:
                self.tree.add(path)
            elif path not in self.tree:
                break
        while self.game.outcome(state) is None:
            action = self.random.action(self.game, state)
            played.append((self.game.player(state), action))
            state = self.game.play(state, action)
        result = self.game.outcome(state)
        for depth, (path, before, action) in enumerate(passed):
            self.n[path, action] = self.n.get((path, action), 0) + 1
            self.q[path, action] = self.q.get((path, action), 0) + result
            later = {one for mover, one in played[depth:] if mover == self.game.player(before)}
            for one in later.intersection(map(int, self.game.actions(before))):
                self.m[path, one] = self.m.get((path, one), 0) + 1
                self.a[path, one] = self.a.get((path, one), 0) + result


VALUES, CHANCES = (-4.0, -0.25, 1.0, 6.0), (0.05, 0.4, 0.5, 0.9)


@rules.kernel(rules.STATE_VALUE)
def hashed(params, state):
    """A number from -5 to 5; for kernels and for Python."""
    return hash_state(state) / 1000.0 - 5.0


@rules.kernel(rules.STATE_VALUE)
def no_number(params, state):
    return np.nan


@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "othello:4", "breakthrough:4x4"])
def test_it_is_the_transcription(specification, valued):
    game, settings = make(specification), RaveSettings(equivalence=30)
    prior = Prior.of(game, by_state(hashed), VALUES, CHANCES) if valued else None

    def expected(state):
        return 2 * float(np.interp(hashed(game.rules, state), VALUES, CHANCES)) - 1

    reference = Plain(game, Rave(game, settings, 5)._random[0], settings, expected if valued else None)
    for _ in range(300):
        reference.rollout(game.initial())
    search = grown(game, game.initial(), 300, 5, settings, prior)
    root, first = search.root(), int(search.nodes[0]["first_edge"])
    assert search.used[0] == len(reference.tree)
    assert root.counts.tolist() == [reference.n.get(((), int(action)), 0) for action in root.actions]
    assert search.firsts[first : first + len(root.actions)].tolist() == [
        [reference.m.get(((), int(action)), 0), reference.a.get(((), int(action)), 0)] for action in root.actions
    ]


def test_a_network_that_gives_no_number_is_refused():
    game = make("tictactoe")
    with pytest.raises(ValueError, match="the evaluation gave no finite number for 9 states of the search"):
        grown(game, game.initial(), 20, prior=Prior.of(game, by_state(no_number)))


@pytest.mark.parametrize("specification", SMALL)
def test_the_tree_adds_up(specification):
    game = make(specification)
    search = grown(game, game.initial(), 5000)
    nodes = search.nodes[: search.used[0]]
    for node in nodes:
        edges = slice(node["first_edge"], node["first_edge"] + node["edges"])
        counts = search.edges["visits"][edges]
        assert counts.sum() == node["visits"]
        assert (counts <= search.firsts[edges, 0]).all()
        assert (search.firsts[edges, 0] <= node["visits"]).all()
        assert (np.abs(search.firsts[edges, 1]) <= search.firsts[edges, 0]).all()


@pytest.mark.parametrize("specification", ["tictactoe", "hex:3,swap=false", "connect_four:4x4"])
def test_it_finds_the_best_action(specification):
    game, value = make(specification), exhaustive(make(specification))
    for seed in range(6):
        state = late(game, seed, 5)
        search = grown(game, state, 20_000, seed, RaveSettings(exploration=1.0, equivalence=100))
        assert value(game.play(state, search.line()[0])) == value(state)


def below(search, node=0):
    """All that the tree knows below a node, by actions."""
    first, count = int(search.nodes[node]["first_edge"]), int(search.nodes[node]["edges"])
    known: dict[int | str, object] = {"visits": int(search.nodes[node]["visits"])}
    for edge in range(first, first + count):
        action, child, visits, total = search.edges[edge].tolist()
        known[action] = visits, total, search.firsts[edge].tolist(), below(search, child) if child >= 0 else None
    return known


@pytest.mark.parametrize("name", ["hex:5", "backgammon", "breakthrough:5x5"])
def test_an_action_keeps_the_tree_below_it(name):
    game = make(name)
    search = grown(game, late(game, 2, left=40), 3000)
    for _ in range(3):
        root = search.root()
        best = int(np.argmax(root.counts))
        kept, states = below(search, int(root.children[best])), search.effort().states
        search.play(int(root.actions[best]))
        assert below(search) == kept and kept["visits"] > 0 and search.effort().states < states
        assert np.array_equal(np.sort(search.root().actions), np.sort(game.actions(search.state())))
        run(search, Budget(iterations=500))
        assert search.root().visits == kept["visits"] + 500 and search.effort().iterations == 500


def test_an_action_without_a_state_in_the_tree_begins_anew():
    search = grown(make("hex:5"), make("hex:5").initial(), 3)
    search.play(int(search.root().actions[np.flatnonzero(search.root().children < 0)[0]]))
    assert search.root().visits == 0 and not search.firsts[: search.used[1]].any()


def test_a_full_tree_grows_no_more_and_goes_on():
    game = make("othello:6")
    search = grown(game, game.initial(), 60_000, settings=RaveSettings(memory=1 << 20))
    assert search.effort().full
    assert search.root().visits == 60_000
    search.play(int(search.root().actions[np.argmax(search.root().counts)]))
    assert not search.effort().full


def test_a_value_joins_an_actions_own_rollouts_with_those_that_play_it_later():
    """As Gelly and Silver's schedule of minimum mean squared error: many rollouts of A weigh half after 100 of Q."""
    search = grown(make("hex:4"), make("hex:4").initial(), 400)
    root, edges = search.root(), search.edges[:16]
    for own, total, (later, sum_later), value in zip(
        edges["visits"], edges["total"], search.firsts[:16], root.values, strict=True
    ):
        weight = 1 / (1 + own / later + own / 100)
        assert own and value == pytest.approx((1 - weight) * total / own + weight * sum_later / later)
    once = np.flatnonzero(edges["visits"] <= 2)
    assert len(once) and (abs(root.values[once]) < 0.95).all() and root.value == edges["total"].sum() / 400


def test_an_action_that_no_rollout_has_played_has_the_value_of_its_state():
    search = grown(make("hex:4"), make("hex:4").initial(), 1)
    root, unseen = search.root(), search.firsts[:16, 0] == 0
    assert unseen.any() and (root.values[unseen] == root.value).all()


def test_the_player():
    game = make("tictactoe")
    player = make_player("rave:200,exploration=0.5,equivalence=50", game)
    assert player.name == "rave:200,exploration=0.5,equivalence=50"
    player.new_match(game, 1)
    state = game.after("a1 b1 a2 b2")
    assert game.action_name(state, player.select(state, Budget(seconds=9)).action) == "a3"
    assert make_player("rave", game).name == "rave:1000"
    with pytest.raises(ValueError, match="has one player, and RAVE is for two"):
        make_player("rave", make("morpion:4D,size=9"))


@rules.kernel(rules.ROLLOUT)
def highest(params, state, last, random):
    """The last legal action, or the first after the action 0."""
    actions = rules.scratch(9, np.int32)
    count = tictactoe.actions(params, state, actions)
    return np.int64(actions[0 if last == 0 else count - 1])


def test_informed_rollouts_play_what_the_game_says():
    game = make("tictactoe")
    informed = altered(game, table=rules.table(**game.table.kernels, rollout=highest))
    search = grown(informed, informed.initial(), 9, settings=RaveSettings(exploration=1000, informed=True))
    for first in range(9):
        state, last = game.play(game.initial(), first), first
        while game.outcome(state) is None:
            last = int(game.actions(state)[0 if last == 0 else -1])
            state = game.play(state, last)
        root = search.root()
        assert search.edges["total"][:9][root.actions == first] == game.outcome(state)
        assert root.counts[root.actions == first] == 1


def test_only_a_game_that_says_what_rollouts_play_can_inform_them():
    with pytest.raises(ValueError, match="hex:3 has no kernel rollout, which informed=true needs: leave it out"):
        Rave(make("hex:3"), RaveSettings(informed=True))
    assert isinstance(rollout_search(make("go:13")), Rave)
    assert not isinstance(rollout_search(make("hex:3")), Rave)


@rules.kernel(rules.STATE_VALUE)
def corner(params, state):
    """1 once the first player has the last cell, otherwise 0."""
    return float(rules.load64(state, rules.HEADER) >> 8 & 1)


def test_a_network_makes_the_first_choices():
    """After nine visits of the root a network that is sure of one action has it searched most."""
    game = make("tictactoe")
    search = grown(game, game.initial(), 40, prior=Prior.of(game, by_state(corner), (0.0, 1.0), (0.0, 1.0)))
    assert search.root().actions[np.argmax(search.root().counts)] == 8


def test_the_player_with_a_network():
    game = make("tictactoe")
    with pytest.raises(PlayerError, match=r"network must be athenan or a run or a checkpoint .a path., not 'foo'"):
        make_player("rave:9,network=foo", game)
    with pytest.raises(PlayerError, match=r"must be athenan or .* not 'athenan:club'"):
        make_player("rave:9,network=athenan:club", make("hex:7"))
    with pytest.raises(PlayerError, match="the package has no network of tictactoe"):
        make_player("rave:9,network=athenan", game)
    named = make_player("rave:9,network=athenan", make("hex:7"))
    assert re.fullmatch(r"rave:9,network=athenan@[0-9a-f]{8}", named.name)
    assert make_player(named.name, make("hex:7")).name == named.name


def test_the_player_names_its_rollouts():
    assert make_player("rave:200,informed=true", make("go:5")).name == "rave:200,informed=true"
