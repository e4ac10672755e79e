"""Self-play: matches are matches, and what is learnt from them is what the search has found out."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from clocks import Ticking
from evaluators import hash_leaves, hash_values
from forests import forest_bytes
from transcription import Transcription

from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.examples.examples import Examples
from athenan.learning.examples.targets import TARGETS, TreeTarget
from athenan.learning.progress import POLICY
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.making import make_self_play
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.self_play.resolved import ResolvedMemory
from athenan.rules.game import Game, State
from athenan.rules.leaves import Leaves
from athenan.rules.terminal import Gain
from athenan.search.best_first import Descent, Ubfm
from athenan.search.budget import Budget
from athenan.search.clock import CLOCKS
from athenan.search.forest_search import ForestSearch
from athenan.search.node import Node
from athenan.search.selection import best
from athenan.search.walk_search import Search

GAMES = ["tictactoe", "hex:3", "connect_four:4x4", "othello:4", "breakthrough:3x5"]


def never() -> bool:
    return False


def evaluate(planes: np.ndarray) -> Leaves:
    return Leaves(hash_values(planes))


def random_choice(seed: int):
    random = np.random.default_rng(seed)
    return lambda root, played: int(random.integers(len(root.actions)))


def descent(game: Game, slots: int = 1, memory: int = 1 << 22, seed: int = 0) -> Search:
    return Search(game, evaluate, settings=Descent(), slots=slots, memory=memory, seed=seed)


def assert_whole(game: Game, match: FinishedMatch) -> None:
    """Its actions are legal and lead to its outcome; all states that it went through were learnt."""
    state, path = game.initial(), []
    for action in match.actions:
        assert game.outcome(state) is None
        path.append(state.tobytes())
        state = game.play(state, action)
    assert game.outcome(state) == match.outcome
    path.append(state.tobytes())
    assert set(path) <= {learnt.tobytes() for learnt in match.examples.states}
    assert match.examples.states.dtype == np.int8
    assert match.examples.values.dtype == np.float32
    assert len(match.examples.states) == len(match.examples.values)


@pytest.mark.parametrize("name", GAMES)
def test_matches_side_by_side_are_whole(name: str) -> None:
    game = make(name)
    players = SearchPlay(game, descent(game, slots=3), Budget(evaluations=25), random_choice(1))
    matches = [players.next_match(never) for _ in range(7)]
    for match in matches:
        assert match is not None
        assert_whole(game, match)
        assert len({state.tobytes() for state in match.examples.states}) == len(match.examples.states)
    assert len({tuple(match.actions) for match in matches if match}) > 1


@pytest.mark.parametrize("name", GAMES)
def test_what_is_learnt_is_that_of_algorithm_3(name: str) -> None:
    """S and v(s) of a literal transcription of tree learning with Descent, for two matches."""
    game = make(name)
    search = descent(game)
    players = SearchPlay(game, search, Budget(iterations=4), lambda root, played: int(np.argmin(root.counts)))
    random_state = search.forest.random[0]
    for _ in range(2):
        match = players.next_match(never)
        assert match is not None
        reference = Transcription(game, hash_values, random_state)
        state = game.initial()
        for action in match.actions:
            s = reference.root(state)
            reference.run(s, "descent", True, 4)
            counts = [reference.na.get((s, a), 0) for a in reference.actions(s)]
            assert action == reference.actions(s)[int(np.argmin(counts))]
            state = game.play(state, action)
        found = {
            state.tobytes(): value for state, value in zip(match.examples.states, match.examples.values, strict=True)
        }
        assert len(found) == len(match.examples.states)
        assert found == {s[0]: reference.v[s] for s in reference.order}
        random_state = reference.random.state
        assert random_state == search.forest.random[0]


@pytest.mark.parametrize("name", ["tictactoe", "connect_four:4x4", "hex:3"])
@pytest.mark.parametrize("iterations", [1, 2, 5, 200])
def test_a_full_tree_loses_no_data_and_goes_on(name: str, iterations: int) -> None:
    game = make(name)
    least = 2 * (game.max_actions + 2)
    forgotten = 0
    for nodes in range(least, least + 14):
        search = Forgetful(game, evaluate, settings=Descent(), memory=forest_bytes(game, nodes), seed=nodes)
        assert search.forest.nodes.shape[1] == nodes
        players = SearchPlay(game, search, Budget(iterations=iterations), random_choice(nodes), target=Watching)
        for _ in range(3):
            search.forgotten.clear()
            match = players.next_match(never)
            assert match is not None
            assert_whole(game, match)
            assert as_counter(match.examples) == Counter(search.learnt.items())
            forgotten += len(search.forgotten)
    assert forgotten > 0


def test_a_state_that_is_forgotten_and_met_again_is_learnt_once_with_its_latest_value() -> None:
    """S is a set."""
    game = make("connect_four:4x4")
    search = Forgetful(game, evaluate, settings=Descent(), memory=forest_bytes(game, 200), seed=1)
    players = SearchPlay(game, search, Budget(iterations=10), random_choice(1), target=Watching)
    changed = 0
    for _ in range(10):
        search.forgotten.clear()
        match = players.next_match(never)
        assert match is not None
        assert len({state.tobytes() for state in match.examples.states}) == len(match.examples.states)
        assert dict(as_counter(match.examples).keys()) == search.learnt
        changed += sum(search.learnt[state] != value for state, value in search.forgotten.items())
    assert changed > 0


class Forgetful(Search):
    """Remembers what it has forgotten, and what there was to learn in all: of each state its latest value."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.forgotten: dict[bytes, float] = {}
        self.learnt: dict[bytes, float] = {}

    def make_room(self, slot: int = 0, leaving: Callable[[np.ndarray], None] | None = None) -> None:
        before, gone = as_counter(known(self, slot)), Counter[tuple[bytes, float]]()

        def watching(nodes: np.ndarray) -> None:
            gone.update(as_counter(known(self, slot, nodes)))
            assert leaving
            leaving(nodes)

        super().make_room(slot, watching)
        assert gone + as_counter(known(self, slot)) == before
        self.forgotten |= dict(gone.keys())


