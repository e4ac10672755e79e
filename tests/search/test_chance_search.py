"""Searches with chance nodes: against literal transcriptions, and against the enumeration of all that can happen."""

from functools import partial

import numpy as np
import pytest
from best_first_transcription import assert_same_tree
from chance_searches import BEST_FIRST, FATE, MEANS, fate, leaves, nodes_of, searched
from chance_transcriptions import ChanceMonteCarlo, DescentExpectiminimax
from evaluators import LEVELS, hash_leaves, hash_values, of_values
from exhaustive_search import exhaustive, secured
from hypothesis import given, settings
from hypothesis import strategies as st
from monte_carlo_transcription import assert_same_tree as assert_same_means
from scipy import stats
from sizes import size
from walk_settings import walk_settings

from athenan import Budget, Search, check_game, make
from athenan.evaluation.heuristics import Heuristic, make_heuristic
from athenan.games.backgammon.positions import before_roll
from athenan.rules import calls
from athenan.rules.compiler import kernel
from athenan.rules.leaves import Evaluate, Leaves
from athenan.rules.state import CHANCE
from athenan.rules.terminal import TERMINAL_VALUE, Gain, TerminalValue
from athenan.search.algorithms.best_first import BestFirstSettings
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.monte_carlo.rave import Rave
from athenan.search.named import SEARCHES, make_search
from athenan.search.searcher import run

PROVING = [*BEST_FIRST, "uct", "puct", "exit"]
"""Gumbel's search follows its policy also where this leads to what is resolved, and so need not end."""
PIG = "pig:3,sides=3,length=8"
EXPLORATION = {"uct": 1.4, "puct": 5.0, "exit": 0.5}
"""With which means converge; Gumbel's search has none."""


def states_of(game):
    """All states."""
    found, waiting = {}, [game.initial()]
    while waiting:
        state = waiting.pop()
        if state.tobytes() not in found:
            found[state.tobytes()] = state
            waiting.extend(game.play(state, int(action)) for action in game.actions(state))
    return list(found.values())


@kernel(TERMINAL_VALUE)
def as_the_score(rules, state, outcome, constants):
    return float(calls.score(rules, state))


def refined_gain(game):
    """A heuristic that refines the gain as the score does, and is not the score."""
    return Heuristic("refined", as_the_score, np.zeros(0), scale=1.5, bounded=False)


def points(game):
    """(0, E): where points count, nothing but the expected score does."""
    value = exhaustive(game, game.score)
    return lambda state: (0, value(state))


def assert_sound(search, truth):
    """What is certain, and what is resolved, is so for every node and edge; the value of a chance node is its mean."""
    game = search.game
    for state, node in nodes_of(search):
        known = [(state, node.completion, node.resolution, node.value)]
        followers = [game.play(state, int(action)) for action in node.actions]
        known += zip(followers, node.completions, node.resolutions, node.values, strict=True)
        for one, completion, resolution, value in known:
            if completion or resolution:
                assert truth(one)[0] == completion
            if resolution:
                assert truth(one)[1] == pytest.approx(value, abs=1e-6)
        if node.player == CHANCE and len(node.actions):
            assert node.priors == pytest.approx(game.probabilities(state), abs=1e-7)
            assert node.value == pytest.approx(node.priors @ node.values, abs=1e-6)


def test_the_games_of_these_tests_conform():
    for seed in range(size(2, 6)):
        for players in (1, 2):
            check_game(fate(seed, f"players={players}"), matches=20)


