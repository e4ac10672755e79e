"""The clocks of GTP: a main time, then periods in which a number of actions must be played."""

from dataclasses import dataclass, replace

from athenan.play.limit import LEAST_SECONDS, Clock, Limit
from athenan.search.budget import Budget


@dataclass(frozen=True)
class GtpClock:
    """The clock of one side; times are in seconds."""

    main: float
    period: float = 0.0
    stones: int = 0
    """Actions per period; 0 without periods."""
    playing: int = 0
    """Actions left in the present period; 0 in the main time."""
    left: float = 0.0
    """Time left in the main time or in the period."""

    @classmethod
    def of(cls, main: float, period: float, stones: int) -> "GtpClock | None":
        """The clock that `time_settings` sets; None for no limit, which is a period with a time but no actions."""
        if stones == 0 and period > 0:
            return None
        clock = cls(main, period, stones, 0, main)
        return clock if main > 0 or not stones else clock.set(period, stones)

    def set(self, left: float, playing: int) -> "GtpClock":
        """The clock that `time_left` reports."""
        return replace(self, left=max(0.0, left), playing=playing)

    def after(self, seconds: float) -> "GtpClock":
        """The clock after an action that took these seconds."""
        left = self.left - seconds
        if self.playing:
            return self.set(left, self.playing - 1) if self.playing > 1 else self.set(self.period, self.stones)
        if left <= 0 and self.stones:
            return self.set(self.period, self.stones)
        return self.set(left, 0)

    def limit(self) -> Limit:
        """The limit of the next action."""
        if self.playing:
            return Budget(seconds=max(LEAST_SECONDS, self.left / self.playing))
        return Clock(self.left, self.period / self.stones if self.stones else 0.0)
