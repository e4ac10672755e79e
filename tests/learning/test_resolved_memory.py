"""Resolved states that are kept across matches of self-play: what they save, that they are right, and that they fit."""

import pytest
from self_play import assert_whole, evaluate, never, random_choice
from tree_memory import forest_bytes

from athenan.games.catalogue import make
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.resolved import ResolvedMemory
from athenan.rules.game import Game, State
from athenan.search.algorithms.best_first import Descent
from athenan.search.budget import Budget
from athenan.search.trees.forest_search import ForestSearch
from athenan.search.walking.walk_search import Search


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
