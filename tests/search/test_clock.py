"""The one place that watches clocks: times of searches side by side, across pauses and threads."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import current_thread, main_thread
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pytest
from evaluators import hash_values
from numba import types

from athenan.games.catalogue import make
from athenan.rules.compiler import kernel
from athenan.rules.leaves import Leaves
from athenan.search import clock, searcher
from athenan.search.budget import Budget
from athenan.search.clock import Deadlines
from athenan.search.walking.walk_search import Search


def test_searches_side_by_side_have_times_of_their_own() -> None:
    now = [5.0]
    deadlines = Deadlines(3, lambda: now[0])
    assert deadlines.over() == []
    deadlines.start(0, 2.0)
    now[0] += 1.5
    deadlines.start(1, 0.25)
    deadlines.start(2)
    now[0] += 0.25
    assert deadlines.over() == [1]
    now[0] += 1000
    assert deadlines.over() == [0, 1]
    assert [deadlines.left(slot) for slot in range(3)] == [2 - 1001.75, 0.25 - 1000.25, np.inf]
    deadlines.start(0, 1.0)
    assert deadlines.over() == [1]


def test_time_stands_still_in_a_pause() -> None:
    now = [0.0]
    deadlines = Deadlines(1, lambda: now[0])
    deadlines.start(0, 10.0)
    now[0] = 4.0
    deadlines.pause()
    now[0] = 400.0
    assert (deadlines.elapsed(), deadlines.left(), deadlines.over()) == (4.0, 6.0, [])
    deadlines.pause()
    deadlines.resume()
    now[0] = 405.0
    deadlines.resume()
    assert (deadlines.elapsed(), deadlines.over()) == (9.0, [])
    now[0] = 406.0
    assert deadlines.over() == [0]


def test_a_search_may_go_on_in_another_thread_whose_clock_shows_another_time() -> None:
    times = {True: 100.0, False: 3.0}
    deadlines = Deadlines(1, lambda: times[current_thread() is main_thread()])
    deadlines.start(0, 10.0)
    times[True] += 4
    deadlines.pause()

    def going_on() -> list[float]:
        deadlines.resume()
        times[False] += 5
        found = [deadlines.elapsed(), *deadlines.over()]
        deadlines.pause()
        return found

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(going_on).result() == [9.0]
    deadlines.resume()
    assert deadlines.elapsed() == 9.0
    times[True] += 1
    assert deadlines.over() == [0]


@pytest.mark.parametrize("run", [searcher.run, Search.run])
def test_a_search_ends_when_its_seconds_are_over(
    run: Callable[[Search, Budget], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setitem(clock.CLOCKS, "wall", lambda: now[0])

    def slow(planes: np.ndarray) -> Leaves:
        now[0] += 1.0
        return Leaves(hash_values(planes))

    game = make("hex:5")
    search = Search(game, slow)
    search.reset(game.initial())
    run(search, Budget(seconds=7))
    assert now[0] == 7.0
    assert search.effort().iterations == 7


@kernel(types.void(clock.TIMING))
def begin(timing):
    clock.start_time(timing, 1)


@pytest.mark.parametrize("name", ["wall", "processor"])
def test_compiled_code_reads_the_same_clocks(name: Literal["wall", "processor"]) -> None:
    deadlines = Deadlines(2, clock.CLOCKS[name])
    deadlines.start(1, 10.0)
    timing = deadlines.timing
    assert timing
    begin(timing)  # compiles it
    earlier = clock.CLOCKS[name]()
    begin(timing)
    assert earlier - 1e-6 <= timing.began[1] <= clock.CLOCKS[name]() + 1e-6


@pytest.mark.parametrize(
    ("implementation", "number"),
    [
        ("clock_gettime(CLOCK_MONOTONIC)", time.CLOCK_MONOTONIC),
        ("mach_absolute_time()", 8),  # macOS: the clock that stops while the machine sleeps
        ("QueryPerformanceCounter()", None),  # Windows
    ],
)
def test_compiled_code_reads_the_clock_that_python_reads(
    implementation: str, number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "CLOCK_UPTIME_RAW", 8, raising=False)
    monkeypatch.setattr(time, "get_clock_info", lambda name: SimpleNamespace(implementation=implementation))
    assert clock.system_clock("perf_counter") == number


def test_a_clock_of_python_is_none_for_compiled_code() -> None:
    assert Deadlines(1, lambda: 0.0).timing is None
