"""Self-play in compiled code: its matches are those of play action by action, number for number."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from self_play import as_counter, never
from tree_memory import forest_bytes

from athenan.evaluation.architectures import Patterns
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.games.catalogue import make
from athenan.learning.config import PlayingSettings
from athenan.learning.examples.targets import LeavesTarget, RootTarget, TreeTarget
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.rules.game import Game
from athenan.search.algorithms.bandits import Uct
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.budget import Budget
from athenan.search.clock import CLOCKS
from athenan.search.settings import WalkSettings
from athenan.search.walking.acting import Acting
from athenan.search.walking.walk_search import Search

GAMES = ["tictactoe", "connect_four:4x4", "othello:6", "breakthrough:5x5", "morpion"]


def patterns(game: Game) -> PatternNetwork:
    network = PatternNetwork(game, Patterns(walks=8, entries=3**6))
    arrays = network.as_arrays()
    arrays["weights"] = np.random.default_rng(3).normal(0, 0.2, arrays["weights"].shape).astype(np.float32)
    network.plays_with(arrays)
    return network


def players(
    game: Game, compiled: bool, budget: Budget, settings: WalkSettings = Descent(), memory: int = 1 << 24,
    playing: PlayingSettings = PlayingSettings(), **others: Any,
) -> SearchPlay:  # fmt: skip
    search = Search(game, patterns(game), settings=settings, memory=memory, seed=5)
    choice = Choice(playing, 1.0, np.random.default_rng(7), lambda: 0.25)
    selection = choice.selection if compiled and choice.compiles else None
    return SearchPlay(game, search, budget, choice.choose, selection=selection, **others)


def assert_same_matches(play: Callable[[bool], SearchPlay], matches: int = 3, compiled: bool = True) -> None:
    one, other = play(True), play(False)
    assert (one._acting is not None) == compiled
    assert other._acting is None
    for _ in range(matches):
        found, wanted = one.next_match(never), other.next_match(never)
        assert found
        assert wanted
        assert_same_match(found, wanted)
        assert one.random.tolist() == other.random.tolist()
    assert one.spent.evaluations == other.spent.evaluations
    assert one.spent.cut_short == other.spent.cut_short


def assert_same_match(found: FinishedMatch, wanted: FinishedMatch) -> None:
    assert (found.actions, found.outcome, found.line) == (wanted.actions, wanted.outcome, wanted.line)
    assert found.examples.states.tobytes() == wanted.examples.states.tobytes()
    assert found.examples.values.tobytes() == wanted.examples.values.tobytes()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("settings", [Descent(), Ubfm(completion=False), Uct()])
def test_matches_are_those_of_play_action_by_action(name: str, settings: WalkSettings) -> None:
    game = make(name)
    for budget in (Budget(iterations=5), Budget(evaluations=300)):
        assert_same_matches(partial(players, game, budget=budget, settings=settings), 2)


@pytest.mark.parametrize(
    "playing",
    [
        PlayingSettings(exploitation=0.6),
        PlayingSettings(exploitation="annealed"),
        PlayingSettings(completed_selection=False),
    ],
)
def test_actions_are_chosen_by_the_settings(playing: PlayingSettings) -> None:
    game = make("connect_four:4x4")
    assert_same_matches(lambda compiled: players(game, compiled, Budget(iterations=8), playing=playing))


@pytest.mark.parametrize("iterations", [2, 200])
@pytest.mark.parametrize("target", [TreeTarget, LeavesTarget])
def test_a_full_tree_goes_on_as_well(iterations: int, target: type[TreeTarget]) -> None:
    game = make("connect_four:4x4")
    for nodes in range(12, 40, 5):
        budget, memory = Budget(iterations=iterations), forest_bytes(game, nodes)
        assert_same_matches(partial(players, game, budget=budget, memory=memory, target=target))


@pytest.mark.parametrize(
    ("others", "playing"),
    [
        ({"target": RootTarget}, PlayingSettings()),
        ({"resolved_period": 5}, PlayingSettings()),
        ({"borrowing": True}, PlayingSettings()),
        ({"clock": lambda: 0.0}, PlayingSettings()),
        ({}, PlayingSettings(selection="epsilon_greedy")),
    ],
)
def test_what_python_must_see_is_played_action_by_action(others: dict[str, Any], playing: PlayingSettings) -> None:
    game, budget = make("connect_four:4x4"), Budget(iterations=8)
    assert_same_matches(lambda compiled: players(game, compiled, budget, playing=playing, **others), compiled=False)


def test_an_interruption_keeps_the_match_in_play() -> None:
    game = make("othello:6")
    one, other = (players(game, True, Budget(iterations=200)) for _ in range(2))
    asked = iter(range(4))
    one.hurry(True)
    assert one.next_match(lambda: next(asked, None) is None) is None
    found, wanted = one.next_match(never), other.next_match(never)
    assert found
    assert wanted
    assert_same_match(found, wanted)
    assert as_counter(found.examples) == as_counter(wanted.examples)


def test_who_is_hurried_returns_earlier() -> None:
    def looks(hurried: bool) -> int:
        asked = 0

        def ask() -> bool:
            nonlocal asked
            asked += 1
            return False

        play = players(make("othello:6"), True, Budget(iterations=200))
        play.hurry(hurried)
        assert play.next_match(ask)
        return asked

    assert looks(True) > 4 * looks(False)


def test_compiled_code_keeps_the_seconds() -> None:
    """By processor time, which other processes do not take; without proofs no search ends early.

    That it takes the seconds is measured. That it takes no more is counted: of the evaluations that it may make, it
    makes some percent in this time. With more seconds the count would say nothing: without completion the best line
    soon ends in a finished match, and further iterations follow it and evaluate nothing.
    """
    budget = Budget(seconds=0.005, evaluations=200_000)
    play = players(make("othello:6"), True, budget, Descent(completion=False), 1 << 26, clock=CLOCKS["processor"])
    play.next_match(never)
    before, began = play.spent.evaluations, time.thread_time()
    match = play.next_match(never)
    passed = time.thread_time() - began
    assert match
    assert passed >= 0.005 * len(match.actions)
    assert play.spent.evaluations - before < 100_000 * len(match.actions)


def test_a_value_that_is_not_finite_is_an_error() -> None:
    play = players(make("connect_four:4x4"), True, Budget(iterations=8))
    assert isinstance(play._acting, Acting)
    play.next_match(never)
    play.search._leaf.weights[:] = np.nan
    with pytest.raises(ValueError, match="no finite number"):
        play.next_match(never)
