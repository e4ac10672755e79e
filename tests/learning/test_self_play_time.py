"""The time of searches in self-play, by clocks that the tests set."""

import numpy as np
import pytest
from clocks import Ticking
from evaluators import hash_leaves
from self_play import evaluate, never

from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.progress import POLICY
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.choice import Choice
from athenan.rules.leaves import Leaves
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.budget import Budget
from athenan.search.clock import CLOCKS
from athenan.search.trees.node import Node
from athenan.search.walking.walk_search import Search


def test_without_a_network_seconds_are_kept() -> None:
    """The clock is read after every round, which is of a limited number of children."""
    game, clock, chosen = make("havannah:8"), Ticking(0.01), []
    search = Search(game, settings=Descent(), memory=1 << 28)

    def choose(root: Node, played: int) -> int:
        chosen.append(clock.now)
        return int(np.argmax(root.counts))

    players = SearchPlay(game, search, Budget(seconds=0.05), choose, clock=clock)
    assert players.next_match(lambda: len(chosen) == 6) is None
    assert max(np.diff(chosen)) < 0.05 + 0.03


@pytest.mark.parametrize("slots", [1, 3])
def test_learning_takes_no_time_from_searches(slots: int) -> None:
    """The first actions after a learning phase are searched as long as any."""
    game, now, times, chosen = make("hex:7"), [0.0], [], []

    def slow(planes: np.ndarray) -> Leaves:
        now[0] += 1.0
        return evaluate(planes)

    def choose(root: Node, played: int) -> int:
        chosen.append(now[0])
        return int(np.argmin(root.counts))

    search = Search(game, slow, settings=Ubfm(), slots=slots, memory=1 << 24)
    players = SearchPlay(game, search, Budget(seconds=5.0), choose, clock=lambda: now[0])
    for _ in range(4):
        now[0] += 1000.0  # learning
        began = now[0]
        if slots == 1:
            chosen.clear()
        assert players.next_match(never) is not None
        times.append(now[0] - began)
        assert slots > 1 or chosen[0] - began >= 5.0
    assert sum(times) >= 4.0 * len(chosen)


def test_actions_borrow_time_from_each_other() -> None:
    """An iteration of Descent takes a second a state here, an action may take three."""
    game, now, searched = make("hex:5"), [0.0], []

    def slow(planes: np.ndarray) -> Leaves:
        now[0] += 1.0
        return evaluate(planes)

    for borrowing in (False, True):
        search = Search(game, slow, settings=Descent(), memory=1 << 24)
        best = lambda root, _: int(np.argmax(root.counts))
        players = SearchPlay(game, search, Budget(seconds=3.0), best, borrowing, clock=lambda: now[0])
        began, match = now[0], players.next_match(never)
        assert match is not None
        searched.append((now[0] - began) / len(match.actions))
    assert searched[0] > 4
    assert 1 <= searched[1] < 4


@pytest.mark.parametrize("matches_by", ["search", "policy"])
def test_by_processor_time_a_busy_machine_searches_as_much(matches_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_processor = batches_of_a_match("processor", 0.0, matches_by, monkeypatch)
    assert batches_of_a_match("processor", 9.0, matches_by, monkeypatch) == by_processor
    assert batches_of_a_match("wall", 0.0, matches_by, monkeypatch) == by_processor
    assert batches_of_a_match("wall", 9.0, matches_by, monkeypatch) < by_processor


def batches_of_a_match(clock: str, busy: float, matches_by: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """How many batches are evaluated. Each takes a second of this thread, and `busy` seconds in which it must wait."""
    game, processor, wall = make("hex:4"), [0.0], [0.0]

    def slow(planes: np.ndarray) -> Leaves:
        processor[0] += 1.0
        wall[0] += 1.0 + busy
        return hash_leaves(game, planes)

    monkeypatch.setitem(CLOCKS, "processor", lambda: processor[0])
    monkeypatch.setitem(CLOCKS, "wall", lambda: wall[0])
    config = recommended("hex:4", algorithm="exit" if matches_by == "policy" else "descent", matches=5)
    config = config.changed(run={"clock": clock}, action={"seconds": 4.0, "iterations": None})
    if matches_by == "policy":
        config = config.changed(playing={"parallel_matches": 2})
    choice = Choice(config.playing, 1.0, np.random.default_rng(1), lambda: 0.5)
    players = Components(config, game, None, new=True).self_play(slow, choice, lambda: POLICY)
    assert players.next_match(never) is not None
    assert players.spent.batches == processor[0]
    return processor[0]
