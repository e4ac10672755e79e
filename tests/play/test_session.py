"""Sessions: positions, trees that go on, reports, and stopping."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from clocks import Ticking

from athenan import Budget, Clock, GameError, Search, Session, make
from athenan.evaluation.heuristics import make_heuristic
from athenan.play.analysis import Analysis
from athenan.rules.game import Game
from athenan.search.clock import CLOCKS
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.searcher import Searcher

FEW = Budget(iterations=40)
SEARCHERS: list[Callable[[Game], Searcher]] = [Search, Mcts]


def session(name: str = "connect_four:4x4", kind: Callable[[Game], Searcher] = Search) -> Session:
    return Session(kind(make(name)))


@pytest.mark.parametrize("kind", SEARCHERS)
def test_any_search_thinks_about_any_position(kind: Callable[[Game], Searcher]) -> None:
    one = session("tictactoe", kind)
    for where in (None, "b2", "b2 a1", "", one.game.after("a1 b1 a2 b2")):
        one.position(where)
        assert np.array_equal(one.state, one.game.position(where))
        found = one.think(Budget(iterations=300))
        assert np.array_equal(found.state, one.state)
        assert found.iterations <= 300
        assert len(found.actions) == 9 - one.game.length(one.state)
        assert found.best == found.line[0]
        assert found.as_json()["pv"] == found.line
    assert found.best == "a3"
    assert (found.proven, found.exact) == ((1, True) if kind is Search else (None, False))


def test_the_tree_is_kept_while_the_position_goes_on() -> None:
    one = session()
    one.think(FEW)
    below = one.searcher.root()
    action = int(below.actions[np.argmax(below.counts)])
    name = one.game.action_name(one.state, action)
    for _ in range(2):
        one.position(name)  # as one would be told by a protocol: from the beginning
        known = one.think(Budget(iterations=1)).states
        assert known > 40
    one.play(int(one.game.actions(one.state)[0]))
    assert one.think(Budget(iterations=1)).states > 40
    one.position("1" if name != "1" else "2")
    assert one.think(Budget(iterations=1)).states < 40
    assert len(one.actions) == 1


def test_undo_returns_to_the_state_before() -> None:
    one = session()
    one.play("2")
    one.play("3")
    one.think(FEW)
    one.undo()
    assert np.array_equal(one.state, one.game.after("2"))
    found = one.think(FEW)
    assert np.array_equal(found.state, one.state)
    assert one.game.after("2 " + " ".join(found.line)) is not None
    one.undo()
    assert (np.array_equal(one.state, one.game.initial()), one.actions) == (True, ())
    with pytest.raises(GameError, match="there is no action to take back"):
        one.undo()


@pytest.mark.parametrize("kind", SEARCHERS)
def test_a_finished_match_is_not_searched(kind: Callable[[Game], Searcher]) -> None:
    one = session("tictactoe", kind)
    one.position("a1 b1 a2 b2")
    one.think(FEW)
    one.play("a3")
    assert one.over
    found = one.think(FEW)
    assert (found.over, found.proven, found.value, found.exact, found.line) == (True, 1, 1, True, [])
    one.undo()
    assert one.think(FEW).best == "a3"


def test_the_value_of_an_end_is_that_of_the_heuristic() -> None:
    game = make("othello:4")
    one = Session(Search(game, None, make_heuristic("score", game)))
    while not one.over:
        one.play(one.think(Budget(iterations=3)).best or "")
    assert one.think().value == game.score(one.state)


def test_reports_while_it_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.01))
    seen: list[Analysis] = []
    found = session("hex:7").think(Budget(seconds=0.3), seen.append, interval=0.025)
    assert 7 <= len(seen) <= 12  # 0.3 seconds, a report each 0.025 at most, and each round reads the clock
    assert [one.iterations for one in seen] == sorted(one.iterations for one in seen)
    assert all(one.actions and one.iterations <= found.iterations for one in seen)


def test_a_search_ends_when_it_is_asked_to() -> None:
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > 2

    found = session("hex:7").think(Budget(iterations=10**9), stopped=stopped)
    assert found.best is not None and 3 <= len(asked) <= 5


@pytest.mark.parametrize("kind", SEARCHERS)
def test_stop_from_another_thread(kind: Callable[[Game], Searcher]) -> None:
    one, thinks = session("hex:7", kind), threading.Event()

    def stop() -> None:
        assert thinks.wait(60)
        one.stop()

    other = threading.Thread(target=stop)
    other.start()
    found = one.think(Budget(seconds=60), lambda _: thinks.set(), interval=0.0)
    other.join()
    assert found.iterations > 0
    assert found.seconds < 60
    one.stop()  # nothing runs: the next search is not stopped
    assert one.think(FEW).iterations == 40


def test_a_clock_gives_a_search_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    one, clock = session("hex:7"), Clock(left=30, increment=5)
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.5))
    share = clock.seconds(one.game, one.state)
    assert share <= one.think(clock).seconds <= share + 2  # a round looks at the clock up to four times


def test_positions_that_do_not_exist_are_refused() -> None:
    one = session("hex:3")
    one.play("b2")
    with pytest.raises(GameError, match="move 2: 'z9' is not a legal action"):
        one.position("a1 z9")
    with pytest.raises(GameError, match="is an int8 vector"):
        one.position(make("hex:7").initial())
    with pytest.raises(GameError, match="is not a legal action"):
        one.play("b2")
    with pytest.raises(GameError, match="is not legal here"):
        one.play(99)
    assert np.array_equal(one.state, one.game.after("b2"))  # as it was
