"""The time that CECP gives an engine: `level`, `st`, and `time`, the time left on its clock."""

from athenan.engines.numbers import number, whole
from athenan.play.limit import LEAST_SECONDS, Clock, Limit
from athenan.search.budget import Budget

_HUNDREDTHS = 100


class GivenTime:
    """What the engine knows about its time."""

    def __init__(self) -> None:
        self.depth: int | None = None
        """The depth of a search that `sd` limits; None without `sd`."""
        self._fixed: float | None = None
        """The seconds of every move."""
        self._left: float | None = None
        self._moves, self._increment = 0, 0.0

    def level(self, text: str) -> None:
        """Reads `MOVES MINUTES[:SECONDS] INCREMENT`; MOVES is 0 if the time is for the whole match."""
        words = text.split()
        if len(words) != 3:
            raise ValueError("level needs the moves, the minutes and the seconds added for a move")
        minutes, _, seconds = words[1].partition(":")
        base = 60 * number("level", minutes) + (number("level", seconds) if seconds else 0)
        self._moves, self._left, self._increment = whole("level", words[0]), base, number("level", words[2])
        self._fixed = None

    def seconds(self, text: str) -> None:
        """Reads the seconds of every move."""
        self._fixed = number("st", text)

    def told(self, text: str) -> None:
        """Reads what is left on the engine's clock, in hundredths of a second."""
        self._left = number("time", text) / _HUNDREDTHS

    def limit(self, played: int) -> Limit | None:
        """The limit of the next move after the engine has played `played` moves; None if no time was given."""
        if self._fixed is not None:
            return Budget(seconds=max(LEAST_SECONDS, self._fixed))
        if self._left is None:
            return None
        if self._moves:
            return Budget(seconds=max(LEAST_SECONDS, self._left / (self._moves - played % self._moves)))
        return Clock(self._left, self._increment)
