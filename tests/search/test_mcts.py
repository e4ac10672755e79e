"""UCT against exhaustive search, and its bookkeeping."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from clocks import Ticking
from exhaustive_search import exhaustive

from athenan.games.catalogue import make
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_match
from athenan.search.budget import Budget
from athenan.search.monte_carlo import mcts
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.searcher import Searcher, run
from athenan.search.trees.node import Node

SMALL = ["tictactoe", "hex:3,swap=false", "hex:3", "connect_four:4x4", "othello:4", "breakthrough:4x4"]
EXACT = ["tictactoe", "hex:3,swap=false", "connect_four:4x4"]


def grown(game: Game, state: State, rollouts: int = 1000, seed: int = 1, search: Mcts | None = None) -> Mcts:
    """A search from this state after so many rollouts."""
    search = search or Mcts(game)
    search.seed(seed)
    search.reset(state)
    run(search, Budget(iterations=rollouts))
    return search


def best(search: Mcts) -> int:
    return int(search.root().actions[chosen(search)])


def chosen(search: Searcher) -> int:
    return search.choose(search.root(), np.random.default_rng(0))


def by_action(node: Node) -> Node:
    """The same with the actions in ascending order."""
    order = np.argsort(node.actions)
    arrays: dict[str, Any] = {name: array[order] for name, array in vars(node).items() if isinstance(array, np.ndarray)}
    return replace(node, **arrays)


@pytest.mark.parametrize("name", EXACT)
def test_converges_to_a_minimax_best_action(name: str) -> None:
    game = make(name)
    value, search = exhaustive(game), Mcts(game)
    for seed in range(8):
        played = random_match(game, seed)
        state = game.initial()
        for action in played[: len(played) // 2 + seed % 3]:
            state = game.play(state, action)
        grown(game, state, 20_000, seed, search)
        assert value(game.play(state, best(search))) == value(state)
        assert search.root().values[chosen(search)] == pytest.approx(value(state), abs=0.3)
        assert search.line()[0] == best(search)


@pytest.mark.parametrize("name", SMALL)
def test_visits_and_values_add_up(name: str) -> None:
    game = make(name)
    state, search = game.initial(), Mcts(game)
    for action in random_match(game, 3):
        rollouts = 1 + 37 * game.length(state)
        node = grown(game, state, rollouts, search=search).root()
        assert sorted(node.actions) == list(game.actions(state))
        assert node.counts.sum() == rollouts == node.visits == search.effort().iterations
        assert (node.values[node.counts == 0] == np.float32(node.value)).all()
        totals = node.values * node.counts
        assert np.allclose(totals, np.round(totals), atol=1e-4)
        assert (np.abs(totals) <= node.counts + 1e-4).all()
        assert (node.counts > 0).all() or node.counts.max() == 1  # what is untried goes first
        assert node.value == pytest.approx(totals.sum() / rollouts)
        state = game.play(state, action)
    assert search.end_value(state) == game.outcome(state)


@pytest.mark.parametrize("name", SMALL)
def test_tree_adds_up(name: str) -> None:
    """Every state's visits are its edges' visits, and one less than those of the edge that leads to it."""
    game = make(name)
    tree = grown(game, game.initial(), 5000)
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
    for moves, winning in (("a1 b1 a2 b2", "a3"), ("a1 b1 a2 b2 c1", "b3")):
        state = game.after(moves)
        search = grown(game, state, 2000)
        assert game.action_name(state, best(search)) == winning
        assert search.root().values[chosen(search)] == search.root().sign


def test_passes() -> None:
    """Othello 4x4 has states without a placement: the pass is searched like any other action."""
    game, passes = make("othello:4"), 0
    value = exhaustive(game)
    for seed in range(30):
        state = game.initial()
        for action in random_match(game, seed):
            if [game.action_name(state, int(a)) for a in game.actions(state)] == ["pass"]:
                passes += 1
                node = grown(game, state, 3000).root()
                assert node.counts.tolist() == [3000]
                assert node.values[0] == pytest.approx(value(state), abs=0.3)
            state = game.play(state, action)
    assert passes > 3


def test_same_seed_same_result() -> None:
    game = make("hex:5")
    first, search = grown(game, game.initial(), seed=5), Mcts(game)
    for _ in range(2):
        again = grown(game, game.initial(), seed=5, search=search)
        assert (again.root().counts == first.root().counts).all()
        assert (again.root().values == first.root().values).all()
        assert best(again) == best(first)
    other = grown(game, game.initial(), seed=6)
    assert (by_action(other.root()).counts != by_action(first.root()).counts).any()


def test_searches_of_one_state_make_the_same_tree_as_one() -> None:
    game = make("hex:5")
    whole, parts = grown(game, game.initial(), seed=5), grown(game, game.initial(), 1, seed=5)
    for rollouts in (99, 500, 400):
        run(parts, Budget(iterations=rollouts))
        assert parts.effort().iterations == rollouts
    assert (parts.root().counts == whole.root().counts).all()
    assert (whole.evaluations, parts.evaluations) == (1000, 1000)


def test_what_ends_a_search() -> None:
    game = make("hex:5")
    search = Mcts(game)
    assert search.done().tolist() == [0]
    seconds = run(search, Budget(seconds=0.02), clock=Ticking(0.001))
    assert search.root().visits > 0
    assert 0.02 <= seconds < 0.03
    search.reset(game.initial())
    run(search, Budget(iterations=70, evaluations=50))
    assert search.root().visits == 50
    search.start(Budget(seconds=1000))
    assert search.round() > 0
    assert search.done().tolist() == []
    search.stop()
    assert (search.round(), search.done().tolist()) == (0, [0])


def test_the_tree_is_emptied_with_each_action() -> None:
    game = make("hex:5")
    search = grown(game, game.initial(), 300)
    action = best(search)
    search.play(action)
    assert np.array_equal(search.state(), game.play(game.initial(), action))
    assert (search.root().visits, search.line(), search.keeps_tree) == (0, [], False)


def test_memory_is_bounded() -> None:
    game = make("hex:5")
    search = Mcts(game, MctsSettings(memory=1 << 20))
    grown(game, game.initial(), 200_000, search=search)
    assert search.effort().full
    assert search.nodes.nbytes + search.edges.nbytes <= 1 << 20
    assert search.root().visits == 200_000
    assert not grown(game, game.initial(), 1000, search=search).effort().full


def test_a_tree_counts_no_more_rollouts_than_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "MOST_ROLLOUTS", 1000)
    search = Mcts(make("tictactoe"))
    for _ in range(2):
        run(search, Budget(iterations=700))
    assert search.root().visits == 1000
    run(search, Budget(seconds=1000))
    assert search.root().visits == 1000


def test_more_exploration_spreads_the_rollouts() -> None:
    game = make("hex:5,swap=false")
    searches = [grown(game, game.initial(), 3000, search=Mcts(game, MctsSettings(c))) for c in (0.1, 1, 10.0)]
    most = [search.root().counts.max() for search in searches]
    assert most[0] > most[1] > most[2]


@pytest.mark.parametrize("settings", [{"exploration": float("nan")}, {"exploration": -1.0}, {"memory": 1}])
def test_impossible_settings_are_refused(settings: dict[str, float]) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=f"{name} must be .*from"):
        MctsSettings(**settings)  # type: ignore[arg-type]


def test_a_second_start_compiles_nothing() -> None:
    code = (
        "from athenan.search.monte_carlo import mcts\n"
        "from athenan.search.monte_carlo import rollouts\n"
        "print(*(sum(kernel.stats.cache_misses.values()) for kernel in (rollouts.roll_out, rollouts.expand)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "0"]
