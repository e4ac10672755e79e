"""Clocks that tests set, in the place of `time.perf_counter`."""


class Ticking:
    """A clock that moves on by a step of seconds whenever it is read."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now
