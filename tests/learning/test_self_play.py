"""Self-play: matches are matches, and what is learnt from them is what the search has found out."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from best_first_transcription import Transcription
from evaluators import hash_values
from self_play import as_counter, assert_whole, descent, evaluate, never, random_choice
from tree_memory import forest_bytes

from athenan.games.catalogue import make
from athenan.learning.examples.examples import Examples
from athenan.learning.examples.targets import TreeTarget
from athenan.learning.self_play.by_search import SearchPlay
from athenan.rules.game import State
from athenan.search.algorithms.best_first import Descent
from athenan.search.budget import Budget
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.trees.node import Node
from athenan.search.trees.selection import best
from athenan.search.walking.walk_search import Search

GAMES = ["tictactoe", "hex:3", "connect_four:4x4", "othello:4", "breakthrough:3x5"]


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


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ["tictactoe", "connect_four:4x4", "hex:3"])
@pytest.mark.parametrize("iterations", [1, 2, 5, 200])
def test_a_full_tree_loses_no_data_and_goes_on(name: str, iterations: int) -> None:
    game = make(name)
    least = 2 * (game.max_actions + 2)
    forgotten = 0
    for nodes in range(least, least + 14):
        search = Forgetful(game, evaluate, settings=Descent(), memory=forest_bytes(game, nodes), seed=nodes)
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

    def finished(self, search: ForestSearch, slot: int, end: State) -> Examples:
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


def best_action(root: Node, played: int) -> int:
    return best(root, np.random.default_rng(0))
