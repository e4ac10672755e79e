"""Trees of searches through chance: roots, lines and memory."""

from functools import partial

import numpy as np
import pytest
from chance_searches import BEST_FIRST, MEANS, fate, leaves, nodes_of, searched
from exhaustive_search import exhaustive
from tree_memory import forest_bytes
from walk_settings import walk_settings

from athenan import Budget, Search, analyze, make
from athenan.rules.playouts import random_match
from athenan.rules.state import CHANCE
from athenan.search.algorithms.bandits import Uct
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.monte_carlo.rave import Rave
from athenan.search.searcher import run
from athenan.search.trees.selection import safest
from athenan.search.walking.walk_search import room_for_ends


@pytest.mark.parametrize("algorithm", [*BEST_FIRST, *MEANS, "mcts", "rave"])
def test_a_match_through_chance(algorithm):
    """Every state of matches is a root, those of chance too; lines are legal and end before chance moves."""
    game = fate(7, "length=14")
    search: Mcts | Rave | Search
    if algorithm in ("mcts", "rave"):
        search = {"mcts": Mcts, "rave": Rave}[algorithm](game, seed=3)
    else:
        search = Search(game, partial(leaves, game), settings=walk_settings(algorithm), memory=1 << 24)
    for seed in range(10):
        state = game.initial()
        search.reset(state)
        for action in random_match(game, seed):
            run(search, Budget(iterations=20))
            assert np.array_equal(search.state(), state)
            root, line, following = search.root(), search.line(), state
            assert root.actions[search.choose(root, np.random.default_rng(0))] in game.actions(state)
            assert (len(line) > 0) == (root.player != CHANCE)
            for one in line:
                assert game.player(following) != CHANCE
                following = game.play(following, one)
            state = game.play(state, action)
            if game.outcome(state) is None:
                search.play(action)


def test_analysis_tells_expectations_from_what_is_proven():
    game = make("pig:2,sides=2,length=6")
    found = analyze(game, "", Budget(iterations=10_000))
    assert (found.exact, found.proven) == (True, None)
    assert found.value == pytest.approx(exhaustive(game)(game.initial()), abs=1e-6)
    won = analyze(game, "roll 2", Budget(iterations=10_000))
    assert (won.exact, won.proven, won.value) == (True, 1, 1.0)
    rolled = analyze(game, "roll", Budget(iterations=10_000))
    assert (rolled.exact, rolled.proven, rolled.line) == (True, None, [])
    assert {one.action for one in rolled.actions} == {"1", "2"}


def test_an_exact_expectation_is_no_draw():
    """What is resolved competes by its value: its visits mean nothing, and nobody is glad to have secured it."""
    game = fate(1)
    for play in ("default", "safest_securing_draw"):
        for seed in range(40):
            state = random_state(game, seed)
            search = searched(game, Ubfm(play=play), 5, partial(leaves, game), state=state)
            root = search.root()
            chosen = search.choose(root, np.random.default_rng(0))
            gains, values = root.sign * root.completions, root.sign * root.values
            assert gains[chosen] == gains.max()
            exact = values[(root.resolutions > 0) & (gains == gains.max())]
            assert values[chosen] >= exact.max(initial=-np.inf)


def random_state(game, seed):
    """A state of a random match in which a player is to move."""
    states, state = [], game.initial()
    for action in random_match(game, seed):
        states.append(state)
        state = game.play(state, action)
    states = [state for state in states if game.player(state) != CHANCE]
    return states[seed % len(states)]


def never_zero(game, planes):
    answer = leaves(game, planes)
    return answer._replace(values=np.where(answer.values == 0, np.float32(0.5), answer.values))


def drawn_at_once(game, state, node):
    """Whether this state of chance was followed to drawn ends only; outcomes that wait take the first result."""
    found = [game.play(state, int(action)) for action in node.actions[node.counts > 0]]
    return node.player == CHANCE and bool(found) and all(game.outcome(one) == 0 for one in found)


@pytest.mark.parametrize("algorithm", ["descent", "ubfm", "uct", "puct"])
def test_a_full_tree_backs_up_nothing_that_was_not_evaluated(algorithm):
    game = fate(7, "length=40")
    least = 2 * (game.max_actions + 2)
    for nodes in range(least, least + 30):
        chosen = walk_settings(algorithm, completion=False, transpositions=False)
        memory = forest_bytes(game, nodes, room_for_ends(chosen.algorithm(safest)))
        search = Search(game, partial(never_zero, game), settings=chosen, memory=memory, seed=nodes)
        search.reset(game.initial())
        search.run(Budget(iterations=10_000))
        assert search.full()
        for state, node in nodes_of(search):
            if len(node.actions):
                known = (node.counts > 0) | (node.children >= 0)
                assert node.player != CHANCE or known.any() or algorithm in BEST_FIRST
                gains = np.isin(node.values, (-1, 0, 1)) & (node.children >= 0)
                waiting = ~known & drawn_at_once(game, state, node) & (algorithm not in BEST_FIRST)
                assert ((node.values != 0) | gains | waiting).all()


def test_trees_side_by_side_are_those_of_one_search_each():
    game = fate(1, "length=20")
    for algorithm in ("descent", "uct", "puct"):
        chosen, evaluate = walk_settings(algorithm), partial(leaves, game)
        together = Search(game, evaluate, settings=chosen, slots=3, memory=1 << 26, seed=5)
        starts = together.forest.random.copy()
        for slot in range(3):
            together.reset(game.initial(), slot)
        together.run(Budget(iterations=60))
        for slot in range(3):
            alone = Search(game, evaluate, settings=chosen, memory=1 << 26)
            alone.forest.random[0] = starts[slot]
            alone.reset(game.initial())
            alone.run(Budget(iterations=60))
            assert alone.root().values.tolist() == together.root(slot).values.tolist()


def test_pruning_keeps_chance_nodes():
    game = fate(7, "length=14")
    search = searched(game, Uct(exploration=1.4), 200, partial(leaves, game))
    for action in random_match(game, 3)[:3]:
        search.play(action)
        before = search.root()
        search.prune()
        after = search.root()
        assert (after.player, after.value, after.visits) == (before.player, before.value, before.visits)
        assert after.values.tolist() == before.values.tolist()
