"""How far a command has come, on standard error: in a terminal one line that changes, elsewhere a line a minute."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.console import Console
from rich.text import Text

from athenan.settings import counted

SECONDS_BETWEEN_LINES = 60.0


@contextmanager
def showing(so_far: Callable[[], str]) -> Iterator[None]:
    """Inside the context the text of `so_far` is shown. It is called, by another thread, whenever a text is due."""
    if sys.stderr.isatty():
        with Console(stderr=True).status(_Latest(so_far)):
            yield
        return
    ended = Event()
    lines = Thread(target=_print_lines, args=(so_far, ended), name="athenan-progress", daemon=True)
    lines.start()
    try:
        yield
    finally:
        ended.set()
        lines.join()


class _Latest:
    """What rich draws anew, many times a second."""

    def __init__(self, so_far: Callable[[], str]) -> None:
        self._so_far = so_far

    def __rich__(self) -> Text:
        return Text(self._so_far())


def _print_lines(so_far: Callable[[], str], ended: Event) -> None:
    began = monotonic()
    while not ended.wait(SECONDS_BETWEEN_LINES):
        minutes = round((monotonic() - began) / 60)
        print(f"after {counted(minutes, 'minute')}: {so_far()}", file=sys.stderr, flush=True)
