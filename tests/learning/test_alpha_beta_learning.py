"""Learning with alpha-beta: what is learnt, the time of its searches, its settings."""

import numpy as np
import pytest
from alpha_beta_values import assert_values
from evaluators import LEVELS, hash_values, of_values
from exhaustive_search import exhaustive, late
from full_minimax import SOLVED, alpha_beta, grown, minimax
from numpy.typing import NDArray

from athenan import Budget, Search, make
from athenan.learning.examples.targets import TARGETS, RootTarget
from athenan.learning.self_play.by_search import SearchPlay
from athenan.rules.leaves import Leaves
from athenan.rules.playouts import random_match
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.named import parse_search
from athenan.search.searcher import run
from athenan.search.trees.node import Node


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("transpositions", [True, False])
def test_what_is_learnt_is_minimax_and_no_bound(name: str, transpositions: bool) -> None:
    """Also where a search was stopped, in the next search of the same tree, and after it was pruned."""
    game, reference = make(name), minimax(name, LEVELS, False)
    search, total = alpha_beta(game, LEVELS, completion=False, transpositions=transpositions), np.zeros(2, int)
    for budget in (Budget(iterations=3), Budget(iterations=5), Budget(evaluations=50), Budget(evaluations=90)):
        root = grown(search, late(game, 3, 10), budget)
        total += assert_values(search, reference)
        search.play(int(root.actions[search.choose(root, np.random.default_rng(0))]))
        run(search, Budget(evaluations=30))
        search.prune()
        total += assert_values(search, reference)
        run(search, Budget(iterations=2))
        total += assert_values(search, reference)
    assert total.min() > 20


def test_a_tree_target_leaves_bounds_out() -> None:
    game = make("hex:4")
    search = AlphaBetaSearch(game, of_values(hash_values), settings=AlphaBeta(completion=False))
    search.reset(game.initial())
    search.run(Budget(iterations=3))
    valued, nodes = search.valued(), search.forest.nodes[0, : search.effort().states]
    end = game.replay(random_match(game, 1))
    examples = TARGETS["tree"]().finished(search, 0, end)
    assert len(examples.states) == (valued & (nodes["edges"] > 0)).sum() < (nodes["edges"] > 0).sum()
    known = {state.tobytes(): value for state, value in zip(examples.states, examples.values, strict=True)}
    assert known[game.initial().tobytes()] == minimax("hex:4", LEVELS, False)(game.initial(), 3)[1]


def test_a_root_that_has_only_a_bound_is_not_learnt() -> None:
    """Where the best action was proven to lose, and the search was stopped before another was looked at."""
    game, reference, bounds, known = make("hex:3"), minimax("hex:3", 1000), 0, 0
    search = alpha_beta(game, 1000)
    for seed in range(25):
        start = late(game, seed, 6)
        for evaluations in range(10, 130, 4):
            root, depth = grown(search, start, Budget(evaluations=evaluations)), search.effort().iterations
            if root.resolution or not root.resolutions.any():
                continue
            found = [
                (int(completion), float(value)) if resolved else reference(game.play(start, int(action)), depth - 1)
                for action, completion, value, resolved in zip(
                    root.actions, root.completions, root.values, root.resolutions, strict=True
                )
            ]
            wanted = (max, min)[root.player](found)[1]
            learnt = search.valued()[search.forest.slots[0]["root"]]
            known += learnt
            bounds += root.value != wanted
            assert not learnt or root.value == wanted
            target = RootTarget()
            target.before_action(search, 0)
            end = late(game, seed, 0)
            values = target.finished(search, 0, end).values
            assert values[0] == (root.value if learnt else values[1]), "a state without a value has that of the next"
    assert min(known, bounds) > 0


