"""Clocks that tests set, in the place of `time.perf_counter`."""

from athenan.learning import clocks as of_trainings
from athenan.search import clock as of_searches


class Ticking:
    """A clock that moves on by a step of seconds whenever it is read."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def count_time(monkeypatch, step: float) -> None:
    """Lets the time of trainings and of their searches be the number of looks at a clock, times `step` seconds.

    So a training of some minutes is the same on every machine, however busy.
    """
    for clocks in (of_trainings.CLOCKS, of_searches.CLOCKS):
        for name in ("wall", "processor"):
            monkeypatch.setitem(clocks, name, Ticking(step))
