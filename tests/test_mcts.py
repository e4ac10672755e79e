"""UCT against exhaustive search, and its bookkeeping."""

import subprocess
import sys

import numpy as np
import pytest
from exhaustive import exhaustive

from athenan.games.catalogue import make
from athenan.rules.game import Game, GameError, State
from athenan.rules.playouts import random_match
from athenan.search.mcts import MctsResult, MctsSettings, MctsTree, mcts

SMALL = ["tictactoe", "hex:3,swap=false", "hex:3", "connect_four:4x4", "othello:4", "breakthrough:4x4"]
EXACT = ["tictactoe", "hex:3,swap=false", "connect_four:4x4"]


def search(game: Game, state: State, seed: int = 1, tree: MctsTree | None = None, **settings: float) -> MctsResult:
    return mcts(game, state, MctsSettings(**settings), np.array([seed], np.uint64), tree)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", EXACT)
def test_converges_to_a_minimax_best_action(name: str) -> None:
    game = make(name)
    value, tree = exhaustive(game), MctsTree(game)
    for seed in range(8):
        played = random_match(game, seed)
        state = game.initial()
        for action in played[: len(played) // 2 + seed % 3]:
            state = game.play(state, action)
        found = search(game, state, seed, tree, rollouts=20_000)
        assert value(game.play(state, found.best)) == value(state)
        assert found.values[found.actions == found.best] == pytest.approx(value(state), abs=0.3)


@pytest.mark.parametrize("name", SMALL)
def test_visits_and_values_add_up(name: str) -> None:
    game = make(name)
    state, tree = game.initial(), MctsTree(game)
    for action in random_match(game, 3):
        rollouts = 1 + 37 * game.length(state)
        found = search(game, state, rollouts=rollouts, tree=tree)
        assert list(found.actions) == list(game.actions(state))
        assert found.best in found.actions
        assert found.visits.sum() == rollouts
        assert (np.isnan(found.values) == (found.visits == 0)).all()
        totals = np.nan_to_num(found.values) * found.visits
        assert np.allclose(totals, np.round(totals))
        assert (np.abs(totals) <= found.visits).all()
        assert (found.visits > 0).all() or found.visits.max() == 1  # what is untried goes first
        state = game.play(state, action)
    with pytest.raises(GameError, match="the match is over"):
        search(game, state)


@pytest.mark.parametrize("name", SMALL)
def test_tree_adds_up(name: str) -> None:
    """Every state's visits are its edges' visits, and one less than those of the edge that leads to it."""
    game = make(name)
    tree = MctsTree(game)
    search(game, game.initial(), rollouts=5000, tree=tree)
    nodes = tree.nodes[: tree.used[0]]
    assert nodes["edges"].sum() == tree.used[1] <= len(tree.edges)
    for node in nodes:
        edges = tree.edges[node["first_edge"] : node["first_edge"] + node["edges"]]
        assert edges["visits"].sum() == node["visits"]
        assert ((edges["visits"] > 0).sum()) == node["tried"]
        for edge in edges[edges["child"] >= 0]:
            assert nodes[edge["child"]]["visits"] == edge["visits"] - 1
    children = tree.edges["child"][: tree.used[1]]
    assert sorted(children[children >= 0]) == list(range(1, len(nodes)))


def test_values_are_the_first_players_for_both_sides() -> None:
    game = make("tictactoe")
    for moves, best in (("a1 b1 a2 b2", "a3"), ("a1 b1 a2 b2 c1", "b3")):
        state = game.after(moves)
        found = search(game, state, rollouts=2000)
        assert game.action_name(state, found.best) == best
        assert found.values[found.actions == found.best] == 1 - 2 * game.player(state)


def test_passes() -> None:
    """Othello 4x4 has states without a placement: the pass is searched like any other action."""
    game, passes = make("othello:4"), 0
    value = exhaustive(game)
    for seed in range(30):
        state = game.initial()
        for action in random_match(game, seed):
            if [game.action_name(state, int(a)) for a in game.actions(state)] == ["pass"]:
                passes += 1
                found = search(game, state, rollouts=3000)
                assert found.visits.tolist() == [3000]
                assert found.values[0] == pytest.approx(value(state), abs=0.3)
            state = game.play(state, action)
    assert passes > 3


def test_same_seed_same_result() -> None:
    game = make("hex:5")
    tree = MctsTree(game)
    first, again = search(game, game.initial(), 5), search(game, game.initial(), 5, tree)
    reused, other = search(game, game.initial(), 5, tree), search(game, game.initial(), 6)
    for result in (again, reused):
        assert (result.visits == first.visits).all()
        assert (result.values == first.values).all()
        assert result.best == first.best
    assert (other.visits != first.visits).any()


def test_chunks_make_the_same_tree() -> None:
    """A search under a time budget is one search in several calls."""
    game, random = make("hex:5"), np.array([5], np.uint64)
    tree, whole = MctsTree(game), search(game, game.initial(), 5, rollouts=1000)
    tree.start(game.initial())
    for chunk in (1, 99, 500, 400):
        tree.run(game.initial(), random, MctsSettings.exploration, chunk)
    edges = np.sort(tree.edges[: tree.nodes[0]["edges"]], order="action")
    assert (edges["visits"] == whole.visits).all()


def test_seconds() -> None:
    found = search(make("hex:5"), make("hex:5").initial(), seconds=0.02)
    assert found.visits.sum() > 0


def test_memory_is_bounded() -> None:
    game = make("hex:5")
    tree = MctsTree(game, memory=1 << 20)
    found = search(game, game.initial(), rollouts=200_000, tree=tree, memory=1 << 20)
    assert found.full
    assert tree.nodes.nbytes + tree.edges.nbytes <= 1 << 20
    assert found.visits.sum() == 200_000
    assert not search(game, game.initial(), rollouts=1000, tree=tree).full


def test_a_tree_belongs_to_a_game() -> None:
    with pytest.raises(GameError, match="a tree of hex:3 cannot hold a search of hex:5"):
        search(make("hex:5"), make("hex:5").initial(), tree=MctsTree(make("hex:3")))


def test_more_exploration_spreads_the_rollouts() -> None:
    game = make("hex:5,swap=false")
    most = [search(game, game.initial(), rollouts=3000, exploration=c).visits.max() for c in (0.1, 1.0, 10.0)]
    assert most[0] > most[1] > most[2]


@pytest.mark.parametrize(
    "settings", [{"rollouts": 0}, {"seconds": 0.0}, {"seconds": float("nan")}, {"exploration": -1.0}, {"memory": 1}]
)
def test_impossible_settings(settings: dict[str, float]) -> None:
    (name,) = settings
    with pytest.raises(GameError, match=f"mcts: {name} must be"):
        MctsSettings(**settings)  # type: ignore[arg-type]


def test_a_second_start_compiles_nothing() -> None:
    code = (
        "from athenan.search import mcts\n"
        "print(*(sum(kernel.stats.cache_misses.values()) for kernel in (mcts._search, mcts._expand)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "0"]