# -- transcriptions ---------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_values_are_those_of_figure_2(data):
    """`descent` without completion; also with it, and UBFM."""
    seed, completion = data.draw(st.integers(0, 10_000)), data.draw(st.booleans())
    game = data.draw(st.sampled_from([fate(seed, "length=12"), fate(seed, "width=3"), make(PIG)]))
    algorithm, transpositions = data.draw(st.sampled_from(["descent", "ubfm"])), data.draw(st.booleans())
    evaluate = partial(hash_values, levels=data.draw(st.sampled_from([1, 3, LEVELS])))
    chosen = walk_settings(algorithm, completion=completion, transpositions=transpositions)
    iterations = data.draw(st.integers(1, 80))
    start = Search(game, of_values(evaluate), settings=chosen, memory=1 << 20, seed=seed).forest.random[0]
    search = searched(game, chosen, iterations, of_values(evaluate), seed=seed)
    reference = DescentExpectiminimax(game, evaluate, start, transpositions)
    reference.run(reference.root(game.initial()), algorithm, completion, iterations)
    assert_same_tree(search, reference, completion)


@settings(max_examples=size(20, 40), deadline=None)
@given(st.data())
def test_means_are_the_transcription(data):
    """Iterations of UCT and PUCT pass through chance nodes."""
    seed, completion = data.draw(st.integers(0, 10_000)), data.draw(st.booleans())
    exact = completion and data.draw(st.booleans())
    game = data.draw(st.sampled_from([fate(seed, "length=12"), fate(seed, "width=3"), make(PIG)]))
    algorithm, transpositions = data.draw(st.sampled_from(["uct", "puct"])), data.draw(st.booleans())
    chosen = walk_settings(algorithm, completion=completion, transpositions=transpositions, exact=exact)
    evaluate = partial(hash_leaves, game, levels=data.draw(st.sampled_from([3, LEVELS])))
    iterations = data.draw(st.integers(1, 150))
    search = searched(game, chosen, iterations, evaluate, seed=seed)
    start = Search(game, evaluate, settings=chosen, memory=1 << 20, seed=seed).forest.random[0]
    c = {"uct": 0.4, "puct": 1.25}[algorithm]
    reference = ChanceMonteCarlo(game, evaluate, start, algorithm == "puct", c, completion, exact, transpositions)
    reference.run(reference.root(game.initial()), iterations)
    assert_same_means(search, reference)
    evaluated = [s for s in reference.order if not reference.by_chance(s)]
    assert search.evaluations == len(evaluated)


def knowing(game, worth):
    """An evaluator that knows the value of every state, and of the action that leads there; states differ in planes."""
    value = exhaustive(game, worth)
    states = {game.encode(state).tobytes(): state for state in states_of(game)}

    def evaluate(planes):
        values = np.array([value(states[key]) for key in map(bytes, planes)], np.float32)
        by_action = np.full((len(planes), game.action_count), np.nan, np.float32)
        for row, key in enumerate(map(bytes, planes)):
            if states[key][0] != CHANCE:
                for action in game.actions(states[key]):
                    by_action[row, action] = value(game.play(states[key], int(action)))
        return Leaves(values, action_values=by_action)

    return evaluate


@pytest.mark.parametrize("algorithm", BEST_FIRST)
def test_action_values_are_asked_of_decisions_alone(algorithm):
    """Outcomes are evaluated themselves: an evaluator that has no action values for them gives the same trees."""
    game = fate(7, "length=10")
    by_actions = walk_settings(algorithm, evaluate="action_values")
    assert by_actions.heads() == ("action_values",)
    assert by_actions.heads(game.stochastic) == ("values", "action_values")
    one, other = (
        searched(game, chosen, 60, knowing(game, game.score), make_heuristic("score", game))
        for chosen in (walk_settings(algorithm), by_actions)
    )
    for (state, node), (same, alike) in zip(nodes_of(one), nodes_of(other), strict=True):
        assert state.tobytes() == same.tobytes()
        assert node.values.tolist() == alike.values.tolist()


# -- exact expectations -----------------------------------------------------------------------------------------------


def everything(data, game, algorithm):
    """Settings of a search, and an evaluator."""
    evaluate: Evaluate | None = partial(leaves, game, levels=data.draw(st.sampled_from([3, LEVELS])))
    given = {"resolution_stop": data.draw(st.booleans()), "transpositions": data.draw(st.booleans())}
    if algorithm in BEST_FIRST and data.draw(st.booleans()):
        given |= {"evaluate": "action_values", "refining_root": data.draw(st.sampled_from([0, 2]))}
    elif algorithm in (*BEST_FIRST, "uct") and data.draw(st.booleans()):
        evaluate = None
    return walk_settings(algorithm, exact=data.draw(st.booleans()), **given), evaluate


