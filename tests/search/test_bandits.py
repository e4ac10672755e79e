"""UCT and PUCT with a network: the same trees as a literal transcription, sound proofs, convergence, settings."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from bandit_searches import MANY, searched
from evaluators import hash_leaves, hash_values, of_values
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st
from monte_carlo_transcription import MonteCarlo, assert_same_tree
from sizes import size
from small_trainings import quiet, small
from walk_settings import walk_settings

from athenan import Budget, Search, make
from athenan.arena.roster import make_player
from athenan.evaluation.heuristics import make_heuristic
from athenan.learning.training import train
from athenan.rules.compiler import kernel
from athenan.rules.terminal import TERMINAL_VALUE, Gain
from athenan.runs.checkpoint import load
from athenan.search.algorithms.bandits import Puct, Uct
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.named import parse_search, search_text


@pytest.mark.one_of(3)
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("algorithm", ["uct", "puct"])
@pytest.mark.parametrize("specification", [*MANY, "connect6:7"])
def test_it_is_the_transcription(specification, algorithm, completion, transpositions):
    game, iterations = make(specification), {"tictactoe": 200, "connect6:7": 40}.get(specification, 100)
    for seed, exploration, levels in ((2, 0.1, 3), *size((), ((1, None, 1 << 20), (3, 2**0.5, 20)))):
        evaluate = partial(hash_leaves, game, levels=levels)
        given = {} if exploration is None else {"exploration": exploration}
        chosen = walk_settings(algorithm, completion=completion, transpositions=transpositions, **given)
        search = searched(game, game.initial(), chosen, iterations, evaluate=evaluate, seed=seed)
        start = Search(game, evaluate, settings=chosen, memory=1 << 24, seed=seed).forest.random[0]
        default = {"uct": 0.4, "puct": 1.25}[algorithm]
        reference = MonteCarlo(
            game, evaluate, start, algorithm == "puct", exploration or default, completion, False, transpositions
        )
        reference.run(reference.root(game.initial()), iterations)
        assert_same_tree(search, reference)
        assert search.evaluations == len(reference.order)


@pytest.mark.parametrize("algorithm", ["uct", "puct"])
def test_one_player(algorithm):
    """Values are scores; a state is resolved with all that follows."""
    game = make("morpion:4D,size=9")
    heuristic = make_heuristic("score", game)
    evaluate = partial(hash_leaves, game, scale=heuristic.scale)
    state, chosen = late(game, 4, 7), walk_settings(algorithm)
    search = searched(game, state, chosen, 150, heuristic, evaluate)
    start = Search(game, evaluate, heuristic, chosen, memory=1 << 27, seed=7).forest.random[0]
    reference = MonteCarlo(
        game, evaluate, start, algorithm == "puct", {"uct": 0.4, "puct": 1.25}[algorithm],
        completion=True, exact=True, worth=game.score, scale=heuristic.scale,
    )  # fmt: skip
    reference.run(reference.root(state), 150)
    assert_same_tree(search, reference)


@kernel(TERMINAL_VALUE)
def _large(rules, state, outcome, constants):
    return 64.0 * outcome


@dataclass(frozen=True, eq=False)
class Large:
    """Gains of 64."""

    constants: np.ndarray = field(default_factory=lambda: np.zeros(0))
    scale: float = 64.0
    address: int = field(default_factory=lambda: _large.address)


@pytest.mark.parametrize("algorithm", ["uct", "puct"])
def test_values_are_seen_in_units_of_their_scale(algorithm):
    game = make("othello:4")
    trees = []
    for terminal in (Gain(), Large()):
        evaluate = partial(hash_leaves, game, scale=terminal.scale)
        search = searched(game, game.initial(), walk_settings(algorithm), 300, terminal, evaluate)
        edges = search.forest.edges[0, : search.forest.slots[0]["edges"]]
        trees.append((edges["visits"].tolist(), (edges["value"] / np.float32(terminal.scale)).tolist()))
    assert trees[0] == trees[1]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_resolved_is_never_wrong(data):
    specification, left = data.draw(
        st.sampled_from(
            [("tictactoe", 8), ("hex:3", 6), ("connect_four:4x4", 5), ("othello:4", 6), ("breakthrough:3x4", 6)]
        )
    )  # fmt: skip
    game = make(specification)
    start, value = late(game, data.draw(st.integers(0, 999)), left), exhaustive(game)
    chosen = data.draw(st.sampled_from([Uct, Puct]))(
        resolution_stop=data.draw(st.booleans()),
        transpositions=data.draw(st.booleans()), exact=data.draw(st.booleans()),
    )  # fmt: skip
    evaluate = partial(hash_leaves, game, levels=data.draw(st.sampled_from([3, 1 << 20])))
    iterations = data.draw(st.sampled_from([1, 10, 100, 1000]))
    search = searched(game, start, chosen, iterations, evaluate=evaluate, seed=data.draw(st.integers(0, 99)))
    for number in range(search.forest.slots[0]["nodes"]):
        node, state = search.node(number), search.forest.states[0, number]
        if node.resolution or node.completion:
            assert node.completion == value(state)
        if node.resolution:
            assert node.value == value(state)
        for action, completion, resolution in zip(node.actions, node.completions, node.resolutions, strict=True):
            if resolution or completion:
                assert completion == value(game.play(state, int(action)))
    root = search.root()
    chosen_gain = root.sign * root.completions[search.choose(root, np.random.default_rng(0))]
    assert chosen_gain == (root.sign * root.completions).max()


@pytest.mark.parametrize("algorithm", ["uct", "puct"])
def test_exact_values_are_proven(algorithm):
    game = make("othello:4")
    state, value = late(game, 3, 5), exhaustive(game, game.score)
    search = searched(game, state, walk_settings(algorithm, exact=True), 50_000, make_heuristic("score", game))
    assert search.root().resolution
    assert search.root().value == value(state)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("completion", [True, False])
@pytest.mark.parametrize("algorithm", ["uct", "puct"])
@pytest.mark.parametrize("specification", ["tictactoe", "connect_four:4x4", "hex:2", "othello:4", "breakthrough:3x4"])
def test_it_finds_the_best_action(specification, algorithm, completion):
    """However wrong the network is, in late positions. The mean of a lost one comes down slowly."""
    game, value = make(specification), exhaustive(make(specification))
    for seed in range(6):
        state = late(game, seed, 5)
        chosen = walk_settings(algorithm, completion=completion, exploration={"uct": 1.4, "puct": 5.0}[algorithm])
        search = searched(game, state, chosen, 10_000)
        root = search.root()
        action = int(root.actions[search.choose(root, np.random.default_rng(0))])
        assert value(game.play(state, action)) == value(state)
        assert root.value == pytest.approx(value(state), abs=0 if root.resolution else 0.75)


def test_a_win_in_one_is_a_proof():
    game = make("tictactoe")
    state = game.after("a1 b1 a2 b2")
    for algorithm in ("uct", "puct"):
        search = searched(game, state, walk_settings(algorithm), 10)
        assert (search.root().resolution, search.root().completion, search.effort().iterations) == (1, 1, 1)
        plain = searched(game, state, walk_settings(algorithm, completion=False), 1000)
        assert (plain.root().resolution, plain.effort().iterations) == (0, 1000)
        for one in (search, plain):
            assert game.action_name(state, one.line()[0]) == "a3"


def test_trees_side_by_side_are_those_of_one_search_each():
    game = make("othello:6")
    for algorithm in ("uct", "puct"):
        chosen, evaluate = walk_settings(algorithm), partial(hash_leaves, game)
        together = Search(game, evaluate, settings=chosen, slots=3, memory=1 << 27, seed=5)
        alone = Search(game, evaluate, settings=chosen, memory=1 << 27)
        starts = together.forest.random.copy()
        for slot in range(3):
            together.reset(game.initial(), slot)
        together.run(Budget(iterations=100))
        for slot in range(3):
            alone.forest.random[0] = starts[slot]
            alone.reset(game.initial())
            alone.run(Budget(iterations=100))
            assert alone.root().counts.tolist() == together.root(slot).counts.tolist()


def test_the_exploration_is_a_setting():
    game = make("tictactoe")
    for algorithm, default in (("uct", 0.4), ("puct", 1.25)):
        for text, exploration in ((algorithm, default), (f"{algorithm}:exploration=2.5", 2.5)):
            chosen = parse_search(text)
            assert chosen == walk_settings(algorithm, exploration=exploration)
            assert search_text(chosen) == text
            search = Search(game, partial(hash_leaves, game), settings=chosen, memory=1 << 24)
            assert search.algorithm.constants[0] == exploration
    for algorithm in ("alphabeta", "korf_chickering"):
        with pytest.raises(ValueError, match="there is no option 'exploration'"):
            parse_search(f"{algorithm}:exploration=1")
    with pytest.raises(ValueError, match=r"exploration must be .*from 0 to 1,000"):
        Uct(exploration=-1.0)


def test_what_the_network_is_asked():
    assert Uct().heads() == Ubfm().heads() == ("values",)
    assert Puct().heads() == ("values", "policies")
    with pytest.raises(ValueError, match="Puct needs a network with policies, and there is no network"):
        Search(make("tictactoe"), settings=Puct())
    game = make("tictactoe")
    searched(game, game.initial(), Uct(), 50, evaluate=of_values(hash_values))


def test_a_run_that_searches_with_uct(tmp_path):
    """It trains, is read again with its constant, and its network searches with another."""
    chosen = Uct(exploration=1.5)
    train(small("tictactoe", matches=3, search=chosen), tmp_path / "run", quiet())
    assert load(tmp_path / "run").document["configuration"]["search"] == "uct:exploration=1.5"
    game = make("tictactoe")
    player = make_player(f"{tmp_path}/run,search=uct:exploration=0.7,iterations=50", game)
    player.new_match(game, 1)
    assert player.select(game.after("a1 b1 a2 b2"), Budget(iterations=50)).proven == 1


def test_a_training_without_policies_cannot_search_with_puct():
    with pytest.raises(ValueError, match="policy_target must not be none: puct follows the policy"):
        small("tictactoe", matches=3, search=Puct())
