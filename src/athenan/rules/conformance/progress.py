"""The progress of a check, for the process that watches it."""

from collections.abc import Callable
from multiprocessing.context import BaseContext

Mark = Callable[[str], None]
"""Takes the name of what is about to be called."""

_LONGEST = 64


class Enough(BaseException):
    """A part of a quick check has made its calls. It passes through what turns each Exception into a GameError."""


class Limited:
    """Passes marks on, and ends a part of a check after a number of calls. The number does not depend on speed."""

    def __init__(self, mark: Mark, most: int) -> None:
        self._mark, self._left = mark, most

    def __call__(self, name: str) -> None:
        """Marks a call. Raises Enough after the last one."""
        if self._left == 0:
            raise Enough
        self._left -= 1
        self._mark(name)


class CallCounter:
    """The name of the last call and the number of calls, in memory that a fork shares."""

    def __init__(self, context: BaseContext) -> None:
        self._name = context.RawArray("c", _LONGEST)
        self._calls = context.RawValue("Q")

    def mark(self, name: str) -> None:
        """Tells the other process what is being called."""
        self._name.value = name.encode()[: _LONGEST - 1]
        self._calls.value += 1

    @property
    def calls(self) -> int:
        """The number of calls so far."""
        return int(self._calls.value)

    @property
    def name(self) -> str:
        """The name of the last call."""
        return str(self._name.value, errors="replace")