@settings(max_examples=size(40, 80), deadline=None)
@given(st.data())
def test_what_is_resolved_is_exact_and_what_is_certain_is_certain(data):
    seed, algorithm = data.draw(st.integers(0, 10_000)), data.draw(st.sampled_from([*BEST_FIRST, *MEANS]))
    players = data.draw(st.sampled_from(["players=2", "players=1"]))
    game = data.draw(st.sampled_from([fate(seed, players), fate(seed, "width=4", players), make(PIG)]))
    terminal: TerminalValue = Gain()
    truth = secured(game, game.outcome)
    if game.max_score and (game.players == 1 or data.draw(st.booleans())):
        terminal, truth = make_heuristic("score", game), points(game)
    elif game.max_score and data.draw(st.booleans()):
        terminal, truth = refined_gain(game), secured(game, game.score)
    chosen, evaluate = everything(data, game, algorithm)
    search = searched(game, chosen, data.draw(st.sampled_from([3, 30, 300])), evaluate, terminal, seed=seed)
    assert_sound(search, truth)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("specification", [PIG, "pig:4,sides=2,length=12", *(f"{FATE}:{seed}" for seed in range(6))])
@pytest.mark.parametrize("algorithm", PROVING)
def test_every_algorithm_finds_the_expectation(algorithm, specification):
    """Those of means where all is to be proven; else they converge, as below."""
    game = make(specification)
    value, evaluate = exhaustive(game)(game.initial()), partial(leaves, game)
    chosen = [walk_settings(algorithm, exact=True)]
    if algorithm in BEST_FIRST:
        action_values = {"evaluate": "action_values", "refining": 1, "refining_root": 2}
        chosen += [walk_settings(algorithm), walk_settings(algorithm, **action_values)]
    for one in chosen:
        root = searched(game, one, 100_000, evaluate).root()
        assert root.resolution == 1
        assert root.value == pytest.approx(value, abs=1e-6)
    for one in chosen:
        if algorithm == "uct" or (isinstance(one, BestFirstSettings) and one.evaluate == "children"):
            assert searched(game, one, 100_000).root().value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("algorithm", PROVING)
def test_what_refines_the_gain_is_second_to_a_certain_win(algorithm):
    """Under a heuristic that is not the score a certain win goes before a larger expectation; all is proven."""
    differ = 0
    for seed in range(8):
        game = fate(seed)
        terminal, evaluate = refined_gain(game), partial(leaves, game)
        search = searched(game, walk_settings(algorithm), 100_000, evaluate, terminal)
        certain, expected = secured(game, game.score)(game.initial())
        assert (search.exact, search.proves_values, search.root().resolution) == (True, True, 1)
        assert search.root().completion == certain
        assert search.root().value == pytest.approx(expected, abs=1e-6)
        differ += abs(expected - exhaustive(game, game.score)(game.initial())) > 1e-6
    assert differ > 0


@pytest.mark.one_of(2)
@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("algorithm", [*PROVING, "alphabeta"])
def test_points_are_what_is_expected_of_them(algorithm, players):
    """Under the score a certain win is worth its points, and is given up for a larger expectation."""
    differ = 0
    for seed in range(8):
        game = fate(seed, f"players={players}")
        terminal, evaluate = make_heuristic("score", game), partial(leaves, game)
        search = make_search(game, evaluate, terminal, SEARCHES[algorithm](), memory=1 << 26, seed=7)
        search.reset(game.initial())
        search.run(Budget(iterations=100_000))
        root, expected = search.root(), exhaustive(game, game.score)(game.initial())
        assert (search.proves_values, root.resolution, root.completion, root.proven) == (
            True, 1, 0, 0 if players == 1 and not root.stochastic else None,
        )  # fmt: skip
        assert root.value == pytest.approx(expected, abs=1e-6)
        differ += abs(expected - secured(game, game.score)(game.initial())[1]) > 1e-6
    assert (differ > 0) == (players == 2)


