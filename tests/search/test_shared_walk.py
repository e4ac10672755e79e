"""Several threads that search one tree: it depends on the number of leaves that wait, and on nothing else."""

from collections import deque

import chance_games
import numpy as np
import pytest
from best_first_transcription import Reached, Transcription, assert_same_tree
from clocks import Ticking
from evaluators import Valued, hash_state, of_values
from exhaustive_search import exhaustive
from thread_ends import assert_threads_end

from athenan import Budget, Descent, Search, Ubfm, make
from athenan.rules.compiler import kernel
from athenan.rules.kernels import STATE_VALUE
from athenan.search.clock import CLOCKS
from athenan.search.named import make_search
from athenan.search.walking.sharing import Sharing

GAMES = ["connect_four", "hex:5", "othello:6", "breakthrough:5x5", "amazons:6"]


@kernel(STATE_VALUE)
def hashed(rules, state):
    """A value of eight levels that depends on every byte of the state, so that some values are equal."""
    return hash_state(state) % 8 / 8 - 0.4375


HASHED = Valued(hashed)


def searched(game, settings, threads=2, iterations=400, evaluate=HASHED, state=None, memory=1 << 26):
    search = Search(game, evaluate, settings=settings, threads=threads, memory=memory, seed=5)
    search.reset(game.initial() if state is None else state)
    search.run(Budget(iterations=iterations))
    return search


def grown(search):
    """The nodes and edges of a tree."""
    slot = search.forest.slots[0]
    return search.forest.nodes[0, : slot["nodes"]], search.forest.edges[0, : slot["edges"]]


def assert_same(one, other):
    for mine, others in zip(grown(one), grown(other), strict=True):
        assert np.array_equal(mine, others)


def assert_nothing_waits(search, completion):
    """No worst value is left of a leaf that waited, and every node has the best value of its edges."""
    nodes, edges = grown(search)
    assert not edges["waiting"].any() and np.abs(edges["value"]).max() <= 1 and np.abs(nodes["value"]).max() <= 1
    for number in np.flatnonzero(nodes["edges"]):
        node = search.node(int(number))
        values = node.sign * node.values
        if completion:
            values = values[node.sign * node.completions == (node.sign * node.completions).max()]
        assert node.sign * node.value == values.max()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("completion", [False, True])
def test_the_tree_does_not_depend_on_the_number_of_threads(name, completion):
    settings = Ubfm(leaves=6, completion=completion)
    two, *others = (searched(make(name), settings, threads) for threads in (2, 3, 5))
    assert two.root().visits == two.forest.slots[0]["iterations"] == 400
    assert_nothing_waits(two, completion)
    for other in others:
        assert_same(two, other)
        assert other.evaluations == two.evaluations


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("settings", [Ubfm(), Ubfm(completion=False), Ubfm(exploration=0.3)], ids=str)
def test_one_leaf_at_a_time_gives_the_tree_of_the_sequential_search(name, settings):
    alone, shared = (Search(make(name), HASHED, settings=settings, memory=1 << 26, seed=5) for _ in range(2))
    sharing = Sharing(shared.game, shared.forest, shared.subject, shared.steps, threads=1, leaves=1)
    shared._alone = sharing.advance
    for search in (alone, shared):
        search.reset(search.game.initial())
        search.run(Budget(iterations=500))
        search.play(int(search.root().actions[0]))
        search.run(Budget(iterations=500))
    assert_same(alone, shared)