@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("borrowing", [True, False])
def test_searches_end_in_time(slots: int, borrowing: bool) -> None:
    """In the middle of a depth: a batch takes a second here, and an action may take five of each match."""
    game, now, chosen = make("hex:5"), [0.0], list[float]()

    def slow(planes: NDArray[np.int8]) -> Leaves:
        now[0] += 1.0
        return Leaves(hash_values(planes))

    def choose(root: Node, played: int) -> int:
        chosen.append(now[0])
        return int(np.argmin(root.values))

    search = AlphaBetaSearch(game, slow, slots=slots, memory=1 << 26)
    playing = SearchPlay(game, search, Budget(seconds=5.0), choose, borrowing, clock=lambda: now[0])
    for _ in range(2 * slots):
        assert playing.next_match(lambda: False) is not None
    assert (np.diff(chosen)[slots:] <= 5 * slots + 1).all()
    assert now[0] / len(chosen) <= 6


def test_time_that_was_borrowed_is_repaid_by_searches_of_depth_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The action is chosen from values of one depth, also where the tree holds only bounds of them."""
    game, depths = make("hex:4"), list[int]()
    search = alpha_beta(game, LEVELS, completion=False)
    playing = SearchPlay(game, search, Budget(seconds=1e-5), lambda root, played: 0, borrowing=True)

    def note(root: Node, played: int) -> int:
        depth = search.effort().iterations
        depths.append(depth)
        if depth == 1:
            assert root.value == minimax("hex:4", LEVELS, False)(search.state(), 1)[1]
            assert (root.values == root.priors)[root.children < 0].all()
        return int(np.argmin(root.sign * root.values))

    playing.choose = note
    for _ in range(3):
        assert playing.next_match(lambda: False) is not None
    assert depths.count(1) > len(depths) / 2


@pytest.mark.parametrize("target", TARGETS)
def test_resolved_states_of_earlier_matches(target: str) -> None:
    game, value = make("connect_four:4x4"), exhaustive(make("connect_four:4x4"))
    search, random = AlphaBetaSearch(game, of_values(hash_values), memory=1 << 26), np.random.default_rng(1)
    playing = SearchPlay(
        game, search, Budget(evaluations=300), lambda root, played: int(random.integers(len(root.actions))),
        target=TARGETS[target], resolved_period=4,
    )  # fmt: skip
    kept = 0
    for _ in range(9):
        assert playing.next_match(lambda: False) is not None
        known = playing.resolved.known
        kept = max(kept, len(known))
        for state, completion in zip(known.states, known.completions, strict=True):
            if game.length(state) > 6:
                assert completion == value(state)
    assert kept > 100


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("slots", [1, 3])
def test_learns_from_its_trees(target: str, slots: int) -> None:
    game = make("hex:3")
    search = AlphaBetaSearch(game, of_values(hash_values), slots=slots, memory=1 << 24)
    playing = SearchPlay(game, search, Budget(iterations=2), lambda root, played: 0, target=TARGETS[target])
    for _ in range(4):
        match = playing.next_match(lambda: False)
        assert match is not None
        assert game.outcome(game.replay(match.actions)) == match.outcome
        assert len(match.examples.states) > len(match.actions)
        assert np.abs(match.examples.values).max() <= 1


@pytest.mark.parametrize("setting", ["resolution_stop", "exact", "play", "exploration"])
def test_settings_of_other_searches(setting: str) -> None:
    with pytest.raises(ValueError, match=f"^search 'alphabeta:{setting}=1': there is no option '{setting}'"):
        parse_search(f"alphabeta:{setting}=1")


@pytest.mark.parametrize("name", ["ubfm", "descent", "korf_chickering", "uct", "puct"])
def test_a_depth_is_of_alpha_beta_alone(name: str) -> None:
    with pytest.raises(ValueError, match=f"^search '{name}:depth=3': there is no option 'depth'"):
        parse_search(f"{name}:depth=3")
    with pytest.raises(ValueError, match="AlphaBeta has its own walk"):
        Search(make("tictactoe"), settings=AlphaBeta())  # type: ignore[arg-type]


@pytest.mark.parametrize("setting", [{"depth": 0}, {"depth": 1.5}, {"completion": 1}])
def test_impossible_settings_are_refused(setting: dict[str, object]) -> None:
    (name,) = setting
    with pytest.raises(ValueError, match=f"^{name} must be"):
        AlphaBeta(**setting)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="too little for 1 trees of hex:5"):
        AlphaBetaSearch(make("hex:5"), memory=1000)