@pytest.mark.parametrize("algorithm", ["ubfm", "alphabeta"])
def test_an_endgame_of_hypergammon(algorithm):
    """Either a gammon is in reach or a single game: the expected points are those of all that can be rolled."""
    game = make("backgammon:hyper")
    own, other = [0] * 26, [0] * 26
    own[0], own[5], own[6] = 1, 1, 1
    other[5], other[6], other[7] = 1, 1, 1
    state = before_roll(game, (own, other))
    terminal = make_heuristic("score", game)
    search = make_search(game, None, terminal, SEARCHES[algorithm](), memory=1 << 28)
    search.reset(state)
    search.run(Budget(iterations=1_000_000))
    root = search.root()
    assert (root.resolution, root.completion) == (1, 0)
    assert root.value == pytest.approx(exhaustive(game, game.score)(state), abs=1e-5)
    assert 0.1 < root.value % 1 < 0.9


@pytest.mark.parametrize("evaluate", ["children", "action_values"])
@pytest.mark.parametrize("algorithm", BEST_FIRST)
def test_values_that_are_right_stay_right(algorithm, evaluate):
    """Without completion nothing is proven; but from exact values come exact values, whatever the heuristic."""
    chosen = walk_settings(algorithm, completion=False, evaluate=evaluate)
    for game in (fate(1), fate(2, "length=10"), fate(5, "players=1")):
        terminal, value = make_heuristic("score", game), exhaustive(game, game.score)
        for state, node in nodes_of(searched(game, chosen, 100, knowing(game, game.score), terminal)):
            assert node.value == pytest.approx(value(state), abs=1e-6)
            assert not node.resolution or not len(node.actions)


# -- what is drawn, and means -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["descent", "uct", "mcts", "rave"])
def test_outcomes_come_as_they_are_likely(algorithm):
    game, draws = fate(1, "length=5"), 20_000
    assert game.player(game.initial()) == CHANCE
    if algorithm in ("mcts", "rave"):
        search = {"mcts": Mcts, "rave": Rave}[algorithm](game, seed=3)
        search.reset(game.initial())
        run(search, Budget(iterations=draws))
        root = search.root()
        assert root.priors == pytest.approx(game.probabilities(game.initial()))
    else:
        chosen = walk_settings(algorithm, completion=False)
        root = searched(game, chosen, draws, partial(leaves, game)).root()
    assert root.counts.sum() == draws
    assert stats.chisquare(root.counts, draws * game.probabilities(game.initial())).pvalue > 1e-4


@pytest.mark.one_of(2)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("algorithm", [*MEANS, "mcts", "rave"])
def test_means_converge(algorithm, completion):
    """However wrong the network is, the most visited action is as good as the best but for a twentieth."""
    if algorithm in ("mcts", "rave") and not completion:
        return
    for specification in (PIG, *(f"{FATE}:{seed},length=6" for seed in range(5))):
        game = make(specification)
        state, value = game.initial(), exhaustive(game)
        if algorithm in ("mcts", "rave"):
            search = {"mcts": Mcts, "rave": Rave}[algorithm](game, seed=3)
            search.reset(state)
            run(search, Budget(iterations=20_000))
        else:
            given = {"exploration": EXPLORATION[algorithm]} if algorithm in EXPLORATION else {}
            chosen = walk_settings(algorithm, completion=completion, **given)
            search = searched(game, chosen, 20_000, partial(leaves, game))
        root = search.root()
        if algorithm in ("uct", "mcts"):
            assert root.value == pytest.approx(value(state), abs=0.15)
        if root.player != CHANCE:
            action = int(root.actions[search.choose(root, np.random.default_rng(0))])
            assert root.sign * value(game.play(state, action)) >= root.sign * value(state) - 0.05