class SharedTranscription(Transcription):
    """UBFM with completion where several leaves wait, without transpositions: literal and slow."""

    WORST = np.float32(1e30)

    def f(self, s):
        total = 0
        for byte in self.state(s).tolist():
            total = (total * 31 + byte + 128) % 10_007
        return np.float32(total % 8 / 8 - 0.4375)

    def walk(self, root):
        """The edges from the root to a state that is resolved or not expanded, and that state."""
        path, s = [], root
        while s in self.S and not self.r.get(s, 0):
            A = [a for a in self.actions(s) if self.ra[s, a] == 0]
            path.append((s, self.completed_best_action_dual(s, A)))
            s = self.after(*path[-1])
        return path, s

    def back_up(self, path, s):
        for before, a in reversed(path):
            self.ra[before, a], self.ca[before, a], self.va[before, a] = self.r.get(s, 0), self.c.get(s, 0), self.v[s]
            self.completed_back_up(before)
            s = before

    def count(self, path):
        for edge in path:
            self.na[edge] = self.na.get(edge, 0) + 1

    def commit(self):
        path, s = self.waiting.popleft()
        self.S.add(s)
        self.completed_expansion(s)
        self.completed_back_up(s)
        self.back_up(path, s)

    def run_shared(self, root, leaves, iterations):
        self.waiting, done = deque[tuple[list[tuple[Reached, int]], Reached]](), 0
        while done < iterations and not self.r.get(root, 0):
            path, s = self.walk(root)
            if any(s == leaf for _, leaf in self.waiting):
                self.commit()
                continue
            done += 1
            self.count(path)
            if self.r.get(s, 0):
                self.back_up(path, s)
                continue
            self.waiting.append((path, s))
            self.order.append(s)
            if path:
                self.v[s] = -self.WORST if self.first_player(path[-1][0]) else self.WORST
                self.back_up(path, s)
            if len(self.waiting) == leaves and done < iterations:
                self.commit()
        while self.waiting:
            self.commit()


@pytest.mark.parametrize("leaves", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_that_of_a_transcription(leaves, seed):
    game = chance_games.make(seed=seed, length=30, chance=False)
    settings = Ubfm(transpositions=False)
    search = Search(game, HASHED, settings=settings, threads=2, memory=1 << 24, seed=seed)
    search.reset(game.initial())
    reference = SharedTranscription(game, None, search.forest.random[0], transpositions=False)
    shared = Sharing(game, search.forest, search.subject, search.steps, threads=2, leaves=leaves)
    search._alone = shared.advance
    search.run(Budget(iterations=150))
    reference.run_shared(reference.root(game.initial()), leaves, 150)
    assert_same_tree(search, reference, completion=True)


@pytest.mark.parametrize("seed", [*range(6), 12, 28, 33])  # in the last three values must be taken later
def test_where_paths_meet_nothing_of_the_leaves_that_waited_is_left(seed):
    """States of few positions are reached in many ways: a waiting leaf can then show through another edge."""
    game = chance_games.make(seed=seed, length=14, width=3, chance=False)
    for completion, leaves in ((True, 4), (False, 4), (True, 16), (False, 16)):
        search = searched(game, Ubfm(leaves=leaves, completion=completion), iterations=300)
        for state in map(search.node, range(search.forest.slots[0]["nodes"])):
            assert abs(state.value) <= 1
        edges = grown(search)[1]
        assert not edges["waiting"].any() and np.abs(edges["value"]).max() <= 1


@pytest.mark.parametrize("seed", range(20))
def test_proofs_are_those_of_an_exhaustive_search(seed):
    game = chance_games.make(seed=seed, length=10, width=5, chance=False)
    search = searched(game, Ubfm(leaves=2 + seed % 9), threads=2 + seed % 2, iterations=100_000)
    value = exhaustive(game)
    assert search.root().resolution == 1
    for number in range(search.forest.slots[0]["nodes"]):
        node = search.node(number)
        if node.resolution:
            assert node.completion == value(np.array(search.forest.states[0, number]))


def test_the_second_leaf_is_the_one_if_the_first_were_lost():
    game = make("connect_four")
    alone, shared = searched(game, Ubfm(), iterations=1), searched(game, Ubfm(leaves=2), iterations=3)
    order = np.argsort(-alone.root().values, kind="stable")[:2]
    children = [shared.root().children[place] for place in order]
    assert sorted(int(shared.root().counts[place]) for place in order) == [1, 1] and sorted(children) == [1, 2]


def test_counted_searches_are_the_same_with_any_number_of_threads():
    alone, shared = (searched(make("hex:5"), Ubfm(), threads) for threads in (1, 4))
    assert_same(alone, shared)
    for search in (alone, shared):
        search.run(Budget(evaluations=3000))
    assert_same(alone, shared)


def test_a_limit_of_evaluations_is_exceeded_by_less_than_an_expansion():
    search = searched(make("hex:7"), Ubfm(leaves=16), threads=2, iterations=1)
    for limit in (30, 100, 1000, 5000):
        search.reset(search.game.initial())
        search.run(Budget(evaluations=limit))
        assert limit <= search.effort().evaluations < limit + search.game.max_actions


def test_a_search_for_seconds_uses_the_threads_and_keeps_its_tree(monkeypatch):
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.01))
    search = searched(make("hex:7"), Ubfm(), threads=3, iterations=1)
    before = 0
    for _ in range(3):
        search.run(Budget(seconds=0.1))
        assert_nothing_waits(search, completion=True)
        assert search.root().visits > before
        search.play(int(search.root().actions[search.choose(search.root(), np.random.default_rng(0))]))
        search.prune()
        before = search.root().visits
    assert search.evaluations > 1000


