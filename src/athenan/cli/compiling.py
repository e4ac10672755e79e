"""Reports that rules and search are being compiled, as happens at a first start."""

import sys
from functools import cache
from typing import Any

from rich.console import Console
from rich.status import Status

from athenan.rules.numba_parts import COMPILING, Event, Listener, register


@cache  # one line, however often the command runs in this process
def announce() -> None:
    """Shows compilations from now on: in a terminal one line while they last, elsewhere one line in all."""
    register(COMPILING, _Announcement())


class _Announcement(Listener):
    """Listens to the beginning and end of each compilation; those of the functions that it calls are nested."""

    def __init__(self) -> None:
        self._kernels, self._depth = 0, 0
        self._status: Status | None = None

    def on_start(self, event: Event) -> None:
        self._depth += 1
        if self._depth == 1:
            self._kernels += 1
            self._show(event.data["dispatcher"].py_func)

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0 and self._status:
            self._status.stop()

    def _show(self, function: Any) -> None:
        text = "compiling rules and search for this processor; the next start finds them compiled"
        if sys.stderr.isatty():
            name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
            self._status = Status(f"{text} ({self._kernels}: {name})", console=Console(stderr=True))
            self._status.start()
        elif self._kernels == 1:
            print(f"athenan: {text}", file=sys.stderr)
