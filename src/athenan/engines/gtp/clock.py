"""The clocks of GTP: a main time, and then overtime, which is periods in which a number of actions must be played.

Canadian overtime has many actions in a period, Japanese overtime (byo-yomi) has one. An action that begins in the main
time and ends in overtime is the first one of its period, as in the clocks of GoGui and of servers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from athenan.engines.numbers import number, whole
from athenan.play.limit import Clock, Limit, before_more_time


@dataclass(frozen=True)
class GtpClock:
    """The clock of one side; times are in seconds."""

    main: float
    period: float = 0.0
    stones: int = 0
    """Actions per period; 0 without periods."""
    counts_periods: bool = False
    """Whether `time_left` counts the periods that are left, as in Japanese overtime, rather than actions."""
    increment: float = 0.0
    """Time added after each action, as in Fischer's clock."""
    playing: int = 0
    """Actions left in the present period; 0 in the main time."""
    left: float = 0.0
    """Time left in the main time or in the period."""

    @classmethod
    def of(cls, main: float, period: float, stones: int, counts_periods: bool = False) -> "GtpClock | None":
        """The clock that `time_settings` sets; None for no limit, which is a period with a time but no actions."""
        return None if stones == 0 and period > 0 else cls(main, period, stones, counts_periods).restarted()

    def restarted(self) -> "GtpClock":
        """The clock at the start of a match."""
        return self._at(self.main, 0) if self.main > 0 or not self.stones else self._at(self.period, self.stones)

    def set(self, left: float, stones: int) -> "GtpClock":
        """The clock that `time_left` reports."""
        return self._at(left, min(stones, 1) if self.counts_periods else stones)

    def _at(self, left: float, playing: int) -> "GtpClock":
        return replace(self, left=max(0.0, left), playing=playing)

    def after(self, seconds: float) -> "GtpClock":
        """The clock after an action that took these seconds."""
        left, playing = self.left - seconds, self.playing
        if not playing and (left >= 0 or not self.stones):
            return self._at(max(0.0, left) + self.increment, 0)
        if not playing:  # overtime began during the action
            left, playing = self.period + left, self.stones
        return self._at(left, playing - 1) if playing > 1 else self._at(self.period, self.stones)

    def limit(self) -> Limit:
        """The limit of the next action."""
        if self.playing:
            return before_more_time(self.left, self.playing)
        return Clock(self.left, self.increment, self.period / self.stones if self.stones else 0.0)


def standard(arguments: Sequence[str]) -> GtpClock | None:
    """The clock of `time_settings MAIN PERIOD STONES`; None for no limit. Raises ValueError for other arguments."""
    if len(arguments) != 3:
        raise ValueError("time_settings needs a main time, the time of a period, and its stones")
    main, period = _seconds(arguments[:2])
    return GtpClock.of(main, period, whole("time_settings", arguments[2]))


def of_kind(arguments: Sequence[str]) -> GtpClock | None:
    """The clock of `kgs-time_settings` or `kata-time_settings`: a kind and its numbers; None for no limit.

    Raises ValueError for an unknown kind or wrong numbers.
    """
    kind, *numbers = arguments or [""]
    if kind not in KINDS:
        raise ValueError(f"the kind of time settings must be one of {', '.join(KINDS)}, not {kind!r}")
    needed, make = KINDS[kind]
    if len(numbers) != len(needed):
        raise ValueError(f"{kind} needs {' '.join(needed) or 'no numbers'}")
    return make(numbers)


def _seconds(texts: Sequence[str]) -> list[float]:
    return [number("time_settings", text) for text in texts]


def _fischer(texts: Sequence[str]) -> GtpClock:
    main, increment = _seconds(texts)
    return GtpClock(main, increment=increment, left=main)


def _periods(texts: Sequence[str]) -> GtpClock | None:
    main, period = _seconds(texts[:2])
    return GtpClock.of(main, period, min(1, whole("the number of periods", texts[2])), counts_periods=True)


KINDS: dict[str, tuple[tuple[str, ...], Callable[[Sequence[str]], GtpClock | None]]] = {
    "none": ((), lambda _: None),
    "absolute": (("MAIN",), lambda texts: standard([*texts, "0", "0"])),
    "canadian": (("MAIN", "PERIOD", "STONES"), standard),
    "byoyomi": (("MAIN", "PERIOD", "PERIODS"), _periods),
    "fischer": (("MAIN", "INCREMENT"), _fischer),
}
"""Kind of time settings -> the numbers that it needs, and what makes its clock from them."""