def test_a_full_tree_ends_the_search():
    search = searched(make("connect_four"), Ubfm(leaves=8), iterations=10**6, memory=1 << 18)
    assert search.full()
    assert_nothing_waits(search, completion=True)


def test_a_search_can_be_stopped():
    search = searched(make("hex:9"), Ubfm(), threads=2, iterations=1)
    search.start(Budget(seconds=1e9))
    search.round()
    search.stop()
    search.round()
    assert len(search.done())
    assert_nothing_waits(search, completion=True)


def test_a_search_of_whole_turns_can_be_shared():
    settings, game = Ubfm(turns=True, leaves=4), make("amazons:6")
    one, other = (make_search(game, HASHED, settings=settings, threads=number) for number in (2, 4))
    for search in (one, other):
        search.reset(game.initial())
        search.run(Budget(iterations=40))
    assert (one.threads, other.threads) == (2, 4)
    assert_same(one, other)


@kernel(STATE_VALUE)
def faulty(rules, state):
    """Finite, except for one state of ten thousand."""
    return np.nan if hash_state(state) == 7 else 0.0


def test_a_value_that_is_not_finite_is_told_whichever_thread_finds_it():
    game = make("hex:9")
    search = Search(game, Valued(faulty), settings=Ubfm(leaves=4), threads=3, memory=1 << 26)
    search.reset(game.initial())
    with pytest.raises(ValueError, match="the evaluation gave no finite number"):
        search.run(Budget(iterations=100_000))


@pytest.mark.parametrize(
    ("game", "settings", "evaluate"),
    [
        ("einstein", Ubfm(), HASHED),
        ("hex:5", Descent(), HASHED),
        ("hex:5", Ubfm(), None),
        ("hex:5", Ubfm(), of_values(lambda planes: np.zeros(len(planes), np.float32))),
    ],
)  # fmt: skip
def test_other_searches_take_one_thread(game, settings, evaluate):
    search = make_search(make(game), evaluate, settings=settings, threads=4)
    assert not search.shares_work
    search.use_threads(8)
    search.reset(search.game.initial())
    search.run(Budget(evaluations=100))
    assert 100 <= search.effort().evaluations < 500


def test_the_number_of_threads_can_change_between_searches():
    search = searched(make("hex:5"), Ubfm(leaves=4), threads=1, iterations=50)
    for threads in (3, 1, 2):
        search.use_threads(threads)
        assert search.threads == threads
        search.run(Budget(iterations=50))
        assert search.effort().iterations == 50
    assert search.root().visits == 200


def test_assistants_end_with_their_search():
    assert_threads_end(lambda: searched(make("hex:5"), Ubfm(leaves=4), threads=4), most=3)
