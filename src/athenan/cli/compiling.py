"""Reports that rules and search are being compiled, which happens at a first start, and for how long by now."""

import sys
from functools import cache
from time import perf_counter

from rich.console import Console
from rich.status import Status

from athenan.rules.compilation import Compilation, Watch


@cache  # announced once, however often the command runs in this process
def announce() -> None:
    """Shows compilations from now on: in a terminal a line while they last, elsewhere a single line.

    While another display is active, such as the display of a training, that display shows them.
    """
    Watch(_Announcement().tell).__enter__()


class _Announcement:
    def __init__(self) -> None:
        self._status: Status | None = None
        self._began = perf_counter()

    def tell(self, now: Compilation | None) -> None:
        if self._status:
            self._status.stop()
            self._status = None
        if now is None:
            return
        if now.number == 1:
            self._began = perf_counter()
        if sys.stderr.isatty():
            seconds = perf_counter() - self._began
            self._status = Status(f"{now}: step {now.number}, {seconds:.0f} s", console=Console(stderr=True))
            self._status.start()
        elif now.number == 1:
            print(f"athenan: {now}", file=sys.stderr)
