"""How long searches last: the only place that compares a clock with the seconds of a budget, also in compiled code.

>>> now = 10.0
>>> deadlines = Deadlines(slots=2, clock=lambda: now)
>>> deadlines.start(0, seconds=3.0)
>>> now = 12.0
>>> deadlines.elapsed(0), deadlines.left(0), deadlines.over()
(2.0, 1.0, [])
>>> now = 13.5
>>> deadlines.over()
[0]
"""

import re
import time
from collections.abc import Callable
from math import inf
from time import perf_counter, thread_time
from typing import Any, Literal, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from athenan.rules.arrays import CONSTANTS
from athenan.rules.compiler import helper
from athenan.rules.intrinsics import emits
from athenan.rules.numba_parts import cgutils

ReadClock = Callable[[], float]
"""Seconds since some moment."""

ClockName = Literal["wall", "processor"]
CLOCKS: dict[ClockName, ReadClock] = {"wall": perf_counter, "processor": thread_time}
"""The clocks of searches by name: wall-clock time, or processor time of the searching thread.

Other threads that evaluate a network for that thread, and GPUs, do not count in its processor time.
"""
_NAMES: dict[ReadClock, str] = {perf_counter: "perf_counter", thread_time: "thread_time"}


def system_clock(name: str) -> int | None:
    """The operating system's number of the clock that a function of `time` reads; None if it has no such clock.

    On macOS the one of `perf_counter` stops while the machine sleeps, and `CLOCK_MONOTONIC` does not.
    """
    how = time.get_clock_info(name).implementation  # type: ignore[arg-type]
    found = re.search(r"CLOCK_\w+", how.replace("mach_absolute_time()", "CLOCK_UPTIME_RAW"))
    return getattr(time, found[0], None) if found else None


class Timing(NamedTuple):
    """`Deadlines` for compiled code, while the clock runs."""

    clock: int
    """The operating system's number of the clock."""
    began: NDArray[np.float64]
    limits: NDArray[np.float64]


TIMING = types.NamedTuple([types.int64, CONSTANTS, CONSTANTS], Timing)


@emits(lambda clock: types.float64(types.int64))
def _system_time(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The time of a clock of the operating system, in seconds: C's `clock_gettime`, or 0 in Windows, which lacks it."""
    if not hasattr(time, "clock_gettime"):
        return ir.DoubleType()(0)
    word, number = ir.IntType(64), ir.IntType(32)
    with builder.goto_entry_block():
        found = builder.alloca(word, 2)  # seconds and nanoseconds
    kind = ir.FunctionType(number, [number, word.as_pointer()])
    function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
    builder.call(function, [builder.trunc(values[0], number), found])
    second = builder.gep(found, [number(1)])
    parts = [builder.sitofp(builder.load(place), ir.DoubleType()) for place in (found, second)]
    return builder.fadd(parts[0], builder.fmul(parts[1], ir.DoubleType()(1e-9)))


@helper
def start_time(timing, slot):
    """Starts the time of a search, with the limit of the previous one; see `Deadlines.start`."""
    if timing.limits[slot] < np.inf:
        timing.began[slot] = _system_time(timing.clock)


@helper
def is_over(timing, slot):
    """Whether the time of a search is over; see `Deadlines.over`."""
    limit = timing.limits[slot]
    return limit < np.inf and _system_time(timing.clock) - timing.began[slot] >= limit


class Deadlines:
    """The times of the searches in some slots, each of which may have a limit.

    A clock may belong to one thread. While the clock is paused, times are kept as they are: a search may go on in
    another thread, with that thread's clock.
    """

    def __init__(self, slots: int = 1, clock: ReadClock | None = None) -> None:
        """Starts the clock (default: wall-clock time), without limits."""
        self.slots = slots
        self._clock = clock or CLOCKS["wall"]
        self._began = np.full(slots, self._clock())
        """When each search began; while the clock is paused, minus the seconds that each has lasted."""
        self._limits = np.full(slots, inf)
        self._earliest = inf
        """When the first of them is over, so that one comparison answers most questions; -inf while paused."""
        self._running = True

    def start(self, slot: int = 0, seconds: float | None = None) -> None:
        """Starts the time of a search that is to last this many seconds; None for no limit."""
        self._began[slot] = self._now()
        self._limits[slot] = inf if seconds is None else seconds
        self._find_earliest()

    def elapsed(self, slot: int = 0) -> float:
        """The seconds that a search has lasted."""
        return float(self._now() - self._began[slot])

    def left(self, slot: int = 0) -> float:
        """The seconds that a search still has; negative if it has overrun."""
        return float(self._limits[slot]) - self.elapsed(slot)

    def over(self) -> list[int]:
        """The slots whose time is over."""
        now = self._now()
        if now < self._earliest:
            return []
        over: list[int] = np.flatnonzero(now - self._began >= self._limits).tolist()
        return over

    @property
    def timing(self) -> Timing | None:
        """The times of all slots for compiled code, which may change them; None if it cannot read the clock.

        `over` does not know what compiled code has changed before the clock is paused.
        """
        clock = system_clock(_NAMES[self._clock]) if self._clock in _NAMES else None
        return None if clock is None else Timing(clock, self._began, self._limits)

    def pause(self) -> None:
        """Stops the clock until `resume`, if it runs."""
        if self._running:
            self._began -= self._clock()
            self._running = False
            self._find_earliest()

    def resume(self) -> None:
        """Lets the clock run again after `pause`, possibly in another thread."""
        if not self._running:
            self._began += self._clock()
            self._running = True
            self._find_earliest()

    def _find_earliest(self) -> None:
        self._earliest = float((self._began + self._limits).min()) if self._running else -inf

    def _now(self) -> float:
        return self._clock() if self._running else 0.0