class Watching(TreeTarget):
    """Tells a forgetful search what it knows at the end of a match."""

    def finished(self, search: Search, slot: int, end: State) -> Examples:
        assert isinstance(search, Forgetful)
        search.learnt = search.forgotten | dict(as_counter(known(search, slot)).keys())
        return super().finished(search, slot, end)


def known(search: Search, slot: int, among: np.ndarray | None = None) -> Examples:
    """The expanded and terminal states of a tree, or of some of its nodes, with their values."""
    count = int(search.forest.slots[slot]["nodes"])
    nodes, states = search.forest.nodes[slot, :count], search.forest.states[slot, :count]
    wanted = (nodes["edges"] > 0) | (nodes["terminal"] == 1)
    chosen = wanted if among is None else wanted & among
    return Examples(states[chosen], nodes["value"][chosen])


def as_counter(data: Examples) -> Counter[tuple[bytes, float]]:
    return Counter((state.tobytes(), float(value)) for state, value in zip(data.states, data.values, strict=True))


@pytest.mark.parametrize(("name", "nodes"), [("tictactoe", 20_000), ("hex:3", 20_000), ("connect_four:4x4", 40_000)])
def test_resolved_states_are_kept_for_a_period(name: str, nodes: int) -> None:
    """003, 9.3.1: what a match has proven the next one knows; it is right, and forgotten after the period."""
    game, known = make(name), []
    search = Search(game, evaluate, settings=Descent(), memory=forest_bytes(game, nodes), seed=3)
    players = SearchPlay(game, search, Budget(iterations=6), random_choice(2), resolved_period=4)
    for number in range(1, 13):
        match = players.next_match(never)
        assert match is not None
        assert_whole(game, match)
        assert len({state.tobytes() for state in match.examples.states}) == len(match.examples.states)
        memory = players.resolved.known
        known.append(len(memory))
        assert players.resolved.matches == number % 4
        assert search.forest.slots[0]["nodes"] >= len(memory)
        for row in range(0, len(memory), 1 + len(memory) // 20):
            assert game.outcome(memory.states[row]) is None
            assert perfect(game, memory.states[row]) == memory.completions[row]
    assert known[3] == known[7] == known[11] == 0
    assert 0 < known[0] < known[1] < known[2]


def test_what_is_kept_fits_in_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within a match, when a tree has been pruned and begins anew, and other matches have ended meanwhile."""
    game, nodes, planted = make("tictactoe"), 400, []
    plant = ResolvedMemory.plant

    def noting(memory: ResolvedMemory, search: ForestSearch, slot: int) -> None:
        planted.append(len(memory.known))
        plant(memory, search, slot)

    monkeypatch.setattr(ResolvedMemory, "plant", noting)
    search = Search(game, evaluate, settings=Descent(), slots=4, memory=4 * forest_bytes(game, nodes))
    players = SearchPlay(game, search, Budget(iterations=20), random_choice(2), resolved_period=100)
    for _ in range(60):
        match = players.next_match(never)
        assert match is not None
        assert_whole(game, match)
    assert 0 < max(planted) <= search.forest.nodes.shape[1] / 4


def perfect(game: Game, state: State) -> int:
    """The gain under perfect play, of a search for proofs alone."""
    search = Search(game, memory=1 << 26)
    search.reset(state)
    search.run(Budget(iterations=10**6))
    assert search.root().resolution
    return search.root().completion


def test_a_later_match_evaluates_less_of_what_is_resolved() -> None:
    game, evaluated = make("tictactoe"), []
    for period in (0, 100):
        search = Search(game, evaluate, settings=Descent(), memory=forest_bytes(game, 20_000), seed=3)
        players = SearchPlay(game, search, Budget(iterations=20), random_choice(2), resolved_period=period)
        for _ in range(20):
            assert players.next_match(never) is not None
        evaluated.append(search.evaluations)
    assert evaluated[1] < 0.9 * evaluated[0]


@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("nodes", [1000, 80])
@pytest.mark.parametrize("name", ["tictactoe", "connect_four:4x4", "hex:3"])
def test_tree_learning_with_leaves(name: str, nodes: int, transpositions: bool) -> None:
    """003, Remark 3: what Algorithm 3 learns, and all children that are not expanded, with their evaluation."""
    game = make(name)
    searches = [
        Search(game, evaluate, settings=Descent(transpositions=transpositions),
               memory=forest_bytes(game, nodes), seed=3)
        for _ in range(2)
    ]  # fmt: skip
    without, with_leaves = (
        SearchPlay(game, search, Budget(iterations=4), random_choice(1), target=TARGETS[target])
        for search, target in zip(searches, ("tree", "tree_with_leaves"), strict=True)
    )
    for _ in range(3):
        inner, match = without.next_match(never), with_leaves.next_match(never)
        assert inner is not None
        assert match is not None
        assert inner.actions == match.actions
        known, found = as_counter(inner.examples), as_counter(match.examples)
        assert known <= found
        expanded = {state for state, _ in known}
        leaves = {state: value for state, value in found if state not in expanded}
        parents = [state for state in inner.examples.states if game.outcome(state) is None]
        children = {game.play(state, int(action)).tobytes() for state in parents for action in game.actions(state)}
        assert leaves.keys() == children - expanded
        for state, value in leaves.items():
            planes = game.encode(np.frombuffer(state, np.int8)).reshape(1, -1)
            assert value == hash_values(planes)[0]
        if transpositions:
            assert len(found) == found.total() == len(children | expanded)


def test_leaves_that_action_values_only_guess_are_not_learnt() -> None:
    game = make("hex:3")

    def guess(planes: np.ndarray) -> Leaves:
        return Leaves(hash_values(planes), action_values=np.full((len(planes), game.action_count), 5, np.float32))

    chosen = Descent(evaluate="action_values", refining=2)
    search = Search(game, guess, settings=chosen, memory=forest_bytes(game, 1000))
    players = SearchPlay(game, search, Budget(iterations=4), random_choice(1), target=TARGETS["tree_with_leaves"])
    match = players.next_match(never)
    assert match is not None
    forest = search.forest
    inner = {state.tobytes() for state in forest.states[0, : forest.slots[0]["nodes"]]}
    rows = [row for row, state in enumerate(match.examples.states) if state.tobytes() not in inner]
    assert rows
    planes = np.stack([game.encode(match.examples.states[row]).reshape(-1) for row in rows])
    assert match.examples.values[rows].tolist() == hash_values(planes).tolist()


@pytest.mark.parametrize("heuristic", ["classic", "additive_depth"])
@pytest.mark.parametrize("target", ["root", "terminal"])
def test_root_and_terminal_learning(target: str, heuristic: str) -> None:
    """003, Algorithms 4 and 5: the states of the match, with what was known when they were played, or its end."""
    game, roots = make("connect_four:4x4"), []
    terminal = make_heuristic(heuristic, game)

    def choose(root: Node, played: int) -> int:
        roots.append(root.value)
        return int(np.argmin(root.counts))

    search = Search(game, evaluate, terminal, Descent(), memory=1 << 22)
    players = SearchPlay(game, search, Budget(iterations=5), choose, target=TARGETS[target])
    for _ in range(2):
        roots.clear()
        match = players.next_match(never)
        assert match is not None
        states = [game.initial()]
        for action in match.actions:
            states.append(game.play(states[-1], action))
        assert match.examples.states.tobytes() == np.stack(states).tobytes()
        plies = len(match.actions)
        end = match.outcome * (1 if heuristic == "classic" else max(1, terminal.constants[0] - plies))
        values = [*roots, end] if target == "root" else [end] * len(states)
        np.testing.assert_array_equal(match.examples.values, np.array(values, np.float32))


def test_an_interruption_keeps_the_matches_in_play() -> None:
    game = make("hex:3")
    players = [SearchPlay(game, descent(game), Budget(evaluations=30), best_action) for _ in range(2)]
    rest = iter(range(9))
    assert players[0].next_match(lambda: next(rest, None) is None) is None
    interrupted, whole = (player.next_match(never) for player in players)
    assert interrupted is not None
    assert whole is not None
    assert interrupted.actions == whole.actions
    assert interrupted.examples.states.tobytes() == whole.examples.states.tobytes()


def test_without_a_network_seconds_are_kept() -> None:
    """The clock is read after every round, which is of a limited number of children."""
    game, clock, chosen = make("havannah:8"), Ticking(0.01), []
    search = Search(game, settings=Descent(), memory=1 << 28)

    def choose(root: Node, played: int) -> int:
        chosen.append(clock.now)
        return int(np.argmax(root.counts))

    players = SearchPlay(game, search, Budget(seconds=0.05), choose, clock=clock)
    assert players.next_match(lambda: len(chosen) == 6) is None
    assert max(np.diff(chosen)) < 0.05 + 0.03


def best_action(root: Node, played: int) -> int:
    return best(root, np.random.default_rng(0))


@pytest.mark.parametrize("slots", [1, 3])
def test_learning_takes_no_time_from_searches(slots: int) -> None:
    """The first actions after a learning phase are searched as long as any."""
    game, now, times, chosen = make("hex:7"), [0.0], [], []

    def slow(planes: np.ndarray) -> Leaves:
        now[0] += 1.0
        return evaluate(planes)

    def choose(root: Node, played: int) -> int:
        chosen.append(now[0])
        return int(np.argmin(root.counts))

    search = Search(game, slow, settings=Ubfm(), slots=slots, memory=1 << 24)
    players = SearchPlay(game, search, Budget(seconds=5.0), choose, clock=lambda: now[0])
    for _ in range(4):
        now[0] += 1000.0  # learning
        began = now[0]
        if slots == 1:
            chosen.clear()
        assert players.next_match(never) is not None
        times.append(now[0] - began)
        assert slots > 1 or chosen[0] - began >= 5.0
    assert sum(times) >= 4.0 * len(chosen)


def test_actions_borrow_time_from_each_other() -> None:
    """An iteration of Descent takes a second a state here, an action may take three."""
    game, now, searched = make("hex:5"), [0.0], []

    def slow(planes: np.ndarray) -> Leaves:
        now[0] += 1.0
        return evaluate(planes)

    for borrowing in (False, True):
        search = Search(game, slow, settings=Descent(), memory=1 << 24)
        best = lambda root, _: int(np.argmax(root.counts))
        players = SearchPlay(game, search, Budget(seconds=3.0), best, borrowing, clock=lambda: now[0])
        began, match = now[0], players.next_match(never)
        assert match is not None
        searched.append((now[0] - began) / len(match.actions))
    assert searched[0] > 4
    assert 1 <= searched[1] < 4


@pytest.mark.parametrize("matches_by", ["search", "policy"])
def test_by_processor_time_a_busy_machine_searches_as_much(matches_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_processor = batches_of_a_match("processor", 0.0, matches_by, monkeypatch)
    assert batches_of_a_match("processor", 9.0, matches_by, monkeypatch) == by_processor
    assert batches_of_a_match("wall", 0.0, matches_by, monkeypatch) == by_processor
    assert batches_of_a_match("wall", 9.0, matches_by, monkeypatch) < by_processor


def batches_of_a_match(clock: str, busy: float, matches_by: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """How many batches are evaluated. Each takes a second of this thread, and `busy` seconds in which it must wait."""
    game, processor, wall = make("hex:4"), [0.0], [0.0]

    def slow(planes: np.ndarray) -> Leaves:
        processor[0] += 1.0
        wall[0] += 1.0 + busy
        return hash_leaves(game, planes)

    monkeypatch.setitem(CLOCKS, "processor", lambda: processor[0])
    monkeypatch.setitem(CLOCKS, "wall", lambda: wall[0])
    config = recommended("hex:4", algorithm="exit" if matches_by == "policy" else "descent", matches=5)
    config = config.changed(run={"clock": clock}, action={"seconds": 4.0, "iterations": None})
    if matches_by == "policy":
        config = config.changed(playing={"parallel_matches": 2})
    choice = Choice(config.playing, 1.0, np.random.default_rng(1), lambda: 0.5)
    players = make_self_play(config, game, slow, Gain(), choice, lambda: POLICY)
    assert players.next_match(never) is not None
    assert players.spent.batches == processor[0]
    return processor[0]
