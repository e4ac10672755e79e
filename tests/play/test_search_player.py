"""Players that search."""

import numpy as np
import pytest

from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.play.limit import DEFAULT_LIMIT
from athenan.play.match import play_match
from athenan.play.player import Move, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, GameError, State
from athenan.rules.playouts import random_match
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.walking.walk_search import Search


def player(game: Game, iterations: int = 30, memory: int = 1 << 28) -> SearchPlayer:
    return SearchPlayer("test", Search(game, memory=memory), Budget(iterations=iterations))


def test_the_tree_goes_on_with_the_match() -> None:
    game = make("connect_four:4x4")
    search = Search(game)
    searcher, state = SearchPlayer("test", search, Budget(iterations=30)), game.initial()
    searcher.new_match(game, seed=1)
    for _ in range(6):
        if game.player(state) == 0:
            known = search.root().visits if np.array_equal(search.state(), state) else below(search, state)
            action = searcher.select(state, DEFAULT_LIMIT).action
            assert np.array_equal(search.state(), state)
            assert search.root().visits >= known + 30 or search.root().resolution
            if game.length(state) == 2:
                assert known > 0
        else:
            action = int(game.actions(state)[0])
        state = game.play(state, action)
        searcher.observe(action, state)
    searcher.new_match(game, seed=1)
    assert np.array_equal(search.state(), game.initial())
    assert search.root().visits == 0


def below(search: Search, state: State) -> int:
    """The visits of a state two actions below the root."""
    for child in search.root().children:
        for grandchild in search.node(int(child)).children if child >= 0 else ():
            if grandchild >= 0 and np.array_equal(search.forest.states[0, grandchild], state):
                return search.node(int(grandchild)).visits
    return 0


def test_a_move_says_what_the_search_has_found() -> None:
    game = make("tictactoe")
    searcher = player(game, iterations=1000)
    move = searcher.select(game.after("a1 b1 a2 b2"), DEFAULT_LIMIT)
    assert move == Move(game.parse_action(game.after("a1 b1 a2 b2"), "a3"), 1.0, 1, (move.action,))
    move = searcher.select(game.initial(), DEFAULT_LIMIT)
    assert move.line[0] == move.action
    assert -1 <= (move.value or 0) <= 1
    assert searcher.select(game.after("a1 b1"), DEFAULT_LIMIT).line[1:]


def test_a_players_own_limit_goes_before_the_given_one() -> None:
    game = make("tictactoe")
    for own, given, visits in ((None, Budget(iterations=5), 5), (Budget(iterations=9), Budget(iterations=5), 9)):
        search = Mcts(game)
        SearchPlayer("test", search, own).select(game.initial(), given)
        assert search.root().visits == visits


def test_an_only_action_is_not_searched_for_nothing() -> None:
    game = make("tictactoe")
    last = game.after("a1 b1 c1 a2 b2 c2 b3 a3")
    search, keeping = Mcts(game), Search(game)
    assert SearchPlayer("test", search).select(last, DEFAULT_LIMIT) == Move(int(game.actions(last)[0]))
    assert search.evaluations == 0
    SearchPlayer("test", keeping).select(last, DEFAULT_LIMIT)
    assert keeping.root().visits == 1


@pytest.mark.parametrize("name", ["tictactoe", "hex:4", "othello:4", "breakthrough:4x4"])
def test_any_state_can_be_asked_about(name: str) -> None:
    game, random = make(name), np.random.default_rng(2)
    searcher = player(game)
    for seed in range(12):
        actions, state = random_match(game, seed), game.initial()
        for action in actions[: random.integers(len(actions))]:
            state = game.play(state, action)
        chosen = searcher.select(state, DEFAULT_LIMIT).action
        outcomes = {int(action): game.outcome(game.play(state, int(action))) for action in game.actions(state)}
        wins = [action for action, outcome in outcomes.items() if outcome == 1 - 2 * game.player(state)]
        assert chosen in (wins or outcomes)


@pytest.mark.parametrize("name", ["mcts:50", "rave:50", "random", "naive", "tree"])
def test_a_finished_match_is_refused_in_a_sentence(name: str) -> None:
    game = make("tictactoe")
    player = SearchPlayer(name, Search(game)) if name == "tree" else make_player(name, game)
    player.new_match(game, 1)
    with pytest.raises(GameError, match=r"^tictactoe: the match is over$"):
        player.select(game.after("a1 b1 a2 b2 a3"), Budget(iterations=5))


def test_memory_is_bounded() -> None:
    game = make("connect_four:4x4")
    for memory in range(2100, 12_000, 700):
        search = Search(game, memory=memory)
        searcher = SearchPlayer("test", search, Budget(iterations=40))
        for seed in range(3):
            play_match(game, (searcher, RandomPlayer()), seed=seed)
            play_match(game, (RandomPlayer(), searcher), seed=seed)
            play_match(game, (searcher, searcher), seed=seed)
        assert search.fullness() <= 1


def test_a_search_beats_random_play_without_having_learnt() -> None:
    game = make("connect_four:5x4")
    search = Search(game, None, make_heuristic("additive_depth", game), memory=1 << 30)
    searcher = SearchPlayer("test", search, Budget(iterations=300))
    assert play_series(game, (searcher, RandomPlayer()), games=20).score >= 0.7
